/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is on a window: where each text, icon, chart and control of it is, and what is wrong with that on its picture. */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>

#include "picture.h"

enum region_kind {
        REGION_TEXT,    /* a label; bounds are its ink's */
        REGION_ICON,
        REGION_CHART,   /* what Brio draws itself */
        REGION_CONTROL, /* switches, spinners, progress bars */
};

struct region {
        GtkWidget *widget; /* not held */
        enum region_kind kind;
        graphene_rect_t bounds; /* in the window */
        bool scrolled_away;     /* partly or wholly: the user can scroll to it */
        bool faint;             /* the style sheet of libadwaita makes it so: what is dimmed or is a subtitle */
        bool inactive;          /* WCAG has no demand on what cannot be used now */
        char name[96];          /* for people */
};

/* Of struct region, from top to bottom of the tree; of all that is mapped. Free with g_array_unref(). */
GArray *regions_find(GtkWidget *window);

/* How many of a type there are, not scrolled away. */
unsigned regions_count(const GArray *regions, const char *type_name);

/* The demands of a style. */
struct regions_demand {
        bool dark;          /* of the background */
        bool high_contrast;
};

/* Each prints what it finds, and returns how many. All but what is scrolled away is looked at. */
unsigned regions_find_clipped(const GArray *regions, GtkWidget *window); /* beyond the window or what contains it, or cut with … */
/* Texts of which one line begins at the right and another at the left: in what is written from right to left, a line that begins with a name does so. */
unsigned regions_find_torn(const GArray *regions);
/* Texts of which a line begins within a word. */
unsigned regions_find_broken(const GArray *regions);
unsigned regions_find_overlapping(const GArray *regions);
unsigned regions_find_illegible(const GArray *regions, const struct picture *p, const struct regions_demand *demand);
/* Against those of the same window in the other direction of writing, of that width. */
unsigned regions_find_unmirrored(const GArray *regions, const GArray *mirrored, int width);

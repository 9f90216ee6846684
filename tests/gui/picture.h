/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture of a widget, and what can be measured of a part of it. */
#pragma once

#include <gtk/gtk.h>
#include <stdbool.h>
#include <stdint.h>

struct picture {
        int width, height;
        uint32_t *pixels; /* 0xaarrggbb, row by row */
};

/* What a rectangle of it looks like. */
struct picture_look {
        double background; /* relative luminance of its most frequent colour, 0 black to 1 white: WCAG 2.1 */
        double contrast;   /* of what stands out most against that, 1 to 21: WCAG 2.1 */
        unsigned ink;      /* pixels that stand out by PICTURE_INK_CONTRAST and more */
};

#define PICTURE_INK_CONTRAST 1.2

/* Of a mapped widget. False where it is not drawn. */
bool picture_take(GtkWidget *widget, struct picture *ret);
void picture_done(struct picture *p);

/* Of the rectangle, cut to the picture. An empty one has contrast 1 and no ink. */
struct picture_look picture_look_at(const struct picture *p, const graphene_rect_t *rectangle);

/* Relative luminance of a pixel (WCAG 2.1), and the contrast between two of those. */
double picture_luminance(uint32_t pixel);
double picture_contrast(double luminance, double other);

/* The mean grey (0 to 255) of each block of that many pixels in both directions, row by row; the width in blocks into ret_columns.
 * Free with g_free(). */
uint8_t *picture_shrink(const struct picture *p, int block, int *ret_columns, int *ret_rows);

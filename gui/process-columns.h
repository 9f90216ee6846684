/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of the table of processes: what a cell says, how it sorts, and which ones a width has room for. */
#pragma once

#include <gtk/gtk.h>

#include "object-process.h"

G_BEGIN_DECLS

/* Adds all columns to an empty view. */
void process_columns_add (GtkColumnView *view);

/* Shows those columns that have room in this width; where the drives' has none, they stand below the names. */
void process_columns_fit (GtkColumnView *view,
                          int            width);

/* What column i says of a process, also where it has no room, and its title. NULL: there are no more. Free with g_free(). */
char *process_columns_describe (BrioProcess *process,
                                guint        i,
                                const char **ret_title);
/* What that text is, or how sure it is; NULL: there is nothing to say of it. Free with g_free(). */
char *process_columns_explain (BrioProcess *process,
                               guint        i);
/* All that is not empty as lines. Free with g_free(). */
char *process_columns_format (BrioProcess *process);

/* The process at a place of the view; NULL: there is none. */
BrioProcess *process_columns_pick (GtkColumnView *view,
                                   double         x,
                                   double         y);

/* Which of two BrioProcess comes first by the view's sorter, else the one that reads and writes most. */
int process_columns_compare (gconstpointer a,
                             gconstpointer b,
                             gpointer      sorter);

G_END_DECLS

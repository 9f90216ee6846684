/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The columns of the table of processes: what a cell says, how it sorts, and which ones a width has room for. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Adds all columns to an empty view. */
void process_columns_add (GtkColumnView *view);

/* Shows those columns that have room in this width; where the drives' has none, they stand below the names. */
void process_columns_fit (GtkColumnView *view,
                          int            width);

/* Who reads and writes most first: the order where none was chosen, and of what is equal. */
GtkSorter *process_columns_new_busiest_sorter (void);

G_END_DECLS

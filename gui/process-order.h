/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the table of processes is sorted, kept from one time to the next. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A sorter for a column; id is kept as a pointer. most_first: where it is chosen, the largest come first. Free with g_object_unref(). */
GtkSorter *process_order_new_sorter (const char      *id,
                                     gboolean         most_first,
                                     GCompareDataFunc compare,
                                     gpointer         userdata);

/* Once, after the columns were added: sorts by the one whose figures are totals, and follows which one is chosen. */
void process_order_begin (GtkColumnView *view);

/* The id of the column that the view is sorted by; NULL: by none. Its columns have sorters from here. */
const char *process_order_get (GtkColumnView *view,
                               gboolean      *ret_descending);

/* Once, after the columns were added: sorts the view as it was kept, and keeps what the user chooses. */
void process_order_keep (GtkColumnView *view,
                         GSettings     *settings);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the table of processes is sorted, kept from one time to the next. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* A sorter for a column; id is kept as a pointer. Free with g_object_unref(). */
GtkSorter *process_order_new_sorter (const char      *id,
                                     GCompareDataFunc compare,
                                     gpointer         userdata);

/* The id of the column that the view is sorted by; NULL: by none. Its columns have sorters from here. */
const char *process_order_get (GtkColumnView *view,
                               gboolean      *ret_descending);

/* Once, after the columns were added: sorts the view as it was kept, and keeps what somebody chooses. */
void process_order_keep (GtkColumnView *view,
                         GSettings     *settings);

G_END_DECLS

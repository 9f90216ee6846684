/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A container that lays its children in as many equal columns as there is room for, row by row. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define BRIO_TYPE_COLUMNS (brio_columns_get_type ())
G_DECLARE_FINAL_TYPE (BrioColumns, brio_columns, BRIO, COLUMNS, GtkWidget)

/* Properties: min-column-width, max-column-width, max-columns, spacing. Columns that take no more width are in the middle of what there is;
 * one that has such a maximum wants as much. */
GtkWidget *brio_columns_new (void);

/* Puts the child before the one at position, or at the end. */
void brio_columns_insert (BrioColumns *self,
                          GtkWidget   *child,
                          guint        position);
/* The child at position, or NULL. */
GtkWidget *brio_columns_get_child (BrioColumns *self,
                                   guint        position);

/* The width beyond which that many children get no wider, in pixels. */
int brio_columns_get_widest (BrioColumns *self,
                             guint        n_children);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* What is the same for all cells of a column: how they are written, and what is known of the room that this takes. */
typedef struct process_cell_style ProcessCellStyle;

/* chars: room for so many; figures: all digits as wide, at the end; cut: what is longer may be cut, or else makes the column wider. */
ProcessCellStyle *process_cell_style_new (int      chars,
                                          gboolean figures,
                                          gboolean cut);
void process_cell_style_unref (ProcessCellStyle *self);

/* A line of text, as a label: but GTK keeps two hundred rows of a list, and a label of each has a layout of its own, which measuring it makes. Here
 * those of a column share one. */
#define BRIO_TYPE_PROCESS_CELL (brio_process_cell_get_type ())
G_DECLARE_FINAL_TYPE (BrioProcessCell, brio_process_cell, BRIO, PROCESS_CELL, GtkWidget)

GtkWidget *brio_process_cell_new (ProcessCellStyle *style);
void brio_process_cell_set_text (BrioProcessCell *self,
                                 const char      *text);
const char *brio_process_cell_get_text (BrioProcessCell *self);
/* Where it is, there is no room for all of it. */
gboolean brio_process_cell_is_cut (BrioProcessCell *self);

G_END_DECLS

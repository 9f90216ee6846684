/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What GtkListBox lacks in GTK 4.8 (gtk_list_box_remove_all() is of 4.12). */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Removes all rows; a placeholder stays. */
void list_box_clear (GtkListBox *list);

G_END_DECLS

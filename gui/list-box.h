/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What lists of rows have in common. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Removes all rows; a placeholder stays. (GTK has gtk_list_box_remove_all() from 4.12 on.) */
void list_box_clear (GtkListBox *list);

/* A row of plain text, which is shown whole. */
GtkWidget *list_box_new_row (const char *title,
                             const char *subtitle);
/* The same, at the end of the list, which has it. */
GtkWidget *list_box_add_row (GtkListBox *list,
                             const char *title,
                             const char *subtitle);
/* Whether a row can be unfolded; one that is stays so while it can. */
void list_box_let_unfold (AdwExpanderRow *row,
                          gboolean        can);
/* Puts text into a row within one that folds out, which it does while there is a text. */
void list_box_show_details (AdwExpanderRow *row,
                            AdwActionRow   *details,
                            const char     *text);

G_END_DECLS

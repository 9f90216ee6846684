/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "list-box.h"

void
list_box_clear (GtkListBox *list)
{
  GtkListBoxRow *row;

  while ((row = gtk_list_box_get_row_at_index (list, 0)))
    gtk_list_box_remove (list, GTK_WIDGET (row));
}

GtkWidget *
list_box_new_row (const char *title,
                  const char *subtitle)
{
  GtkWidget *row = adw_action_row_new ();

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), subtitle);
  return row;
}

GtkWidget *
list_box_add_row (GtkListBox *list,
                  const char *title,
                  const char *subtitle)
{
  GtkWidget *row = list_box_new_row (title, subtitle);

  gtk_list_box_append (list, row);
  return row;
}

void
list_box_let_unfold (AdwExpanderRow *row,
                     gboolean        can)
{
  gboolean expanded = adw_expander_row_get_expanded (row) && can;

  if (adw_expander_row_get_enable_expansion (row) == can)
    return;
  adw_expander_row_set_enable_expansion (row, can);
  adw_expander_row_set_expanded (row, expanded); /* enabling unfolds it */
}

void
list_box_show_details (AdwExpanderRow *row,
                       AdwActionRow   *details,
                       const char     *text)
{
  adw_action_row_set_subtitle (details, text);
  list_box_let_unfold (row, *text != '\0');
}

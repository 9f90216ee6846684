/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "accessible.h"

#include <glib/gi18n.h>

void
accessible_name (GtkWidget  *widget,
                 const char *label)
{
  g_return_if_fail (GTK_IS_WIDGET (widget));

  gtk_accessible_reset_relation (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property (GTK_ACCESSIBLE (widget), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void
accessible_name_of (GtkWidget  *widget,
                    const char *what,
                    const char *whose)
{
  /* Translators: what something is and whose, for screen readers: "Show as a Table: sda" */
  g_autofree char *label = g_strdup_printf (_("%s: %s"), what, whose);

  accessible_name (widget, label);
}

/* NULL: it is in none. */
static GtkWidget *
find_row (GtkWidget *content)
{
  GtkWidget *row = gtk_widget_get_parent (content);

  if (row && !gtk_widget_get_focusable (row)) /* a cell of a table */
    row = gtk_widget_get_parent (row);
  return row && gtk_widget_get_focusable (row) ? row : NULL;
}

void
accessible_name_row (GtkWidget  *content,
                     const char *label)
{
  GtkWidget *row;

  g_return_if_fail (GTK_IS_WIDGET (content));

  accessible_name (content, label);
  row = find_row (content);
  if (row)
    accessible_name (row, label);
}

void
accessible_unfold_row (GtkWidget *content,
                       int        unfolded)
{
  GtkWidget *row = find_row (content);

  if (!row)
    return;
  if (unfolded < 0)
    gtk_accessible_reset_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED);
  else
    gtk_accessible_update_state (GTK_ACCESSIBLE (row), GTK_ACCESSIBLE_STATE_EXPANDED, unfolded != 0, -1);
}

void
accessible_name_drop_down (GtkDropDown *drop_down,
                           const char  *label)
{
  GtkWidget *button;

  g_return_if_fail (GTK_IS_DROP_DOWN (drop_down));

  accessible_name (GTK_WIDGET (drop_down), label);
  button = gtk_widget_get_first_child (GTK_WIDGET (drop_down));
  if (button)
    accessible_name (button, label);
}

void
accessible_name_columns (GtkColumnView *view)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (view)), *title;
  GListModel *columns = gtk_column_view_get_columns (view);

  g_return_if_fail (GTK_IS_COLUMN_VIEW (view));

  if (!header)
    return;
  gtk_widget_set_focusable (header, FALSE);
  title = gtk_widget_get_first_child (header);
  for (guint i = 0; title && i < g_list_model_get_n_items (columns); i++, title = gtk_widget_get_next_sibling (title))
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);

      accessible_name (title, gtk_column_view_column_get_title (column));
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "table.h"

#include "accessible.h"

#define MAX_HEIGHT 420 /* a plot's rows need not be scrolled: they would stay where they are as new ones come above */

struct _BrioTable
{
  AdwBin parent_instance;

  GtkColumnView *view;
  GtkStringList *rows;
};

G_DEFINE_FINAL_TYPE (BrioTable, brio_table, ADW_TYPE_BIN)

static void
on_setup (GtkSignalListItemFactory *factory,
          GtkListItem              *item,
          gpointer                  column)
{
  GtkWidget *label = gtk_label_new (NULL);

  (void) factory;
  gtk_label_set_xalign (GTK_LABEL (label), GPOINTER_TO_UINT (column) == 0 ? 0 : 1);
  gtk_widget_add_css_class (label, "numeric");
  gtk_list_item_set_child (item, label);
}

static void
on_bind (GtkSignalListItemFactory *factory,
         GtkListItem              *item,
         gpointer                  column)
{
  g_auto (GStrv) cells = g_strsplit (gtk_string_object_get_string (gtk_list_item_get_item (item)), "\t", -1);
  guint i = GPOINTER_TO_UINT (column);

  (void) factory;
  gtk_label_set_label (GTK_LABEL (gtk_list_item_get_child (item)), i < g_strv_length (cells) ? cells[i] : "");
  if (i == 0)
    {
      g_autofree char *row = g_strjoinv (", ", cells); /* as one hears it */

      accessible_name_row (gtk_list_item_get_child (item), row);
    }
}

void
brio_table_set_up (BrioTable         *self,
                   const char        *label,
                   const char *const *titles)
{
  g_return_if_fail (BRIO_IS_TABLE (self));

  accessible_name (GTK_WIDGET (self->view), label);
  for (guint i = 0; titles[i]; i++)
    {
      GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
      g_autoptr (GtkColumnViewColumn) column = NULL;

      g_signal_connect (factory, "setup", G_CALLBACK (on_setup), GUINT_TO_POINTER (i));
      g_signal_connect (factory, "bind", G_CALLBACK (on_bind), GUINT_TO_POINTER (i));
      column = gtk_column_view_column_new (titles[i], factory);
      gtk_column_view_column_set_expand (column, TRUE);
      gtk_column_view_append_column (self->view, column);
    }
  accessible_name_columns (self->view);
}

/* Whether the first n rows that are there are those of rows from the given one on. */
static gboolean
are_from (BrioTable         *self,
          const char *const *rows,
          guint              from,
          guint              n)
{
  for (guint i = 0; i < n; i++)
    if (!g_str_equal (gtk_string_list_get_string (self->rows, i), rows[from + i]))
      return FALSE;
  return TRUE;
}

void
brio_table_set_rows (BrioTable         *self,
                     const char *const *rows)
{
  guint n_old, n_new, added = 0, kept;
  g_autofree const char **above = NULL;

  g_return_if_fail (BRIO_IS_TABLE (self));

  n_old = g_list_model_get_n_items (G_LIST_MODEL (self->rows));
  n_new = g_strv_length ((GStrv) rows);
  while (added < n_new && (n_old == 0 || !are_from (self, rows, added, MIN (n_old, n_new - added))))
    added++;
  kept = MIN (n_old, n_new - added);
  gtk_string_list_splice (self->rows, kept, n_old - kept, n_new - added > kept ? rows + added + kept : NULL);
  above = g_new0 (const char *, added + 1);
  for (guint i = 0; i < added; i++)
    above[i] = rows[i];
  if (added > 0)
    gtk_string_list_splice (self->rows, 0, 0, above);
}

void
brio_table_set_column_visible (BrioTable *self,
                               guint      column,
                               gboolean   visible)
{
  g_autoptr (GtkColumnViewColumn) c = NULL;

  g_return_if_fail (BRIO_IS_TABLE (self));

  c = g_list_model_get_item (gtk_column_view_get_columns (self->view), column);
  g_return_if_fail (c);
  gtk_column_view_column_set_visible (c, visible);
}

static void
brio_table_dispose (GObject *object)
{
  g_clear_object (&BRIO_TABLE (object)->rows);

  G_OBJECT_CLASS (brio_table_parent_class)->dispose (object);
}

static void
brio_table_class_init (BrioTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = brio_table_dispose;
}

static void
brio_table_init (BrioTable *self)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  self->rows = gtk_string_list_new (NULL);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (GTK_SELECTION_MODEL (gtk_no_selection_new (g_object_ref (G_LIST_MODEL (self->rows))))));
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (self->view));
  gtk_scrolled_window_set_max_content_height (GTK_SCROLLED_WINDOW (scroller), MAX_HEIGHT);
  gtk_scrolled_window_set_propagate_natural_height (GTK_SCROLLED_WINDOW (scroller), TRUE);
  adw_bin_set_child (ADW_BIN (self), scroller);
}

GtkWidget *
brio_table_new (void)
{
  return g_object_new (BRIO_TYPE_TABLE, NULL);
}

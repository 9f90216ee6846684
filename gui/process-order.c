/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-order.h"

#include "object-process.h"
#include "settings.h"

#define ID_KEY "brio-id"
#define CHOSEN_KEY "brio-chosen"
#define SETTINGS_KEY "brio-settings"

struct order
{
  const char *id;
  gboolean most_first;
  GCompareDataFunc compare;
  gpointer userdata;
};

/* Before GTK 4.10 a view does not tell by which column it is sorted; but it asks that column's sorter first. So it is asked to compare two
 * processes, and the sorter that is asked puts its order here. */
static struct
{
  gboolean asks;
  const struct order *first;
} probe;

static int
compare (gconstpointer a,
         gconstpointer b,
         gpointer      userdata)
{
  const struct order *order = userdata;

  if (!probe.asks)
    return order->compare (a, b, order->userdata);
  if (!probe.first)
    probe.first = order;
  return GTK_ORDERING_SMALLER;
}

GtkSorter *
process_order_new_sorter (const char      *id,
                          gboolean         most_first,
                          GCompareDataFunc func,
                          gpointer         userdata)
{
  struct order *order = g_new (struct order, 1);
  GtkCustomSorter *sorter = gtk_custom_sorter_new (compare, order, g_free);

  *order = (struct order){ id, most_first, func, userdata };
  g_object_set_data (G_OBJECT (sorter), ID_KEY, (gpointer) id);
  return GTK_SORTER (sorter);
}

/* NULL: none was chosen. */
static const struct order *
find_order (GtkColumnView *view,
            gboolean      *ret_descending)
{
  g_autoptr (GObject) a = g_object_new (BRIO_TYPE_PROCESS, NULL);
  g_autoptr (GObject) b = g_object_new (BRIO_TYPE_PROCESS, NULL);
  GtkOrdering result;

  probe.asks = TRUE;
  probe.first = NULL;
  result = gtk_sorter_compare (gtk_column_view_get_sorter (view), a, b);
  probe.asks = FALSE;
  *ret_descending = result == GTK_ORDERING_LARGER;
  return probe.first;
}

const char *
process_order_get (GtkColumnView *view,
                   gboolean      *ret_descending)
{
  const struct order *order = find_order (view, ret_descending);

  return order ? order->id : NULL;
}

static void
on_changed (GtkSorter      *sorter,
            GtkSorterChange change,
            GtkColumnView  *view)
{
  gboolean descending;
  const char *id;

  (void) sorter;
  (void) change;
  if (!gtk_widget_get_mapped (GTK_WIDGET (view)))
    return; /* that was not chosen: it loses its columns at its end */
  id = process_order_get (view, &descending);
  g_settings_set (g_object_get_data (G_OBJECT (view), SETTINGS_KEY), SETTINGS_PROCESSES_ORDER, "(sb)", id ? id : "", descending);
}

static GtkColumnViewColumn *
find_column (GtkColumnView *view,
             const char    *id)
{
  GListModel *columns = gtk_column_view_get_columns (view);

  for (guint i = 0; i < g_list_model_get_n_items (columns); i++)
    {
      g_autoptr (GtkColumnViewColumn) column = g_list_model_get_item (columns, i);
      GtkSorter *sorter = gtk_column_view_column_get_sorter (column);

      if (sorter && g_strcmp0 (g_object_get_data (G_OBJECT (sorter), ID_KEY), id) == 0)
        return column; /* the view keeps it */
    }
  return NULL;
}

/* A column that was not the first before. */
static void
on_chosen (GtkSorter      *sorter,
           GtkSorterChange change,
           GtkColumnView  *view)
{
  const struct order *order, *before = g_object_get_data (G_OBJECT (view), CHOSEN_KEY);
  gboolean descending;

  (void) change;
  order = find_order (view, &descending);
  g_object_set_data (G_OBJECT (view), CHOSEN_KEY, (gpointer) order);
  if (!order || order == before || !order->most_first || descending || !gtk_widget_get_mapped (GTK_WIDGET (view)))
    return;
  gtk_column_view_sort_by_column (view, find_column (view, order->id), GTK_SORT_DESCENDING);
  g_signal_stop_emission_by_name (sorter, "changed"); /* it has changed once, to this */
}

void
process_order_begin (GtkColumnView *view)
{
  g_signal_connect_object (gtk_column_view_get_sorter (view), "changed", G_CALLBACK (on_chosen), view, 0);
  gtk_column_view_sort_by_column (view, find_column (view, "total"), GTK_SORT_DESCENDING);
}

void
process_order_keep (GtkColumnView *view,
                    GSettings     *settings)
{
  g_autofree char *id = NULL;
  gboolean descending;
  GtkColumnViewColumn *column;

  g_settings_get (settings, SETTINGS_PROCESSES_ORDER, "(sb)", &id, &descending);
  column = find_column (view, id);
  if (column)
    gtk_column_view_sort_by_column (view, column, descending ? GTK_SORT_DESCENDING : GTK_SORT_ASCENDING);
  g_object_set_data_full (G_OBJECT (view), SETTINGS_KEY, g_object_ref (settings), g_object_unref);
  g_signal_connect_object (gtk_column_view_get_sorter (view), "changed", G_CALLBACK (on_changed), view, 0);
}

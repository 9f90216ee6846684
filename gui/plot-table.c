/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-table.h"

#include <glib/gi18n.h>
#include <string.h>

#include "plot-span.h"
#include "table.h"

/* By how much the clock on the wall may go on otherwise than that of the samples before the rows' times follow: by more after a suspend. */
#define CLOCK_SLACK_US G_USEC_PER_SEC

struct _BrioPlotTable
{
  AdwBin parent_instance;

  BrioPlot *plot;
  BrioTable *table;
  GtkLabel *title;
  gint64 realtime_us;          /* CLOCK_REALTIME minus CLOCK_MONOTONIC */
  gint64 shown_serial;         /* what the rows were made of, and how */
  int shown_span_s;
  const struct history *shown; /* only compared */
};

G_DEFINE_FINAL_TYPE (BrioPlotTable, brio_plot_table, ADW_TYPE_BIN)

static void
show_title (BrioPlotTable *self)
{
  g_autofree char *interval = plot_view_format_span (plot_span_interval_s (brio_plot_get_view (self->plot)->span_s));
  /* Translators: above a table: what it is of, and how long a time each row is of: "Read latency: least and most of each 5 s" */
  g_autofree char *title = g_strdup_printf (_("%s: least and most of each %s"), brio_plot_get_title (self->plot), interval);

  gtk_label_set_label (self->title, title);
}

static void
follow_clock (BrioPlotTable *self)
{
  gint64 realtime_us = g_get_real_time () - g_get_monotonic_time ();

  if (ABS (realtime_us - self->realtime_us) > CLOCK_SLACK_US)
    self->realtime_us = realtime_us;
}

/* A line that has nothing to say takes no room. */
static void
show_columns (BrioPlotTable *self)
{
  const struct plot_view *view = brio_plot_get_view (self->plot);
  guint spoken[PLOT_LINES_MAX], n = plot_view_told (view, spoken);

  for (guint line = 0, i = 0; line < view->n_lines; line++)
    {
      gboolean told = i < n && spoken[i] == line;

      i += told;
      brio_table_set_column_visible (self->table, line + 1, told);
    }
}

gboolean
brio_plot_table_refresh (BrioPlotTable *self)
{
  const struct plot_view *view;
  g_auto (GStrv) rows = NULL;
  gint64 serial;

  g_return_val_if_fail (BRIO_IS_PLOT_TABLE (self), FALSE);

  view = brio_plot_get_view (self->plot);
  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return FALSE;
  follow_clock (self);
  serial = plot_view_row_serial (view, self->realtime_us);
  if (serial == self->shown_serial && view->span_s == self->shown_span_s && view->history == self->shown)
    return FALSE;
  self->shown_serial = serial;
  self->shown_span_s = view->span_s;
  self->shown = view->history;
  show_title (self);
  show_columns (self);
  rows = plot_view_rows (view, self->realtime_us);
  brio_table_set_rows (self->table, (const char *const *) rows);
  return TRUE;
}

static void
brio_plot_table_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_plot_table_parent_class)->map (widget);
  brio_plot_table_refresh (BRIO_PLOT_TABLE (widget));
}

static void
brio_plot_table_dispose (GObject *object)
{
  g_clear_object (&BRIO_PLOT_TABLE (object)->plot);

  G_OBJECT_CLASS (brio_plot_table_parent_class)->dispose (object);
}

static void
brio_plot_table_class_init (BrioPlotTableClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = brio_plot_table_dispose;
  GTK_WIDGET_CLASS (klass)->map = brio_plot_table_map;
}

static void
brio_plot_table_init (BrioPlotTable *self)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 6);

  self->title = GTK_LABEL (gtk_label_new (NULL));
  self->table = BRIO_TABLE (brio_table_new ());
  gtk_label_set_xalign (self->title, 0);
  gtk_label_set_wrap (self->title, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->title), "caption");
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->title));
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->table));
  adw_bin_set_child (ADW_BIN (self), box);
}

GtkWidget *
brio_plot_table_new (BrioPlot *plot)
{
  BrioPlotTable *self = g_object_new (BRIO_TYPE_PLOT_TABLE, NULL);
  const struct plot_view *view = brio_plot_get_view (plot);
  /* Translators: the title of a table's column: when each row began */
  const char *titles[PLOT_LINES_MAX + 2] = { _("From") };
  g_autofree char *label = brio_plot_format_label (plot);

  self->plot = g_object_ref (plot);
  self->shown_serial = G_MININT64;
  for (guint i = 0; i < view->n_lines; i++)
    titles[i + 1] = view->lines[i].label;
  brio_table_set_up (self->table, label, titles);
  return GTK_WIDGET (self);
}

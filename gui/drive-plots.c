/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "drive-plots.h"

#include <glib/gi18n.h>

#include "columns.h"
#include "plot-table.h"

#define COLOR_READ "plot_read_color"
#define COLOR_WRITE "plot_write_color"
#define COLOR_DEPTH "plot_depth_color"

#define MIN_COLUMN_WIDTH 280
#define COLUMN_SPACING 18

enum
{
  PLOT_READ_LATENCY,
  PLOT_WRITE_LATENCY,
  PLOT_THROUGHPUT,
  PLOT_DEPTH,
  N_PLOTS
};

enum
{
  PROP_0,
  PROP_AS_TABLE,
  N_PROPS
};

struct _BrioDrivePlots
{
  AdwBin parent_instance;

  GtkStack *stack;
  BrioPlot *plots[N_PLOTS];
  BrioPlotTable *tables[N_PLOTS]; /* NULL until they are wanted */
  gboolean as_table;
};

G_DEFINE_FINAL_TYPE (BrioDrivePlots, brio_drive_plots, ADW_TYPE_BIN)

static GParamSpec *props[N_PROPS];

static GtkWidget *
add_columns (BrioDrivePlots *self,
             const char     *name)
{
  GtkWidget *columns = brio_columns_new ();

  g_object_set (columns, "min-column-width", MIN_COLUMN_WIDTH, "max-columns", 2, "spacing", COLUMN_SPACING, NULL);
  gtk_stack_add_named (self->stack, columns, name);
  return columns;
}

static void
ensure_tables (BrioDrivePlots *self)
{
  GtkWidget *columns;

  if (self->tables[0])
    return;
  columns = add_columns (self, "tables");
  for (guint i = 0; i < N_PLOTS; i++)
    {
      self->tables[i] = BRIO_PLOT_TABLE (brio_plot_table_new (self->plots[i]));
      brio_columns_insert (BRIO_COLUMNS (columns), GTK_WIDGET (self->tables[i]), i);
    }
}

static void
set_as_table (BrioDrivePlots *self,
              gboolean        as_table)
{
  if (self->as_table == as_table)
    return;
  self->as_table = as_table;
  if (as_table)
    ensure_tables (self);
  gtk_stack_set_visible_child_name (self->stack, as_table ? "tables" : "plots");
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_AS_TABLE]);
}

static void
set_up_latency (BrioPlot   *plot,
                const char *title,
                const char *color,
                guint       median,
                guint       p99,
                guint       mean)
{
  const BrioPlotLine lines[] = {
    { median, _("Median"), color, FALSE },
    /* Translators: what 99 of 100 requests do not exceed */
    { p99, _("99 %"), color, FALSE },
    /* Translators: of requests, where single ones are not looked at: median and percentile are not known */
    { mean, _("Mean only"), color, TRUE },
  };

  brio_plot_setup (plot, title, PLOT_UNIT_DURATION_US, lines, G_N_ELEMENTS (lines));
}

static void
set_up (BrioDrivePlots *self)
{
  const BrioPlotLine throughput[] = {
    { BRIO_CHANNEL_READ_BYTES_PER_S, _("Read"), COLOR_READ, FALSE },
    { BRIO_CHANNEL_WRITE_BYTES_PER_S, _("Write"), COLOR_WRITE, FALSE },
  };
  const BrioPlotLine depth[] = {
    /* Translators: requests that a drive works on at a time */
    { BRIO_CHANNEL_DEPTH, _("In flight"), COLOR_DEPTH, FALSE },
  };

  set_up_latency (self->plots[PLOT_READ_LATENCY], _("Read latency"), COLOR_READ, BRIO_CHANNEL_READ_MEDIAN_US, BRIO_CHANNEL_READ_P99_US,
                  BRIO_CHANNEL_READ_MEAN_US);
  set_up_latency (self->plots[PLOT_WRITE_LATENCY], _("Write latency"), COLOR_WRITE, BRIO_CHANNEL_WRITE_MEDIAN_US, BRIO_CHANNEL_WRITE_P99_US,
                  BRIO_CHANNEL_WRITE_MEAN_US);
  brio_plot_setup (self->plots[PLOT_THROUGHPUT], _("Throughput"), PLOT_UNIT_BYTES_PER_S, throughput, G_N_ELEMENTS (throughput));
  brio_plot_setup (self->plots[PLOT_DEPTH], _("Queue depth"), PLOT_UNIT_REQUESTS, depth, G_N_ELEMENTS (depth));
}

static void
brio_drive_plots_get_property (GObject    *object,
                               guint       prop_id,
                               GValue     *value,
                               GParamSpec *pspec)
{
  if (prop_id == PROP_AS_TABLE)
    g_value_set_boolean (value, BRIO_DRIVE_PLOTS (object)->as_table);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_drive_plots_set_property (GObject      *object,
                               guint         prop_id,
                               const GValue *value,
                               GParamSpec   *pspec)
{
  if (prop_id == PROP_AS_TABLE)
    set_as_table (BRIO_DRIVE_PLOTS (object), g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_drive_plots_class_init (BrioDrivePlotsClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = brio_drive_plots_get_property;
  object_class->set_property = brio_drive_plots_set_property;
  props[PROP_AS_TABLE] =
    g_param_spec_boolean ("as-table", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
brio_drive_plots_init (BrioDrivePlots *self)
{
  GtkWidget *columns;

  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_set_vhomogeneous (self->stack, FALSE);
  columns = add_columns (self, "plots");
  for (guint i = 0; i < N_PLOTS; i++)
    {
      self->plots[i] = BRIO_PLOT (brio_plot_new ());
      brio_columns_insert (BRIO_COLUMNS (columns), GTK_WIDGET (self->plots[i]), i);
    }
  set_up (self);
  adw_bin_set_child (ADW_BIN (self), GTK_WIDGET (self->stack));
}

void
brio_drive_plots_set_device (BrioDrivePlots *self,
                             BrioDevice     *device)
{
  g_return_if_fail (BRIO_IS_DRIVE_PLOTS (self));

  for (guint i = 0; i < N_PLOTS; i++)
    brio_plot_set_history (self->plots[i], device ? brio_device_get_history (device) : NULL, device ? brio_device_get_name (device) : NULL);
}

void
brio_drive_plots_set_span (BrioDrivePlots *self,
                           int             span_s)
{
  g_return_if_fail (BRIO_IS_DRIVE_PLOTS (self));

  for (guint i = 0; i < N_PLOTS; i++)
    brio_plot_set_span (self->plots[i], span_s);
  brio_drive_plots_refresh (self);
}

gboolean
brio_drive_plots_refresh (BrioDrivePlots *self)
{
  gboolean drawn = FALSE;

  g_return_val_if_fail (BRIO_IS_DRIVE_PLOTS (self), FALSE);

  for (guint i = 0; i < N_PLOTS; i++)
    {
      drawn |= brio_plot_refresh (self->plots[i]);
      drawn |= self->tables[i] && brio_plot_table_refresh (self->tables[i]);
    }
  return drawn;
}

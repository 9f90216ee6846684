/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot.h"

#include <glib/gi18n.h>
#include <math.h>

#include "plot-draw.h"

#define SPAN_US (60 * G_USEC_PER_SEC)
/* Where samples are further apart than this, the line has a gap. */
#define GAP_US (5 * G_USEC_PER_SEC / 2)
/* How often the newest values change, in figures: more often, nobody can read them. */
#define READING_US (G_USEC_PER_SEC * 3 / 4) /* samples that come once a second do not come to the millisecond */
/* How often the accessible description does, which goes over a bus to who reads it aloud; at once while the plot has the focus. */
#define DESCRIPTION_US (5 * G_USEC_PER_SEC)
/* One press of an arrow key. */
#define CURSOR_STEP_US G_USEC_PER_SEC

#define AREA_HEIGHT 96
#define MIN_WIDTH 160
#define NAT_WIDTH 280

struct _BrioPlot
{
  GtkWidget parent_instance;

  char *title;
  char *subject;
  enum plot_unit unit;
  BrioPlotLine lines[BRIO_PLOT_LINES_MAX];
  guint n_lines;

  const struct series *series;
  guint64 drawn_serial;
  gint64 read_us, described_us;
  gint64 cursor_age_us; /* below 0: none */
  double top;           /* of the value axis; 0: not known yet */

  struct plot_geometry geometry;
  PangoLayout *layout;  /* caption-sized, for all text */
  /* Each is dropped when what it shows changes. */
  GskRenderNode *axis_node;
  GskRenderNode *lines_node;
  GskRenderNode *legend_node;
};

G_DEFINE_FINAL_TYPE (BrioPlot, brio_plot, GTK_TYPE_WIDGET)

static void
drop_nodes (BrioPlot *self)
{
  g_clear_pointer (&self->axis_node, gsk_render_node_unref);
  g_clear_pointer (&self->lines_node, gsk_render_node_unref);
  g_clear_pointer (&self->legend_node, gsk_render_node_unref);
}

static void
ensure_layout (BrioPlot *self)
{
  if (!self->layout)
    self->layout = plot_draw_create_layout (GTK_WIDGET (self));
}

static gint64
newest_us (BrioPlot *self)
{
  size_t n = self->series ? series_count (self->series) : 0;

  return n > 0 ? series_time (self->series, n - 1) : 0;
}

/* The sample that the legend shows: the one under the cursor, else the newest. */
static gboolean
find_shown (BrioPlot *self,
            size_t   *ret_index)
{
  if (!self->series || series_count (self->series) == 0)
    return FALSE;
  return series_nearest (self->series, newest_us (self) - MAX (self->cursor_age_us, 0), GAP_US, ret_index);
}

char *
brio_plot_get_reading (BrioPlot *self,
                       guint     i)
{
  char buffer[32];
  size_t index;
  float value;

  g_return_val_if_fail (BRIO_IS_PLOT (self), NULL);
  g_return_val_if_fail (i < self->n_lines, NULL);

  value = find_shown (self, &index) ? series_value (self->series, self->lines[i].channel, index) : NAN;
  return g_strdup (isnan (value) ? "–" : plot_format (self->unit, (double) value, buffer, sizeof (buffer)));
}

static void
collect_columns (BrioPlot           *self,
                 guint               line,
                 struct plot_column *columns,
                 size_t              n)
{
  gint64 end_us = newest_us (self) + 1; /* the newest sample lies within */
  struct series_run runs[2];

  plot_columns_clear (columns, n);
  if (!self->series)
    return;
  series_runs (self->series, self->lines[line].channel, runs);
  for (guint i = 0; i < G_N_ELEMENTS (runs); i++)
    plot_columns_add (columns, n, end_us - SPAN_US, end_us, runs[i].t_us, runs[i].values, runs[i].n);
}

static void
snapshot_lines (BrioPlot *self)
{
  size_t n = (size_t) MAX (1, (int) self->geometry.area.size.width);
  g_autofree struct plot_column *columns = g_new (struct plot_column, n * BRIO_PLOT_LINES_MAX);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  float max = 0;
  double top;
  cairo_t *cr;

  for (guint i = 0; i < self->n_lines; i++)
    {
      collect_columns (self, i, columns + i * n, n);
      max = fmaxf (max, plot_columns_max (columns + i * n, n));
    }
  top = plot_scale_follow (self->top, (double) max, plot_unit_floor (self->unit));
  if (fabs (top - self->top) > top * 1e-9)
    g_clear_pointer (&self->axis_node, gsk_render_node_unref);
  self->top = top;

  cr = gtk_snapshot_append_cairo (snapshot, &self->geometry.area);
  /* The second line first: the filled one is the reader's, and the more important. */
  for (guint i = self->n_lines; i > 0; i--)
    {
      struct plot_stroke stroke = {
        .color = plot_draw_get_color (GTK_WIDGET (self), self->lines[i - 1].color),
        .dashed = i > 1,
        .top = top,
        .gap_columns = (size_t) ((gint64) n * GAP_US / SPAN_US) + 1,
      };

      plot_draw_line (cr, &self->geometry.area, columns + (i - 1) * n, n, &stroke);
    }
  cairo_destroy (cr);
  self->lines_node = gtk_snapshot_free_to_node (snapshot);
}

static void
snapshot_legend (BrioPlot *self)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  struct plot_legend_entry entries[BRIO_PLOT_LINES_MAX];
  g_autofree char *ago = NULL;

  for (guint i = 0; i < self->n_lines; i++)
    entries[i] = (struct plot_legend_entry) {
      .label = self->lines[i].label,
      .reading = brio_plot_get_reading (self, i),
      .color = plot_draw_get_color (GTK_WIDGET (self), self->lines[i].color),
      .dashed = i > 0,
    };
  if (self->cursor_age_us >= 0)
    ago = g_strdup_printf (_("%d s ago"), (int) ((self->cursor_age_us + G_USEC_PER_SEC / 2) / G_USEC_PER_SEC));
  plot_draw_legend (snapshot, GTK_WIDGET (self), self->layout, &self->geometry, self->title, ago, entries, self->n_lines);
  for (guint i = 0; i < self->n_lines; i++)
    g_free (entries[i].reading);
  self->legend_node = gtk_snapshot_free_to_node (snapshot);
}

static void
snapshot_cursor (BrioPlot    *self,
                 GtkSnapshot *snapshot)
{
  const graphene_rect_t *area = &self->geometry.area;
  double x = (double) (area->origin.x + area->size.width);
  size_t index;
  float fraction;

  if (self->cursor_age_us < 0 || !find_shown (self, &index))
    return;
  fraction = (float) (newest_us (self) - series_time (self->series, index)) / SPAN_US;
  if (fraction > 1)
    return;
  x -= (double) (fraction * area->size.width);
  plot_draw_cursor (snapshot, GTK_WIDGET (self), area, (float) x);
  for (guint i = 0; i < self->n_lines; i++)
    {
      float value = series_value (self->series, self->lines[i].channel, index);
      GdkRGBA color = plot_draw_get_color (GTK_WIDGET (self), self->lines[i].color);

      if (!isnan (value))
        plot_draw_dot (snapshot, area, (float) x, value / (float) self->top, &color);
    }
}

static void
append_node (GtkSnapshot   *snapshot,
             GskRenderNode *node)
{
  if (node)
    gtk_snapshot_append_node (snapshot, node);
}

static void
brio_plot_snapshot (GtkWidget   *widget,
                    GtkSnapshot *snapshot)
{
  BrioPlot *self = BRIO_PLOT (widget);

  ensure_layout (self);
  if (!self->lines_node) /* also finds the axis' end */
    snapshot_lines (self);
  if (!self->axis_node)
    {
      GtkSnapshot *axis = gtk_snapshot_new ();

      plot_draw_axis (axis, widget, self->layout, &self->geometry, self->unit, self->top, SPAN_US / G_USEC_PER_SEC);
      self->axis_node = gtk_snapshot_free_to_node (axis);
    }
  if (!self->legend_node)
    snapshot_legend (self);

  append_node (snapshot, self->axis_node);
  append_node (snapshot, self->lines_node);
  append_node (snapshot, self->legend_node);
  snapshot_cursor (self, snapshot);
}

static void
brio_plot_measure (GtkWidget     *widget,
                   GtkOrientation orientation,
                   int            for_size,
                   int           *minimum,
                   int           *natural,
                   int           *minimum_baseline,
                   int           *natural_baseline)
{
  BrioPlot *self = BRIO_PLOT (widget);

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  ensure_layout (self);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN_WIDTH;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = AREA_HEIGHT + plot_draw_get_text_height (self->layout);
}

static void
brio_plot_size_allocate (GtkWidget *widget,
                         int        width,
                         int        height,
                         int        baseline)
{
  BrioPlot *self = BRIO_PLOT (widget);

  (void) baseline;
  ensure_layout (self);
  plot_draw_get_geometry (self->layout, width, height, gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL, &self->geometry);
  drop_nodes (self);
}

static void
brio_plot_css_changed (GtkWidget         *widget,
                       GtkCssStyleChange *change)
{
  BrioPlot *self = BRIO_PLOT (widget);

  GTK_WIDGET_CLASS (brio_plot_parent_class)->css_changed (widget, change);
  g_clear_object (&self->layout);
  drop_nodes (self);
  gtk_widget_queue_resize (widget);
}

static void
brio_plot_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_plot_parent_class)->map (widget);
  brio_plot_refresh (BRIO_PLOT (widget));
}

static void
describe (BrioPlot *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->n_lines; i++)
    {
      g_autofree char *reading = brio_plot_get_reading (self, i);

      /* Translators: what a line of a plot shows and its value now, "Read 64 ms" */
      g_string_append_printf (text, C_("reading", "%s%s %s"), i > 0 ? ", " : "", self->lines[i].label, reading);
    }
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text->str, -1);
}

void
brio_plot_set_cursor (BrioPlot *self,
                      gint64    age_us)
{
  g_return_if_fail (BRIO_IS_PLOT (self));

  age_us = age_us < 0 ? -1 : MIN (age_us, SPAN_US);
  if (self->cursor_age_us == age_us)
    return;
  self->cursor_age_us = age_us;
  g_clear_pointer (&self->legend_node, gsk_render_node_unref);
  if (gtk_widget_has_focus (GTK_WIDGET (self)))
    describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
on_motion (GtkEventControllerMotion *controller,
           double                    x,
           double                    y,
           BrioPlot                 *self)
{
  const graphene_rect_t *area = &self->geometry.area;
  double from_right = (double) (area->origin.x + area->size.width) - x;

  (void) controller;
  (void) y;
  brio_plot_set_cursor (self, (gint64) (CLAMP (from_right / (double) area->size.width, 0.0, 1.0) * SPAN_US));
}

static void
on_leave (GtkEventController *controller,
          BrioPlot           *self)
{
  (void) controller;
  brio_plot_set_cursor (self, -1);
}

static gboolean
on_key_pressed (GtkEventControllerKey *controller,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        state,
                BrioPlot              *self)
{
  (void) controller;
  (void) keycode;
  (void) state;
  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      brio_plot_set_cursor (self, self->cursor_age_us < 0 ? 0 : self->cursor_age_us + CURSOR_STEP_US);
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      brio_plot_set_cursor (self, self->cursor_age_us - CURSOR_STEP_US);
      return GDK_EVENT_STOP;
    case GDK_KEY_Escape:
      if (self->cursor_age_us < 0)
        return GDK_EVENT_PROPAGATE;
      brio_plot_set_cursor (self, -1);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
}

/* Not scrolled out of sight. */
static gboolean
is_in_view (BrioPlot *self)
{
  GtkWidget *scrolled = gtk_widget_get_ancestor (GTK_WIDGET (self), GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  if (!gtk_widget_get_mapped (GTK_WIDGET (self)))
    return FALSE;
  if (!scrolled || !gtk_widget_compute_bounds (GTK_WIDGET (self), scrolled, &bounds))
    return TRUE;
  return bounds.origin.y + bounds.size.height > 0 && bounds.origin.y < (float) gtk_widget_get_height (scrolled);
}

gboolean
brio_plot_refresh (BrioPlot *self)
{
  gint64 now_us = g_get_monotonic_time ();
  guint64 serial;

  g_return_val_if_fail (BRIO_IS_PLOT (self), FALSE);

  serial = self->series ? series_serial (self->series) : 0;
  if (serial == self->drawn_serial || !is_in_view (self))
    return FALSE;
  self->drawn_serial = serial;
  g_clear_pointer (&self->lines_node, gsk_render_node_unref);
  if (now_us - self->read_us >= READING_US || self->cursor_age_us >= 0)
    {
      self->read_us = now_us;
      g_clear_pointer (&self->legend_node, gsk_render_node_unref);
    }
  if (now_us - self->described_us >= DESCRIPTION_US || gtk_widget_has_focus (GTK_WIDGET (self)))
    {
      self->described_us = now_us;
      describe (self);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
  return TRUE;
}

static void
brio_plot_dispose (GObject *object)
{
  BrioPlot *self = BRIO_PLOT (object);

  drop_nodes (self);
  g_clear_object (&self->layout);
  self->series = NULL;

  G_OBJECT_CLASS (brio_plot_parent_class)->dispose (object);
}

static void
brio_plot_finalize (GObject *object)
{
  BrioPlot *self = BRIO_PLOT (object);

  g_free (self->title);
  g_free (self->subject);

  G_OBJECT_CLASS (brio_plot_parent_class)->finalize (object);
}

static void
brio_plot_class_init (BrioPlotClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_plot_dispose;
  object_class->finalize = brio_plot_finalize;
  widget_class->snapshot = brio_plot_snapshot;
  widget_class->measure = brio_plot_measure;
  widget_class->size_allocate = brio_plot_size_allocate;
  widget_class->css_changed = brio_plot_css_changed;
  widget_class->map = brio_plot_map;

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
brio_plot_init (BrioPlot *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  self->cursor_age_us = -1;
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect (motion, "enter", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "motion", G_CALLBACK (on_motion), self);
  g_signal_connect (motion, "leave", G_CALLBACK (on_leave), self);
  g_signal_connect (key, "key-pressed", G_CALLBACK (on_key_pressed), self);
  g_signal_connect (focus, "leave", G_CALLBACK (on_leave), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), key);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
}

GtkWidget *
brio_plot_new (void)
{
  return g_object_new (BRIO_TYPE_PLOT, NULL);
}

static void
update_label (BrioPlot *self)
{
  g_autofree char *label = NULL;

  if (!self->title)
    return;
  /* Translators: what a plot shows, of which drive: "Latency of sda" */
  label = self->subject ? g_strdup_printf (_("%s of %s"), self->title, self->subject) : g_strdup (self->title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
}

void
brio_plot_setup (BrioPlot           *self,
                 const char         *title,
                 enum plot_unit      unit,
                 const BrioPlotLine *lines,
                 guint               n_lines)
{
  g_return_if_fail (BRIO_IS_PLOT (self));
  g_return_if_fail (n_lines >= 1 && n_lines <= BRIO_PLOT_LINES_MAX);

  g_free (self->title);
  self->title = g_strdup (title);
  self->unit = unit;
  for (guint i = 0; i < n_lines; i++)
    self->lines[i] = lines[i];
  self->n_lines = n_lines;
  update_label (self);
  drop_nodes (self);
}

void
brio_plot_set_series (BrioPlot            *self,
                      const struct series *series,
                      const char          *subject)
{
  g_return_if_fail (BRIO_IS_PLOT (self));

  self->series = series;
  self->drawn_serial = 0;
  self->top = 0;
  g_free (self->subject);
  self->subject = g_strdup (subject);
  update_label (self);
  drop_nodes (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

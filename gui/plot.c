/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "chart-input.h"
#include "plot-scene.h"
#include "plot-span.h"

/* How often the newest values change, in figures: more often, they cannot be read. */
#define READING_US (G_USEC_PER_SEC * 3 / 4) /* samples that come once a second do not come to the millisecond */
/* How often the accessible description does, which goes over a bus to a screen reader; at once while the plot has the focus. */
#define DESCRIPTION_US (5 * G_USEC_PER_SEC)

#define AREA_HEIGHT 96
#define MIN_WIDTH 160
#define NAT_WIDTH 280

struct _BrioPlot
{
  GtkWidget parent_instance;

  char *title;
  char *subject;
  struct plot_view view;
  struct plot_scene scene;

  guint64 drawn_serial;
  gint64 drawn_begin_us; /* the lines move on where time has, by a column */
  gint64 read_us, described_us;
};

G_DEFINE_FINAL_TYPE (BrioPlot, brio_plot, GTK_TYPE_WIDGET)

static void
brio_plot_snapshot (GtkWidget   *widget,
                    GtkSnapshot *snapshot)
{
  BrioPlot *self = BRIO_PLOT (widget);

  plot_scene_append (&self->scene, widget, snapshot, &self->view, self->title);
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
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN_WIDTH;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = AREA_HEIGHT + plot_draw_get_text_height (plot_scene_get_layout (&self->scene, widget));
}

static void
brio_plot_size_allocate (GtkWidget *widget,
                         int        width,
                         int        height,
                         int        baseline)
{
  (void) baseline;
  plot_scene_allocate (&BRIO_PLOT (widget)->scene, widget, width, height);
}

static void
brio_plot_css_changed (GtkWidget         *widget,
                       GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (brio_plot_parent_class)->css_changed (widget, change);
  plot_scene_clear (&BRIO_PLOT (widget)->scene);
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
  g_autofree char *sentence = plot_view_sentence (&self->view);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, sentence, -1);
}

void
brio_plot_set_cursor (BrioPlot *self,
                      gint64    age_us)
{
  g_return_if_fail (BRIO_IS_PLOT (self));

  age_us = age_us < 0 ? -1 : MIN (age_us, self->view.span_s * G_USEC_PER_SEC);
  if (self->view.cursor_age_us == age_us)
    return;
  self->view.cursor_age_us = age_us;
  g_clear_pointer (&self->scene.legend_node, gsk_render_node_unref);
  if (gtk_widget_has_focus (GTK_WIDGET (self)))
    describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
point (GtkWidget *plot,
       double     x)
{
  BrioPlot *self = BRIO_PLOT (plot);
  const graphene_rect_t *area = &self->scene.geometry.area;
  double from_right = (double) (area->origin.x + area->size.width) - x;

  brio_plot_set_cursor (self, (gint64) (CLAMP (from_right / (double) area->size.width, 0.0, 1.0) * self->view.span_s * G_USEC_PER_SEC));
}

static void
move (GtkWidget *plot,
      int        steps)
{
  BrioPlot *self = BRIO_PLOT (plot);
  gint64 age_us = self->view.cursor_age_us;

  if (age_us < 0 && steps < 0)
    age_us = 0; /* the first press */
  else
    age_us -= steps * plot_span_step_us (self->view.span_s);
  brio_plot_set_cursor (self, age_us);
}

static gboolean
leave (GtkWidget *plot)
{
  BrioPlot *self = BRIO_PLOT (plot);
  gboolean left = self->view.cursor_age_us >= 0;

  brio_plot_set_cursor (self, -1);
  return left;
}

/* All plots of a page are over the same time, so that one sees what happened at once. */
static gboolean
zoom (GtkWidget *plot,
      int        steps)
{
  return gtk_widget_activate_action (plot, "overview.zoom", "i", steps);
}

gboolean
brio_plot_refresh (BrioPlot *self)
{
  gint64 now_us = g_get_monotonic_time (), begin_us;
  gboolean drawn = FALSE;
  guint64 serial;

  g_return_val_if_fail (BRIO_IS_PLOT (self), FALSE);

  serial = self->view.history ? series_serial (history_samples (self->view.history)) : 0;
  if (serial == self->drawn_serial || !plot_draw_is_in_sight (GTK_WIDGET (self)))
    return FALSE;
  self->drawn_serial = serial;
  begin_us = plot_scene_get_begin_us (&self->scene, &self->view);
  if (begin_us != self->drawn_begin_us)
    {
      self->drawn_begin_us = begin_us;
      g_clear_pointer (&self->scene.lines_node, gsk_render_node_unref);
      drawn = TRUE;
    }
  if (now_us - self->read_us >= READING_US || self->view.cursor_age_us >= 0)
    {
      self->read_us = now_us;
      g_clear_pointer (&self->scene.legend_node, gsk_render_node_unref);
      drawn = TRUE;
    }
  if (now_us - self->described_us >= DESCRIPTION_US || gtk_widget_has_focus (GTK_WIDGET (self)))
    {
      self->described_us = now_us;
      describe (self);
    }
  if (drawn)
    gtk_widget_queue_draw (GTK_WIDGET (self));
  return drawn;
}

static void
brio_plot_dispose (GObject *object)
{
  BrioPlot *self = BRIO_PLOT (object);

  plot_scene_clear (&self->scene);
  self->view.history = NULL;

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
  static const BrioChartInput input = { .point = point, .move = move, .leave = leave, .zoom = zoom };

  self->view.cursor_age_us = -1;
  self->view.span_s = PLOT_SPAN_DEFAULT_S;
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  chart_input_set_up (GTK_WIDGET (self), &input);
}

GtkWidget *
brio_plot_new (void)
{
  return g_object_new (BRIO_TYPE_PLOT, NULL);
}

char *
brio_plot_format_label (BrioPlot *self)
{
  g_return_val_if_fail (BRIO_IS_PLOT (self), NULL);

  /* Translators: what a plot shows, of which drive: "Throughput of sda" */
  return self->subject ? g_strdup_printf (_("%s of %s"), self->title, self->subject) : g_strdup (self->title);
}

static void
update_label (BrioPlot *self)
{
  g_autofree char *label = self->title ? brio_plot_format_label (self) : NULL;

  if (label)
    accessible_name (GTK_WIDGET (self), label);
}

void
brio_plot_setup (BrioPlot           *self,
                 const char         *title,
                 enum plot_unit      unit,
                 const BrioPlotLine *lines,
                 guint               n_lines)
{
  g_return_if_fail (BRIO_IS_PLOT (self));
  g_return_if_fail (n_lines >= 1 && n_lines <= PLOT_LINES_MAX);

  g_free (self->title);
  self->title = g_strdup (title);
  self->view.unit = unit;
  for (guint i = 0; i < n_lines; i++)
    self->view.lines[i] = lines[i];
  self->view.n_lines = n_lines;
  update_label (self);
  plot_scene_drop (&self->scene);
}

void
brio_plot_set_history (BrioPlot             *self,
                       const struct history *history,
                       const char           *subject)
{
  g_return_if_fail (BRIO_IS_PLOT (self));

  self->view.history = history;
  self->drawn_serial = 0;
  self->scene.top = 0;
  g_free (self->subject);
  self->subject = g_strdup (subject);
  update_label (self);
  describe (self);
  plot_scene_drop (&self->scene);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
brio_plot_set_span (BrioPlot *self,
                    int       span_s)
{
  g_return_if_fail (BRIO_IS_PLOT (self));

  span_s = plot_span_fit (span_s);
  if (self->view.span_s == span_s)
    return;
  self->view.span_s = span_s;
  self->view.cursor_age_us = MIN (self->view.cursor_age_us, span_s * G_USEC_PER_SEC);
  plot_scene_drop (&self->scene);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const struct plot_view *
brio_plot_get_view (BrioPlot *self)
{
  g_return_val_if_fail (BRIO_IS_PLOT (self), NULL);

  return &self->view;
}

const char *
brio_plot_get_title (BrioPlot *self)
{
  g_return_val_if_fail (BRIO_IS_PLOT (self), NULL);

  return self->title;
}

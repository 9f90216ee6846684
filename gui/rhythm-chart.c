/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rhythm-chart.h"

#include "accessible.h"
#include "chart-input.h"
#include "pattern-words.h"
#include "plot-draw.h"
#include "rhythm-draw.h"

#define MIN_WIDTH 220
#define NAT_WIDTH 480

struct _BrioRhythmChart
{
  GtkWidget parent_instance;

  struct pattern p;
  int cursor; /* the period that is read out; below 0: none */

  struct rhythm_scene scene; /* of p; without a layout till there is one */
  GskRenderNode *node;       /* the columns and their axis; dropped when something changes */
};

G_DEFINE_FINAL_TYPE (BrioRhythmChart, brio_rhythm_chart, GTK_TYPE_WIDGET)

static void
drop_node (BrioRhythmChart *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
}

static void
ensure_layout (BrioRhythmChart *self)
{
  struct rhythm_scene *scene = &self->scene;

  if (scene->layout)
    return;
  scene->layout = plot_draw_create_layout (GTK_WIDGET (self));
  pango_layout_set_text (scene->layout, "0", -1);
  pango_layout_get_pixel_size (scene->layout, NULL, &scene->line_height);
}

static GskRenderNode *
create_node (BrioRhythmChart *self)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();

  rhythm_draw_measure (&self->scene);
  rhythm_draw_columns (&self->scene, snapshot);
  return gtk_snapshot_free_to_node (snapshot);
}

static void
brio_rhythm_chart_snapshot (GtkWidget   *widget,
                            GtkSnapshot *snapshot)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (widget);

  if (self->p.n == 0)
    return;
  ensure_layout (self);
  if (!self->node)
    self->node = create_node (self);
  gtk_snapshot_append_node (snapshot, self->node);
  rhythm_draw_legend (&self->scene, snapshot, self->cursor >= 0 ? (guint) self->cursor : self->p.n - 1);
  if (self->cursor >= 0)
    {
      graphene_rect_t area = rhythm_draw_get_area (&self->scene);
      double begin, end;

      rhythm_draw_get_extent (&self->scene, (guint) self->cursor, &begin, &end);
      plot_draw_cursor (snapshot, widget, &area, (float) ((begin + end) / 2));
    }
}

static void
brio_rhythm_chart_measure (GtkWidget     *widget,
                           GtkOrientation orientation,
                           int            for_size,
                           int           *minimum,
                           int           *natural,
                           int           *minimum_baseline,
                           int           *natural_baseline)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (widget);

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  ensure_layout (self);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN_WIDTH;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = rhythm_draw_get_height (&self->scene);
}

static void
brio_rhythm_chart_size_allocate (GtkWidget *widget,
                                 int        width,
                                 int        height,
                                 int        baseline)
{
  (void) width;
  (void) height;
  (void) baseline;
  drop_node (BRIO_RHYTHM_CHART (widget));
}

static void
brio_rhythm_chart_css_changed (GtkWidget         *widget,
                               GtkCssStyleChange *change)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (widget);

  GTK_WIDGET_CLASS (brio_rhythm_chart_parent_class)->css_changed (widget, change);
  g_clear_object (&self->scene.layout);
  drop_node (self);
  gtk_widget_queue_resize (widget);
}

static void
brio_rhythm_chart_dispose (GObject *object)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (object);

  drop_node (self);
  g_clear_object (&self->scene.layout);

  G_OBJECT_CLASS (brio_rhythm_chart_parent_class)->dispose (object);
}

static void
brio_rhythm_chart_class_init (BrioRhythmChartClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_rhythm_chart_dispose;
  widget_class->snapshot = brio_rhythm_chart_snapshot;
  widget_class->measure = brio_rhythm_chart_measure;
  widget_class->size_allocate = brio_rhythm_chart_size_allocate;
  widget_class->css_changed = brio_rhythm_chart_css_changed;

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
describe (BrioRhythmChart *self)
{
  g_autofree char *reading = brio_rhythm_chart_get_reading (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, *reading ? reading : "–", -1);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

void
brio_rhythm_chart_set_cursor (BrioRhythmChart *self,
                              int              period)
{
  g_return_if_fail (BRIO_IS_RHYTHM_CHART (self));

  period = MIN (MAX (period, -1), (int) self->p.n - 1);
  if (self->cursor == period)
    return;
  self->cursor = period;
  describe (self);
}

static void
point (GtkWidget *chart,
       double     x)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (chart);

  if (self->p.n > 0)
    brio_rhythm_chart_set_cursor (self, (int) pattern_find (&self->p, x / (double) rhythm_draw_get_area (&self->scene).size.width));
}

static void
move (GtkWidget *chart,
      int        steps)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (chart);

  brio_rhythm_chart_set_cursor (self, MAX (0, self->cursor + steps));
}

static gboolean
leave (GtkWidget *chart)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (chart);
  gboolean was = self->cursor >= 0;

  brio_rhythm_chart_set_cursor (self, -1);
  return was;
}

static void
brio_rhythm_chart_init (BrioRhythmChart *self)
{
  static const BrioChartInput input = { .point = point, .move = move, .leave = leave };

  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  chart_input_set_up (GTK_WIDGET (self), &input);
  self->cursor = -1;
  self->scene = (struct rhythm_scene) { .widget = GTK_WIDGET (self), .p = &self->p };
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "–", -1);
}

GtkWidget *
brio_rhythm_chart_new (void)
{
  return g_object_new (BRIO_TYPE_RHYTHM_CHART, NULL);
}

void
brio_rhythm_chart_set (BrioRhythmChart      *self,
                       const struct pattern *p,
                       const char           *label)
{
  g_return_if_fail (BRIO_IS_RHYTHM_CHART (self));

  self->p = *p;
  self->cursor = MIN (self->cursor, (int) p->n - 1); /* while a period is read out, others come */
  drop_node (self);
  accessible_name (GTK_WIDGET (self), label);
  describe (self);
}

char *
brio_rhythm_chart_get_reading (BrioRhythmChart *self)
{
  g_return_val_if_fail (BRIO_IS_RHYTHM_CHART (self), NULL);

  return pattern_words_sentence (&self->p, self->cursor);
}

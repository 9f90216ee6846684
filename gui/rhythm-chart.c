/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rhythm-chart.h"

#include "pattern-words.h"
#include "plot-draw.h"
#include "rhythm-draw.h"

#define MIN_WIDTH 220

struct _BrioRhythmChart
{
  BrioChart parent_instance;

  struct pattern p;
  struct rhythm_scene scene; /* of p */
};

G_DEFINE_FINAL_TYPE (BrioRhythmChart, brio_rhythm_chart, BRIO_TYPE_CHART)

/* As it is now; NULL: there is nothing to draw. */
static struct rhythm_scene *
get_scene (BrioChart *chart)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (chart);

  self->scene.layout = brio_chart_get_layout (chart);
  self->scene.line_height = brio_chart_get_line_height (chart);
  return self->p.n > 0 ? &self->scene : NULL;
}

static void
brio_rhythm_chart_draw (BrioChart   *chart,
                        GtkSnapshot *snapshot)
{
  struct rhythm_scene *scene = get_scene (chart);

  if (!scene)
    return;
  rhythm_draw_measure (scene);
  rhythm_draw_columns (scene, snapshot);
}

static void
brio_rhythm_chart_draw_over (BrioChart   *chart,
                             GtkSnapshot *snapshot)
{
  const struct rhythm_scene *scene = get_scene (chart);
  int cursor = brio_chart_get_cursor (chart);
  double begin, end;
  graphene_rect_t area;

  if (!scene)
    return;
  rhythm_draw_legend (scene, snapshot, cursor >= 0 ? (guint) cursor : scene->p->n - 1);
  if (cursor < 0)
    return;
  area = rhythm_draw_get_area (scene);
  rhythm_draw_get_extent (scene, (guint) cursor, &begin, &end);
  plot_draw_cursor (snapshot, GTK_WIDGET (chart), &area, (float) ((begin + end) / 2));
}

static int
brio_rhythm_chart_get_height (BrioChart *chart)
{
  (void) get_scene (chart);
  return rhythm_draw_get_height (&BRIO_RHYTHM_CHART (chart)->scene);
}

static guint
brio_rhythm_chart_get_n (BrioChart *chart)
{
  return BRIO_RHYTHM_CHART (chart)->p.n;
}

static guint
brio_rhythm_chart_find (BrioChart *chart,
                        double     x)
{
  BrioRhythmChart *self = BRIO_RHYTHM_CHART (chart);

  return (guint) pattern_find (&self->p, x / (double) rhythm_draw_get_area (&self->scene).size.width);
}

static char *
brio_rhythm_chart_get_reading (BrioChart *chart,
                               int        period)
{
  return pattern_words_sentence (&BRIO_RHYTHM_CHART (chart)->p, period);
}

static void
brio_rhythm_chart_class_init (BrioRhythmChartClass *klass)
{
  BrioChartClass *chart_class = BRIO_CHART_CLASS (klass);

  chart_class->min_width = MIN_WIDTH;
  chart_class->get_height = brio_rhythm_chart_get_height;
  chart_class->draw = brio_rhythm_chart_draw;
  chart_class->draw_over = brio_rhythm_chart_draw_over;
  chart_class->get_n = brio_rhythm_chart_get_n;
  chart_class->find = brio_rhythm_chart_find;
  chart_class->get_reading = brio_rhythm_chart_get_reading;
}

static void
brio_rhythm_chart_init (BrioRhythmChart *self)
{
  self->scene = (struct rhythm_scene) { .widget = GTK_WIDGET (self), .p = &self->p };
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
  brio_chart_change (BRIO_CHART (self), label);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline.h"

#include <glib/gi18n.h>

#include "timeline-draw.h"
#include "timeline-words.h"

#define MIN_WIDTH 200

struct _BrioTimeline
{
  BrioChart parent_instance;

  struct timeline t; /* n_slices 0: nothing */
  gint64 best_us;
  GArray *marks; /* of struct timeline_mark */
};

G_DEFINE_FINAL_TYPE (BrioTimeline, brio_timeline, BRIO_TYPE_CHART)

/* As it is now; the timeline's. */
static struct timeline_picture
get_picture (BrioChart *chart)
{
  BrioTimeline *self = BRIO_TIMELINE (chart);

  return (struct timeline_picture) {
    .widget = GTK_WIDGET (self),
    .layout = brio_chart_get_layout (chart),
    .line_height = brio_chart_get_line_height (chart),
    .t = &self->t,
    .best_us = self->best_us,
    .marks = (const struct timeline_mark *) (gpointer) self->marks->data,
    .n_marks = self->marks->len,
    .cursor = brio_chart_get_cursor (chart),
  };
}

static void
brio_timeline_draw (BrioChart   *chart,
                    GtkSnapshot *snapshot)
{
  struct timeline_picture picture = get_picture (chart);

  if (picture.t->n_slices > 0)
    timeline_draw_picture (&picture, snapshot);
}

static void
brio_timeline_draw_over (BrioChart   *chart,
                         GtkSnapshot *snapshot)
{
  struct timeline_picture picture = get_picture (chart);

  if (picture.t->n_slices > 0)
    timeline_draw_reading (&picture, snapshot);
}

static int
brio_timeline_get_height (BrioChart *chart)
{
  struct timeline_picture picture = get_picture (chart);

  return timeline_draw_get_height (&picture);
}

static guint
brio_timeline_get_n (BrioChart *chart)
{
  return (guint) BRIO_TIMELINE (chart)->t.n_slices;
}

static guint
brio_timeline_find (BrioChart *chart,
                    double     x)
{
  return (guint) timeline_find (&BRIO_TIMELINE (chart)->t, x / MAX (1, gtk_widget_get_width (GTK_WIDGET (chart))));
}

static char *
brio_timeline_get_reading (BrioChart *chart,
                           int        slice)
{
  return timeline_words_sentence (&BRIO_TIMELINE (chart)->t, slice);
}

static void
brio_timeline_finalize (GObject *object)
{
  g_array_unref (BRIO_TIMELINE (object)->marks);

  G_OBJECT_CLASS (brio_timeline_parent_class)->finalize (object);
}

static void
brio_timeline_class_init (BrioTimelineClass *klass)
{
  BrioChartClass *chart_class = BRIO_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = brio_timeline_finalize;
  chart_class->min_width = MIN_WIDTH;
  chart_class->get_height = brio_timeline_get_height;
  chart_class->draw = brio_timeline_draw;
  chart_class->draw_over = brio_timeline_draw_over;
  chart_class->get_n = brio_timeline_get_n;
  chart_class->find = brio_timeline_find;
  chart_class->get_reading = brio_timeline_get_reading;
}

static void
brio_timeline_init (BrioTimeline *self)
{
  self->marks = g_array_new (FALSE, FALSE, sizeof (struct timeline_mark));
  brio_chart_change (BRIO_CHART (self), _("Timeline of a start"));
}

void
brio_timeline_set (BrioTimeline          *self,
                   const struct timeline *t,
                   gint64                 best_us,
                   const struct timeline_mark *marks,
                   guint                  n_marks,
                   const char            *subject)
{
  g_autofree char *label = NULL;

  g_return_if_fail (BRIO_IS_TIMELINE (self));

  self->t = t ? *t : (struct timeline) { 0 };
  self->best_us = best_us;
  g_array_set_size (self->marks, 0);
  g_array_append_vals (self->marks, marks, n_marks);
  /* Translators: what a chart shows, for screen readers; %s is an application */
  label = g_strdup_printf (_("Timeline of a start of %s"), subject);
  brio_chart_change (BRIO_CHART (self), label);
  brio_chart_set_cursor (BRIO_CHART (self), -1);
  gtk_widget_queue_resize (GTK_WIDGET (self)); /* it has as many lanes as there are parts, and as many lines below as kinds of marks */
}

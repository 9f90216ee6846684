/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "chart-input.h"
#include "plot-draw.h"
#include "timeline-draw.h"
#include "timeline-words.h"

#define MIN_WIDTH 200
#define NAT_WIDTH 480

struct _BrioTimeline
{
  GtkWidget parent_instance;

  struct timeline t; /* n_slices 0: nothing */
  gint64 best_us;
  GArray *marks; /* of gint64 */
  int cursor;

  PangoLayout *layout;
  int line_height;
  GskRenderNode *node; /* all but the cursor and what it reads out; dropped when something changes */
};

G_DEFINE_FINAL_TYPE (BrioTimeline, brio_timeline, GTK_TYPE_WIDGET)

static void
drop_node (BrioTimeline *self)
{
  g_clear_pointer (&self->node, gsk_render_node_unref);
}

static void
ensure_layout (BrioTimeline *self)
{
  if (self->layout)
    return;
  self->layout = plot_draw_create_layout (GTK_WIDGET (self));
  pango_layout_set_text (self->layout, "0", -1);
  pango_layout_get_pixel_size (self->layout, NULL, &self->line_height);
}

char *
brio_timeline_get_reading (BrioTimeline *self)
{
  g_return_val_if_fail (BRIO_IS_TIMELINE (self), NULL);

  return timeline_words_sentence (&self->t, self->cursor);
}

static void
describe (BrioTimeline *self)
{
  g_autofree char *reading = brio_timeline_get_reading (self);

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, *reading ? reading : "–", -1);
}

/* As it is now; the timeline's. */
static struct timeline_picture
get_picture (BrioTimeline *self)
{
  ensure_layout (self);
  return (struct timeline_picture) {
    .widget = GTK_WIDGET (self),
    .layout = self->layout,
    .line_height = self->line_height,
    .t = &self->t,
    .best_us = self->best_us,
    .marks = (const gint64 *) (gpointer) self->marks->data,
    .n_marks = self->marks->len,
    .cursor = self->cursor,
  };
}

static void
brio_timeline_snapshot (GtkWidget   *widget,
                        GtkSnapshot *snapshot)
{
  BrioTimeline *self = BRIO_TIMELINE (widget);
  struct timeline_picture picture;

  if (self->t.n_slices == 0)
    return;
  picture = get_picture (self);
  if (!self->node)
    {
      GtkSnapshot *all = gtk_snapshot_new ();

      timeline_draw_picture (&picture, all);
      self->node = gtk_snapshot_free_to_node (all);
    }
  gtk_snapshot_append_node (snapshot, self->node);
  timeline_draw_reading (&picture, snapshot);
}

static void
brio_timeline_measure (GtkWidget     *widget,
                       GtkOrientation orientation,
                       int            for_size,
                       int           *minimum,
                       int           *natural,
                       int           *minimum_baseline,
                       int           *natural_baseline)
{
  struct timeline_picture picture = get_picture (BRIO_TIMELINE (widget));

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN_WIDTH;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = timeline_draw_get_height (&picture);
}

static void
brio_timeline_size_allocate (GtkWidget *widget,
                             int        width,
                             int        height,
                             int        baseline)
{
  (void) width;
  (void) height;
  (void) baseline;
  drop_node (BRIO_TIMELINE (widget));
}

static void
brio_timeline_css_changed (GtkWidget         *widget,
                           GtkCssStyleChange *change)
{
  BrioTimeline *self = BRIO_TIMELINE (widget);

  GTK_WIDGET_CLASS (brio_timeline_parent_class)->css_changed (widget, change);
  g_clear_object (&self->layout);
  drop_node (self);
  gtk_widget_queue_resize (widget);
}

void
brio_timeline_set_cursor (BrioTimeline *self,
                          int           slice)
{
  g_return_if_fail (BRIO_IS_TIMELINE (self));

  slice = slice < 0 || self->t.n_slices == 0 ? -1 : MIN (slice, (int) self->t.n_slices - 1);
  if (self->cursor == slice)
    return;
  self->cursor = slice;
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
point (GtkWidget *timeline,
       double     x)
{
  BrioTimeline *self = BRIO_TIMELINE (timeline);
  int width = gtk_widget_get_width (timeline);

  if (width > 0 && self->t.n_slices > 0)
    brio_timeline_set_cursor (self, (int) timeline_find (&self->t, x / width));
}

static void
move (GtkWidget *timeline,
      int        steps)
{
  BrioTimeline *self = BRIO_TIMELINE (timeline);

  brio_timeline_set_cursor (self, MAX (0, self->cursor + steps));
}

static gboolean
leave (GtkWidget *timeline)
{
  BrioTimeline *self = BRIO_TIMELINE (timeline);
  gboolean left = self->cursor >= 0;

  brio_timeline_set_cursor (self, -1);
  return left;
}

static void
brio_timeline_dispose (GObject *object)
{
  BrioTimeline *self = BRIO_TIMELINE (object);

  drop_node (self);
  g_clear_object (&self->layout);

  G_OBJECT_CLASS (brio_timeline_parent_class)->dispose (object);
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
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_timeline_dispose;
  object_class->finalize = brio_timeline_finalize;
  widget_class->snapshot = brio_timeline_snapshot;
  widget_class->measure = brio_timeline_measure;
  widget_class->size_allocate = brio_timeline_size_allocate;
  widget_class->css_changed = brio_timeline_css_changed;

  gtk_widget_class_set_css_name (widget_class, "plot");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
brio_timeline_init (BrioTimeline *self)
{
  static const BrioChartInput input = { .point = point, .move = move, .leave = leave };

  accessible_name (GTK_WIDGET (self), _("Timeline of a start"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "–", -1);
  self->cursor = -1;
  self->marks = g_array_new (FALSE, FALSE, sizeof (gint64));
  chart_input_set_up (GTK_WIDGET (self), &input);
}

GtkWidget *
brio_timeline_new (void)
{
  return g_object_new (BRIO_TYPE_TIMELINE, NULL);
}

void
brio_timeline_set (BrioTimeline          *self,
                   const struct timeline *t,
                   gint64                 best_us,
                   const gint64          *marks,
                   guint                  n_marks,
                   const char            *subject)
{
  g_autofree char *label = NULL;

  g_return_if_fail (BRIO_IS_TIMELINE (self));

  self->t = t ? *t : (struct timeline) { 0 };
  self->best_us = best_us;
  self->cursor = -1;
  g_array_set_size (self->marks, 0);
  g_array_append_vals (self->marks, marks, n_marks);
  drop_node (self);
  /* Translators: what a chart shows, for screen readers; %s is an application */
  label = g_strdup_printf (_("Timeline of a start of %s"), subject);
  accessible_name (GTK_WIDGET (self), label);
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

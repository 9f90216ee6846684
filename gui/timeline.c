/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline.h"

#include <glib/gi18n.h>
#include <math.h>

#include "plot-draw.h"
#include "timeline-words.h"

#define LANE_HEIGHT 26
#define LANE_GAP 8
#define TEXT_GAP 4
#define MARK_HEIGHT 8
#define MIN_WIDTH 200
#define NAT_WIDTH 480
#define PX_PER_MARK 80 /* of the time axis */
#define STRIPE 6.0     /* of what waits */
#define HATCH_OPACITY 0.25f

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

static const char *const colors[_TIMELINE_LANE_MAX] = {
  [TIMELINE_READING] = "plot_read_color", [TIMELINE_WAITING] = "plot_write_color", [TIMELINE_COMPUTING] = "plot_depth_color",
};

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

static int
lane_top (BrioTimeline *self,
          guint         lane)
{
  return MARK_HEIGHT + (int) lane * (self->line_height + TEXT_GAP + LANE_HEIGHT + LANE_GAP);
}

/* Of the bars, below which the time axis stands. */
static int
bars_bottom (BrioTimeline *self)
{
  return lane_top (self, _TIMELINE_LANE_MAX) - LANE_GAP;
}

static void
append_text (BrioTimeline  *self,
             GtkSnapshot   *snapshot,
             const char    *text,
             double         x,
             double         alignment, /* 0: x is the left end, 1: the right */
             int            y,
             const GdkRGBA *color)
{
  int width;

  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_pixel_size (self->layout, &width, NULL);
  x = CLAMP (x - alignment * width, 0, MAX (0, gtk_widget_get_width (GTK_WIDGET (self)) - width));
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_layout (snapshot, self->layout, color);
  gtk_snapshot_restore (snapshot);
}

/* A lane's bars as one path, hatched where it is the one that hurts. */
static void
snapshot_lane (BrioTimeline      *self,
               GtkSnapshot       *snapshot,
               enum timeline_lane lane)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), top = lane_top (self, lane) + self->line_height + TEXT_GAP;
  GdkRGBA color = plot_draw_get_color (GTK_WIDGET (self), colors[lane]), grid = plot_draw_get_color (GTK_WIDGET (self), "plot_grid_color");
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, (float) top, (float) width, LANE_HEIGHT);
  cairo_t *cr;

  gtk_snapshot_append_color (snapshot, &grid, &GRAPHENE_RECT_INIT (0, (float) (top + LANE_HEIGHT - 1), (float) width, 1));
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  for (guint i = 0; i < self->t.n_slices; i++)
    {
      double begin, end, height = timeline_share (&self->t, i, lane) * LANE_HEIGHT;

      if (height <= 0)
        continue;
      height = MAX (height, 1);
      timeline_extent (&self->t, i, &begin, &end);
      begin = floor (begin * width);
      end = floor (end * width);
      cairo_rectangle (cr, begin, top + LANE_HEIGHT - height, MAX (end - begin, 1), height);
    }
  gdk_cairo_set_source_rgba (cr, &color);
  if (lane != TIMELINE_WAITING)
    {
      cairo_fill (cr);
      cairo_destroy (cr);
      return;
    }
  cairo_clip (cr);
  color.alpha *= HATCH_OPACITY;
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_paint (cr);
  color.alpha = 1;
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_set_line_width (cr, STRIPE / 2);
  for (double x = -LANE_HEIGHT; x < width; x += STRIPE)
    {
      cairo_move_to (cr, x, top + LANE_HEIGHT);
      cairo_line_to (cr, x + LANE_HEIGHT, top);
    }
  cairo_stroke (cr);
  cairo_destroy (cr);
}

static void
snapshot_axis (BrioTimeline *self,
               GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), y = bars_bottom (self) + TEXT_GAP;
  GdkRGBA dim = plot_draw_get_color (GTK_WIDGET (self), "plot_dim_color");
  gint64 step = timeline_step (self->t.latency_us, (guint) MAX (1, width / PX_PER_MARK));

  for (gint64 at = 0; at <= self->t.latency_us; at += step)
    {
      double x = (double) at / (double) self->t.latency_us * width;
      g_autofree char *text = at == 0 ? g_strdup ("0") : timeline_words_duration (at);

      append_text (self, snapshot, text, x, at == 0 ? 0 : 0.5, y, &dim);
      gtk_snapshot_append_color (snapshot, &dim, &GRAPHENE_RECT_INIT ((float) MIN (floor (x), width - 1), (float) (y - TEXT_GAP), 1, TEXT_GAP));
    }
}

/* Through the lanes, and not through their titles. */
static void
trace_through_lanes (BrioTimeline *self,
                     cairo_t      *cr,
                     double        x)
{
  for (guint lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    {
      int top = lane_top (self, lane) + self->line_height + TEXT_GAP;

      cairo_move_to (cr, x, top);
      cairo_line_to (cr, x, top + LANE_HEIGHT);
    }
}

/* A triangle above the lanes, and a dotted line through them. */
static void
snapshot_marks (BrioTimeline *self,
                GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self)), bottom = bars_bottom (self);
  GdkRGBA text = plot_draw_get_color (GTK_WIDGET (self), "plot_text_color");
  cairo_t *cr;

  if (self->marks->len == 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) bottom));
  gdk_cairo_set_source_rgba (cr, &text);
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (double[]){ 2, 3 }, 2, 0);
  for (guint i = 0; i < self->marks->len; i++)
    {
      double x = (double) g_array_index (self->marks, gint64, i) / (double) self->t.latency_us;

      if (x < 0 || x > 1)
        continue;
      x = CLAMP (floor (x * width) + 0.5, MARK_HEIGHT / 2.0, width - MARK_HEIGHT / 2.0);
      cairo_move_to (cr, x - MARK_HEIGHT / 2.0, 0);
      cairo_line_to (cr, x + MARK_HEIGHT / 2.0, 0);
      cairo_line_to (cr, x, MARK_HEIGHT);
      cairo_fill (cr);
      trace_through_lanes (self, cr, x);
      cairo_stroke (cr);
    }
  cairo_destroy (cr);
}

/* Where the start would be over, at its best. */
static void
snapshot_best (BrioTimeline *self,
               GtkSnapshot  *snapshot)
{
  GdkRGBA text = plot_draw_get_color (GTK_WIDGET (self), "plot_text_color");
  int width = gtk_widget_get_width (GTK_WIDGET (self)), bottom = bars_bottom (self), y = bottom + TEXT_GAP + self->line_height;
  double x = (double) self->best_us / (double) self->t.latency_us;
  g_autofree char *best = timeline_words_duration (self->best_us), *label = NULL;
  cairo_t *cr;

  if (self->best_us <= 0 || x >= 1)
    return;
  x = floor (x * width);
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) bottom));
  gdk_cairo_set_source_rgba (cr, &text);
  cairo_set_line_width (cr, 2);
  trace_through_lanes (self, cr, x + 0.5);
  cairo_stroke (cr);
  cairo_destroy (cr);
  /* Translators: a mark on a time axis: how long the start takes at its best */
  label = g_strdup_printf (_("At its best %s"), best);
  append_text (self, snapshot, label, x, 0.5, y + TEXT_GAP, &text);
}

static void
snapshot_titles (BrioTimeline *self,
                 GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  GdkRGBA text = plot_draw_get_color (GTK_WIDGET (self), "plot_text_color"), dim = plot_draw_get_color (GTK_WIDGET (self), "plot_dim_color");
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    {
      g_autofree char *reading = timeline_words_reading (&self->t, self->cursor, lane);

      append_text (self, snapshot, timeline_words_lane (lane), rtl ? width : 0, rtl, lane_top (self, lane), &text);
      append_text (self, snapshot, reading, rtl ? 0 : width, !rtl, lane_top (self, lane), &dim);
    }
}

static void
brio_timeline_snapshot (GtkWidget   *widget,
                        GtkSnapshot *snapshot)
{
  BrioTimeline *self = BRIO_TIMELINE (widget);
  int width = gtk_widget_get_width (widget);

  if (self->t.n_slices == 0)
    return;
  ensure_layout (self);
  if (!self->node)
    {
      GtkSnapshot *all = gtk_snapshot_new ();

      for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
        snapshot_lane (self, all, lane);
      snapshot_axis (self, all);
      snapshot_best (self, all);
      snapshot_marks (self, all);
      self->node = gtk_snapshot_free_to_node (all);
    }
  gtk_snapshot_append_node (snapshot, self->node);
  snapshot_titles (self, snapshot);
  if (self->cursor >= 0)
    {
      double begin, end;

      timeline_extent (&self->t, (guint) self->cursor, &begin, &end);
      plot_draw_cursor (snapshot, widget, &GRAPHENE_RECT_INIT (0, MARK_HEIGHT, (float) width, (float) (bars_bottom (self) - MARK_HEIGHT)),
                        (float) ((begin + end) / 2 * width));
    }
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
  BrioTimeline *self = BRIO_TIMELINE (widget);

  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  ensure_layout (self);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      *minimum = MIN_WIDTH;
      *natural = NAT_WIDTH;
    }
  else
    *minimum = *natural = bars_bottom (self) + 2 * (self->line_height + TEXT_GAP);
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
on_motion (GtkEventControllerMotion *controller,
           double                    x,
           double                    y,
           BrioTimeline             *self)
{
  int width = gtk_widget_get_width (GTK_WIDGET (self));

  (void) controller;
  (void) y;
  if (width > 0 && self->t.n_slices > 0)
    brio_timeline_set_cursor (self, (int) timeline_find (&self->t, x / width));
}

static void
on_leave (GtkEventController *controller,
          BrioTimeline       *self)
{
  (void) controller;
  brio_timeline_set_cursor (self, -1);
}

static gboolean
on_key_pressed (GtkEventControllerKey *controller,
                guint                  keyval,
                guint                  keycode,
                GdkModifierType        state,
                BrioTimeline          *self)
{
  (void) controller;
  (void) keycode;
  if (state & (GDK_CONTROL_MASK | GDK_ALT_MASK))
    return GDK_EVENT_PROPAGATE;
  switch (keyval)
    {
    case GDK_KEY_Left:
    case GDK_KEY_KP_Left:
      brio_timeline_set_cursor (self, MAX (0, self->cursor - 1));
      return GDK_EVENT_STOP;
    case GDK_KEY_Right:
    case GDK_KEY_KP_Right:
      brio_timeline_set_cursor (self, self->cursor + 1);
      return GDK_EVENT_STOP;
    case GDK_KEY_Escape:
      if (self->cursor < 0)
        return GDK_EVENT_PROPAGATE;
      brio_timeline_set_cursor (self, -1);
      return GDK_EVENT_STOP;
    default:
      return GDK_EVENT_PROPAGATE;
    }
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
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *key = gtk_event_controller_key_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();

  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, _("Timeline of a start"), -1);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "–", -1);
  self->cursor = -1;
  self->marks = g_array_new (FALSE, FALSE, sizeof (gint64));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
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
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, label, -1);
  describe (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

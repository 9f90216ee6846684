/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "hatch.h"
#include "plot-draw.h"
#include "timeline-words.h"
#include "words.h"

#define LANE_HEIGHT 26
#define LANE_GAP 8
#define TEXT_GAP 4
#define PX_PER_MARK 80 /* of the time axis */

static const char *const colors[_TIMELINE_LANE_MAX] = {
  [TIMELINE_READING] = "plot_read_color", [TIMELINE_WAITING] = "plot_write_color", [TIMELINE_COMPUTING] = "plot_depth_color",
  [TIMELINE_PROCESSOR] = "plot_depth_color", [TIMELINE_MEMORY] = "plot_other_color", [TIMELINE_OTHER] = "plot_other_color",
};

/* Waiting is hatched: what it waits for had another program. */
static gboolean
is_hatched (enum timeline_lane lane)
{
  return lane == TIMELINE_WAITING || lane == TIMELINE_PROCESSOR || lane == TIMELINE_MEMORY;
}

/* Below those before it that have a place. */
static int
lane_top (const struct timeline_picture *p,
          enum timeline_lane             lane)
{
  int before = 0;

  for (enum timeline_lane i = 0; i < lane; i++)
    before += timeline_shows (p->t, i);
  return PLOT_MARK_SIZE + before * (p->line_height + TEXT_GAP + LANE_HEIGHT + LANE_GAP);
}

/* Of the bars, below which the time axis stands. */
static int
bars_bottom (const struct timeline_picture *p)
{
  return lane_top (p, _TIMELINE_LANE_MAX) - LANE_GAP;
}

static void
append_text (const struct timeline_picture *p,
             GtkSnapshot   *snapshot,
             const char    *text,
             double         x,
             double         alignment, /* 0: x is the left end, 1: the right */
             int            y,
             const GdkRGBA *color)
{
  int width;

  pango_layout_set_text (p->layout, text, -1);
  pango_layout_get_pixel_size (p->layout, &width, NULL);
  x = CLAMP (x - alignment * width, 0, MAX (0, gtk_widget_get_width (p->widget) - width));
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_layout (snapshot, p->layout, color);
  gtk_snapshot_restore (snapshot);
}

/* A lane's bars as one path. */
static void
snapshot_lane (const struct timeline_picture *p,
               GtkSnapshot       *snapshot,
               enum timeline_lane lane)
{
  int width = gtk_widget_get_width (p->widget), top = lane_top (p, lane) + p->line_height + TEXT_GAP;
  GdkRGBA color = plot_draw_get_color (p->widget, colors[lane]), grid = plot_draw_get_color (p->widget, "plot_grid_color");
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, (float) top, (float) width, LANE_HEIGHT);
  cairo_t *cr;

  gtk_snapshot_append_color (snapshot, &grid, &GRAPHENE_RECT_INIT (0, (float) (top + LANE_HEIGHT - 1), (float) width, 1));
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  for (guint i = 0; i < p->t->n_slices; i++)
    {
      double begin, end, height = timeline_share (p->t, i, lane) * LANE_HEIGHT;

      if (height <= 0)
        continue;
      height = MAX (height, 1);
      timeline_extent (p->t, i, &begin, &end);
      begin = floor (begin * width);
      end = floor (end * width);
      cairo_rectangle (cr, begin, top + LANE_HEIGHT - height, MAX (end - begin, 1), height);
    }
  if (is_hatched (lane))
    hatch_fill (cr, &area, &color);
  else
    {
      gdk_cairo_set_source_rgba (cr, &color);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

static void
snapshot_axis (const struct timeline_picture *p,
               GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (p->widget), y = bars_bottom (p) + TEXT_GAP;
  GdkRGBA dim = plot_draw_get_color (p->widget, "plot_dim_color");
  gint64 step = timeline_step (p->t->latency_us, (guint) MAX (1, width / PX_PER_MARK));

  for (gint64 at = 0; at <= p->t->latency_us; at += step)
    {
      double x = (double) at / (double) p->t->latency_us * width;
      g_autofree char *text = at == 0 ? g_strdup ("0") : words_duration (at);

      append_text (p, snapshot, text, x, at == 0 ? 0 : 0.5, y, &dim);
      gtk_snapshot_append_color (snapshot, &dim, &GRAPHENE_RECT_INIT ((float) MIN (floor (x), width - 1), (float) (y - TEXT_GAP), 1, TEXT_GAP));
    }
}

/* Through the lanes, and not through their titles. */
static void
trace_through_lanes (const struct timeline_picture *p,
                     cairo_t      *cr,
                     double        x)
{
  for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    {
      int top = lane_top (p, lane) + p->line_height + TEXT_GAP;

      if (!timeline_shows (p->t, lane))
        continue;
      cairo_move_to (cr, x, top);
      cairo_line_to (cr, x, top + LANE_HEIGHT);
    }
}

/* A triangle where Brio changed something, as on other time axes; a diamond where it had read ahead. */
static void
draw_mark (cairo_t *cr,
           double   x,
           double   top,
           gboolean reads_ahead)
{
  const double half = PLOT_MARK_SIZE / 2.0;

  if (!reads_ahead)
    {
      plot_draw_mark (cr, x, top);
      return;
    }
  cairo_move_to (cr, x, top);
  cairo_line_to (cr, x + half, top + half);
  cairo_line_to (cr, x, top + 2 * half);
  cairo_line_to (cr, x - half, top + half);
  cairo_fill (cr);
}

static gboolean
has_mark (const struct timeline_picture *p,
          gboolean                       reads_ahead)
{
  for (guint i = 0; i < p->n_marks; i++)
    if (p->marks[i].reads_ahead == reads_ahead)
      return TRUE;
  return FALSE;
}

/* Below the axis and the line of the fastest start: what each kind of mark stands for, a line each. */
static void
snapshot_legend (const struct timeline_picture *p,
                 GtkSnapshot                   *snapshot)
{
  static const char *const meanings[] = {
    /* Translators: what a mark on the time axis of a start stands for */
    N_("Brio changed something"),
    /* Translators: what a mark on the time axis of a start stands for */
    N_("Brio had read ahead"),
  };
  int width = gtk_widget_get_width (p->widget), y = bars_bottom (p) + 2 * (p->line_height + TEXT_GAP) + LANE_GAP;
  GdkRGBA text = plot_draw_get_color (p->widget, "plot_text_color"), dim = plot_draw_get_color (p->widget, "plot_dim_color");
  gboolean rtl = gtk_widget_get_direction (p->widget) == GTK_TEXT_DIR_RTL;

  for (int kind = FALSE; kind <= TRUE; kind++)
    {
      const int left = rtl ? width - PLOT_MARK_SIZE : 0, indent = PLOT_MARK_SIZE + TEXT_GAP;
      cairo_t *cr;

      if (!has_mark (p, kind))
        continue;
      cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT ((float) left, (float) y, PLOT_MARK_SIZE, (float) p->line_height));
      gdk_cairo_set_source_rgba (cr, &text);
      draw_mark (cr, left + PLOT_MARK_SIZE / 2.0, y + (p->line_height - PLOT_MARK_SIZE) / 2.0, kind);
      cairo_destroy (cr);
      append_text (p, snapshot, _(meanings[kind]), rtl ? width - indent : indent, rtl, y, &dim);
      y += p->line_height + TEXT_GAP;
    }
}

/* Above the lanes, with a dotted line through them. */
static void
snapshot_marks (const struct timeline_picture *p,
                GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (p->widget), bottom = bars_bottom (p);
  GdkRGBA text = plot_draw_get_color (p->widget, "plot_text_color");
  cairo_t *cr;

  if (p->n_marks == 0)
    return;
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) bottom));
  gdk_cairo_set_source_rgba (cr, &text);
  plot_draw_set_dots (cr);
  for (guint i = 0; i < p->n_marks; i++)
    {
      double x = (double) p->marks[i].us / (double) p->t->latency_us;

      if (x < 0 || x > 1)
        continue;
      x = CLAMP (floor (x * width) + 0.5, PLOT_MARK_SIZE / 2.0, width - PLOT_MARK_SIZE / 2.0);
      draw_mark (cr, x, 0, p->marks[i].reads_ahead);
      trace_through_lanes (p, cr, x);
      cairo_stroke (cr);
    }
  cairo_destroy (cr);
}

/* Where the fastest start was over. */
static void
snapshot_best (const struct timeline_picture *p,
               GtkSnapshot  *snapshot)
{
  GdkRGBA text = plot_draw_get_color (p->widget, "plot_text_color");
  int width = gtk_widget_get_width (p->widget), bottom = bars_bottom (p), y = bottom + TEXT_GAP + p->line_height;
  double x = (double) p->best_us / (double) p->t->latency_us;
  g_autofree char *best = words_duration (p->best_us), *label = NULL;
  cairo_t *cr;

  if (p->best_us <= 0 || x >= 1)
    return;
  x = floor (x * width);
  cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) bottom));
  gdk_cairo_set_source_rgba (cr, &text);
  cairo_set_line_width (cr, 2);
  trace_through_lanes (p, cr, x + 0.5);
  cairo_stroke (cr);
  cairo_destroy (cr);
  /* Translators: a mark on a time axis: how long the fastest start of the application took */
  label = g_strdup_printf (_("Fastest start: %s"), best);
  append_text (p, snapshot, label, x, 0.5, y + TEXT_GAP, &text);
}

static void
snapshot_titles (const struct timeline_picture *p,
                 GtkSnapshot  *snapshot)
{
  int width = gtk_widget_get_width (p->widget);
  GdkRGBA text = plot_draw_get_color (p->widget, "plot_text_color"), dim = plot_draw_get_color (p->widget, "plot_dim_color");
  gboolean rtl = gtk_widget_get_direction (p->widget) == GTK_TEXT_DIR_RTL;

  for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    {
      g_autofree char *reading = timeline_words_reading (p->t, p->cursor, lane);

      if (!timeline_shows (p->t, lane))
        continue;
      append_text (p, snapshot, timeline_words_lane (lane), rtl ? width : 0, rtl, lane_top (p, lane), &text);
      append_text (p, snapshot, reading, rtl ? 0 : width, !rtl, lane_top (p, lane), &dim);
    }
}


void
timeline_draw_picture (const struct timeline_picture *p,
                       GtkSnapshot                   *snapshot)
{
  for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    if (timeline_shows (p->t, lane))
      snapshot_lane (p, snapshot, lane);
  snapshot_axis (p, snapshot);
  snapshot_best (p, snapshot);
  snapshot_marks (p, snapshot);
  snapshot_legend (p, snapshot);
}

void
timeline_draw_reading (const struct timeline_picture *p,
                       GtkSnapshot                   *snapshot)
{
  double begin, end;

  snapshot_titles (p, snapshot);
  if (p->cursor < 0)
    return;
  timeline_extent (p->t, (guint) p->cursor, &begin, &end);
  plot_draw_cursor (snapshot, p->widget,
                    &GRAPHENE_RECT_INIT (0, PLOT_MARK_SIZE, (float) gtk_widget_get_width (p->widget), (float) (bars_bottom (p) - PLOT_MARK_SIZE)),
                    (float) ((begin + end) / 2 * gtk_widget_get_width (p->widget)));
}

int
timeline_draw_get_height (const struct timeline_picture *p)
{
  int kinds = has_mark (p, FALSE) + has_mark (p, TRUE);

  return bars_bottom (p) + (2 + kinds) * (p->line_height + TEXT_GAP) + (kinds > 0 ? LANE_GAP : 0);
}

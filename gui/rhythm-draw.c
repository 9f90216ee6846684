/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rhythm-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "hatch.h"
#include "pattern-words.h"
#include "plot-draw.h"
#include "plot-text.h"
#include "timeline-math.h"
#include "words.h"

#define AREA_HEIGHT 112
#define TEXT_GAP 4
#define SAMPLE_WIDTH 18 /* of a part, beside its name */
#define GRID_LINES 3
#define BEYOND_SIZE 7.0 /* of the mark of what is beyond the axis */
#define PAUSE_OPACITY 0.16f

static int
area_top (const struct rhythm_scene *self)
{
  return _PATTERN_PART_MAX * (self->line_height + TEXT_GAP) + TEXT_GAP;
}

int
rhythm_draw_get_height (const struct rhythm_scene *self)
{
  return area_top (self) + AREA_HEIGHT + TEXT_GAP + self->line_height;
}

/* alignment: 0: x is the left end, 1: the right. */
static void
append_text (const struct rhythm_scene *self,
             GtkSnapshot               *snapshot,
             const char                *text,
             double                     x,
             double                     alignment,
             double                     y,
             const char                *color_name)
{
  GdkRGBA color = plot_draw_get_color (self->widget, color_name);
  int width;

  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_pixel_size (self->layout, &width, NULL);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) floor (x - alignment * width), (float) y));
  gtk_snapshot_append_layout (snapshot, self->layout, &color);
  gtk_snapshot_restore (snapshot);
}

/* Where the columns are; beside them is what their height means. */
graphene_rect_t
rhythm_draw_get_area (const struct rhythm_scene *self)
{
  int width = gtk_widget_get_width (self->widget) - self->axis_width;

  return GRAPHENE_RECT_INIT (0, (float) area_top (self), (float) MAX (width, 1), AREA_HEIGHT);
}

void
rhythm_draw_get_extent (const struct rhythm_scene *self,
                        guint                      period,
                        double                    *ret_begin,
                        double                    *ret_end)
{
  double slot = (double) rhythm_draw_get_area (self).size.width / self->p->n, gap = slot >= 8 ? 2 : 0;

  *ret_begin = floor (period * slot);
  *ret_end = MAX (floor ((period + 1) * slot) - gap, *ret_begin + 1);
}

static double
to_y (const graphene_rect_t *area,
      gint64                 us,
      gint64                 top)
{
  double height = (double) area->size.height;

  return (double) area->origin.y + height - height * MIN ((double) us / (double) top, 1);
}

/* The pause: light, in the colour of what it asks for. */
static void
fill_pause (const struct rhythm_scene *self,
            cairo_t                   *cr,
            double                     x,
            double                     y,
            double                     width,
            double                     height)
{
  GdkRGBA color = plot_draw_get_color (self->widget, "plot_read_color");

  color.alpha *= PAUSE_OPACITY;
  gdk_cairo_set_source_rgba (cr, &color);
  cairo_rectangle (cr, x, y, width, height);
  cairo_fill (cr);
}

static void
fill_wait (const struct rhythm_scene *self,
           cairo_t                   *cr,
           double                     x,
           double                     y,
           double                     width,
           double                     height)
{
  GdkRGBA color = plot_draw_get_color (self->widget, "plot_write_color");

  cairo_rectangle (cr, x, y, width, height);
  hatch_fill (cr, &GRAPHENE_RECT_INIT ((float) x, (float) y, (float) width, (float) height), &color);
}

/* What is beyond the axis points there. */
static void
mark_beyond (cairo_t *cr,
             double   x,
             double   top)
{
  cairo_move_to (cr, x - BEYOND_SIZE / 2, top + BEYOND_SIZE);
  cairo_line_to (cr, x + BEYOND_SIZE / 2, top + BEYOND_SIZE);
  cairo_line_to (cr, x, top);
  cairo_fill (cr);
}

static void
draw_column (const struct rhythm_scene *self,
             cairo_t                   *cr,
             const graphene_rect_t     *area,
             guint                      period,
             gint64                     top_us)
{
  const struct pattern_period *one = &self->p->periods[period];
  GdkRGBA asks = plot_draw_get_color (self->widget, "plot_read_color");
  double begin, end, bottom = (double) (area->origin.y + area->size.height), served = to_y (area, one->length_us - one->pause_us, top_us);
  double again = to_y (area, one->length_us, top_us);

  rhythm_draw_get_extent (self, period, &begin, &end);
  fill_pause (self, cr, begin, again, end - begin, served - again);
  fill_wait (self, cr, begin, served, end - begin, bottom - served);
  gdk_cairo_set_source_rgba (cr, &asks);
  if (one->length_us > top_us)
    {
      mark_beyond (cr, (begin + end) / 2, (double) area->origin.y);
      return;
    }
  if (one->counted)
    {
      cairo_rectangle (cr, begin, floor (again), end - begin, 2);
      cairo_fill (cr);
      return;
    }
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (double[]){ 2, 2 }, 2, 0);
  cairo_rectangle (cr, begin + 0.5, floor (again) + 0.5, end - begin - 1, bottom - floor (again) - 1);
  cairo_stroke (cr);
  cairo_set_dash (cr, NULL, 0, 0);
}

static void
draw_next_start (const struct rhythm_scene *self,
                 cairo_t                   *cr,
                 const graphene_rect_t     *area,
                 guint                      period,
                 gint64                     top_us)
{
  GdkRGBA color = plot_draw_get_color (self->widget, "plot_text_color");
  gint64 next_us = pattern_get_next_start (self->p, period);
  double begin, end;

  if (next_us < 0)
    return;
  rhythm_draw_get_extent (self, period, &begin, &end);
  gdk_cairo_set_source_rgba (cr, &color);
  if (next_us > top_us)
    {
      mark_beyond (cr, (begin + end) / 2, (double) area->origin.y);
      return;
    }
  cairo_rectangle (cr, begin, floor (to_y (area, next_us, top_us)) - 1, end - begin, 2);
  cairo_fill (cr);
}

static gint64
grid_step (gint64 top_us)
{
  return timeline_step (top_us, GRID_LINES);
}

/* The widest label has its place. */
void
rhythm_draw_measure (struct rhythm_scene *self)
{
  gint64 top_us = pattern_get_top (self->p);

  self->axis_width = 0;
  for (gint64 at = 0; at <= top_us; at += grid_step (top_us))
    {
      g_autofree char *text = words_duration (at);
      int width;

      pango_layout_set_text (self->layout, text, -1);
      pango_layout_get_pixel_size (self->layout, &width, NULL);
      self->axis_width = MAX (self->axis_width, width + 2 * TEXT_GAP);
    }
}

static void
snapshot_axis (const struct rhythm_scene *self,
               GtkSnapshot               *snapshot,
               const graphene_rect_t     *area,
               gint64                     top_us)
{
  GdkRGBA grid = plot_draw_get_color (self->widget, "plot_grid_color");

  for (gint64 at = 0; at <= top_us; at += grid_step (top_us))
    {
      g_autofree char *text = at == 0 ? g_strdup ("0") : words_duration (at);
      double y = floor (to_y (area, at, top_us));

      gtk_snapshot_append_color (snapshot, &grid, &GRAPHENE_RECT_INIT (0, (float) y, area->size.width, 1));
      append_text (self, snapshot, text, (double) area->size.width + TEXT_GAP, 0, y - self->line_height / 2.0, "plot_dim_color");
    }
}

/* What the columns are; time runs to the right. */
static void
snapshot_moments (const struct rhythm_scene *self,
                  GtkSnapshot               *snapshot,
                  const graphene_rect_t     *area)
{
  double y = (double) (area->origin.y + area->size.height) + TEXT_GAP, width = (double) area->size.width;
  gint64 span_us = 0;
  g_autofree char *span = NULL, *earlier = NULL;

  for (guint i = 0; i < self->p->n; i++)
    span_us += self->p->periods[i].length_us;
  span = words_duration (span_us);
  /* Translators: the left end of a time axis, so long before its right end */
  earlier = g_strdup_printf (_("%s earlier"), span);
  append_text (self, snapshot, earlier, 0, 0, y, "plot_dim_color");
  /* Translators: the right end of a time axis: when a process asked for data last */
  append_text (self, snapshot, _("asked last"), width, 1, y, "plot_dim_color");
}

void
rhythm_draw_columns (const struct rhythm_scene *self,
                     GtkSnapshot               *snapshot)
{
  gint64 top_us = pattern_get_top (self->p);
  graphene_rect_t area = rhythm_draw_get_area (self);
  cairo_t *cr;

  snapshot_axis (self, snapshot, &area, top_us);
  cr = gtk_snapshot_append_cairo (snapshot, &area);
  for (guint i = 0; i < self->p->n; i++)
    draw_column (self, cr, &area, i, top_us);
  for (guint i = 0; i < self->p->n; i++)
    draw_next_start (self, cr, &area, i, top_us);
  cairo_destroy (cr);
  snapshot_moments (self, snapshot, &area);
}

/* What a part looks like. */
static void
snapshot_sample (const struct rhythm_scene *self,
                 GtkSnapshot               *snapshot,
                 enum pattern_part          part,
                 double                     x,
                 double                     y)
{
  GdkRGBA text = plot_draw_get_color (self->widget, "plot_text_color");
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT ((float) x, (float) y, SAMPLE_WIDTH, (float) self->line_height));
  double inset = 2, height = self->line_height - 2 * inset;

  if (part == PATTERN_WAITS)
    fill_wait (self, cr, x, y + inset, SAMPLE_WIDTH, height);
  else if (part == PATTERN_PAUSES)
    fill_pause (self, cr, x, y + inset, SAMPLE_WIDTH, height);
  else
    {
      gdk_cairo_set_source_rgba (cr, &text);
      cairo_rectangle (cr, x, floor (y + self->line_height / 2.0) - 1, SAMPLE_WIDTH, 2);
      cairo_fill (cr);
    }
  cairo_destroy (cr);
}

void
rhythm_draw_legend (const struct rhythm_scene *self,
                    GtkSnapshot               *snapshot,
                    guint                      period)
{
  int width = gtk_widget_get_width (self->widget), after = SAMPLE_WIDTH + 2 * TEXT_GAP;
  gboolean rtl = gtk_widget_get_direction (self->widget) == GTK_TEXT_DIR_RTL;
  GdkRGBA text = plot_draw_get_color (self->widget, "plot_text_color");

  for (enum pattern_part part = 0; part < _PATTERN_PART_MAX; part++)
    {
      g_autofree char *reading = pattern_words_reading (self->p, period, part);
      const char *name = pattern_words_part (part);
      int y = (int) part * (self->line_height + TEXT_GAP), room = MAX (0, width - after - TEXT_GAP - plot_text_get_width (self->layout, reading));
      int name_width = MIN (room, plot_text_get_width (self->layout, name));

      snapshot_sample (self, snapshot, part, rtl ? width - SAMPLE_WIDTH : 0, y);
      plot_text_append_cut (snapshot, self->layout, name, room, rtl ? width - after - name_width : after, y, &text);
      append_text (self, snapshot, reading, rtl ? 0 : width, !rtl, y, "plot_dim_color");
    }
}

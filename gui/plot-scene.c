/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-scene.h"

#include <math.h>

static const enum plot_pattern patterns[PLOT_LINES_MAX] = { PLOT_PATTERN_SOLID, PLOT_PATTERN_DASHED, PLOT_PATTERN_DOTTED };

void
plot_scene_drop (struct plot_scene *s)
{
  g_clear_pointer (&s->axis_node, gsk_render_node_unref);
  g_clear_pointer (&s->lines_node, gsk_render_node_unref);
  g_clear_pointer (&s->legend_node, gsk_render_node_unref);
}

void
plot_scene_clear (struct plot_scene *s)
{
  plot_scene_drop (s);
  g_clear_object (&s->layout);
}

PangoLayout *
plot_scene_get_layout (struct plot_scene *s,
                       GtkWidget         *plot)
{
  if (!s->layout)
    s->layout = plot_draw_create_layout (plot);
  return s->layout;
}

void
plot_scene_allocate (struct plot_scene *s,
                     GtkWidget         *plot,
                     int                width,
                     int                height)
{
  plot_draw_get_geometry (plot_scene_get_layout (s, plot), width, height, gtk_widget_get_direction (plot) == GTK_TEXT_DIR_RTL, &s->geometry);
  plot_scene_drop (s);
}

static size_t
count_columns (const struct plot_scene *s,
               const struct plot_view  *view)
{
  return plot_view_count_columns (view, (int) s->geometry.area.size.width);
}

gint64
plot_scene_get_begin_us (const struct plot_scene *s,
                         const struct plot_view  *view)
{
  return plot_view_begin_us (view, count_columns (s, view));
}

/* Of the axis, in place of values. */
static void
to_positions (struct plot_column *c,
              enum plot_unit      unit,
              double              top)
{
  if (c->min > c->max)
    return;
  c->min = (float) plot_axis_position (unit, (double) c->min, top);
  c->max = (float) plot_axis_position (unit, (double) c->max, top);
}

/* Where Brio changed something, at the moments that are in sight. */
static void
draw_marks (const struct plot_scene *s,
            GtkWidget               *plot,
            const struct plot_view  *view,
            size_t                   n_columns,
            cairo_t                 *cr)
{
  const graphene_rect_t *area = &s->geometry.area;
  GdkRGBA color = plot_draw_get_color (plot, "plot_text_color");
  size_t n = 0;
  const int64_t *marks = view->history ? history_marks (view->history, &n) : NULL;

  gdk_cairo_set_source_rgba (cr, &color);
  plot_draw_set_dots (cr);
  for (size_t i = 0; i < n; i++)
    {
      double x = (double) (marks[i] - s->begin_us) / (double) plot_view_column_us (view, n_columns) / (double) n_columns;

      if (x < 0 || x > 1)
        continue;
      x = (double) area->origin.x + floor (x * (double) area->size.width) + 0.5;
      plot_draw_mark (cr, x, (double) area->origin.y);
      cairo_move_to (cr, x, (double) area->origin.y);
      cairo_line_to (cr, x, (double) (area->origin.y + area->size.height));
      cairo_stroke (cr);
    }
}

static void
snapshot_lines (struct plot_scene      *s,
                GtkWidget              *plot,
                const struct plot_view *view)
{
  size_t n = count_columns (s, view);
  g_autofree struct plot_column *columns = g_new (struct plot_column, n * PLOT_LINES_MAX);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  float max = 0;
  double top;
  cairo_t *cr;

  s->begin_us = plot_view_begin_us (view, n);
  for (guint i = 0; i < view->n_lines; i++)
    {
      plot_view_columns (view, i, columns + i * n, n);
      max = fmaxf (max, plot_columns_max (columns + i * n, n));
    }
  top = plot_axis_follow (view->unit, s->top, (double) max);
  for (size_t i = 0; i < n * view->n_lines; i++)
    to_positions (&columns[i], view->unit, top);
  if (fabs (top - s->top) > top * 1e-9)
    g_clear_pointer (&s->axis_node, gsk_render_node_unref);
  s->top = top;

  cr = gtk_snapshot_append_cairo (snapshot, &s->geometry.area);
  /* The first line last: the filled one is the more important. */
  for (guint i = view->n_lines; i > 0; i--)
    {
      struct plot_stroke stroke = {
        .color = plot_draw_get_color (plot, view->lines[i - 1].color),
        .pattern = patterns[i - 1],
        .gap_columns = plot_view_gap_columns (view, n),
      };

      plot_draw_line (cr, &s->geometry.area, columns + (i - 1) * n, n, &stroke);
    }
  draw_marks (s, plot, view, n, cr);
  cairo_destroy (cr);
  s->lines_node = gtk_snapshot_free_to_node (snapshot);
}

static void
snapshot_axis (struct plot_scene      *s,
               GtkWidget              *plot,
               const struct plot_view *view)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autofree char *left = plot_view_format_span (view->span_s), *middle = plot_view_format_span (view->span_s / 2);

  plot_draw_axis (snapshot, plot, s->layout, &s->geometry, view->unit, s->top, left, middle);
  s->axis_node = gtk_snapshot_free_to_node (snapshot);
}

static void
snapshot_legend (struct plot_scene      *s,
                 GtkWidget              *plot,
                 const struct plot_view *view,
                 const char             *title)
{
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  struct plot_legend_entry entries[PLOT_LINES_MAX];
  guint spoken[PLOT_LINES_MAX], n = plot_view_spoken (view, spoken);
  g_autofree char *ago = plot_view_ago (view);

  for (guint i = 0; i < n; i++)
    entries[i] = (struct plot_legend_entry) {
      .label = view->lines[spoken[i]].label,
      .reading = plot_view_reading (view, spoken[i]),
      .color = plot_draw_get_color (plot, view->lines[spoken[i]].color),
      .pattern = patterns[spoken[i]],
    };
  plot_draw_legend (snapshot, plot, s->layout, &s->geometry, title, ago, entries, n);
  for (guint i = 0; i < n; i++)
    g_free (entries[i].reading);
  s->legend_node = gtk_snapshot_free_to_node (snapshot);
}

static void
snapshot_cursor (struct plot_scene      *s,
                 GtkWidget              *plot,
                 const struct plot_view *view,
                 GtkSnapshot            *snapshot)
{
  const graphene_rect_t *area = &s->geometry.area;
  size_t n = count_columns (s, view);
  gint64 t_us;
  double x;

  if (view->cursor_age_us < 0 || !plot_view_find (view, &t_us))
    return;
  x = (double) (t_us - s->begin_us) / (double) plot_view_column_us (view, n);
  if (x < 0)
    return;
  x = (double) area->origin.x + MIN (x / (double) n, 1) * (double) (area->size.width - 1);
  plot_draw_cursor (snapshot, plot, area, (float) x);
  for (guint i = 0; i < view->n_lines; i++)
    {
      struct plot_column values = history_at (view->history, view->lines[i].channel, t_us);
      GdkRGBA color = plot_draw_get_color (plot, view->lines[i].color);

      if (values.min <= values.max)
        plot_draw_dot (snapshot, area, (float) x, (float) plot_axis_position (view->unit, (double) values.max, s->top), &color);
    }
}

static void
append_node (GtkSnapshot   *snapshot,
             GskRenderNode *node)
{
  if (node)
    gtk_snapshot_append_node (snapshot, node);
}

void
plot_scene_append (struct plot_scene      *s,
                   GtkWidget              *plot,
                   GtkSnapshot            *snapshot,
                   const struct plot_view *view,
                   const char             *title)
{
  plot_scene_get_layout (s, plot);
  if (!s->lines_node) /* also finds the axis' end */
    snapshot_lines (s, plot, view);
  if (!s->axis_node)
    snapshot_axis (s, plot, view);
  if (!s->legend_node)
    snapshot_legend (s, plot, view, title);

  append_node (snapshot, s->axis_node);
  append_node (snapshot, s->lines_node);
  append_node (snapshot, s->legend_node);
  snapshot_cursor (s, plot, view, snapshot);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "period-chart.h"

#include <glib/gi18n.h>
#include <math.h>

#include "hatch.h"
#include "plot-draw.h"
#include "stream-words.h"

#define BAR_HEIGHT 22
#define TEXT_GAP 4
#define MIN_WIDTH 220
/* The first batch and the next one, as fractions of the width: with room for what comes before and after. */
#define FIRST 0.08
#define AGAIN 0.86
#define PAUSE_OPACITY 0.16f

struct _BrioPeriodChart
{
  BrioChart parent_instance;

  struct period_layout at;
  gboolean has_layout;
  char *pause, *period;
};

G_DEFINE_FINAL_TYPE (BrioPeriodChart, brio_period_chart, BRIO_TYPE_CHART)

gboolean
period_chart_lay_out (gint64                period_us,
                      gint64                pause_permille,
                      gboolean              has_margin,
                      gint64                margin_us,
                      struct period_layout *ret)
{
  double busy = (double) (1000 - CLAMP (pause_permille, 0, 1000)) / 1000;

  if (period_us <= 0)
    return FALSE;
  *ret = (struct period_layout) { .first = FIRST, .again = AGAIN, .next_start = -1 };
  ret->served = FIRST + busy * (AGAIN - FIRST);
  if (has_margin)
    ret->next_start = CLAMP (AGAIN - (double) margin_us / (double) period_us * (AGAIN - FIRST), 0.0, 1.0);
  return TRUE;
}

static void
append_text (BrioPeriodChart *self,
             GtkSnapshot     *snapshot,
             const char      *text,
             double           centre,
             int              y,
             const char      *color_name)
{
  GdkRGBA color = plot_draw_get_color (GTK_WIDGET (self), color_name);
  PangoLayout *layout = brio_chart_get_layout (BRIO_CHART (self));
  int width, room = gtk_widget_get_width (GTK_WIDGET (self));

  pango_layout_set_text (layout, text, -1);
  pango_layout_get_pixel_size (layout, &width, NULL);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) CLAMP (centre - width / 2.0, 0, MAX (0, room - width)), (float) y));
  gtk_snapshot_append_layout (snapshot, layout, &color);
  gtk_snapshot_restore (snapshot);
}

/* What it waits for is hatched, as everywhere; what it pauses is light. */
static void
snapshot_period (BrioPeriodChart *self,
                 GtkSnapshot     *snapshot,
                 double           begin,
                 double           served,
                 double           end,
                 int              top)
{
  GdkRGBA wait = plot_draw_get_color (GTK_WIDGET (self), "plot_write_color"), ask = plot_draw_get_color (GTK_WIDGET (self), "plot_read_color");
  GdkRGBA pause = ask;
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT ((float) begin, (float) top, (float) MAX (1, end - begin), BAR_HEIGHT));

  pause.alpha *= PAUSE_OPACITY;
  gdk_cairo_set_source_rgba (cr, &pause);
  cairo_rectangle (cr, served, top, end - served, BAR_HEIGHT);
  cairo_fill (cr);
  cairo_rectangle (cr, begin, top, served - begin, BAR_HEIGHT);
  hatch_fill (cr, &GRAPHENE_RECT_INIT ((float) begin, (float) top, (float) (served - begin), BAR_HEIGHT), &wait);
  gdk_cairo_set_source_rgba (cr, &ask);
  cairo_rectangle (cr, begin, top, 3, BAR_HEIGHT);
  cairo_fill (cr);
  cairo_destroy (cr);
}

static void
snapshot_next_start (BrioPeriodChart *self,
                     GtkSnapshot     *snapshot,
                     double           x,
                     int              top)
{
  GdkRGBA color = plot_draw_get_color (GTK_WIDGET (self), "plot_text_color");
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) (top + BAR_HEIGHT)));

  x = CLAMP (floor (x), PLOT_MARK_SIZE, width - PLOT_MARK_SIZE) + 0.5;
  gdk_cairo_set_source_rgba (cr, &color);
  plot_draw_mark (cr, x, top - PLOT_MARK_SIZE);
  plot_draw_set_dots (cr);
  cairo_move_to (cr, x, top);
  cairo_line_to (cr, x, top + BAR_HEIGHT);
  cairo_stroke (cr);
  cairo_destroy (cr);
}

static int
get_bar_top (BrioPeriodChart *self)
{
  return brio_chart_get_line_height (BRIO_CHART (self)) + TEXT_GAP + PLOT_MARK_SIZE;
}

static int
brio_period_chart_get_height (BrioChart *chart)
{
  return get_bar_top (BRIO_PERIOD_CHART (chart)) + BAR_HEIGHT + TEXT_GAP + brio_chart_get_line_height (chart);
}

static void
brio_period_chart_draw (BrioChart   *chart,
                        GtkSnapshot *snapshot)
{
  BrioPeriodChart *self = BRIO_PERIOD_CHART (chart);
  double width = gtk_widget_get_width (GTK_WIDGET (chart)), first, again, length;
  int top = get_bar_top (self), below = top + BAR_HEIGHT + TEXT_GAP;

  if (!self->has_layout)
    return;
  first = floor (self->at.first * width);
  again = floor (self->at.again * width);
  length = self->at.served * width - first;
  snapshot_period (self, snapshot, first, first + length, again, top);
  snapshot_period (self, snapshot, again, MIN (again + length, width), width, top);
  /* Translators: below the moment in which a process asks for data */
  append_text (self, snapshot, _("asks"), first, below, "plot_dim_color");
  append_text (self, snapshot, self->period, again, below, "plot_dim_color");
  if (again - first - length > 60)
    append_text (self, snapshot, self->pause, (first + length + again) / 2, top + (BAR_HEIGHT - brio_chart_get_line_height (chart)) / 2, "plot_dim_color");
  if (self->at.next_start >= 0)
    {
      snapshot_next_start (self, snapshot, self->at.next_start * width, top);
      append_text (self, snapshot, _("earliest moment"), self->at.next_start * width, 0, "plot_text_color");
    }
}

static void
free_texts (BrioPeriodChart *self)
{
  g_clear_pointer (&self->pause, g_free);
  g_clear_pointer (&self->period, g_free);
}

static void
brio_period_chart_finalize (GObject *object)
{
  free_texts (BRIO_PERIOD_CHART (object));

  G_OBJECT_CLASS (brio_period_chart_parent_class)->finalize (object);
}

static void
brio_period_chart_class_init (BrioPeriodChartClass *klass)
{
  BrioChartClass *chart_class = BRIO_CHART_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = brio_period_chart_finalize;
  chart_class->min_width = MIN_WIDTH;
  chart_class->get_height = brio_period_chart_get_height;
  chart_class->draw = brio_period_chart_draw;
}

static void
brio_period_chart_init (BrioPeriodChart *self)
{
  (void) self;
}

GtkWidget *
brio_period_chart_new (void)
{
  return g_object_new (BRIO_TYPE_PERIOD_CHART, NULL);
}

void
brio_period_chart_set (BrioPeriodChart *self,
                       BrioPlayer      *player)
{
  gint64 margin_us = 0;
  gboolean has_margin = brio_player_get_margin (player, &margin_us);
  g_autofree char *pause = stream_words_figure (player, BRIO_PLAYER_PAUSE), *period = stream_words_figure (player, BRIO_PLAYER_PERIOD);
  g_autofree char *label = stream_words_rhythm (player);

  g_return_if_fail (BRIO_IS_PERIOD_CHART (self));

  self->has_layout = period_chart_lay_out (brio_player_get_figure (player, BRIO_PLAYER_PERIOD), brio_player_get_figure (player, BRIO_PLAYER_PAUSE),
                                           has_margin, margin_us, &self->at);
  free_texts (self);
  /* Translators: the part of a period in which a process waits for nothing */
  self->pause = g_strdup_printf (_("pauses %s"), pause);
  /* Translators: below the moment in which a process asks for data again; %s is how long after it did before */
  self->period = g_strdup_printf (_("again after %s"), period);
  brio_chart_change (BRIO_CHART (self), label);
}

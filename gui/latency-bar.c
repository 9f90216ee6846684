/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "latency-bar.h"

#include "hatch.h"
#include "plot-draw.h"

#define BAR_HEIGHT 8
#define MARK_OVER 3 /* a mark is that much higher and lower than the bar */
#define MIN_WIDTH 60

struct _BrioLatencyBar
{
  GtkWidget parent_instance;

  /* Fractions of the width; below 0: not drawn. */
  double latency, waited, best, usual;
};

G_DEFINE_FINAL_TYPE (BrioLatencyBar, brio_latency_bar, GTK_TYPE_WIDGET)

static void
hatch (GtkSnapshot           *snapshot,
       const graphene_rect_t *area,
       GdkRGBA                color)
{
  cairo_t *cr = gtk_snapshot_append_cairo (snapshot, area);

  cairo_rectangle (cr, (double) area->origin.x, (double) area->origin.y, (double) area->size.width, (double) area->size.height);
  hatch_fill (cr, area, &color);
  cairo_destroy (cr);
}

static void
brio_latency_bar_snapshot (GtkWidget   *widget,
                           GtkSnapshot *snapshot)
{
  BrioLatencyBar *self = BRIO_LATENCY_BAR (widget);
  float width = (float) gtk_widget_get_width (widget);
  GdkRGBA grid = plot_draw_get_color (widget, "plot_grid_color"), text = plot_draw_get_color (widget, "plot_text_color");
  GdkRGBA dim = plot_draw_get_color (widget, "plot_dim_color"), own = plot_draw_get_color (widget, "plot_read_color");
  float split = (float) (self->latency - self->waited) * width, end = (float) self->latency * width;
  GskRoundedRect shape;

  if (self->latency < 0)
    return;
  gtk_snapshot_save (snapshot);
  if (gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL)
    {
      gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (width, 0));
      gtk_snapshot_scale (snapshot, -1, 1);
    }
  gsk_rounded_rect_init_from_rect (&shape, &GRAPHENE_RECT_INIT (0, MARK_OVER, width, BAR_HEIGHT), BAR_HEIGHT / 2.0f);
  gtk_snapshot_push_rounded_clip (snapshot, &shape);
  gtk_snapshot_append_color (snapshot, &grid, &GRAPHENE_RECT_INIT (end, MARK_OVER, width - end, BAR_HEIGHT));
  gtk_snapshot_append_color (snapshot, &own, &GRAPHENE_RECT_INIT (0, MARK_OVER, split, BAR_HEIGHT));
  if (end - split >= 1)
    hatch (snapshot, &GRAPHENE_RECT_INIT (split, MARK_OVER, end - split, BAR_HEIGHT), plot_draw_get_color (widget, "plot_write_color"));
  gtk_snapshot_pop (snapshot);
  if (self->usual >= 0)
    gtk_snapshot_append_color (snapshot, &dim, &GRAPHENE_RECT_INIT (MIN ((float) self->usual * width, width - 1), 0, 1, BAR_HEIGHT + 2 * MARK_OVER));
  if (self->best >= 0)
    gtk_snapshot_append_color (snapshot, &text, &GRAPHENE_RECT_INIT (MIN ((float) self->best * width, width - 2), 0, 2, BAR_HEIGHT + 2 * MARK_OVER));
  gtk_snapshot_restore (snapshot);
}

static void
brio_latency_bar_measure (GtkWidget     *widget,
                          GtkOrientation orientation,
                          int            for_size,
                          int           *minimum,
                          int           *natural,
                          int           *minimum_baseline,
                          int           *natural_baseline)
{
  (void) widget;
  (void) for_size;
  *minimum_baseline = *natural_baseline = -1;
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : BAR_HEIGHT + 2 * MARK_OVER;
}

static void
brio_latency_bar_class_init (BrioLatencyBarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->snapshot = brio_latency_bar_snapshot;
  widget_class->measure = brio_latency_bar_measure;
  /* Its figures stand beside it as text. */
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
brio_latency_bar_init (BrioLatencyBar *self)
{
  self->latency = -1;
  gtk_widget_set_hexpand (GTK_WIDGET (self), TRUE);
}

void
brio_latency_bar_set (BrioLatencyBar *self,
                      BrioStartup    *startup,
                      gint64          full_us)
{
  gint64 latency = brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY), best = brio_startup_get_figure (startup, BRIO_STARTUP_BEST);
  gint64 usual = brio_startup_get_figure (startup, BRIO_STARTUP_USUAL), full = MAX (1, MAX (full_us, MAX (latency, usual)));
  gboolean comparable = brio_startup_get_factor (startup) > 0;

  g_return_if_fail (BRIO_IS_LATENCY_BAR (self));

  self->latency = latency < 0 ? -1 : (double) latency / (double) full;
  self->waited = self->latency * brio_startup_get_waited_permille (startup) / 1000;
  self->best = comparable ? (double) best / (double) full : -1;
  self->usual = comparable && usual > 0 ? (double) usual / (double) full : -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

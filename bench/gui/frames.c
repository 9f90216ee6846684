/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a frame costs in which every plot is drawn: ten of 1000 pixels, each with half an hour of samples, over the shortest and the longest time
 * that the dashboard offers. Prints a line a frame: the span in seconds, and the milliseconds of CPU time from the frame's begin to its end. */
#include <adwaita.h>

#include "object-device.h"
#include "plot-span.h"
#include "plot.h"
#include "thread-time.h"

#define PLOTS 10
#define COLUMNS 2
#define WIDTH 1000
#define HISTORY_S 1800
#define WARM_UP 10 /* frames that shape the text */
#define FRAMES 100

static const int spans_s[] = { 60, PLOT_SPAN_MAX_S };

struct bench
{
  GApplication *application;
  BrioDevice *device;
  GtkWidget *plots[PLOTS];
  gint64 now_s;
  guint span, frame;
  gint64 begin_ns;
};

/* Much of everything, and another value each second. */
static void
feed (struct bench *b)
{
  guint32 x = (guint32) (b->now_s * 2654435761u) >> 16;
  struct brio_sample sample = {
    .t_ns = (guint64) (b->now_s * NSEC_PER_S),
    .read_median_us = 8000 + x % 9000,
    .read_p99_us = 90000 + x % 70000,
    .read_bytes_per_s = 90000000 + (guint64) x * 1000,
    .write_bytes_per_s = 30000000 + (guint64) x * 500,
  };

  if (!brio_device_add_sample (b->device, &sample, b->now_s * G_USEC_PER_SEC))
    g_error ("a sample was refused");
}

static gboolean
on_tick (GtkWidget     *widget,
         GdkFrameClock *clock,
         gpointer       userdata)
{
  struct bench *b = userdata;

  (void) widget;
  (void) clock;
  b->now_s += 1 + 2 * spans_s[b->span] / WIDTH; /* a column further */
  feed (b);
  for (guint i = 0; i < PLOTS; i++)
    brio_plot_refresh (BRIO_PLOT (b->plots[i]));
  return G_SOURCE_CONTINUE;
}

static void
on_before_paint (GdkFrameClock *clock,
                 struct bench  *b)
{
  (void) clock;
  b->begin_ns = thread_ns ();
}

static void
on_after_paint (GdkFrameClock *clock,
                struct bench  *b)
{
  (void) clock;
  if (++b->frame > WARM_UP)
    g_print ("%d %.3f\n", spans_s[b->span], (double) (thread_ns () - b->begin_ns) / 1e6);
  if (b->frame < WARM_UP + FRAMES)
    return;
  b->frame = 0;
  if (++b->span == G_N_ELEMENTS (spans_s))
    {
      g_application_quit (b->application);
      b->span = 0;
      return;
    }
  for (guint i = 0; i < PLOTS; i++)
    brio_plot_set_span (BRIO_PLOT (b->plots[i]), spans_s[b->span]);
}

static void
add_plots (struct bench *b,
           GtkGrid      *grid)
{
  static const BrioPlotLine latency[] = { { BRIO_CHANNEL_READ_MEDIAN_US, "Median", "plot_read_color", FALSE },
                                          { BRIO_CHANNEL_READ_P99_US, "99 %", "plot_read_color", FALSE },
                                          { BRIO_CHANNEL_READ_MEAN_US, "Mean only", "plot_read_color", TRUE } };
  static const BrioPlotLine throughput[] = { { BRIO_CHANNEL_READ_BYTES_PER_S, "Read", "plot_read_color", FALSE },
                                             { BRIO_CHANNEL_WRITE_BYTES_PER_S, "Write", "plot_write_color", FALSE } };

  for (guint i = 0; i < PLOTS; i++)
    {
      BrioPlot *plot = BRIO_PLOT (b->plots[i] = brio_plot_new ());

      if (i % 2 == 0)
        brio_plot_setup (plot, "Read latency", PLOT_UNIT_DURATION_US, latency, G_N_ELEMENTS (latency));
      else
        brio_plot_setup (plot, "Throughput", PLOT_UNIT_BYTES_PER_S, throughput, G_N_ELEMENTS (throughput));
      brio_plot_set_history (plot, brio_device_get_history (b->device), "sda");
      brio_plot_set_span (plot, spans_s[0]);
      gtk_widget_set_size_request (GTK_WIDGET (plot), WIDTH, -1);
      gtk_grid_attach (grid, GTK_WIDGET (plot), (int) i % COLUMNS, (int) i / COLUMNS, 1, 1);
    }
}

static void
on_activate (GApplication *application,
             struct bench *b)
{
  GtkWidget *window = gtk_application_window_new (GTK_APPLICATION (application)), *grid = gtk_grid_new ();
  GdkFrameClock *clock;

  b->application = application;
  b->device = brio_device_new ("/org/brio/Brio1/device/sda");
  for (b->now_s = 1; b->now_s <= HISTORY_S; b->now_s++)
    feed (b);
  add_plots (b, GTK_GRID (grid));
  gtk_window_set_decorated (GTK_WINDOW (window), FALSE);
  gtk_window_set_child (GTK_WINDOW (window), grid);
  gtk_widget_realize (window);
  clock = gtk_widget_get_frame_clock (window);
  g_signal_connect (clock, "before-paint", G_CALLBACK (on_before_paint), b);
  g_signal_connect (clock, "after-paint", G_CALLBACK (on_after_paint), b);
  gtk_widget_add_tick_callback (window, on_tick, b, NULL);
  gtk_window_present (GTK_WINDOW (window));
}

int
main (int    argc,
      char **argv)
{
  g_autoptr (AdwApplication) application = adw_application_new ("org.brio.Frames", G_APPLICATION_NON_UNIQUE);
  struct bench bench = { 0 };
  int r;

  g_signal_connect (application, "activate", G_CALLBACK (on_activate), &bench);
  r = g_application_run (G_APPLICATION (application), argc, argv);
  g_clear_object (&bench.device);
  return r;
}

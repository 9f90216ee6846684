/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A live plot of one or two channels of a series over the last minute, with axes, legend and read-out.
 *
 * The lines differ by more than colour: the first is solid and filled, the second dashed. The pointer, or the arrow keys
 * while the plot has the focus, show the values of a moment in the legend. */
#pragma once

#include <gtk/gtk.h>

#include "plot-math.h"
#include "series.h"

G_BEGIN_DECLS

#define BRIO_PLOT_LINES_MAX 2

typedef struct
{
  guint       channel; /* of the series */
  const char *label;   /* translated, static */
  const char *color;   /* a name out of style.css */
} BrioPlotLine;

#define BRIO_TYPE_PLOT (brio_plot_get_type ())
G_DECLARE_FINAL_TYPE (BrioPlot, brio_plot, BRIO, PLOT, GtkWidget)

GtkWidget *brio_plot_new (void);

/* What is drawn; once, before the plot is shown. title is translated. */
void brio_plot_setup (BrioPlot           *self,
                      const char         *title,
                      enum plot_unit      unit,
                      const BrioPlotLine *lines,
                      guint               n_lines);

/* What the values come from; must outlive the plot or the next call. NULL: nothing. subject names the drive in the
 * accessible label. */
void brio_plot_set_series (BrioPlot            *self,
                           const struct series *series,
                           const char          *subject);

/* Draws anew where the series has grown since, and says whether it did. Cheap where it has not, or where the plot is out of sight:
 * not mapped, or scrolled away. The figures follow once a second, or at once while there is a cursor. */
gboolean brio_plot_refresh (BrioPlot *self);

/* The read-out: how long ago, in microseconds; below 0: none. */
void brio_plot_set_cursor (BrioPlot *self,
                           gint64    age_us);

/* What the legend says about line i now, "64 ms"; "–" for nothing. Free with g_free(). */
char *brio_plot_get_reading (BrioPlot *self,
                             guint     i);

G_END_DECLS

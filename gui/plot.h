/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A live plot of up to three channels of a history over its last span, with axes, legend and read-out.
 *
 * The lines differ by more than colour: the first is solid and filled, the second dashed, the third dotted. The pointer, or the arrow keys
 * while the plot has the focus, show the values of a moment in the legend. */
#pragma once

#include <gtk/gtk.h>

#include "plot-view.h"

G_BEGIN_DECLS

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
void brio_plot_set_history (BrioPlot             *self,
                            const struct history *history,
                            const char           *subject);
/* How long a time it is over, in seconds: plot_span_fit() of it. The wheel with Ctrl, two fingers, + and - ask for another one with the action
 * "overview.zoom", whose parameter is in steps. */
void brio_plot_set_span (BrioPlot *self,
                         int       span_s);

/* Draws anew where the series has grown since, and says whether it did. Cheap where it has not, or where the plot is out of sight:
 * not mapped, or scrolled away. The figures follow once a second, or at once while there is a cursor. */
gboolean brio_plot_refresh (BrioPlot *self);

/* The read-out: how long ago, in microseconds; below 0: none. */
void brio_plot_set_cursor (BrioPlot *self,
                           gint64    age_us);

/* What it shows, for a table; the plot's. */
const struct plot_view *brio_plot_get_view (BrioPlot *self);
const char *brio_plot_get_title (BrioPlot *self);
/* "Throughput of sda". Free with g_free(). */
char *brio_plot_format_label (BrioPlot *self);

G_END_DECLS

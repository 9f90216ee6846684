/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The twin of a plot: the same values as a table, a row for each part of its span that is over. */
#pragma once

#include "plot.h"

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PLOT_TABLE (brio_plot_table_get_type ())
G_DECLARE_FINAL_TYPE (BrioPlotTable, brio_plot_table, BRIO, PLOT_TABLE, AdwBin)

/* plot is set up, and kept. */
GtkWidget *brio_plot_table_new (BrioPlot *plot);

/* Shows what is new since, where there is any and the table is shown, and says whether. */
gboolean brio_plot_table_refresh (BrioPlotTable *self);

G_END_DECLS

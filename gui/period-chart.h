/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a process asks for its data where its periods are not known one by one: in the median one, what it waits and what it pauses, and where
 * bfq's next_start lies before it asks again. Its figures stand beside it as text. */
#pragma once

#include "chart.h"
#include "object-stream.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PERIOD_CHART (brio_period_chart_get_type ())
G_DECLARE_FINAL_TYPE (BrioPeriodChart, brio_period_chart, BRIO, PERIOD_CHART, BrioChart)

/* Where things are on the chart, as fractions of its width; below 0: not there. Reading order is from 0. */
struct period_layout
{
  double first, again; /* it asks; and asks again, a period later */
  double served;       /* it has what it asked for: the pause begins */
  double next_start;   /* the earliest that bfq's rule allows, clamped to the chart */
};

/* No GTK. FALSE where there is no period to draw. */
gboolean period_chart_lay_out (gint64                period_us,
                               gint64                pause_permille,
                               gboolean              has_margin,
                               gint64                margin_us,
                               struct period_layout *ret);

GtkWidget *brio_period_chart_new (void);
void       brio_period_chart_set (BrioPeriodChart *self,
                                  BrioPlayer      *player);

G_END_DECLS

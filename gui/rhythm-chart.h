/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a process asks for its data, over its last periods: a column each, as high as the period is long, with what it waits and what it
 * pauses, and a line across it where bfq's next_start was: a column that ends above the line asked when the rule allows it. Parts differ by
 * pattern and place. The pointer or the arrow keys read out a period; what it draws is in the struct pattern, for a table. */
#pragma once

#include "chart.h"
#include "pattern.h"

G_BEGIN_DECLS

#define BRIO_TYPE_RHYTHM_CHART (brio_rhythm_chart_get_type ())
G_DECLARE_FINAL_TYPE (BrioRhythmChart, brio_rhythm_chart, BRIO, RHYTHM_CHART, BrioChart)

GtkWidget *brio_rhythm_chart_new (void);

/* p is copied. label: for a user that cannot see it. */
void brio_rhythm_chart_set (BrioRhythmChart      *self,
                            const struct pattern *p,
                            const char           *label);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a process asks for its data: in its median period, what it waits and what it pauses, and where bfq's next_start lies before it asks
 * again. Its figures stand beside it as text. */
#pragma once

#include <gtk/gtk.h>

#include "object-stream.h"

G_BEGIN_DECLS

#define BRIO_TYPE_RHYTHM_CHART (brio_rhythm_chart_get_type ())
G_DECLARE_FINAL_TYPE (BrioRhythmChart, brio_rhythm_chart, BRIO, RHYTHM_CHART, GtkWidget)

/* Where things are on the chart, as fractions of its width; below 0: not there. Reading order is from 0. */
struct rhythm_layout
{
  double first, again; /* it asks; and asks again, a period later */
  double served;       /* it has what it asked for: the pause begins */
  double next_start;   /* the earliest that bfq's rule allows, clamped to the chart */
};

/* No GTK. FALSE where there is no period to draw. */
gboolean rhythm_chart_lay_out (gint64                period_us,
                               gint64                pause_permille,
                               gboolean              has_margin,
                               gint64                margin_us,
                               struct rhythm_layout *ret);

GtkWidget *brio_rhythm_chart_new (void);
void       brio_rhythm_chart_set (BrioRhythmChart *self,
                                  BrioPlayer      *player);

G_END_DECLS

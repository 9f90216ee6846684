/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One start as it went: lanes over time for reading, waiting for others and computing, the moments in which Brio changed something or
 * read ahead, and how long its fastest start takes. The lanes differ by place, name and pattern. The pointer or the arrow keys read out a slice.
 * What it draws is in the struct timeline, for a table. */
#pragma once

#include "chart.h"
#include "timeline-math.h"

G_BEGIN_DECLS

#define BRIO_TYPE_TIMELINE (brio_timeline_get_type ())
G_DECLARE_FINAL_TYPE (BrioTimeline, brio_timeline, BRIO, TIMELINE, BrioChart)

/* t is copied; NULL: nothing. best_us: 0 or less where it is not known. marks: n of them, copied.
 * subject: the application, for the accessible label. */
void brio_timeline_set (BrioTimeline          *self,
                        const struct timeline *t,
                        gint64                 best_us,
                        const struct timeline_mark *marks,
                        guint                  n_marks,
                        const char            *subject);

G_END_DECLS

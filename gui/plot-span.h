/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times that plots can be over: 30 seconds to 30 minutes. Plain C. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PLOT_SPAN_DEFAULT_S 60
#define PLOT_SPAN_MAX_S 1800

/* The longest one that is no longer than span_s; the shortest where there is none. */
int plot_span_fit (int span_s);
/* steps nearer (above 0: a shorter one) or further away, as far as there are any. */
int plot_span_zoom (int span_s,
                    int steps);
/* How much of that time a row of a table has: 10 to 15 of them are all. */
int plot_span_interval_s (int span_s);
/* How far a press of an arrow key goes. */
int64_t plot_span_step_us (int span_s);

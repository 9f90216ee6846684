/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-span.h"

#include "macro.h"

#define STEPS 60 /* of an arrow key, from one end to the other */
#define STEP_MIN_US INT64_C(1000000) /* as often as samples come */

static const struct
{
  int span_s, interval_s;
} spans[] = { { 30, 2 }, { 60, 5 }, { 120, 10 }, { 300, 30 }, { 600, 60 }, { PLOT_SPAN_MAX_S, 120 } };

static size_t
find (int span_s)
{
  size_t i = ARRAY_SIZE (spans) - 1;

  while (i > 0 && spans[i].span_s > span_s)
    i--;
  return i;
}

int
plot_span_fit (int span_s)
{
  return spans[find (span_s)].span_s;
}

int
plot_span_zoom (int span_s,
                int steps)
{
  const int last = (int) ARRAY_SIZE (spans) - 1;
  int64_t i = (int64_t) find (span_s) - steps;

  return spans[i < 0 ? 0 : i > last ? last : i].span_s;
}

int
plot_span_interval_s (int span_s)
{
  return spans[find (span_s)].interval_s;
}

int64_t
plot_span_step_us (int span_s)
{
  int64_t step_us = plot_span_fit (span_s) * INT64_C (1000000) / STEPS;

  return step_us > STEP_MIN_US ? step_us : STEP_MIN_US;
}

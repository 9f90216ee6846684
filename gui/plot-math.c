/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-math.h"

#include <math.h>

#include "str.h"

/* An axis shrinks when its values use less than this share of it. */
#define SCALE_SHRINK_BELOW (1.0 / 3)
#define LOG_SHRINK_BELOW (1.0 / 20)

/* Below these an axis is not worth magnifying: an idle drive's jitter would look like load. */
#define FLOOR_DURATION_US 10000.0
#define FLOOR_BYTES_PER_S 1e6
#define FLOOR_REQUESTS 1.0

void
plot_columns_clear (struct plot_column *columns,
                    size_t              n_columns)
{
  for (size_t i = 0; i < n_columns; i++)
    columns[i] = (struct plot_column) { .min = INFINITY, .max = -INFINITY };
}

void
plot_columns_add (struct plot_column *columns,
                  size_t              n_columns,
                  int64_t             t0_us,
                  int64_t             t1_us,
                  const int64_t      *t_us,
                  const float        *values,
                  size_t              n_samples)
{
  int64_t span_us = t1_us - t0_us;

  for (size_t i = 0; i < n_samples; i++)
    {
      struct plot_column *column;

      if (t_us[i] < t0_us || t_us[i] >= t1_us || !isfinite (values[i]))
        continue;
      column = &columns[(t_us[i] - t0_us) * (int64_t) n_columns / span_us];
      column->min = fminf (column->min, values[i]);
      column->max = fmaxf (column->max, values[i]);
    }
}

float
plot_columns_max (const struct plot_column *columns,
                  size_t                    n_columns)
{
  float max = 0;

  for (size_t i = 0; i < n_columns; i++)
    max = fmaxf (max, columns[i].max);
  return max;
}

double
plot_nice_ceiling (double value)
{
  static const double steps[] = { 1, 2, 5, 10 };
  double magnitude;

  if (!isfinite (value) || value <= 0)
    return 1;
  magnitude = pow (10, floor (log10 (value)));
  for (size_t i = 0; i < ARRAY_SIZE (steps); i++)
    if (steps[i] * magnitude >= value)
      return steps[i] * magnitude;
  return 10 * magnitude; /* log10() rounded up to the next power */
}

double
plot_scale_follow (double top,
                   double max,
                   double lowest)
{
  double wanted = plot_nice_ceiling (fmax (max, lowest));

  if (wanted >= top || max < top * SCALE_SHRINK_BELOW)
    return wanted;
  return top;
}

/* 1, 2, 2.5 or 5 times a power of ten: distances that people can add up. */
static bool
is_nice_step (double step)
{
  static const double nice[] = { 1, 2, 2.5, 5, 10 };
  double mantissa = step / pow (10, floor (log10 (step)));

  for (size_t i = 0; i < ARRAY_SIZE (nice); i++)
    if (fabs (mantissa - nice[i]) < 1e-6)
      return true;
  return false;
}

size_t
plot_ticks (double  top,
            size_t  max_ticks,
            double *ret_ticks)
{
  size_t n = max_ticks;

  while (n > 1 && !is_nice_step (top / (double) n))
    n--;
  for (size_t i = 0; i < n; i++)
    ret_ticks[i] = top * (double) (i + 1) / (double) n;
  return n;
}

char *
plot_format (enum plot_unit unit,
             double         value,
             char          *buf,
             size_t         size)
{
  uint64_t whole = value < 0 || !isfinite (value) ? 0 : value >= 1.8e19 ? UINT64_MAX : (uint64_t) llround (value);

  switch (unit)
    {
    case PLOT_UNIT_DURATION_US:
      return str_format_duration_us (buf, size, whole);
    case PLOT_UNIT_BYTES_PER_S:
      str_format_bytes (buf, size, whole);
      str_append (buf, size, "/s");
      return buf;
    case PLOT_UNIT_BYTES:
      return str_format_bytes (buf, size, whole);
    case PLOT_UNIT_REQUESTS:
      snprintf (buf, size, value < 9.95 && value != floor (value) ? "%.1f" : "%.0f", isfinite (value) ? value : 0);
      return buf;
    }
  return buf;
}

static double
get_floor (enum plot_unit unit)
{
  switch (unit)
    {
    case PLOT_UNIT_DURATION_US:
      return FLOOR_DURATION_US;
    case PLOT_UNIT_BYTES_PER_S:
    case PLOT_UNIT_BYTES:
      return FLOOR_BYTES_PER_S;
    case PLOT_UNIT_REQUESTS:
      return FLOOR_REQUESTS;
    }
  return 1;
}

/* Powers of ten from the bottom of an axis of durations. */
static double
decades (double us)
{
  return log10 (us / PLOT_DURATION_BOTTOM_US);
}

double
plot_axis_follow (enum plot_unit unit,
                  double         top,
                  double         max)
{
  double wanted;

  if (unit != PLOT_UNIT_DURATION_US)
    return plot_scale_follow (top, max, get_floor (unit));
  wanted = PLOT_DURATION_BOTTOM_US * pow (10, ceil (decades (fmax (max, FLOOR_DURATION_US)) - 1e-9));
  return wanted >= top || max < top * LOG_SHRINK_BELOW ? wanted : top;
}

double
plot_axis_position (enum plot_unit unit,
                    double         value,
                    double         top)
{
  if (unit != PLOT_UNIT_DURATION_US)
    return value / top;
  return value <= PLOT_DURATION_BOTTOM_US ? 0 : decades (value) / decades (top);
}

size_t
plot_axis_ticks (enum plot_unit unit,
                 double         top,
                 size_t         max_ticks,
                 double        *ret_ticks)
{
  size_t n, step;

  if (unit != PLOT_UNIT_DURATION_US)
    return plot_ticks (top, max_ticks, ret_ticks);
  n = (size_t) llround (decades (top));
  step = (n + max_ticks - 1) / max_ticks;
  n = (n + step - 1) / step;
  for (size_t i = 0; i < n; i++) /* from the top down, so that it is one of them */
    ret_ticks[n - 1 - i] = top / pow (10, (double) (i * step));
  return n;
}

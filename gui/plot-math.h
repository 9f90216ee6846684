/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arithmetic of a plot: decimation, scales, ticks and numbers for people. Plain C: no GTK, no GLib, no clock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the values of a plot are. */
enum plot_unit
{
  PLOT_UNIT_DURATION_US,
  PLOT_UNIT_BYTES_PER_S,
  PLOT_UNIT_BYTES,
  PLOT_UNIT_REQUESTS,
};

/* The extremes of the samples that fall on one pixel column; min > max: none did. */
struct plot_column
{
  float min;
  float max;
};

void plot_columns_clear (struct plot_column *columns,
                         size_t              n_columns);

/* Adds samples to the columns: t0_us <= t < t1_us maps linearly to the n_columns columns, so that no extreme is lost
 * however many samples share a pixel. Samples outside and values that are not finite are passed over.
 * The span must be positive and span * n_columns must fit int64_t (30 minutes at 8K: 1.4e13). */
void plot_columns_add (struct plot_column *columns,
                       size_t              n_columns,
                       int64_t             t0_us,
                       int64_t             t1_us,
                       const int64_t      *t_us,
                       const float        *values,
                       size_t              n_samples);

/* The largest value of all columns; 0 where they are empty. */
float plot_columns_max (const struct plot_column *columns,
                        size_t                    n_columns);

/* The smallest of 1, 2 or 5 times a power of ten that is not below value. 1 for what is not a positive number. */
double plot_nice_ceiling (double value);

/* The upper end of an axis, given the one shown now (0: none yet) and the largest value: grows at once, so that no
 * line leaves the plot, and shrinks only when less than a third is in use, so that it does not pump. */
double plot_scale_follow (double top,
                          double max,
                          double floor);

/* The positions of the grid lines above 0: evenly spaced at a distance that people can add up, the top being the last,
 * at least one and at most max_ticks (>= 1). top comes from plot_scale_follow(). Returns how many. */
size_t plot_ticks (double  top,
                   size_t  max_ticks,
                   double *ret_ticks);

/* "12.5 ms", "97 MB/s", "3.2": short, for a legend or an axis. Returns buf. */
char *plot_format (enum plot_unit unit,
                   double         value,
                   char          *buf,
                   size_t         size);

/* The axis of a plot: durations, of which a tenth and ten seconds matter at once, by powers of ten from PLOT_DURATION_BOTTOM_US; all else
 * from 0 on and evenly. The upper end, given the one shown now (0: none yet) and the largest value: as plot_scale_follow(), and never so low that
 * noise near zero fills the plot. */
#define PLOT_DURATION_BOTTOM_US 10.0
double plot_axis_follow (enum plot_unit unit,
                         double         top,
                         double         max);
/* Where a value stands on it, from 0 to 1. */
double plot_axis_position (enum plot_unit unit,
                           double         value,
                           double         top);
/* As plot_ticks(); of durations powers of ten. */
size_t plot_axis_ticks (enum plot_unit unit,
                        double         top,
                        size_t         max_ticks,
                        double        *ret_ticks);

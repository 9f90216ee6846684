/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a plot shows, at a size that does not grow: the newest samples as they came, and the extremes of buckets of time for what is older.
 * Plain C: no GTK, no GLib, no clock. */
#pragma once

#include "plot-math.h"
#include "series.h"

struct history;

/* The newest n_samples samples of n_channels values, and n_buckets buckets of bucket_us microseconds, the newest of which holds the newest
 * sample; all at least 1. NULL only without memory. */
struct history *history_new  (size_t  n_channels,
                              size_t  n_samples,
                              size_t  n_buckets,
                              int64_t bucket_us);
/* Returns NULL; takes NULL. */
struct history *history_free (struct history *h);

/* Something was done at that moment. The last HISTORY_MARKS are kept; one that is hardly later or earlier than another is the same. */
#define HISTORY_MARKS 64
void history_mark (struct history *h,
                   int64_t         t_us);
/* The moments, in no order. */
const int64_t *history_marks (const struct history *h,
                              size_t               *ret_n);

/* Appends n_channels values; NAN stands for "nothing to show". False, and nothing happens, unless t_us is later than the newest sample's. */
bool history_append (struct history *h,
                     int64_t         t_us,
                     const float    *values);

/* The samples that are kept as they came. */
const struct series *history_samples (const struct history *h);
/* When the newest was; 0: there is none. */
int64_t history_newest_us (const struct history *h);
/* From when on samples are kept as they came; INT64_MAX: there is none. */
int64_t history_exact_from_us (const struct history *h);
/* How far apart two samples of the time from t_us on may lie, if they lie no further apart than max_us as they come. */
int64_t history_distance_us (const struct history *h,
                             int64_t               t_us,
                             int64_t               max_us);

/* The extremes of each of n_columns columns, each t0_us + column_us * i to column_us later, as plot_columns_add(): exact from
 * history_exact_from_us() on; before, each value is less than a bucket's time from where it was. */
void history_columns (const struct history *h,
                      size_t                channel,
                      int64_t               t0_us,
                      int64_t               column_us,
                      struct plot_column   *columns,
                      size_t                n_columns);

/* What there was at a moment: the sample nearest to it, or, of what is older, the extremes of its bucket. False where there is none within
 * max_us (of a sample), or no bucket. ret_t_us: when that was. */
bool history_find (const struct history *h,
                   int64_t               t_us,
                   int64_t               max_us,
                   int64_t              *ret_t_us);
/* The extremes of one channel at a moment that history_find() returned; min > max: nothing to show. */
struct plot_column history_at (const struct history *h,
                               size_t                channel,
                               int64_t               found_us);

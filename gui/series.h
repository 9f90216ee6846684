/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A ring of samples: one time and a few floats each, allocated once. The newest pushes out the oldest. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct series;

/* Room for capacity samples of n_channels values; both at least 1. NULL only without memory. */
struct series *series_new  (size_t capacity,
                            size_t n_channels);
/* Returns NULL; takes NULL. */
struct series *series_free (struct series *s);

/* Appends n_channels values; NAN stands for "nothing to show". False, and nothing happens, unless t_us is later than
 * the newest sample's. */
bool series_append (struct series *s,
                    int64_t        t_us,
                    const float   *values);

size_t   series_count  (const struct series *s);
/* How many samples were ever appended: a cheap question whether something changed. */
uint64_t series_serial (const struct series *s);

/* Sample i, 0 being the oldest; i < series_count(). */
int64_t series_time  (const struct series *s,
                      size_t               i);
float   series_value (const struct series *s,
                      size_t               channel,
                      size_t               i);

/* The sample nearest to t_us. False where there is none within max_distance_us. */
bool series_nearest (const struct series *s,
                     int64_t              t_us,
                     int64_t              max_distance_us,
                     size_t              *ret_index);

/* One channel as two runs of memory, oldest first; the second may be empty. */
struct series_run
{
  const int64_t *t_us;
  const float   *values;
  size_t         n;
};
void series_runs (const struct series *s,
                  size_t               channel,
                  struct series_run    ret[2]);

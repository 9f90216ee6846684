/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "history.h"

#include <math.h>
#include <stdlib.h>

#define MARK_DISTANCE_US INT64_C (500000)

struct history
{
  size_t              n_channels;
  struct series      *samples;
  size_t              n_samples;
  int64_t             bucket_us;
  size_t              n_buckets;
  size_t              count;    /* of buckets that are in use */
  size_t              head;     /* where the next bucket goes */
  int64_t            *begin_us; /* of each bucket, a multiple of bucket_us */
  struct plot_column *extremes; /* channel after channel */
  size_t              n_marks;  /* ever */
  int64_t             marks[HISTORY_MARKS];
};

struct history *
history_new (size_t  n_channels,
             size_t  n_samples,
             size_t  n_buckets,
             int64_t bucket_us)
{
  struct history *h = calloc (1, sizeof (*h));

  if (!h)
    return NULL;
  *h = (struct history) { .n_channels = n_channels, .n_samples = n_samples, .bucket_us = bucket_us, .n_buckets = n_buckets };
  h->samples = series_new (n_samples, n_channels);
  h->begin_us = calloc (n_buckets, sizeof (*h->begin_us));
  h->extremes = calloc (n_buckets * n_channels, sizeof (*h->extremes));
  if (!h->samples || !h->begin_us || !h->extremes)
    return history_free (h);
  return h;
}

struct history *
history_free (struct history *h)
{
  if (!h)
    return NULL;
  series_free (h->samples);
  free (h->begin_us);
  free (h->extremes);
  free (h);
  return NULL;
}

/* Bucket i, 0 being the oldest. */
static size_t
bucket_slot (const struct history *h,
             size_t                i)
{
  return (h->head + h->n_buckets - h->count + i) % h->n_buckets;
}

static size_t
add_bucket (struct history *h,
            int64_t         begin_us)
{
  size_t slot = h->head;

  h->begin_us[slot] = begin_us;
  for (size_t channel = 0; channel < h->n_channels; channel++)
    plot_columns_clear (&h->extremes[channel * h->n_buckets + slot], 1);
  h->head = (h->head + 1) % h->n_buckets;
  if (h->count < h->n_buckets)
    h->count++;
  return slot;
}

bool
history_append (struct history *h,
                int64_t         t_us,
                const float    *values)
{
  int64_t begin_us = t_us - ((t_us % h->bucket_us) + h->bucket_us) % h->bucket_us;
  size_t slot;

  if (!series_append (h->samples, t_us, values))
    return false;
  slot = h->count > 0 ? bucket_slot (h, h->count - 1) : 0;
  if (h->count == 0 || h->begin_us[slot] != begin_us)
    slot = add_bucket (h, begin_us);
  for (size_t channel = 0; channel < h->n_channels; channel++)
    {
      struct plot_column *extremes = &h->extremes[channel * h->n_buckets + slot];

      if (!isfinite (values[channel]))
        continue;
      extremes->min = fminf (extremes->min, values[channel]);
      extremes->max = fmaxf (extremes->max, values[channel]);
    }
  return true;
}

const int64_t *
history_marks (const struct history *h,
               size_t               *ret_n)
{
  *ret_n = h->n_marks < HISTORY_MARKS ? h->n_marks : HISTORY_MARKS;
  return h->marks;
}

void
history_mark (struct history *h,
              int64_t         t_us)
{
  size_t n;

  history_marks (h, &n);
  for (size_t i = 0; i < n; i++)
    if (h->marks[i] > t_us - MARK_DISTANCE_US && h->marks[i] < t_us + MARK_DISTANCE_US)
      return;
  h->marks[h->n_marks++ % HISTORY_MARKS] = t_us;
}

const struct series *
history_samples (const struct history *h)
{
  return h->samples;
}

int64_t
history_newest_us (const struct history *h)
{
  size_t n = series_count (h->samples);

  return n > 0 ? series_time (h->samples, n - 1) : 0;
}

int64_t
history_exact_from_us (const struct history *h)
{
  return series_count (h->samples) > 0 ? series_time (h->samples, 0) : INT64_MAX;
}

/* How many buckets hold a sample that is kept nowhere else: those that began before the oldest one that is. */
static size_t
count_older (const struct history *h)
{
  int64_t exact_us = history_exact_from_us (h);
  size_t low = 0, high = h->count;

  if (series_serial (h->samples) == series_count (h->samples))
    return 0;
  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (h->begin_us[bucket_slot (h, middle)] < exact_us)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Where a bucket is shown: in its middle, and before the samples that are exact. */
static int64_t
shown_us (const struct history *h,
          size_t                slot)
{
  int64_t middle_us = h->begin_us[slot] + h->bucket_us / 2;
  int64_t last_us = history_exact_from_us (h) - 1;

  return middle_us < last_us ? middle_us : last_us;
}

int64_t
history_distance_us (const struct history *h,
                     int64_t               t_us,
                     int64_t               max_us)
{
  if (count_older (h) == 0 || t_us >= history_exact_from_us (h))
    return max_us;
  return h->bucket_us + max_us; /* one ends early, the next one begins late */
}

void
history_columns (const struct history *h,
                 size_t                channel,
                 int64_t               t0_us,
                 int64_t               column_us,
                 struct plot_column   *columns,
                 size_t                n_columns)
{
  int64_t t1_us = t0_us + column_us * (int64_t) n_columns;
  size_t n_older = count_older (h);
  struct series_run runs[2];

  plot_columns_clear (columns, n_columns);
  for (size_t i = 0; i < n_older; i++)
    {
      size_t slot = bucket_slot (h, i);
      const struct plot_column *extremes = &h->extremes[channel * h->n_buckets + slot];
      int64_t t_us = shown_us (h, slot);

      if (extremes->min <= extremes->max)
        plot_columns_add (columns, n_columns, t0_us, t1_us, (int64_t[]) { t_us, t_us }, (float[]) { extremes->min, extremes->max }, 2);
    }
  series_runs (h->samples, channel, runs);
  for (size_t i = 0; i < 2; i++)
    plot_columns_add (columns, n_columns, t0_us, t1_us, runs[i].t_us, runs[i].values, runs[i].n);
}

/* The bucket that is shown at t_us, or SIZE_MAX. */
static size_t
find_bucket (const struct history *h,
             int64_t               t_us)
{
  for (size_t i = count_older (h); i > 0; i--)
    {
      size_t slot = bucket_slot (h, i - 1);

      if (h->begin_us[slot] <= t_us)
        return t_us < h->begin_us[slot] + h->bucket_us ? slot : SIZE_MAX;
    }
  return SIZE_MAX;
}

bool
history_find (const struct history *h,
              int64_t               t_us,
              int64_t               max_us,
              int64_t              *ret_t_us)
{
  size_t i;

  if (series_nearest (h->samples, t_us, max_us, &i) && (t_us >= history_exact_from_us (h) || find_bucket (h, t_us) == SIZE_MAX))
    {
      *ret_t_us = series_time (h->samples, i);
      return true;
    }
  i = find_bucket (h, t_us);
  if (i == SIZE_MAX)
    return false;
  *ret_t_us = shown_us (h, i);
  return true;
}

struct plot_column
history_at (const struct history *h,
            size_t                channel,
            int64_t               found_us)
{
  struct plot_column nothing = { .min = INFINITY, .max = -INFINITY };
  size_t i;
  float value;

  if (found_us < history_exact_from_us (h))
    {
      i = find_bucket (h, found_us);
      return i == SIZE_MAX ? nothing : h->extremes[channel * h->n_buckets + i];
    }
  if (!series_nearest (h->samples, found_us, 0, &i))
    return nothing;
  value = series_value (h->samples, channel, i);
  return isfinite (value) ? (struct plot_column) { value, value } : nothing;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "series.h"

#include <stdlib.h>

struct series
{
  size_t   capacity;
  size_t   n_channels;
  size_t   head;   /* where the next sample goes */
  size_t   count;
  uint64_t serial;
  int64_t *t_us;
  float   *values; /* channel after channel */
};

struct series *
series_new (size_t capacity,
            size_t n_channels)
{
  struct series *s = calloc (1, sizeof (*s));

  if (!s)
    return NULL;
  s->capacity = capacity;
  s->n_channels = n_channels;
  s->t_us = calloc (capacity, sizeof (*s->t_us));
  s->values = calloc (capacity * n_channels, sizeof (*s->values));
  if (!s->t_us || !s->values)
    return series_free (s);
  return s;
}

struct series *
series_free (struct series *s)
{
  if (!s)
    return NULL;
  free (s->t_us);
  free (s->values);
  free (s);
  return NULL;
}

static size_t
series_slot (const struct series *s,
             size_t               i)
{
  return (s->head + s->capacity - s->count + i) % s->capacity;
}

bool
series_append (struct series *s,
               int64_t        t_us,
               const float   *values)
{
  if (s->count > 0 && t_us <= series_time (s, s->count - 1))
    return false;
  s->t_us[s->head] = t_us;
  for (size_t channel = 0; channel < s->n_channels; channel++)
    s->values[channel * s->capacity + s->head] = values[channel];
  s->head = (s->head + 1) % s->capacity;
  if (s->count < s->capacity)
    s->count++;
  s->serial++;
  return true;
}

size_t
series_count (const struct series *s)
{
  return s->count;
}

uint64_t
series_serial (const struct series *s)
{
  return s->serial;
}

int64_t
series_time (const struct series *s,
             size_t               i)
{
  return s->t_us[series_slot (s, i)];
}

float
series_value (const struct series *s,
              size_t               channel,
              size_t               i)
{
  return s->values[channel * s->capacity + series_slot (s, i)];
}

/* The first sample at or after t_us; series_count() where all are before. */
static size_t
series_lower_bound (const struct series *s,
                    int64_t              t_us)
{
  size_t low = 0, high = s->count;

  while (low < high)
    {
      size_t middle = low + (high - low) / 2;

      if (series_time (s, middle) < t_us)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

bool
series_nearest (const struct series *s,
                int64_t              t_us,
                int64_t              max_distance_us,
                size_t              *ret_index)
{
  size_t i = series_lower_bound (s, t_us);
  int64_t distance;

  if (s->count == 0)
    return false;
  if (i == s->count || (i > 0 && t_us - series_time (s, i - 1) < series_time (s, i) - t_us))
    i--;
  distance = series_time (s, i) - t_us;
  if (distance > max_distance_us || -distance > max_distance_us)
    return false;
  *ret_index = i;
  return true;
}

void
series_runs (const struct series *s,
             size_t               channel,
             struct series_run    ret[2])
{
  const float *values = s->values + channel * s->capacity;
  size_t start = series_slot (s, 0);
  size_t first = s->count < s->capacity - start ? s->count : s->capacity - start;

  ret[0] = (struct series_run) { s->t_us + start, values + start, first };
  ret[1] = (struct series_run) { s->t_us, values, s->count - first };
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pattern.h"

#define TOP_MEDIANS 4
/* Of the axis: what ends at the top shall be seen to end. */
#define ROOM_PERCENT 106

gboolean
pattern_read (GVariant       *entry,
              struct pattern *ret)
{
  g_autoptr (GVariant) arrivals = NULL;
  gsize n;

  ret->n = 0;
  if (!g_variant_lookup (entry, "arrivals", "@a(uuuisb)", &arrivals))
    return FALSE;
  n = g_variant_n_children (arrivals);
  for (gsize i = n > PATTERN_PERIODS_MAX ? n - PATTERN_PERIODS_MAX : 0; i < n; i++)
    {
      guint32 length, pause, bytes;
      gint32 margin;
      const char *answer;
      gboolean counted;

      g_variant_get_child (arrivals, i, "(uuui&sb)", &length, &pause, &bytes, &margin, &answer, &counted);
      if (length == 0)
        continue;
      ret->periods[ret->n++] = (struct pattern_period) {
        .length_us = length,
        .pause_us = MIN (pause, length),
        .bytes = bytes,
        .has_margin = g_str_equal (answer, "yes") || g_str_equal (answer, "too-early"), /* of the other answers it says nothing */
        .margin_us = margin,
        .counted = counted,
      };
    }
  return ret->n > 0;
}

gint64
pattern_get_next_start (const struct pattern *p,
                        guint                 period)
{
  const struct pattern_period *one = &p->periods[period];

  return one->has_margin ? MAX (0, one->length_us - one->margin_us) : -1;
}

gint64
pattern_get_shortest (const struct pattern *p)
{
  gint64 shortest = p->periods[0].length_us;

  for (guint i = 1; i < p->n; i++)
    shortest = MIN (shortest, p->periods[i].length_us);
  return shortest;
}

gint64
pattern_get_longest (const struct pattern *p)
{
  gint64 longest = 0;

  for (guint i = 0; i < p->n; i++)
    longest = MAX (longest, p->periods[i].length_us);
  return longest;
}

guint
pattern_count (const struct pattern *p,
               gboolean              early)
{
  guint n = 0;

  for (guint i = 0; i < p->n; i++)
    n += p->periods[i].has_margin && (p->periods[i].margin_us <= 0) == early;
  return n;
}

static int
compare (gconstpointer a,
         gconstpointer b)
{
  const gint64 *first = a, *second = b;

  return (*first > *second) - (*first < *second);
}

gint64
pattern_get_top (const struct pattern *p)
{
  gint64 sorted[PATTERN_PERIODS_MAX], top = 0;

  for (guint i = 0; i < p->n; i++)
    {
      sorted[i] = p->periods[i].length_us;
      top = MAX (top, MAX (sorted[i], pattern_get_next_start (p, i)));
    }
  if (p->n == 0)
    return 1;
  qsort (sorted, p->n, sizeof (*sorted), compare);
  top = MIN (top, sorted[p->n / 2] * TOP_MEDIANS);
  return MAX (top * ROOM_PERCENT / 100, 1);
}

guint
pattern_find (const struct pattern *p,
              double                fraction)
{
  return p->n == 0 ? 0 : (guint) CLAMP (fraction * p->n, 0, p->n - 1);
}

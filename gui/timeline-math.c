/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline-math.h"

#include "plot-math.h"
#include "variant.h"

gboolean
timeline_read (GVariant        *answer,
               struct timeline *ret)
{
  struct timeline t = {
    .time_us = variant_number (answer, "time_usec"),
    .latency_us = variant_number (answer, "latency_usec"),
    .slice_us = variant_number (answer, "slice_usec"),
  };
  g_autoptr (GVariant) slices = NULL;
  struct timeline_slice s;
  GVariantIter iter;

  if (t.latency_us <= 0 || t.slice_us <= 0 || t.slice_us > G_MAXINT64 / TIMELINE_SLICES_MAX
      || !g_variant_lookup (answer, "slices", "@a(uuuu)", &slices))
    return FALSE;
  g_variant_iter_init (&iter, slices);
  while (t.n_slices < TIMELINE_SLICES_MAX && t.n_slices * t.slice_us < t.latency_us
         && g_variant_iter_next (&iter, "(uuuu)", &s.us[TIMELINE_COMPUTING], &s.us[TIMELINE_READING], &s.us[TIMELINE_WAITING],
                                 &s.read_bytes))
    {
      gint64 length = MIN (t.slice_us, t.latency_us - t.n_slices * t.slice_us);
      gint64 told = (gint64) s.us[TIMELINE_COMPUTING] + s.us[TIMELINE_READING] + s.us[TIMELINE_WAITING];

      s.us[TIMELINE_OTHER] = (guint32) CLAMP (length - told, 0, G_MAXUINT32);
      t.slices[t.n_slices++] = s;
    }
  t.missing_us = MAX (0, t.latency_us - t.n_slices * t.slice_us);
  if (t.n_slices == 0)
    return FALSE;
  *ret = t;
  return TRUE;
}

gint64
timeline_total (const struct timeline *t,
                enum timeline_lane     lane)
{
  gint64 sum = lane == TIMELINE_OTHER ? t->missing_us : 0;

  for (guint i = 0; i < t->n_slices; i++)
    sum += t->slices[i].us[lane];
  return sum;
}

double
timeline_share (const struct timeline *t,
                guint                  slice,
                enum timeline_lane     lane)
{
  gint64 length = MIN (t->slice_us, t->latency_us - slice * t->slice_us);

  return MIN (1, (double) t->slices[slice].us[lane] / (double) length);
}

void
timeline_extent (const struct timeline *t,
                 guint                  slice,
                 double                *ret_begin,
                 double                *ret_end)
{
  *ret_begin = (double) (slice * t->slice_us) / (double) t->latency_us;
  *ret_end = MIN (1, (double) ((slice + 1) * t->slice_us) / (double) t->latency_us);
}

guint
timeline_find (const struct timeline *t,
               double                 fraction)
{
  gint64 at = (gint64) (CLAMP (fraction, 0, 1) * (double) t->latency_us);

  return MIN (t->n_slices - 1, (guint) (at / t->slice_us));
}

gint64
timeline_step (gint64 latency_us,
               guint  max_marks)
{
  return MAX (1, (gint64) plot_nice_ceiling ((double) latency_us / max_marks));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline-math.h"

#include "plot-math.h"
#include "variant.h"

static void
read_stalls (GVariant              *stalls,
             guint                  i,
             struct timeline_slice *slice)
{
  slice->us[TIMELINE_PROCESSOR] = slice->us[TIMELINE_MEMORY] = 0;
  if (stalls && i < g_variant_n_children (stalls))
    g_variant_get_child (stalls, i, "(uu)", &slice->us[TIMELINE_PROCESSOR], &slice->us[TIMELINE_MEMORY]);
}

/* All but what is left. */
static gint64
sum_told (const struct timeline_slice *slice)
{
  gint64 sum = 0;

  for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
    sum += lane == TIMELINE_OTHER ? 0 : slice->us[lane];
  return sum;
}

gboolean
timeline_read (GVariant        *answer,
               struct timeline *ret)
{
  struct timeline t = {
    .time_us = variant_number (answer, "time_usec"),
    .latency_us = variant_number (answer, "latency_usec"),
    .slice_us = variant_number (answer, "slice_usec"),
  };
  g_autoptr (GVariant) slices = NULL, stalls = NULL;
  struct timeline_slice s;
  GVariantIter iter;

  if (t.latency_us <= 0 || t.slice_us <= 0 || t.slice_us > G_MAXINT64 / TIMELINE_SLICES_MAX
      || !g_variant_lookup (answer, "slices", "@a(uuuu)", &slices))
    return FALSE;
  g_variant_lookup (answer, "stalls", "@a(uu)", &stalls); /* an older daemon tells none */
  g_variant_iter_init (&iter, slices);
  while (t.n_slices < TIMELINE_SLICES_MAX && t.n_slices * t.slice_us < t.latency_us
         && g_variant_iter_next (&iter, "(uuuu)", &s.us[TIMELINE_COMPUTING], &s.us[TIMELINE_READING], &s.us[TIMELINE_WAITING],
                                 &s.read_bytes))
    {
      gint64 length = MIN (t.slice_us, t.latency_us - t.n_slices * t.slice_us);

      read_stalls (stalls, t.n_slices, &s);
      s.us[TIMELINE_OTHER] = (guint32) CLAMP (length - sum_told (&s), 0, G_MAXUINT32);
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

gboolean
timeline_shows (const struct timeline *t,
                enum timeline_lane     lane)
{
  return (lane != TIMELINE_PROCESSOR && lane != TIMELINE_MEMORY) || timeline_total (t, lane) > 0;
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

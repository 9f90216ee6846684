/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a start did over its time, in slices, and where that is drawn. No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* As many as the daemon tells at most. */
#define TIMELINE_SLICES_MAX 64

enum timeline_lane
{
  TIMELINE_READING,   /* it waited for the drive, which worked for it */
  TIMELINE_WAITING,   /* it waited for the drive, which worked for others */
  TIMELINE_COMPUTING,
  TIMELINE_PROCESSOR, /* it could compute, and had no processor */
  TIMELINE_MEMORY,    /* it waited until memory was freed for it */
  TIMELINE_OTHER,     /* none of these, which is not told but left: it waited for something else */
  _TIMELINE_LANE_MAX,
};

struct timeline_slice
{
  guint32 us[_TIMELINE_LANE_MAX]; /* together as much as the slice is long, the last as far as the start goes */
  guint32 read_bytes;
};

/* A moment in which Brio changed something, or had read ahead for the start. */
struct timeline_mark
{
  gint64 us; /* since the begin */
  gboolean reads_ahead;
};

struct timeline
{
  gint64 time_us;    /* CLOCK_REALTIME at the begin */
  gint64 latency_us; /* more than 0 */
  gint64 slice_us;   /* more than 0 */
  gint64 missing_us; /* of the latency, for which there is no slice */
  guint n_slices;
  struct timeline_slice slices[TIMELINE_SLICES_MAX];
};

/* Reads the answer of GetStartupTimeline(), a{sv}. FALSE where it does not hold together. */
gboolean timeline_read (GVariant        *answer,
                        struct timeline *ret);

/* The sum over all slices, in microseconds. The lanes sum up to the latency. */
gint64 timeline_total (const struct timeline *t,
                       enum timeline_lane     lane);
/* Whether there is a place for it: for each but those that few starts have anything of. */
gboolean timeline_shows (const struct timeline *t,
                         enum timeline_lane     lane);
/* The part of the slice, 0 to 1; the last one may reach beyond the end, and counts as far as it does not. */
double timeline_share (const struct timeline *t,
                       guint                  slice,
                       enum timeline_lane     lane);
/* Where the slice begins and ends, as fractions of the latency, 0 to 1. */
void   timeline_extent (const struct timeline *t,
                        guint                  slice,
                        double                *ret_begin,
                        double                *ret_end);
/* The slice at that fraction of the latency; there is always one where n_slices > 0. */
guint  timeline_find (const struct timeline *t,
                      double                 fraction);
/* A distance between marks of a time axis, 1, 2 or 5 times a power of ten, so that there are at most max_marks of them. */
gint64 timeline_step (gint64 latency_us,
                      guint  max_marks);

G_END_DECLS

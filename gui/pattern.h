/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last periods of a process that asks for its data after pauses, one by one, and where they are drawn. No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* As many as the daemon tells at most. */
#define PATTERN_PERIODS_MAX 16

/* From when it asks to when it asks again. Times in microseconds. */
struct pattern_period
{
  gint64 length_us; /* more than 0 */
  gint64 pause_us;  /* of that, at its end: 0 to length_us */
  gint64 bytes;     /* that it asked for */
  gboolean has_margin;
  gint64 margin_us; /* how long after bfq's next_start it asks again; below 0: how much too early */
  gboolean counted; /* in the stream's figures */
};

struct pattern
{
  guint n;
  struct pattern_period periods[PATTERN_PERIODS_MAX]; /* the oldest first */
};

/* Reads "arrivals" of an entry of GetStreams(), the last ones. FALSE where there are none, as of an older daemon or by counters alone. */
gboolean pattern_read (GVariant       *entry,
                       struct pattern *ret);

/* How long after it asked bfq's next_start was: 0 or more; -1 where that is not known. */
gint64 pattern_get_next_start (const struct pattern *p,
                               guint                 period);
/* Of all of them; n is more than 0. */
gint64 pattern_get_shortest (const struct pattern *p);
gint64 pattern_get_longest (const struct pattern *p);
/* How many have a margin above 0, or below. */
guint  pattern_count (const struct pattern *p,
                      gboolean              early);
/* The upper end of an axis, in microseconds: room for all, but not for what is more than four times the median, beside which the others
 * would be nothing. */
gint64 pattern_get_top (const struct pattern *p);
/* The period at that fraction of the width, 0 to 1: they are as wide as each other. */
guint  pattern_find (const struct pattern *p,
                     double                fraction);

G_END_DECLS

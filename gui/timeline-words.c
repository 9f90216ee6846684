/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "timeline-words.h"

#include <glib/gi18n.h>
#include <math.h>

#include "words.h"

const char *
timeline_words_lane (enum timeline_lane lane)
{
  switch (lane)
    {
    case TIMELINE_READING:
      /* Translators: a start waits for the drive, which reads for it */
      return _("Reading");
    case TIMELINE_WAITING:
      /* Translators: a start waits for the drive, which works for others */
      return _("Waiting for others");
    case TIMELINE_COMPUTING:
      return _("Computing");
    case TIMELINE_PROCESSOR:
      /* Translators: a start could compute, and other programs have the processors */
      return _("Waiting for a processor");
    case TIMELINE_MEMORY:
      /* Translators: a start waits until memory is freed for it */
      return _("Waiting for memory");
    case TIMELINE_OTHER:
      /* Translators: a start waits for something else, or nothing is known of that time */
      return _("Something else");
    case _TIMELINE_LANE_MAX:
      break;
    }
  return "";
}

char *
timeline_words_reading (const struct timeline *t,
                        int                    slice,
                        enum timeline_lane     lane)
{
  if (slice >= 0)
    /* Translators: a share of the time */
    return g_strdup_printf (_("%d %%"), (int) lround (100 * timeline_share (t, (guint) slice, lane)));
  return words_duration (timeline_total (t, lane));
}

char *
timeline_words_sentence (const struct timeline *t,
                         int                    slice)
{
  g_autofree char *when = NULL, *reading = NULL, *waiting = NULL, *computing = NULL, *processor = NULL, *memory = NULL, *other = NULL;

  if (t->n_slices == 0)
    return g_strdup ("");
  when = words_duration (slice >= 0 ? slice * t->slice_us : t->latency_us);
  reading = timeline_words_reading (t, slice, TIMELINE_READING);
  waiting = timeline_words_reading (t, slice, TIMELINE_WAITING);
  computing = timeline_words_reading (t, slice, TIMELINE_COMPUTING);
  processor = timeline_words_reading (t, slice, TIMELINE_PROCESSOR);
  memory = timeline_words_reading (t, slice, TIMELINE_MEMORY);
  other = timeline_words_reading (t, slice, TIMELINE_OTHER);
  if (slice >= 0)
    /* Translators: a moment of a start: how long after its begin, and shares of the time around it: "At 1.2 s: reading 40 %, …" */
    return g_strdup_printf (_("At %s: reading %s, waiting for others %s, computing %s, waiting for a processor %s, waiting for memory %s, something else %s"),
                            when, reading, waiting, computing, processor, memory, other);
  /* Translators: a whole start, all durations: "Took 4.72 s: reading 1.2 s, …" */
  return g_strdup_printf (_("Took %s: reading %s, waiting for others %s, computing %s, waiting for a processor %s, waiting for memory %s, something else %s"),
                          when, reading, waiting, computing, processor, memory, other);
}

static char *
format_longest (const struct timeline *t,
                const char            *culprit)
{
  gint64 drive_us = timeline_total (t, TIMELINE_READING) + timeline_total (t, TIMELINE_WAITING);
  g_autofree char *drive = words_duration (drive_us), *all = words_duration (t->latency_us), *longest = NULL;
  enum timeline_lane lane = TIMELINE_COMPUTING;

  for (enum timeline_lane other = lane + 1; other < _TIMELINE_LANE_MAX; other++)
    if (timeline_total (t, other) > timeline_total (t, lane))
      lane = other;
  if (drive_us >= timeline_total (t, lane) && *culprit && timeline_total (t, TIMELINE_WAITING) > timeline_total (t, TIMELINE_READING))
    /* Translators: of a start: two durations, and the program that had most of the drive: "3.66 s of 4.72 s", "rsync" */
    return g_strdup_printf (_("It was the drive that took longest: %s of %s, most of it while other programs had it, above all %s."), drive, all, culprit);
  if (drive_us >= timeline_total (t, lane))
    /* Translators: of a start, two durations: "3.66 s of 4.72 s" */
    return g_strdup_printf (_("It was the drive that took longest: %s of %s."), drive, all);
  longest = words_duration (timeline_total (t, lane));
  /* Translators: of a start: two durations, what took longest, and for how long: "115 ms of 2.07 s", "Waiting for a processor, 1.39 s" */
  return g_strdup_printf (_("It was not the drive that took longest (%s of %s), but this: %s, %s."), drive, all, timeline_words_lane (lane), longest);
}

char *
timeline_words_verdict (const struct timeline *t,
                        const char            *culprit,
                        gboolean               memory_untold)
{
  g_autofree char *longest = format_longest (t, culprit);

  if (!memory_untold || timeline_total (t, TIMELINE_MEMORY) > 0)
    return g_steal_pointer (&longest);
  /* Translators: two sentences: what took longest of a start; and the name of the part of it that the other is in, "Something else" */
  return g_strdup_printf (_("%s This computer does not tell how long programs wait for memory: that is in “%s”."), longest, timeline_words_lane (TIMELINE_OTHER));
}

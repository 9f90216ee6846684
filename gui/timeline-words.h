/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One start as it went, in words, translated. slice: the one that they are about; below 0: all of them. Free what is returned as char *
 * with g_free(). No GTK. */
#pragma once

#include "timeline-math.h"

G_BEGIN_DECLS

const char *timeline_words_lane (enum timeline_lane lane);

/* What there is of the lane: of a slice a share, "40 %"; of all a duration, "1.2 s". */
char *timeline_words_reading (const struct timeline *t,
                              int                    slice,
                              enum timeline_lane     lane);

/* "At 1.2 s: reading 40 %, …"; "" where there are no slices. */
char *timeline_words_sentence (const struct timeline *t,
                               int                    slice);

/* Whether it was the drive that took longest, or what else. culprit: the program that had most of the drive meanwhile, "": not known.
 * memory_untold: what it waited for memory is not accounted, and is said to be missing where none is known. */
char *timeline_words_verdict (const struct timeline *t,
                              const char            *culprit,
                              gboolean               memory_untold);

G_END_DECLS

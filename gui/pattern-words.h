/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last periods of a process in words, translated. period: the one that they are about. Free what is returned with g_free(). No GTK. */
#pragma once

#include "pattern.h"

G_BEGIN_DECLS

enum pattern_part
{
  PATTERN_WAITS,
  PATTERN_PAUSES,
  PATTERN_NEXT_START,
  _PATTERN_PART_MAX,
};

const char *pattern_words_part (enum pattern_part part);
/* What there is of it: a duration; of next_start how the request that ends the period lies to it. "–" where that is not known. */
char *pattern_words_reading (const struct pattern *p,
                             guint                 period,
                             enum pattern_part     part);
/* "Period 3 of 16: …"; below 0: all of them; "" where there are none. */
char *pattern_words_sentence (const struct pattern *p,
                              int                   period);
/* As a row of a table: the cells parted by tabs, with these titles (NULL-terminated; theirs for good). */
char *pattern_words_row (const struct pattern *p,
                         guint                 period);
void  pattern_words_get_titles (const char *ret_titles[8]);

G_END_DECLS

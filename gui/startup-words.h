/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts in words, translated. Free what is returned with g_free(). */
#pragma once

#include "object-startup.h"

G_BEGIN_DECLS

/* "14:32", or the day where that was another; "" where the time is not known. now: to compare with. */
char *startup_words_when (gint64     time_us,
                          GDateTime *now);
/* "14 November 2026, 14:32" */
char *startup_words_when_exactly (gint64 time_us);
/* "cold · waited 61 % of it for sda · 48 % of the drive went to rsync" */
char *startup_words_summary (BrioStartup *startup);
/* "With Brio’s help: 1.1 s; without it: 2.9 s (4 starts to compare)"; "" where it is not known. */
char *startup_words_worth (const BrioStartupWorth *worth);

G_END_DECLS

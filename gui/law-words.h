/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of laws and settings for people, and what each does in a sentence, translated. No GTK. */
#pragma once

#include <glib.h>

/* "Waits for readers" of "idle-limit"; as it came where it is not known. */
const char *law_words_name (const char *law);
/* What it does; "" where it is not known. */
const char *law_words_meaning (const char *law);
/* The same of a setting: "Wait for the next read" of "slice_idle_us". */
const char *tunable_words_name (const char *tunable);
const char *tunable_words_meaning (const char *tunable);
/* "slice_idle_us: For how long the drive waits…", for a tooltip; free it with g_free(). */
char *tunable_words_explain (const char *tunable);
/* "µs", "ms", "ns" or "KiB"; "" where its value is a number of something, or a word, and where it is not known. */
const char *tunable_words_unit (const char *tunable);
/* The i-th law or setting that is known; NULL: there are no more. */
const char *law_words_nth (guint i);
const char *tunable_words_nth (guint i);

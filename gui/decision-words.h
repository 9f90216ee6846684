/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions in words, translated. Free what is returned with g_free(). No GTK. */
#pragma once

#include "object-decision.h"

G_BEGIN_DECLS

/* "Wait for the next read: 8000 → 5000 µs", "Priority of rsync (4243): BE/4 → BE/7" */
char *decision_words_title (BrioDecision *decision);
/* "sda · Waits for readers · In force · Better" */
char *decision_words_summary (BrioDecision *decision);
/* When it was made, with seconds and, of another day than now's, the day; "" where that is not told. */
char *decision_words_when (BrioDecision *decision,
                           GDateTime    *now);
/* A word of the bus for how a trial stands; "" for none. */
const char *decision_words_outcome (const char *word);
/* "Measured: …" or, before that, "Expected: …"; "" where there is neither. */
char *decision_words_effect (BrioDecision *decision);
/* What 95 of 100 reads took at most before and with what was set, a sentence. */
char *decision_words_p95 (gint64 before_us,
                          gint64 after_us);

G_END_DECLS

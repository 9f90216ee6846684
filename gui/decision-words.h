/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions in words, translated. Free what is returned with g_free(). No GTK. */
#pragma once

#include "decision-groups.h"

G_BEGIN_DECLS

/* "Wait for the next read: 8000 → 5000 µs", "Priority of rsync (4243): Normal 4 → Normal 7" */
char *decision_words_title (BrioDecision *decision);
/* "sda · Waits for readers · In force · Better"; of several what is so for all. */
char *decision_words_summary (BrioDecisionGroup *group);
/* When it was made, "15:04:05", and on which day, "Thursday, 26 November 2026"; "" where that is not told. */
char *decision_words_when (BrioDecision *decision);
char *decision_words_day (BrioDecision *decision);
/* A word of the bus for how a trial stands; "" for none. */
const char *decision_words_outcome (const char *word);
/* What came of it, in plain words where it is known of 95 of 100 reads, else "Measured: …"; before that "Expected: …"; "" where there is neither. */
char *decision_words_effect (BrioDecision *decision);
/* Under Details: how a value is computed, and what it was decided on where that was said in plain words. */
char *decision_words_details (const char *formula,
                              const char *effect,
                              gboolean    has_p95);
char *decision_words_details_of (BrioDecision *decision);
/* What 95 of 100 reads took at most before and with what was set, a sentence; "" where it is not known, or says the opposite of what was measured to decide. */
char *decision_words_p95 (const char *outcome,
                          gint64      before_us,
                          gint64      after_us);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions that a list shows as one in words, translated. Free what is returned with g_free(). No GTK. */
#pragma once

#include "decision-groups.h"

G_BEGIN_DECLS

/* "rsync lets others go first, 4 times", "rsync let others go first for 12 s", "5 programs let others go first · mpv goes first"; of any other decision
 * its own title. */
char *decision_group_words_title (BrioDecisionGroup *group);
/* Of one its own; of several, which have each its own, what their law is for; "" where they have different ones. The group owns it. */
const char *decision_group_words_reason (BrioDecisionGroup *group);
/* Under Details: of a priority each value with its time, before what there is of any decision. */
char *decision_group_words_details (BrioDecisionGroup *group);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions as a list shows them: neighbours by which processes of a drive let others go first, or go first, are one, and each day begins with a heading.
 * No GTK. */
#pragma once

#include "object-decision.h"

G_BEGIN_DECLS

/* One decision, or some that are shown as one, newest first. Property "begins-day": the one before it in the list is of a later day, or there is none.
 * Signal "changed": it has others than before, or what a trial found of one. */
#define BRIO_TYPE_DECISION_GROUP (brio_decision_group_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecisionGroup, brio_decision_group, BRIO, DECISION_GROUP, GObject)

/* One alone, as a group without a heading. */
BrioDecisionGroup *brio_decision_group_new (BrioDecision *decision);
guint              brio_decision_group_get_n (BrioDecisionGroup *self);
/* The group owns it. */
BrioDecision      *brio_decision_group_get (BrioDecisionGroup *self,
                                            guint              i);
gboolean           brio_decision_group_begins_day (BrioDecisionGroup *self);

/* Those of them that are meant; NULL: none. Free it with g_object_unref(). */
BrioDecisionGroup *brio_decision_group_pick (BrioDecisionGroup *self,
                                             gboolean         (*is_meant) (BrioDecision *decision));
/* Those by which a process was given a priority; all where there are none. Free it with g_object_unref(). */
BrioDecisionGroup *brio_decision_group_get_given (BrioDecisionGroup *self);
/* One of each decision, but that a process has its priority back is with when it was given the other one. Free it with g_ptr_array_unref(). */
GPtrArray         *brio_decision_group_split (BrioDecisionGroup *self);

/* Whether that makes one of them. */
gboolean           brio_decision_group_is_one (BrioDecisionGroup *self);

/* Whether a process was given another priority by it. */
gboolean decision_gives_priority (BrioDecision *decision);
/* Whether a process has its own priority back with it, or has ended. */
gboolean decision_takes_priority_back (BrioDecision *decision);
/* Of one of these: whether the process goes first with that priority, and does not let others go first. */
gboolean decision_is_of_first (BrioDecision *decision);

/* Of BrioDecisionGroup, made of a list of BrioDecision, newest first, which it follows. A group is the same object as long as its oldest decision
 * stays, or its newest. Free it with g_object_unref(). */
GListModel *decision_groups_new (GListModel *decisions);

G_END_DECLS

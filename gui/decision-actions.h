/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Undoing decisions and applying advice: each at most once at a time, however often it is clicked. What comes of it is told to the person
 * with the actions "win.notify" and "win.notify-undo". */
#pragma once

#include <gtk/gtk.h>

#include "client.h"
#include "object-decision.h"

G_BEGIN_DECLS

#define BRIO_TYPE_DECISION_ACTIONS (brio_decision_actions_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecisionActions, brio_decision_actions, BRIO, DECISION_ACTIONS, GObject)

/* Signal "changed": something begins or has ended, whatever came of it. */

/* widget: in whose window it is told; it may go before this does. */
BrioDecisionActions *brio_decision_actions_new (BrioClient *client,
                                                GtkWidget  *widget);

/* id: of the decision. Nothing where that is under way. */
void brio_decision_actions_undo  (BrioDecisionActions *self,
                                  const char          *id);
/* Decisions about processes, BrioDecision: one word says that all were undone, or which were not. Nothing where one of them is under way. */
void brio_decision_actions_undo_all (BrioDecisionActions *self,
                                     GPtrArray           *decisions);
/* The word that it was applied offers to undo it. Nothing where that is under way. */
void brio_decision_actions_apply (BrioDecisionActions *self,
                                  BrioDecision        *advice);
/* Whether something is under way with it. */
gboolean brio_decision_actions_is_busy (BrioDecisionActions *self,
                                        const char          *id);

G_END_DECLS

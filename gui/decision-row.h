/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decision: what, when, why, what came of it, and a button: that undoes it while it is in force, or carries advice out. One row may stand for some that
 * belong together, and unfolds to them. */
#pragma once

#include <adwaita.h>

#include "decision-actions.h"
#include "decision-groups.h"

G_BEGIN_DECLS

#define BRIO_TYPE_DECISION_ROW (brio_decision_row_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecisionRow, brio_decision_row, BRIO, DECISION_ROW, AdwBin)

/* actions: what its button asks for; while that is under way, the button cannot be pressed. */
GtkWidget *brio_decision_row_new (BrioDecisionActions *actions);
/* NULL: none. */
void       brio_decision_row_show (BrioDecisionRow   *self,
                                   BrioDecisionGroup *group);

G_END_DECLS

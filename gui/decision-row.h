/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A decision: what, when, why, what came of it, and a button: that undoes it while it is in force, or carries advice out. */
#pragma once

#include <adwaita.h>

#include "object-decision.h"

G_BEGIN_DECLS

/* Signals "undo" (BrioDecision *) and "apply" (BrioDecision *): asked for. */
#define BRIO_TYPE_DECISION_ROW (brio_decision_row_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecisionRow, brio_decision_row, BRIO, DECISION_ROW, AdwBin)

GtkWidget *brio_decision_row_new (void);
/* NULL: none. */
void       brio_decision_row_show (BrioDecisionRow *self,
                                   BrioDecision    *decision);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pieces of advice in a list, each with what carries it out. */
#pragma once

#include <gtk/gtk.h>

#include "decision-actions.h"

G_BEGIN_DECLS

/* Shows the entries of GetAdvice(), aa{sv}, and nothing else, and keeps them in advised, a list of BrioDecision. The same advice as before keeps
 * its rows, and with these the focus. Returns how many there are. */
guint advice_list_show (GtkListBox          *list,
                        GListStore          *advised,
                        GVariant            *entries,
                        BrioDecisionActions *actions);

G_END_DECLS

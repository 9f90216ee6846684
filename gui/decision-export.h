/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions as text for other programs. Free what is returned with g_free(). No GTK. */
#pragma once

#include "object-decision.h"

G_BEGIN_DECLS

typedef enum
{
  DECISION_FORMAT_CSV,  /* RFC 4180, with a row of names */
  DECISION_FORMAT_JSON, /* an array of objects with the keys of GetDecisions() */
} DecisionFormat;

/* decisions: of BrioDecision, in their order. Times are UTC (ISO 8601). */
char *decision_export (GListModel    *decisions,
                       DecisionFormat format);

G_END_DECLS

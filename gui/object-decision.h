/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One decision of the daemon: a change that it made, or a piece of advice. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  BRIO_DECISION_ID,
  BRIO_DECISION_DRIVE,
  BRIO_DECISION_TUNABLE, /* "slice_idle_us"; "ioprio", "read-ahead": of a process */
  BRIO_DECISION_UNIT,
  BRIO_DECISION_OLD,
  BRIO_DECISION_NEW,
  BRIO_DECISION_LAW,
  BRIO_DECISION_RESULT,
  BRIO_DECISION_ERROR,    /* the name of an errno */
  BRIO_DECISION_REASON,   /* in English, as the next two */
  BRIO_DECISION_EFFECT,   /* what was measured */
  BRIO_DECISION_EXPECTED, /* what was expected */
  BRIO_DECISION_OUTCOME,
  BRIO_DECISION_PROCESS, /* its name, where it is about one */
  BRIO_DECISION_APPLICATION, /* whose start it is of */
  BRIO_DECISION_N_TEXTS,
} BrioDecisionText;

/* Property "in-force": it was applied, and nothing came after it for the same setting, so that it can be undone. */
#define BRIO_TYPE_DECISION (brio_decision_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecision, brio_decision, BRIO, DECISION, GObject)

/* entry: one of GetDecisions() or GetAdvice(), a{sv}; NULL where that has no id. */
BrioDecision *brio_decision_new (GVariant *entry);

/* "" where it is not told; the decision owns it. */
const char *brio_decision_get_text (BrioDecision    *self,
                                    BrioDecisionText text);
/* The same for people, in the language of the window: the name of a setting or law, of the reason what is plain. */
const char *brio_decision_get_words (BrioDecision    *self,
                                     BrioDecisionText text);
/* How the value was computed; "" where it was not. The words of the reason do not say it. */
const char *brio_decision_get_formula (BrioDecision *self);
/* What 95 of 100 single reads took at most before it and with it, as its trial found. FALSE: that is not told. */
gboolean    brio_decision_get_p95 (BrioDecision *self,
                                   gint64       *ret_before_us,
                                   gint64       *ret_after_us);
/* The order in which they were made; -1: not told. */
gint64      brio_decision_get_sequence (BrioDecision *self);
/* CLOCK_REALTIME; 0: it has not been made, or that is not told. */
gint64      brio_decision_get_time_us (BrioDecision *self);
/* The same on the clock of this place, to be freed; NULL: not told. */
GDateTime  *brio_decision_get_local_time (BrioDecision *self);
/* 0: about no process. */
guint32     brio_decision_get_pid (BrioDecision *self);
gboolean    brio_decision_is_in_force (BrioDecision *self);
/* Of the start of a process: over with it, so never in force. */
gboolean    brio_decision_is_read_ahead (BrioDecision *self);
/* Its result, and "undone" of what was put back because a user asked for that. */
const char *brio_decision_get_result (BrioDecision *self);
/* The same of the decision that ended it: "applied" (another value took its place), "restored", ...; "": it stands, or that is not known. */
const char *brio_decision_get_ended (BrioDecision *self);

/* Whether both are about the same setting of a drive, or the same process. */
gboolean    brio_decision_is_about_same (BrioDecision *self,
                                         BrioDecision *other);

/* Whether every word occurs in its texts, whatever the case. */
gboolean brio_decision_matches (BrioDecision *self,
                                const char   *search);

/* Those that were made, newest first, and which of them are in force. A GListModel of BrioDecision. */
#define BRIO_DECISIONS_MAX 10000
/* More than a window shows: their rows are made before the next frame. */
#define BRIO_DECISIONS_AT_ONCE 32

#define BRIO_TYPE_DECISIONS (brio_decisions_get_type ())
G_DECLARE_FINAL_TYPE (BrioDecisions, brio_decisions, BRIO, DECISIONS, GObject)

BrioDecisions *brio_decisions_new (void);
/* Replaces them all; entries: aa{sv}, newest last. Beyond BRIO_DECISIONS_AT_ONCE the older ones follow while the main loop has nothing to do. */
void           brio_decisions_load (BrioDecisions *self,
                                    GVariant      *entries);
/* A new one, or one that is known and of which more is told. The oldest goes where there are too many. */
void           brio_decisions_take (BrioDecisions *self,
                                    GVariant      *entry);

G_END_DECLS

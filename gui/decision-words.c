/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-words.h"

#include <glib/gi18n.h>

#include "app-info.h"
#include "plot-math.h"
#include "words.h"

static const struct word results[] = {
  /* Translators: what became of a decision */
  { "applied", N_("Applied") },
  { "restored", N_("Put back") },
  { "undone", N_("Undone") },
  { "failed", N_("Failed") },
  { "foreign", N_("Another program changed it") },
  { "gone", N_("No longer there") },
  { "advised", N_("Advised") },
  { 0 },
};

/* Of one that was applied, by the result of the one that ended it. */
static const struct word ends[] = {
  { "", N_("Applied") },
  /* Translators: what became of a decision: a later one set another value */
  { "applied", N_("Changed again since") },
  /* Translators: what became of a decision: what it set has been put back, because it is needed no more */
  { "restored", N_("Put back since") },
  /* Translators: what became of a decision: a user undid it */
  { "undone", N_("Undone") },
  { "foreign", N_("Another program has changed it since") },
  { "gone", N_("No longer there") },
  { 0 },
};

static const struct word outcomes[] = {
  /* Translators: how the comparison of before and after stands */
  { "measuring", N_("Being measured") },
  { "probing", N_("Being measured") },
  { "unproven", N_("Not measured yet") },
  { "kept", N_("Measured: better") },
  { "reverted", N_("Measured: worse, put back") },
  { "inconclusive", N_("Measured: no clear difference") },
  { "known", N_("Known to be better") },
  { "none", "" },
  { "barred", N_("Known to be worse") },
  { 0 },
};

/* What a decision about a process is of. */
static char *
subject (BrioDecision *decision)
{
  const char *process = brio_decision_get_text (decision, BRIO_DECISION_PROCESS);
  const char *application = brio_decision_get_text (decision, BRIO_DECISION_APPLICATION);
  guint32 pid = brio_decision_get_pid (decision);

  if (brio_decision_is_read_ahead (decision))
    /* Translators: what was read ahead when a program started: its name, number */
    return pid ? g_strdup_printf (_("Read ahead for %s (%u)"), *application ? app_info_get_name (application) : process, pid) : g_strdup (_("Read ahead for another user’s process"));
  /* Translators: the I/O priority of a process: name, number */
  return pid ? g_strdup_printf (_("Priority of %s (%u)"), process, pid) : g_strdup (_("Priority of another user’s process"));
}

/* One of its two values, as people say it. */
static const char *
get_value (BrioDecision    *decision,
           BrioDecisionText which)
{
  const char *value = brio_decision_get_text (decision, which);

  return g_str_equal (brio_decision_get_text (decision, BRIO_DECISION_TUNABLE), "ioprio") ? words_priority (value) : value;
}

char *
decision_words_title (BrioDecision *decision)
{
  const char *tunable = brio_decision_get_words (decision, BRIO_DECISION_TUNABLE);
  const char *unit = brio_decision_get_text (decision, BRIO_DECISION_UNIT);
  const char *old = get_value (decision, BRIO_DECISION_OLD), *new = get_value (decision, BRIO_DECISION_NEW);
  g_autofree char *process = NULL;

  if (brio_decision_get_pid (decision) || *brio_decision_get_text (decision, BRIO_DECISION_PROCESS))
    tunable = process = subject (decision);
  if (g_str_equal (unit, "us"))
    unit = "µs";
  if (!*old || !*new) /* not known: the one that is says more than an arrow from or to nowhere */
    /* Translators: a setting, the one value of it that is known, and its unit: "Read ahead for Session (7): 5 KiB" */
    return *unit ? g_strdup_printf (_("%s: %s %s"), tunable, *new ? new : old, unit) : g_strdup_printf (_("%s: %s"), tunable, *new ? new : old);
  /* Translators: a setting, its value before and after; right-to-left languages want ← */
  return *unit ? g_strdup_printf (_("%s: %s → %s %s"), tunable, old, new, unit) : g_strdup_printf (_("%s: %s → %s"), tunable, old, new);
}

static const char *
get_state (BrioDecision *decision)
{
  const char *result = brio_decision_get_result (decision), *ended = brio_decision_get_ended (decision);

  if (brio_decision_is_in_force (decision))
    return _("In force");
  return g_str_equal (result, "applied") ? words_label (ends, ended, ended) : words_label (results, result, result);
}

static gboolean
is_of_all (BrioDecisionGroup *group,
           const char       *(*get) (BrioDecision *decision))
{
  for (guint i = 1; i < brio_decision_group_get_n (group); i++)
    if (!g_str_equal (get (brio_decision_group_get (group, i)), get (brio_decision_group_get (group, 0))))
      return FALSE;
  return TRUE;
}

static const char *
get_error (BrioDecision *decision)
{
  return brio_decision_get_text (decision, BRIO_DECISION_ERROR);
}

static const char *
get_law (BrioDecision *decision)
{
  return brio_decision_get_words (decision, BRIO_DECISION_LAW);
}

static const char *
get_outcome (BrioDecision *decision)
{
  return decision_words_outcome (brio_decision_get_text (decision, BRIO_DECISION_OUTCOME));
}

char *
decision_words_summary (BrioDecisionGroup *group)
{
  static const char *(*const parts[]) (BrioDecision *decision) = { get_state, get_error, get_outcome };
  BrioDecision *d = brio_decision_group_get (group, 0);
  const char *law = get_law (d), *result = brio_decision_get_text (d, BRIO_DECISION_RESULT);
  char *text = g_strdup ("");

  words_add (&text, brio_decision_get_text (d, BRIO_DECISION_DRIVE));
  if (is_of_all (group, get_law) && !g_str_equal (law, "none") &&
      !(g_str_equal (result, "restored") && g_str_equal (brio_decision_get_text (d, BRIO_DECISION_LAW), "restore"))) /* "Put back" is both */
    words_add (&text, law);
  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (is_of_all (group, parts[i]))
      words_add (&text, parts[i] (d));
  return text;
}

static char *
format_time (BrioDecision *decision,
             const char   *format)
{
  g_autoptr (GDateTime) time = brio_decision_get_local_time (decision);

  return time ? g_date_time_format (time, format) : g_strdup ("");
}

char *
decision_words_when (BrioDecision *decision)
{
  /* Translators: the time of a day, for g_date_time_format() */
  return format_time (decision, _("%H:%M:%S"));
}

char *
decision_words_day (BrioDecision *decision)
{
  /* Translators: a day as a heading, for g_date_time_format() */
  return format_time (decision, _("%A, %-e %B %Y"));
}

const char *
decision_words_outcome (const char *word)
{
  return words_label (outcomes, word, word);
}

char *
decision_words_p95 (const char *outcome,
                    gint64      before_us,
                    gint64      after_us)
{
  static const char *const better[] = { "kept", "known", NULL }, *const worse[] = { "reverted", "barred", NULL };
  char before[32], after[32];

  if (before_us <= 0 || after_us <= 0 || (after_us > before_us && g_strv_contains (better, outcome))
      || (after_us < before_us && g_strv_contains (worse, outcome)))
    return g_strdup ("");
  /* Translators: what a changed setting did: two durations, as "470 ms" and "120 ms" */
  return g_strdup_printf (_("Of 100 reads, 95 took up to %s before and up to %s with it"),
                          plot_format (PLOT_UNIT_DURATION_US, (double) before_us, before, sizeof (before)),
                          plot_format (PLOT_UNIT_DURATION_US, (double) after_us, after, sizeof (after)));
}

static char *
get_p95 (BrioDecision *decision)
{
  gint64 before_us = 0, after_us = 0;

  brio_decision_get_p95 (decision, &before_us, &after_us);
  return decision_words_p95 (brio_decision_get_text (decision, BRIO_DECISION_OUTCOME), before_us, after_us);
}

char *
decision_words_effect (BrioDecision *decision)
{
  const char *effect = brio_decision_get_words (decision, BRIO_DECISION_EFFECT);
  const char *expected = brio_decision_get_words (decision, BRIO_DECISION_EXPECTED);
  g_autofree char *p95 = get_p95 (decision);

  if (*p95)
    return g_steal_pointer (&p95);
  if (*effect)
    return g_strdup_printf (_("Measured: %s"), effect);
  return *expected ? g_strdup_printf (_("Expected: %s"), expected) : g_strdup ("");
}

char *
decision_words_details (const char *formula,
                        const char *effect,
                        gboolean    has_p95)
{
  g_autofree char *measured = *effect && has_p95 ? g_strdup_printf (_("Measured: %s"), effect) : g_strdup ("");

  return g_strconcat (formula, *formula && *measured ? "\n" : "", measured, NULL);
}

char *
decision_words_details_of (BrioDecision *decision)
{
  g_autofree char *p95 = get_p95 (decision);

  return decision_words_details (brio_decision_get_formula (decision), brio_decision_get_words (decision, BRIO_DECISION_EFFECT), *p95 != '\0');
}

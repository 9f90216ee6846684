/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-group-words.h"

#include <glib/gi18n.h>

#include "decision-words.h"
#include "law-words.h"
#include "words.h"

static gboolean
is_of_priority (BrioDecisionGroup *group)
{
  BrioDecision *newest = brio_decision_group_get (group, 0);

  return decision_gives_priority (newest) || decision_takes_priority_back (newest);
}

static const char *
get_name (BrioDecision *decision)
{
  return brio_decision_get_pid (decision) ? brio_decision_get_text (decision, BRIO_DECISION_PROCESS) : _("Another user’s program");
}

static guint
count_names (BrioDecisionGroup *group)
{
  g_autoptr (GHashTable) names = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < brio_decision_group_get_n (group); i++)
    g_hash_table_add (names, (gpointer) get_name (brio_decision_group_get (group, i)));
  return g_hash_table_size (names);
}

/* Of one whose begin is not among them. */
static char *
title_of_end (BrioDecision *end,
              guint         n_names)
{
  gboolean first = decision_is_of_first (end);

  if (n_names > 1)
    return g_strdup_printf (first ? ngettext ("%u program no longer goes first", "%u programs no longer go first", n_names)
                                  : ngettext ("%u program no longer lets others go first", "%u programs no longer let others go first", n_names), n_names);
  return g_strdup_printf (first ? _("%s no longer goes first") : _("%s no longer lets others go first"), get_name (end));
}

/* newest: of the group; given the priority that it ends, or the same one. */
static char *
title_of_one (BrioDecision *newest,
              BrioDecision *given)
{
  gboolean first = decision_is_of_first (given);
  const char *name = get_name (given);
  g_autofree char *duration = words_duration (brio_decision_get_time_us (newest) - brio_decision_get_time_us (given));

  if (newest != given)
    /* Translators: a program, and for how long: "12 s" */
    return g_strdup_printf (first ? _("%s went first for %s") : _("%s let others go first for %s"), name, duration);
  if (brio_decision_is_in_force (given))
    return g_strdup_printf (first ? _("%s goes first") : _("%s lets others go first"), name);
  return g_strdup_printf (first ? _("%s went first") : _("%s let others go first"), name);
}

/* All of one direction. */
static char *
title_of (BrioDecisionGroup *group)
{
  g_autoptr (BrioDecisionGroup) given = brio_decision_group_get_given (group);
  BrioDecision *newest = brio_decision_group_get (given, 0);
  guint n = brio_decision_group_get_n (given), names = count_names (given);
  gboolean first = decision_is_of_first (newest);

  if (!decision_gives_priority (newest))
    return title_of_end (newest, names);
  if (names > 1)
    return g_strdup_printf (first ? ngettext ("%u program goes first", "%u programs go first", names)
                                  : ngettext ("%u program lets others go first", "%u programs let others go first", names), names);
  if (n > 1)
    /* Translators: a program, and how many times it did so */
    return g_strdup_printf (first ? ngettext ("%s goes first, %u time", "%s goes first, %u times", n)
                                  : ngettext ("%s lets others go first, %u time", "%s lets others go first, %u times", n), get_name (newest), n);
  return title_of_one (brio_decision_group_is_one (group) ? brio_decision_group_get (group, 0) : newest, newest);
}

static gboolean
is_of_back (BrioDecision *decision)
{
  return !decision_is_of_first (decision);
}

char *
decision_group_words_title (BrioDecisionGroup *group)
{
  gboolean (*const directions[]) (BrioDecision *decision) = { is_of_back, decision_is_of_first };
  char *title = g_strdup ("");

  for (guint i = 0; i < G_N_ELEMENTS (directions) && is_of_priority (group); i++)
    {
      g_autoptr (BrioDecisionGroup) part = brio_decision_group_pick (group, directions[i]);
      g_autofree char *text = part ? title_of (part) : g_strdup ("");

      words_add (&title, text);
    }
  if (*title)
    return title;
  g_free (title);
  return decision_words_title (brio_decision_group_get (group, 0));
}

const char *
decision_group_words_reason (BrioDecisionGroup *group)
{
  g_autoptr (BrioDecisionGroup) given = brio_decision_group_get_given (group);
  BrioDecision *newest = brio_decision_group_get (given, 0);
  const char *law = brio_decision_get_text (newest, BRIO_DECISION_LAW);

  if (brio_decision_group_is_one (group))
    return brio_decision_get_words (newest, BRIO_DECISION_REASON);
  for (guint i = 1; i < brio_decision_group_get_n (given); i++)
    if (!g_str_equal (brio_decision_get_text (brio_decision_group_get (given, i), BRIO_DECISION_LAW), law))
      return "";
  return law_words_meaning (law);
}

char *
decision_group_words_details (BrioDecisionGroup *group)
{
  guint n = brio_decision_group_get_n (group);
  GString *text = g_string_new ("");

  for (guint i = n; i-- > 0;)
    {
      BrioDecision *decision = brio_decision_group_get (group, i);
      g_autofree char *title = decision_words_title (decision), *when = decision_words_when (decision), *details = decision_words_details_of (decision);

      if (is_of_priority (group))
        g_string_append_printf (text, "%s%s  %s", text->len > 0 ? "\n" : "", when, title);
      if (n > 1 && decision_takes_priority_back (decision)) /* above them stands the reason why it was given */
        g_string_append_printf (text, "\n%s", brio_decision_get_words (decision, BRIO_DECISION_REASON));
      if (*details)
        g_string_append_printf (text, "%s%s", text->len > 0 ? "\n" : "", details);
    }
  return g_string_free (text, FALSE);
}

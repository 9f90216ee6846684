/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-export.h"

#include <string.h>

/* In the order of the columns. */
static const struct
{
  const char *key;
  BrioDecisionText text;
} columns[] = {
  { "id", BRIO_DECISION_ID },           { "device", BRIO_DECISION_DRIVE },    { "process", BRIO_DECISION_PROCESS }, { "tunable", BRIO_DECISION_TUNABLE },
  { "unit", BRIO_DECISION_UNIT },       { "old", BRIO_DECISION_OLD },         { "new", BRIO_DECISION_NEW },         { "law", BRIO_DECISION_LAW },
  { "result", BRIO_DECISION_RESULT },   { "error", BRIO_DECISION_ERROR },     { "reason", BRIO_DECISION_REASON },   { "outcome", BRIO_DECISION_OUTCOME },
  { "effect", BRIO_DECISION_EFFECT },   { "expected", BRIO_DECISION_EXPECTED },
};

static char *
format_time (BrioDecision *decision)
{
  gint64 us = brio_decision_get_time_us (decision);
  g_autoptr (GDateTime) then = us > 0 ? g_date_time_new_from_unix_utc (us / G_USEC_PER_SEC) : NULL;

  return then ? g_date_time_format (then, "%Y-%m-%dT%H:%M:%SZ") : g_strdup ("");
}

/* What a spreadsheet would compute: a process may have any name. A number below zero is a value. */
static gboolean
is_formula (const char *text)
{
  return *text && strchr ("=+-@", *text) && !(*text == '-' && g_ascii_isdigit (text[1]));
}

/* In quotes where it would end the field. */
static void
append_csv (GString    *out,
            const char *text)
{
  gboolean quoted = strpbrk (text, ",\"\r\n") != NULL;

  if (quoted)
    g_string_append_c (out, '"');
  if (is_formula (text))
    g_string_append_c (out, '\'');
  for (const char *c = text; *c; c++)
    {
      if (*c == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *c);
    }
  if (quoted)
    g_string_append_c (out, '"');
}

static void
append_json (GString    *out,
             const char *text)
{
  g_string_append_c (out, '"');
  for (const char *c = text; *c; c++)
    if (*c == '"' || *c == '\\')
      g_string_append_printf (out, "\\%c", *c);
    else if ((guchar) *c < ' ')
      g_string_append_printf (out, "\\u%04x", (guint) *c);
    else
      g_string_append_c (out, *c);
  g_string_append_c (out, '"');
}

static void
append_csv_row (GString      *out,
                BrioDecision *decision)
{
  g_autofree char *time = format_time (decision);

  append_csv (out, time);
  g_string_append_printf (out, ",%u", brio_decision_get_pid (decision));
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_string_append_c (out, ',');
      append_csv (out, brio_decision_get_text (decision, columns[i].text));
    }
  g_string_append (out, "\r\n");
}

static void
append_json_object (GString      *out,
                    BrioDecision *decision)
{
  g_autofree char *time = format_time (decision);

  g_string_append (out, "  {\"time\": ");
  append_json (out, time);
  g_string_append_printf (out, ", \"pid\": %u", brio_decision_get_pid (decision));
  for (guint i = 0; i < G_N_ELEMENTS (columns); i++)
    {
      g_string_append_printf (out, ", \"%s\": ", columns[i].key);
      append_json (out, brio_decision_get_text (decision, columns[i].text));
    }
  g_string_append_c (out, '}');
}

char *
decision_export (GListModel    *decisions,
                 DecisionFormat format)
{
  GString *out = g_string_new (NULL);

  g_string_append (out, format == DECISION_FORMAT_CSV ? "time,pid" : "[\n");
  for (guint i = 0; format == DECISION_FORMAT_CSV && i < G_N_ELEMENTS (columns); i++)
    g_string_append_printf (out, ",%s", columns[i].key);
  if (format == DECISION_FORMAT_CSV)
    g_string_append (out, "\r\n");
  for (guint i = 0; i < g_list_model_get_n_items (decisions); i++)
    {
      g_autoptr (BrioDecision) decision = g_list_model_get_item (decisions, i);

      if (format == DECISION_FORMAT_CSV)
        append_csv_row (out, decision);
      else
        {
          g_string_append (out, i > 0 ? ",\n" : "");
          append_json_object (out, decision);
        }
    }
  if (format == DECISION_FORMAT_JSON)
    g_string_append (out, "\n]\n");
  return g_string_free (out, FALSE);
}

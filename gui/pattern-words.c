/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "pattern-words.h"

#include <glib/gi18n.h>

#include "plot-math.h"
#include "words.h"

const char *
pattern_words_part (enum pattern_part part)
{
  switch (part)
    {
    case PATTERN_WAITS:
      /* Translators: the part of a period in which a process waits for what it asked for */
      return C_("period", "Waits");
    case PATTERN_PAUSES:
      return C_("period", "Pauses");
    case PATTERN_NEXT_START:
      /* Translators: the earliest moment at which, by bfq's rule, a process that plays asks again */
      return _("Earliest moment");
    case _PATTERN_PART_MAX:
      break;
    }
  return "";
}

char *
pattern_words_reading (const struct pattern *p,
                       guint                 period,
                       enum pattern_part     part)
{
  const struct pattern_period *one = &p->periods[period];
  g_autofree char *margin = words_duration (ABS (one->margin_us));

  if (part == PATTERN_WAITS)
    return words_duration (one->length_us - one->pause_us);
  if (part == PATTERN_PAUSES)
    return words_duration (one->pause_us);
  if (!one->has_margin)
    return g_strdup ("–");
  /* Translators: beside "Earliest moment": a process asked for data so long after that moment, or before it */
  return g_strdup_printf (one->margin_us > 0 ? _("asked %s after it") : _("asked %s too early"), margin);
}

/* How the request that ends it lies to next_start. */
static char *
describe_margin (const struct pattern_period *one)
{
  g_autofree char *margin = words_duration (ABS (one->margin_us));

  if (!one->has_margin)
    return g_strdup (_("bfq’s rule names no earliest moment"));
  return g_strdup_printf (one->margin_us > 0 ? _("%s after the earliest moment") : _("%s before the earliest moment, too early"), margin);
}

static char *
describe_one (const struct pattern *p,
              guint                 period)
{
  const struct pattern_period *one = &p->periods[period];
  g_autofree char *length = words_duration (one->length_us), *pause = words_duration (one->pause_us);
  g_autofree char *wait = words_duration (one->length_us - one->pause_us), *margin = describe_margin (one), *text = NULL;

  /* Translators: "Period 3 of 16: asked again after 512 ms, waited 70 ms, paused 442 ms; 118 ms after the earliest moment" */
  text = g_strdup_printf (_("Period %u of %u: asked again after %s, waited %s, paused %s; %s"), period + 1, p->n, length, wait, pause, margin);
  if (one->counted)
    return g_steal_pointer (&text);
  /* Translators: the first %s is a sentence about a period */
  return g_strdup_printf (_("%s. Not counted: it waited for the drive, or events were lost."), text);
}

char *
pattern_words_sentence (const struct pattern *p,
                        int                   period)
{
  g_autofree char *shortest = NULL, *longest = NULL;

  if (p->n == 0)
    return g_strdup ("");
  if (period >= 0)
    return describe_one (p, MIN ((guint) period, p->n - 1));
  shortest = words_duration (pattern_get_shortest (p));
  longest = words_duration (pattern_get_longest (p));
  /* Translators: how many periods; how long the shortest and the longest is; how often it asked when bfq's rule allows it, and before that */
  return g_strdup_printf (ngettext ("Its last %u period: %s to %s; asked %u times after the earliest moment, %u times too early",
                                    "Its last %u periods: %s to %s; asked %u times after the earliest moment, %u times too early", p->n),
                          p->n, shortest, longest, pattern_count (p, FALSE), pattern_count (p, TRUE));
}

char *
pattern_words_row (const struct pattern *p,
                   guint                 period)
{
  const struct pattern_period *one = &p->periods[period];
  g_autofree char *length = words_duration (one->length_us), *pause = words_duration (one->pause_us);
  g_autofree char *wait = words_duration (one->length_us - one->pause_us), *margin = words_duration (ABS (one->margin_us));
  char bytes[32];

  plot_format (PLOT_UNIT_BYTES, (double) one->bytes, bytes, sizeof (bytes));
  return g_strdup_printf ("%u\t%s\t%s\t%s\t%s\t%s%s\t%s", period + 1, length, wait, pause, bytes,
                          one->has_margin ? one->margin_us > 0 ? "+" : "−" : "", one->has_margin ? margin : "–",
                          one->counted ? _("Yes") : _("No"));
}

void
pattern_words_get_titles (const char *ret_titles[8])
{
  const char *const titles[8] = {
    /* Translators: titles of a table's columns; a period is from when a process asks for data to when it asks again */
    _("Period"), _("Asked Again After"), C_("period", "Waits"), C_("period", "Pauses"), _("Asked For"), _("Earliest Moment"), _("Counted"), NULL,
  };

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    ret_titles[i] = titles[i];
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stream-words.h"

#include <glib/gi18n.h>

#include "plot-math.h"
#include "words.h"

#define TEXT_SIZE 32

/* A value as the daemon's units have it. */
static char *
format_value (gint64      value,
              const char *unit)
{
  char text[TEXT_SIZE];

  if (g_str_equal (unit, "us"))
    return words_duration (ABS (value));
  if (g_str_has_prefix (unit, "bytes/s"))
    return g_strdup (plot_format (PLOT_UNIT_BYTES_PER_S, (double) value, text, sizeof (text)));
  if (g_str_equal (unit, "permille"))
    /* Translators: a share */
    return g_strdup_printf (value % 10 == 0 ? _("%.0f %%") : _("%.1f %%"), (double) value / 10);
  return g_strdup_printf ("%" G_GINT64_FORMAT, value);
}

/* NULL where the condition is none of these. */
static char *
format_failed (const char *condition,
               gint64      value,
               gint64      limit,
               const char *needed,
               const char *is)
{
  /* Translators: of all these, the first %s is what is needed, the second what there is */
  if (g_str_equal (condition, "periods"))
    return g_strdup_printf (ngettext ("Too short to tell: needs %s period, has %s", "Too short to tell: needs %s periods, has %s",
                                      (gulong) ABS (limit)), needed, is);
  if (g_str_equal (condition, "rate-max"))
    return g_strdup_printf (_("Too fast: at most %s, moves %s"), needed, is);
  if (g_str_equal (condition, "rate-min"))
    return g_strdup_printf (_("Too slow: at least %s, moves %s"), needed, is);
  if (g_str_equal (condition, "pause"))
    return g_strdup_printf (_("Too few pauses: needs %s of its time, has %s"), needed, is);
  if (g_str_equal (condition, "starved"))
    return g_strdup_printf (_("Starved: needs %s of its time to pause, has %s, and makes up for its waits"), needed, is);
  if (g_str_equal (condition, "computing"))
    return g_strdup_printf (_("Computes: at most for %s of its time, does so for %s"), needed, is);
  if (g_str_equal (condition, "seeks"))
    return g_strdup_printf (_("Jumps about: at most %s of its requests, has %s"), needed, is);
  if (g_str_equal (condition, "follows"))
    return g_strdup_printf (_("Reads when answered, not by a clock: at most %s of its uneven periods, has %s"), needed, is);
  if (g_str_equal (condition, "regularity"))
    return g_strdup_printf (_("Not regular: needs %s of its periods, has %s"), needed, is);
  if (g_str_equal (condition, "drift"))
    return g_strdup_printf (_("Drifts: at most %s, has %s"), needed, is);
  if (g_str_equal (condition, "too-early"))
    return g_strdup_printf (_("Asks too early: at most %s before bfq’s rule allows it, asks %s before"), needed, is);
  if (g_str_equal (condition, "steady"))
    return value > 0 ? g_strdup_printf (_("Not for long enough: needs %s, has %s"), needed, is)
                     : g_strdup_printf (_("Not for long enough: needs %s"), needed);
  return NULL;
}

char *
stream_words_failed (BrioPlayer *player)
{
  gint64 value, limit;
  const char *unit, *condition = brio_player_get_failed (player, &value, &limit, &unit);
  g_autofree char *is = format_value (value, unit), *needed = format_value (limit, unit);
  char *text = format_failed (condition, value, limit, needed, is);

  if (text)
    return text;
  /* A condition that a newer daemon has: its name says more than nothing. */
  return *condition ? g_strdup_printf ("%s: %s, %s", condition, is, needed) : g_strdup ("");
}

char *
stream_words_kernel (BrioPlayer *player)
{
  static const struct word texts[] = {
    { "seeky", N_("bfq’s rule: no, it jumps about") },
    { "burst", N_("bfq’s rule: no, it began in a burst of many") },
    { "weight", N_("bfq’s rule: no, its priority is not the usual one") },
    { "no-rate", N_("bfq’s rule: not known yet") },
    { "busy", N_("bfq’s rule: it has not asked after a pause yet") },
    { "under-way", N_("bfq’s rule: no, it asked before it had got what it asked for") },
    { 0 },
  };
  const char *answer = brio_player_get_kernel (player);
  gint64 margin;

  if (brio_player_get_margin (player, &margin))
    {
      g_autofree char *duration = format_value (margin, "us");

      /* Translators: bfq's rule takes a process for one that plays where it asks again after a moment that the rule names */
      return g_strdup_printf (g_str_equal (answer, "yes") ? _("bfq’s rule: yes, it asked %s after the earliest moment")
                                                          : _("bfq’s rule: no, it asked %s before the earliest moment"), duration);
    }
  return g_strdup (words_label (texts, answer, ""));
}

char *
stream_words_rhythm (BrioPlayer *player)
{
  g_autofree char *pause = stream_words_figure (player, BRIO_PLAYER_PAUSE), *period = stream_words_figure (player, BRIO_PLAYER_PERIOD);
  g_autofree char *kernel = stream_words_kernel (player);

  /* Translators: a chart for screen readers: the name of a process, how often it asks, the part that it pauses, what bfq's rule says */
  return g_strdup_printf (_("How %s asks: every %s, pauses %s of the time. %s"), brio_player_get_name (player), period, pause, kernel);
}

char *
stream_words_heard (BrioPlayer *player)
{
  const char *heard = brio_player_get_heard (player);
  gboolean is_stream = brio_player_get_state (player) == BRIO_PLAYER_STREAM;

  if (!*heard || brio_player_get_state (player) == BRIO_PLAYER_ENDED)
    return g_strdup ("");
  if (g_str_equal (heard, "soft-rt"))
    return g_strdup (is_stream ? _("The kernel agrees") : _("The kernel takes it for soft real-time, Brio does not"));
  if (g_str_equal (heard, "none"))
    return g_strdup (is_stream ? _("The kernel does not agree") : _("The kernel agrees that it is none"));
  if (g_str_equal (heard, "interactive"))
    return g_strdup (_("The kernel takes it for an application that starts"));
  if (g_str_equal (heard, "nothing"))
    return g_strdup (_("The kernel said nothing of it meanwhile"));
  return g_strdup (_("The kernel prefers it in a way that Brio does not know"));
}

char *
stream_words_figure (BrioPlayer      *player,
                     BrioPlayerFigure figure)
{
  static const char *const units[BRIO_PLAYER_N_FIGURES] = {
    [BRIO_PLAYER_RATE] = "bytes/s",       [BRIO_PLAYER_PERIOD] = "us", [BRIO_PLAYER_REGULARITY] = "permille",
    [BRIO_PLAYER_PAUSE] = "permille",     [BRIO_PLAYER_SINCE] = "us",  [BRIO_PLAYER_ENDED_AGO] = "us",
  };
  gint64 value = brio_player_get_figure (player, figure);

  if (value < 0)
    return g_strdup ("–");
  if (figure == BRIO_PLAYER_DRIFT)
    /* Translators: how many times as long as the shortest periods the longest ones are */
    return g_strdup_printf (_("%.1f ×"), (double) value / 1000);
  return format_value (value, units[figure] ? units[figure] : "");
}

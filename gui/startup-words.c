/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-words.h"

#include <glib/gi18n.h>

#include "words.h"

/* Less than this over its best is not noticed. */
#define SLOWER_FACTOR 1.1

char *
startup_words_when (gint64     time_us,
                    GDateTime *now)
{
  g_autoptr (GDateTime) then = time_us > 0 ? g_date_time_new_from_unix_local (time_us / G_USEC_PER_SEC) : NULL;

  if (!then)
    return g_strdup ("");
  if (g_date_time_get_year (then) == g_date_time_get_year (now) && g_date_time_get_day_of_year (then) == g_date_time_get_day_of_year (now))
    /* Translators: a time of today, for g_date_time_format() */
    return g_date_time_format (then, _("%H:%M"));
  /* Translators: another day, for g_date_time_format() */
  return g_date_time_format (then, g_date_time_get_year (then) == g_date_time_get_year (now) ? _("%e %b") : _("%e %b %Y"));
}

char *
startup_words_when_exactly (gint64 time_us)
{
  g_autoptr (GDateTime) then = time_us > 0 ? g_date_time_new_from_unix_local (time_us / G_USEC_PER_SEC) : NULL;

  /* Translators: a day and a time, for g_date_time_format() */
  return then ? g_date_time_format (then, _("%e %B %Y, %H:%M")) : g_strdup ("");
}

/* "3.8 times as long as its fastest start"; "" where there is nothing to compare with. */
static char *
describe_factor (BrioStartup *startup)
{
  double factor = brio_startup_get_factor (startup);

  if (factor <= 0)
    return g_strdup ("");
  if (factor < SLOWER_FACTOR)
    return g_strdup (_("As fast as its fastest start"));
  /* Translators: how much longer a start took than the shortest one of the same application */
  return g_strdup_printf (_("%.1f times as long as its fastest start"), factor);
}

static char *
waited (BrioStartup *startup)
{
  int percent = brio_startup_get_waited_permille (startup) / 10; /* whole ones, as its sentence tells */
  const char *drive = brio_startup_get_drive (startup);

  if (percent == 0)
    return g_strdup ("");
  if (*drive)
    /* Translators: a share of the time that a start took, and a drive */
    return g_strdup_printf (brio_startup_is_measured (startup) ? _("spent %d %% waiting for %s") : _("spent about %d %% waiting for %s"), percent, drive);
  return g_strdup_printf (_("spent %d %% waiting"), percent);
}

char *
startup_words_summary (BrioStartup *startup)
{
  g_autofree char *factor = describe_factor (startup), *wait = waited (startup);
  const BrioCulprit *culprits;
  char *text = g_strdup (factor);

  /* Translators: a start that had to read from a drive, or one that had not */
  words_add (&text, brio_startup_is_cold (startup) ? _("cold") : _("warm"));
  words_add (&text, wait);
  if (brio_startup_get_culprits (startup, &culprits) > 0)
    {
      /* Translators: a share of what the drive did, and a program */
      g_autofree char *culprit = g_strdup_printf (_("%d %% of the drive went to %s"), culprits[0].permille / 10, culprits[0].name);

      words_add (&text, culprit);
    }
  return text;
}

char *
startup_words_worth (const BrioStartupWorth *worth)
{
  g_autofree char *helped = words_duration (worth->helped_us), *unhelped = words_duration (worth->unhelped_us);
  gulong controls = (gulong) worth->controls;

  if (controls == 0)
    return g_strdup ("");
  /* Translators: how long an application's starts take where what they read is read ahead, and how long those that are left without, to compare */
  return g_strdup_printf (ngettext ("With Brio’s help: %s; without it: %s (%lu start to compare)", "With Brio’s help: %s; without it: %s (%lu starts to compare)", controls),
                          helped, unhelped, controls);
}

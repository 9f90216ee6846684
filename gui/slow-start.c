/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "slow-start.h"

#include <glib/gi18n.h>

#include "plot-math.h"

struct _SlowStartLimit
{
  gint64 last_us;    /* G_MININT64: none yet */
  GHashTable *times; /* by application: gint64 */
};

gboolean
slow_start_is_worth_telling (BrioStartup *startup)
{
  const BrioCulprit *culprits;
  BrioStartupUsual usual;
  gint64 latency = brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY);
  gint64 waited = brio_startup_get_figure (startup, BRIO_STARTUP_WAITED);

  brio_startup_get_usual (startup, &usual);
  if (!brio_startup_is_launched (startup) || usual.starts < SLOW_START_KNOWN_MIN || usual.median_us <= 0 || usual.p95_us <= 0)
    return FALSE;
  return latency >= SLOW_START_FACTOR * usual.median_us && latency - usual.median_us >= SLOW_START_EXCESS_US && latency >= usual.p95_us
         && 2 * waited >= latency - usual.median_us && brio_startup_get_culprits (startup, &culprits) > 0;
}

SlowStartLimit *
slow_start_limit_new (void)
{
  SlowStartLimit *self = g_new (SlowStartLimit, 1);

  *self = (SlowStartLimit){ G_MININT64, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };
  return self;
}

void
slow_start_limit_free (SlowStartLimit *self)
{
  if (!self)
    return;
  g_hash_table_unref (self->times);
  g_free (self);
}

gboolean
slow_start_limit_take (SlowStartLimit *self,
                       const char     *application,
                       gint64          now_us)
{
  const gint64 *known = g_hash_table_lookup (self->times, application);

  if ((self->last_us != G_MININT64 && now_us - self->last_us < SLOW_START_PAUSE_US)
      || (known && now_us - *known < SLOW_START_APPLICATION_PAUSE_US))
    return FALSE;
  self->last_us = now_us;
  g_hash_table_insert (self->times, g_strdup (application), g_memdup2 (&now_us, sizeof (now_us)));
  return TRUE;
}

static char *
duration (gint64 us)
{
  char text[32];

  return g_strdup (plot_format (PLOT_UNIT_DURATION_US, (double) us, text, sizeof (text)));
}

char *
slow_start_title (BrioStartup *startup,
                  const char  *name)
{
  g_autofree char *took = duration (brio_startup_get_figure (startup, BRIO_STARTUP_LATENCY));

  /* Translators: a notification: an application, and how long its start took: "Firefox took 4.7 s to start" */
  return g_strdup_printf (_("%s took %s to start"), name, took);
}

char *
slow_start_body (BrioStartup *startup)
{
  g_autofree char *usually = NULL, *waited = duration (brio_startup_get_figure (startup, BRIO_STARTUP_WAITED));
  const char *drive = brio_startup_get_drive (startup);
  const BrioCulprit *culprits;
  BrioStartupUsual usual;

  brio_startup_get_usual (startup, &usual);
  usually = duration (usual.median_us);
  if (brio_startup_get_culprits (startup, &culprits) == 0)
    /* Translators: what the start of an application usually takes */
    return g_strdup_printf (_("Usually %s."), usually);
  if (!*drive)
    /* Translators: what a start usually takes, what it waited for the drive this time, a program, and its share of the drive */
    return g_strdup_printf (_("Usually %s. It waited %s for the drive, while %s had %d %% of it."), usually, waited, culprits[0].name,
                            culprits[0].permille / 10);
  /* Translators: what a start usually takes, what it waited this time for which drive, a program, and its share of the drive */
  return g_strdup_printf (_("Usually %s. It waited %s for %s, while %s had %d %% of that drive."), usually, waited, drive, culprits[0].name,
                          culprits[0].permille / 10);
}

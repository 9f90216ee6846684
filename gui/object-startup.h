/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One start of an application, as the daemon tells it, with what is usual for the application. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define BRIO_TYPE_STARTUP (brio_startup_get_type ())
G_DECLARE_FINAL_TYPE (BrioStartup, brio_startup, BRIO, STARTUP, GObject)

/* A process that was served on the drive meanwhile. */
typedef struct
{
  char *name;
  guint32 pid;
  int permille; /* of what the drive did */
} BrioCulprit;

/* Times in microseconds; -1: not known. */
typedef enum
{
  BRIO_STARTUP_LATENCY,
  BRIO_STARTUP_WAITED,
  BRIO_STARTUP_USUAL, /* of its application's cold starts, or of its warm ones where there are no others */
  BRIO_STARTUP_P95,
  BRIO_STARTUP_BEST,
  BRIO_STARTUP_READ_BYTES,
  BRIO_STARTUP_FAULTS,
  BRIO_STARTUP_PROCESSES,
  BRIO_STARTUP_STARTS, /* of its application, ever seen */
  BRIO_STARTUP_WARM_USUAL, /* of its warm starts */
  BRIO_STARTUP_WARM_P95,
  BRIO_STARTUP_N_FIGURES,
} BrioStartupFigure;

/* Of the starts of a kind, cold or warm. */
typedef struct
{
  gint64 starts; /* known; times in microseconds; -1: not known */
  gint64 median_us, p95_us;
} BrioStartupUsual;

/* What it is worth that what an application reads is read ahead: medians of its last starts with help and without. */
typedef struct
{
  gint64 helped_us, unhelped_us;
  gint64 controls; /* starts without, which are left so now and then to compare; 0: it is not known */
} BrioStartupWorth;

/* entry: of what GetPrefetch() answers, a{sv}. */
BrioStartupWorth brio_startup_worth_read (GVariant *entry);
/* prefetch: what GetPrefetch() answers, aa{sv}; NULL: nothing. */
BrioStartupWorth brio_startup_worth_find (GVariant   *prefetch,
                                          const char *application);

/* Signal "changed": brio_startups_take_prefetch() has changed its worth. */

/* entry: one of GetStartups(), a{sv}; NULL where that names no application. */
BrioStartup *brio_startup_new (GVariant *entry);

const char *brio_startup_get_application (BrioStartup *self);
/* CLOCK_REALTIME at its begin. */
gint64      brio_startup_get_time_us (BrioStartup *self);
gboolean    brio_startup_is_cold (BrioStartup *self);
/* What it waited is seen in single requests or accounted by the kernel; else estimated. */
gboolean    brio_startup_is_measured (BrioStartup *self);
/* A launcher's; else a terminal's. */
gboolean    brio_startup_is_launched (BrioStartup *self);
/* "" where unknown */
const char *brio_startup_get_drive (BrioStartup *self);
gint64      brio_startup_get_figure (BrioStartup      *self,
                                     BrioStartupFigure figure);
/* Thousandths of its latency; 0 where it is not known. */
int         brio_startup_get_waited_permille (BrioStartup *self);
/* How many; most first. */
guint       brio_startup_get_culprits (BrioStartup        *self,
                                       const BrioCulprit **ret);

/* As it was taken last. */
BrioStartupWorth brio_startup_get_worth (BrioStartup *self);

/* Of starts of its own kind, itself among them. */
void brio_startup_get_usual (BrioStartup      *self,
                             BrioStartupUsual *ret);
/* Its latency as a multiple of its best one; 0: there is nothing to compare it with. A warm start is compared with warm ones only. */
double brio_startup_get_factor (BrioStartup *self);

/* Whether every word occurs in its application's id, the name given, its drive or its first culprit, whatever the case. */
gboolean brio_startup_matches (BrioStartup *self,
                               const char  *name,
                               const char  *search);

/* Fills the list with the entries, aa{sv}. */
void brio_startups_load (GListStore *list,
                         GVariant   *entries);
/* Makes the list show one BrioStartup for each application, the one of the entry for its own. */
void brio_startups_take (GListStore *list,
                         GVariant   *entry);
/* prefetch: what GetPrefetch() answers, aa{sv}; NULL: nothing. */
void brio_startups_take_prefetch (GListStore *list,
                                  GVariant   *prefetch);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process that reads or writes, as the daemon tells it. */
#pragma once

#include <gio/gio.h>
#include <stdint.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PROCESS (brio_process_get_type ())
G_DECLARE_FINAL_TYPE (BrioProcess, brio_process, BRIO, PROCESS, GObject)

/* The figures by which processes are compared. */
typedef enum
{
  BRIO_PROCESS_READ,     /* bytes a second */
  BRIO_PROCESS_WRITE,    /* bytes a second */
  BRIO_PROCESS_WAIT,     /* thousandths of the time */
  BRIO_PROCESS_REQUESTS, /* a second */
  BRIO_PROCESS_LATENCY,  /* us, median of its reads */
  BRIO_PROCESS_P99,      /* us, of its reads */
  BRIO_PROCESS_N_FIGURES,
} BrioProcessFigure;

/* Signal "changed": something of it has changed. */

/* entry: one of GetProcesses(), a{sv}; NULL where that names no process. */
BrioProcess *brio_process_new (GVariant *entry);
/* Takes a newer entry of the same process; emits "changed". */
void         brio_process_update (BrioProcess *self,
                                  GVariant    *entry);

uint32_t    brio_process_get_pid (BrioProcess *self);
const char *brio_process_get_name (BrioProcess *self);
/* Its user's name, or number; "" where unknown. */
const char *brio_process_get_user (BrioProcess *self);
/* "" where unknown */
const char *brio_process_get_drive (BrioProcess *self);
/* The drive is inferred from what it has open. */
gboolean    brio_process_is_inferred (BrioProcess *self);
/* Its single requests are seen; else all is from its counters and its state. */
gboolean    brio_process_is_observed (BrioProcess *self);
/* Its requests are mostly far from each other; says something only of one that is observed. */
gboolean    brio_process_is_random (BrioProcess *self);
/* "none", "realtime", "best-effort", "idle", or "" where unknown */
const char *brio_process_get_io_class (BrioProcess *self);
uint32_t    brio_process_get_io_level (BrioProcess *self);
/* -1: not known */
gint64      brio_process_get_figure (BrioProcess      *self,
                                     BrioProcessFigure figure);

/* Whether every word of the search occurs in its name, user, drive or number, whatever the case. */
gboolean brio_process_matches (BrioProcess *self,
                               const char  *search);

/* Makes the list of BrioProcess show the entries, aa{sv}: those that stay are kept, so that a selection is, too. What
 * sorts the list must sort anew before anything else is done to it. Returns how many of them are observed. */
guint brio_processes_merge (GListStore *list,
                            GVariant   *entries);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One process that reads or writes, as the daemon tells it, or a group of them. */
#pragma once

#include <gio/gio.h>
#include <stdint.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PROCESS (brio_process_get_type ())
G_DECLARE_FINAL_TYPE (BrioProcess, brio_process, BRIO, PROCESS, GObject)

/* The figures by which processes are compared. */
typedef enum
{
  BRIO_PROCESS_TOTAL,    /* bytes a second, read and written */
  BRIO_PROCESS_READ,     /* bytes a second */
  BRIO_PROCESS_WRITE,    /* bytes a second */
  BRIO_PROCESS_WAIT,     /* thousandths of the time */
  BRIO_PROCESS_REQUESTS, /* a second */
  BRIO_PROCESS_LATENCY,  /* us, median of its reads */
  BRIO_PROCESS_P99,      /* us, of its reads */
  BRIO_PROCESS_N_FIGURES,
} BrioProcessFigure;

/* So many seconds back it is told how much a process read and wrote. */
#define BRIO_PROCESS_SECONDS 30

/* What an update changed, each more than the one before. */
typedef enum
{
  BRIO_PROCESS_SAME,
  BRIO_PROCESS_OTHER_FIGURES,
  BRIO_PROCESS_OTHER_WORDS,
  BRIO_PROCESS_OTHERS, /* of several: some came or went */
} BrioProcessChange;

/* Keys that a sorter of processes keeps with them. */
#define BRIO_PROCESS_N_KEYS 5

/* Signal "changed": something of it has changed. "moved": its history has, after brio_process_note(). */

/* entry: one of GetProcesses(), a{sv}; NULL where that names no process and is no sum of others. */
BrioProcess *brio_process_new (GVariant *entry);
/* Takes what is told of the same process by one that is newer, which is nothing afterwards; emits "changed" where anything is other. */
BrioProcessChange brio_process_update (BrioProcess *self,
                                       BrioProcess *newer);

/* 0: it is a group, or all of other users on a drive, told in sums */
uint32_t    brio_process_get_pid (BrioProcess *self);
/* How many that are; 0: it is one process */
uint32_t    brio_process_get_others (BrioProcess *self);
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

/* Key i that was set; NULL where it was not, or its words have changed since. */
const char *brio_process_get_key (BrioProcess *self,
                                  guint        i);
void        brio_process_set_key (BrioProcess *self,
                                  guint        i,
                                  char        *key);

/* Whether every word (of search_words()) occurs in its name, its application's, user, drive or number. */
gboolean brio_process_matches (BrioProcess       *self,
                               const char *const *words);

/* process-group.c: processes that are shown as one, and what a process did lately. */

/* Of no process yet. */
BrioProcess *brio_process_new_group (const char *name);
/* Makes a group's words what its processes have in common, and its figures their sums: of the time that one waits, and of latencies, those of the one
 * that has most. Returns what that changed, and emits "changed". */
BrioProcessChange brio_process_sum (BrioProcess *group,
                                    GPtrArray   *members);
gboolean     brio_process_is_group (BrioProcess *self);
/* The group that a process is in; NULL: none. */
BrioProcess *brio_process_get_group (BrioProcess *self);
void         brio_process_set_group (BrioProcess *self,
                                     BrioProcess *group);
/* Whether a group's processes are shown below it. */
gboolean     brio_process_is_unfolded (BrioProcess *self);
void         brio_process_set_unfolded (BrioProcess *group,
                                        gboolean     unfolded);

/* The application of a process: as its unit says, "" where that says none; and what was found for that, or for its program, NULL where it is
 * none: an id as desktop files have it, and its name. It is looked for again once the process has another name or unit. */
const char *brio_process_get_unit (BrioProcess *self);
gboolean    brio_process_is_looked_for (BrioProcess *self);
void        brio_process_set_application (BrioProcess *self,
                                          const char  *application,
                                          const char  *title);
const char *brio_process_get_application (BrioProcess *self);
/* The same pointer as that of another that is of the same user and application, or else program; NULL: it belongs with none. */
GRefString *brio_process_get_group_key (BrioProcess *self);
/* What people call it: a group's name, with how many it has; the application's; else its own. Free with g_free(). */
char       *brio_process_dup_label (BrioProcess *self);

/* Once a second: how much it reads and writes now becomes the newest of its history. */
void          brio_process_note (BrioProcess *self);
void          brio_process_forget_history (BrioProcess *self);
/* BRIO_PROCESS_SECONDS of bytes a second, the oldest first, and the largest of them. */
const gint64 *brio_process_get_history (BrioProcess *self,
                                        gint64      *ret_highest);

/* The BrioProcess of each entry, aa{sv}, that names one. In any thread. */
GPtrArray *brio_processes_read (GVariant *entries);
/* Makes the list of BrioProcess show those that were told: those that stay are kept, so that a selection is, too, and what comes and goes
 * is one change of the list. ret_observed: how many of them are observed; ret_others: how many are in the sums of other users. */
BrioProcessChange brio_processes_merge (GListStore *list,
                                        GPtrArray  *told,
                                        guint      *ret_observed,
                                        guint      *ret_others);

G_END_DECLS

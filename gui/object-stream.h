/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process that plays, records or calls on a drive, or comes near that, as the daemon tells it. (stream.h is the pipe of samples.) */
#pragma once

#include <gio/gio.h>

#include "pattern.h"

G_BEGIN_DECLS

typedef enum
{
  BRIO_PLAYER_STREAM,
  BRIO_PLAYER_NEAR_MISS,
  BRIO_PLAYER_CANDIDATE,
  BRIO_PLAYER_ENDED,
  BRIO_PLAYER_N_STATES,
} BrioPlayerState;

/* -1: not known */
typedef enum
{
  BRIO_PLAYER_RATE,         /* bytes a second */
  BRIO_PLAYER_PERIOD,       /* us, the median */
  BRIO_PLAYER_REGULARITY,   /* thousandths of the periods that are regular */
  BRIO_PLAYER_PAUSE,        /* thousandths of the time in which it waits for nothing */
  BRIO_PLAYER_DRIFT,        /* thousandths, the longest to the shortest */
  BRIO_PLAYER_PERIODS,      /* that these are of */
  BRIO_PLAYER_BATCHES,      /* in all */
  BRIO_PLAYER_SINCE,        /* us ago */
  BRIO_PLAYER_ENDED_AGO,    /* us */
  BRIO_PLAYER_KERNEL_YES,   /* times */
  BRIO_PLAYER_KERNEL_NO,
  BRIO_PLAYER_KERNEL_WITHOUT_MEMORY,
  BRIO_PLAYER_N_FIGURES,
} BrioPlayerFigure;

#define BRIO_TYPE_PLAYER (brio_player_get_type ())
G_DECLARE_FINAL_TYPE (BrioPlayer, brio_player, BRIO, PLAYER, GObject)

/* Signal "changed": something of it has changed. */

/* entry: one of GetStreams(), a{sv}; NULL where that names no process or has a state that is not known. */
BrioPlayer *brio_player_new (GVariant *entry);

BrioPlayerState brio_player_get_state (BrioPlayer *self);
guint32         brio_player_get_pid (BrioPlayer *self);
const char     *brio_player_get_name (BrioPlayer *self);
const char     *brio_player_get_drive (BrioPlayer *self);
/* It writes more than it reads. */
gboolean        brio_player_records (BrioPlayer *self);
/* In English, by the daemon. */
const char     *brio_player_get_sentence (BrioPlayer *self);
gint64          brio_player_get_figure (BrioPlayer      *self,
                                        BrioPlayerFigure figure);
/* What bfq's own rule says, as the daemon computes it: "yes", "too-early", ...; "" where unknown. */
const char     *brio_player_get_kernel (BrioPlayer *self);
/* How long after bfq's next_start it asked last, in microseconds; below 0: how much too early. FALSE where that is not known. */
gboolean        brio_player_get_margin (BrioPlayer *self,
                                        gint64     *ret_us);
/* Its last periods one by one. FALSE where they are not known: it is known by its counters alone, or the daemon is older. */
gboolean        brio_player_get_pattern (BrioPlayer     *self,
                                         struct pattern *ret);
/* The condition that it fails, "" where there is none; with its value, limit and unit. */
const char     *brio_player_get_failed (BrioPlayer  *self,
                                        gint64      *ret_value,
                                        gint64      *ret_limit,
                                        const char **ret_unit);

/* What bfq itself was heard to take it for: "none", "soft-rt", ...; "nothing" where it did not speak of it; "" while not asked. */
const char *brio_player_get_heard (BrioPlayer *self);
/* Takes the answer of GetKernelVerdicts(), aa{sv}: of its threads on its drive the one that is raised most. NULL: not asked. */
void        brio_player_hear (BrioPlayer *self,
                              GVariant   *verdicts);

/* Makes the list of BrioPlayer show the entries, aa{sv}, in their order. Those that stay are kept. */
void brio_players_merge (GListStore *list,
                         GVariant   *entries);

G_END_DECLS

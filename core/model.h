/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of processes and drives, built from events alone. Pure: time comes with the events and with `now`. */
#pragma once

#include "event.h"
#include "snapshot.h"

#define MODEL_DEVICES_MAX SNAPSHOT_DEVICES_MAX
#define MODEL_PROCESSES_MAX 16384 /* processes with I/O at a time; one that does none takes no room */

/* A process counts as a reader of a drive this long after its last read there. The facts (3.3) say about one
 * second; a sampling interval is added, since a read is seen only at the end of the sample it fell in. */
#define READER_WINDOW_NS (1250 * NSEC_PER_MSEC)

/* Forget a process that did no I/O for this long. */
#define MODEL_FORGET_NS (30 * NSEC_PER_SEC)

/* Mean rate below which a reader is a small one. Seed 000: one 4 KiB read a second; a stream or a copy reads more. */
#define SMALL_READER_BYTES_PER_S 131072u

struct model;

/* Allocates the tables once (about 20 MiB of address space, touched as it fills). Returns NULL without memory. */
struct model *model_new(void);
struct model *model_free(struct model *m);

/* Takes one event. Never fails: an event that makes no sense is dropped and counted. Allocates nothing. */
void model_feed(struct model *m, const struct event *e);

/* What is set on a drive, as it was read; of one that no event came from yet nothing is kept. */
void model_set_settings(struct model *m, uint32_t dev, const struct drive_settings *settings);

/* Forgets processes without I/O for MODEL_FORGET_NS. Call it once a tick. */
void model_expire(struct model *m, nsec_t now);

/* Fills ret. Not const: the smoothed counts advance once a call, at most every SMOOTHING_INTERVAL_NS of `now`. */
#define SMOOTHING_INTERVAL_NS (250 * NSEC_PER_MSEC)
void model_snapshot(struct model *m, nsec_t now, struct snapshot *ret);

/* The drives alone, as their last samples left them: cheap, and before the processes of this tick are known. Fills ret's now
 * and drives; readers are those of the last model_snapshot(). */
void model_view_devices(const struct model *m, nsec_t now, struct snapshot *ret);

/* cfq's smoothed number of busy queues (block/cfq-iosched.c cfq_group_busy_queues_wl):
 * (3 * max(average, busy) + min(average, busy) + 2) / 4. Unit: queues. Its rounding stops two above what is there (cfq's does,
 * too); here it then goes on down by one a step, so that one that is gone counts no longer. */
uint32_t model_smooth_busy(uint32_t average, uint32_t busy);

/* Starts of applications (startup.h). The processes to look at now, at most max, and when to look next (0: not until an exec). */
size_t model_due_startups(const struct model *m, nsec_t now, int32_t *ret, size_t max, nsec_t *ret_next);
/* Whether it belongs to a start that is under way. */
bool model_is_starting(struct model *m, int32_t tgid);
/* The oldest that ended and was not taken yet. Returns false where there is none. */
bool model_take_startup(struct model *m, struct startup_ended *ret);
/* A verdict about the start of that process fell: how soon the first one did is kept. */
void model_note_startup_verdict(struct model *m, int32_t tgid, nsec_t now);
/* The starts that are under way, at most max. Returns how many. */
size_t model_list_startups(const struct model *m, nsec_t now, struct startup_view *ret, size_t max);
/* Another number whenever there is one more or one fewer that is worth telling (startup_tells()). */
uint64_t model_startup_changes(const struct model *m);
/* One of these, until the next event; NULL: there is none, or no drive that it could read from. */
const struct startup_view *model_one_that_starts(const struct model *m);

/* Which process is a stream is for Brio to say (rhythm.h); for comparison, for bfq's rule: it said yes within the last MODEL_JUDGE_NS. */
enum stream_judge {
        STREAM_JUDGE_BRIO,
        STREAM_JUDGE_RULE,      /* as if each process had the drive for itself */
        STREAM_JUDGE_FORGETFUL, /* the same without its memory of the recent past */
        STREAM_JUDGE_TURNS,     /* as bfq applies it to processes that take each other's turns (turn.h), on a drive that it schedules */
};
#define MODEL_JUDGE_NS NSEC_PER_SEC
void model_set_judge(struct model *m, enum stream_judge judge);

struct model_counters {
        uint64_t events, invalid;      /* fed; of them dropped as senseless */
        uint64_t processes_refused;    /* table full */
        uint64_t devices_refused;
        uint64_t requests_refused;     /* no room for a request, or for what stands on a drive */
        uint64_t flows_refused;        /* no room for the process that asked for it: told as of none */
        uint64_t requests_unmatched;   /* completed without having been seen before */
        uint64_t requests_aged;        /* never seen to complete */
        uint64_t streams_refused;      /* streams for which a snapshot had no room, once a snapshot */
        uint64_t startups_refused;     /* no room for a start, or for a process of one */
};
void model_get_counters(const struct model *m, struct model_counters *ret);

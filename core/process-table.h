/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The model's processes: a dense array with a hash of PIDs over it. Bounded, allocates nothing. Private to the model. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "model.h"
#include "pace.h"
#include "recent.h"
#include "snapshot.h"

#define PROCESS_DRIVES_MAX (1 + OTHER_DRIVES_MAX) /* drives that one process uses at a time; a fifth takes the place of the one unused longest */

struct process_drive {
        uint32_t dev; /* 0: free */
        uint16_t flags;
        nsec_t last_read, last_write; /* 0: never */
        nsec_t waiting;               /* last seen waiting for what it read there; 0: never */
        struct pace read_pace, write_pace;
};

/* Bytes a second, decaying with RATE_DECAY_NS between events. */
struct rate {
        double value;
        nsec_t t;
};

struct process {
        int32_t tgid;
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX];
        nsec_t touched; /* last event of any kind */
        nsec_t last_io; /* 0: none yet */
        uint64_t read_bytes, write_bytes;
        struct rate read_rate, write_rate;
        struct rate elsewhere_rate; /* of what it read, that on no drive of ours */
        uint8_t io_class, io_level;
        uint32_t io_weight;
        uint32_t uid; /* PROCESS_UID_UNKNOWN */
        nsec_t sampled, sampled_since; /* its state is known from then to then; 0: not known */
        struct recent_sum waited; /* ns of the samples at whose end it waited */
        nsec_t seen;              /* its state, last */
        struct recent_sum computed; /* ns of the samples at whose end it ran or waited for a CPU */
        struct recent_sum blocked;  /* the same, and it was in state D, for whatever reason */
        nsec_t paced_since, paced;  /* it kept a pace of its own from then to then; 0: it did not */
        uint64_t pace_bytes_per_s;  /* that pace */
        nsec_t fast;                /* it moved more than a stream may, last; 0: never */
        uint32_t starved_dev;       /* where what is written may keep it from showing a rhythm; 0: nowhere */
        uint16_t holds;             /* EVENT_HOLDS_SOUND, EVENT_HOLDS_VIDEO: as of its last sample */
        uint32_t held_dev;          /* on which it is a stream for that; 0: on none */
        nsec_t held_since;
        struct process_drive drives[PROCESS_DRIVES_MAX];
};

#define PROCESS_HASH_SLOTS (2 * MODEL_PROCESSES_MAX) /* a power of two, half full at most: short probes */

struct process_table {
        size_t n;
        uint16_t slots[PROCESS_HASH_SLOTS]; /* index + 1 into entries; 0: free */
        struct process entries[MODEL_PROCESSES_MAX];
};

_Static_assert(MODEL_PROCESSES_MAX < UINT16_MAX, "indices are 16 bits");
_Static_assert((PROCESS_HASH_SLOTS & (PROCESS_HASH_SLOTS - 1)) == 0, "a power of two");

/* Finds or makes the process; another start time is another process under a reused PID, and starts from nothing.
 * Returns NULL where the table is full. */
struct process *process_table_get(struct process_table *t, int32_t tgid, uint64_t start_ticks);

/* NULL where it is not known. */
const struct process *process_table_find(const struct process_table *t, int32_t tgid);

/* Removes it; unknown is fine. The last entry takes its place. */
void process_table_remove(struct process_table *t, int32_t tgid);

/* Adds I/O at time t on drive dev (0: not known). */
void process_account(struct process *p, nsec_t t, uint32_t dev, uint16_t flags, uint32_t read_bytes, uint32_t write_bytes);

/* It waits at time t: a process that read lately still counts as a reader of where it read, however long that takes. */
#define WAITING_COUNTS_NS (10 * NSEC_PER_SEC)
void process_wait(struct process *p, nsec_t t);

/* It waited so much of the span before time t. What comes later for the same time says nothing new. */
void process_sample_wait(struct process *p, nsec_t t, uint32_t span_us, uint32_t waited_us);

/* A sample of its state at time t, which stands for the span before it. The same sample may come once for each of its drives. */
void process_sample_state(struct process *p, nsec_t t, uint32_t span_us, uint16_t flags);

/* What part of the time in which it waited for no drive, lately, it computed, or would have if it had had a CPU, in thousandths. Of one that is not
 * seen for long enough: less. */
uint32_t process_computes_permille(const struct process *p, nsec_t now);

/* What part of its time, lately and not before `since`, it neither computed nor waited without interruption, as far as samples show. */
uint32_t process_rests_permille(const struct process *p, nsec_t since, nsec_t now);

/* Whether it keeps a pace of its own on that drive, and not the drive's, as a player or recorder does: it is even by the second, rests
 * for a fifth of its time, and is no faster than a stream may be. One that did for a while still does while others make it wait, and while it catches up
 * after that, as long as it moves not much more than the most that it moved then: for PACED_KEPT_NS. behind_writes: it reads from a drive that mostly
 * writes, so that neither its waiting nor what it gets by the second says anything, unless it has been faster lately. */
#define PACED_UNEVEN_PERMILLE 200
#define PACED_STEADY_NS (2 * NSEC_PER_SEC)
#define PACED_KEPT_NS (60 * NSEC_PER_SEC)
/* In fewer seconds a player may only have filled its store. */
#define PACED_FAST_SECONDS 3
bool process_is_paced(struct process *p, const struct process_drive *d, bool behind_writes, nsec_t now);

/* Whether it is a stream on the drive that it used last, for it has sound or video open, and moves something there, no faster than a stream may. Into held_dev. */
#define HELD_BYTES_MIN PACE_ACTIVE_BYTES
#define HELD_SILENCE_NS RHYTHM_PERIOD_MAX_NS
bool process_holds_stream(struct process *p, nsec_t now);

/* The rate in bytes a second as of now. */
double process_rate(const struct rate *r, nsec_t now);

/* The drive that it used last; NULL: none, or nearly all that it reads lately is of no drive of ours. */
const struct process_drive *process_main_drive(const struct process *p, nsec_t now);

/* What it did on that drive; all zero where that is nothing known. */
const struct process_drive *process_find_drive(const struct process *p, uint32_t dev);

/* Those besides that one that it has used within USED_TOGETHER_NS before now; 0 for none. */
void process_other_drives(const struct process *p, nsec_t now, uint32_t ret[static OTHER_DRIVES_MAX]);

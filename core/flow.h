/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What one process asks of one drive, request by request: bytes, latencies, whether it seeks, how long it thinks. Seeking and
 * thinking are measured exactly as bfq does (block/bfq-iosched.c), so that what it will do can be told. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"
#include "histogram.h"
#include "idling.h"
#include "injection.h"
#include "pace.h"
#include "recent.h"
#include "request-table.h"
#include "seek-history.h"
#include "stream-track.h"

/* bfq_update_io_thinktime(): the pauses between a completion and the next request, an average that forgets an eighth a sample.
 * Longer pauses count as two slice_idle. */
struct think_time {
        uint32_t samples; /* of 256 a sample, decaying: 32 after the first */
        uint64_t total_ns;
};
/* SLICE_IDLE_NS is what the average is capped and judged by. */
#define THINK_SAMPLES_VALID 80            /* more than that: three samples */

void think_time_add(struct think_time *t, nsec_t pause);
nsec_t think_time_mean(const struct think_time *t);
/* Too few samples count as short, as in the kernel. */
bool think_time_is_short(const struct think_time *t);

/* One direction's requests. Latencies in us over the last one to two HISTOGRAM_PERIOD_NS. */
struct flow_side {
        uint64_t requests, bytes;          /* completed, since the drive is watched */
        struct histogram_window wait;      /* from queuing to completion: what the process waits */
        struct histogram_window service;   /* from dispatch to completion: what the drive takes */
};
#define FLOW_SIDES (REQUEST_WRITE + 1) /* by enum request_op: reads and writes */

void flow_side_done(struct flow_side *s, const struct request *r, nsec_t t);

/* What each request touches stands together, first; what few do, last. */
struct flow {
        uint32_t dev; /* 0: free */
        int32_t tgid;
        uint16_t generation; /* of this entry's use */
        uint32_t inflight[FLOW_SIDES]; /* asked for and not completed, dispatched or not */
        nsec_t waits_since;    /* it has a read under way, and waited for reads till then is counted; 0: it has none */
        nsec_t since;          /* when it first asked for something; 0: not yet */
        nsec_t last_asked[FLOW_SIDES], last_done[FLOW_SIDES]; /* 0: never */
        struct recent_sum waited;           /* ns with a read under way */
        nsec_t waited_ever;                 /* the same since it is there */
        struct seek_history seeks;
        struct think_time think;
        struct injection injection;
        struct recent_sum idle_ns; /* in which a scheduler may have waited for it: of each pause at most slice_idle */
        struct recent_sum served;           /* ns of the drive's time that its requests took; core/blame.h */
        nsec_t occupied[FLOW_SIDES];        /* time that the drive worked for it */
        struct recent_sum done[FLOW_SIDES]; /* requests completed */
        struct pace read_pace;              /* of what was read */
        struct stream_track stream;
        struct flow_side sides[FLOW_SIDES];
        struct recent_sum hole_ns; /* service holes in which it was waited for */
        nsec_t asked_above[FLOW_SIDES];     /* last, of what stands on the drive; 0: never */
        struct recent_sum sectors_above, sectors_own; /* read from there, and from the drive itself; counted where something stands on it */
        nsec_t waited_told, occupied_told[FLOW_SIDES]; /* of waited_ever and occupied, told to the starts */
        uint64_t reads_told;
        uint32_t weight; /* bfq's, as of the last look */
};

/* Asked for something; t: when; at_work: the drive is. Returns how many requests of others were served while it paused. */
uint32_t flow_ask(struct flow *f, nsec_t t, const struct event_request *e, bool rotational, bool at_work);
/* Got it, or it was given up (lost: says nothing about the drive). */
void flow_end(struct flow *f, nsec_t t, const struct request *r, bool lost);
/* In what part of the last two to four seconds, in thousandths, it had a read under way: the most that it can have waited for
 * what it read. Reading ahead counts, too; writes do not, since a writer seldom waits. */
uint32_t flow_wait_permille(const struct flow *f, nsec_t now);
/* How long it has had a read under way in all. */
nsec_t flow_waited(const struct flow *f, nsec_t now);
/* Whether it pauses, with nothing under way, and a scheduler would still wait for it. */
bool flow_is_waited_for(const struct flow *f, nsec_t t);
/* Of either direction. 0: never */
nsec_t flow_last_asked(const struct flow *f);

#define FLOWS_MAX 1024 /* processes times drives that are watched request by request at a time */
#define FLOW_SLOTS (2 * FLOWS_MAX)

struct flow_key {
        uint32_t dev;
        int32_t tgid;
};

struct flow_table {
        size_t n;
        size_t high; /* no entry from here on is in use: what was never used is never touched, and takes no memory */
        uint64_t refused;
        uint16_t slots[FLOW_SLOTS]; /* index + 1 into entries; 0: free */
        struct flow_key keys[FLOWS_MAX]; /* of the entries: one is found without touching others */
        struct flow entries[FLOWS_MAX];
};

_Static_assert((FLOW_SLOTS & (FLOW_SLOTS - 1)) == 0, "a power of two");
_Static_assert(FLOWS_MAX < UINT16_MAX, "indices are 16 bits");

/* Finds or makes it. NULL where the table is full, counted. */
struct flow *flow_table_get(struct flow_table *t, int32_t tgid, uint32_t dev);

/* Finds it; NULL where there is none. */
struct flow *flow_table_of(struct flow_table *t, int32_t tgid, uint32_t dev);

/* A name for a request's owner that stays good while the flow is there, and never means another. 0 for NULL. */
uint32_t flow_table_name(const struct flow_table *t, const struct flow *f);
struct flow *flow_table_find(struct flow_table *t, uint32_t name);
/* Has what the end of the request at `now` will touch fetched from memory meanwhile: there are more flows than a cache holds. */
void flow_table_expect_end(const struct flow_table *t, const struct request *r, nsec_t now);
const struct flow *flow_table_peek(const struct flow_table *t, uint32_t name);

/* Removes every flow that matches: of a process (0: any) on a drive (0: any), not used since `idle_since`. */
void flow_table_remove(struct flow_table *t, int32_t tgid, uint32_t dev, nsec_t idle_since);

/* The next one in use from *i on, which is moved behind it; NULL: no more. */
const struct flow *flow_table_next(const struct flow_table *t, size_t *i);

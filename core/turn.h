/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose turn it is on a drive that bfq schedules, as far as its requests show it, and what that does to those that it takes for soft real-time.
 *
 * bfq gives the drive to one queue at a time (a process's, here). A queue with nothing queued keeps its turn while bfq waits for it;
 * requests of others that go to the drive meanwhile are injected. When its turn ends it rests, and its next request begins a
 * period. Whether bfq then knows how early that may be depends on how the turn ended (soft-rt.h): with nothing under way the
 * time is reckoned, with something under way only once that is done and unless the process is raised as one that starts, and
 * where its last request was injected, not at all. So a greedy process whose turns others cut short is taken for a stream.
 * Followed are block/bfq-iosched.c's bfq_add_request(), bfq_select_queue(), bfq_dispatch_rq_from_bfqq(),
 * bfq_completed_request() and bfq_bfqq_expire(). Not followed is in what order queues get their turns, for that is seen. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "soft-rt.h"
#include "units.h"

#define TURN_SEEKY_IDLE_NS (2 * NSEC_PER_MSEC) /* BFQ_MIN_TT: so long it waits for one that seeks */
#define TURN_IN_TIME 3                         /* one that comes back within so many slice_idle goes on with what it has left */
#define TURN_AT_DRIVE_MORE 4                   /* of others at the drive: one that is raised is waited for */
#define TURN_BUDGET_RAISED 1024u               /* sectors: twice the least, which is a 32nd of bfq_default_max_budget */
#define TURN_BUDGET 16384u                     /* bfq_default_max_budget */
#define TURN_BOUND_SPAN_NS (200 * NSEC_PER_MSEC) /* over which it is seen whether a process does nothing but I/O ... */
#define TURN_BOUND_PART 5                      /* ... and rests for less than this part of the time */
#define TURN_DEPTH_THRESHOLD 3                 /* more at the drive: it queues by itself (BFQ_HW_QUEUE_THRESHOLD) ... */
#define TURN_DEPTH_SAMPLES 32                  /* ... as is known after so many looks */

/* Of one process on one drive; all zero while nothing is known. */
struct turn_queue {
        uint32_t queued;         /* sectors, not at the drive yet */
        uint32_t at_drive;       /* requests */
        uint32_t budget, served; /* sectors, of this turn */
        bool busy;               /* bfq has it among those that want the drive, or waits for it */
        bool reckon;             /* its turn ended with something under way: next_start is reckoned when that is done */
        bool paused;             /* its turn ended because it had nothing queued: it may go on with what is left of its budget */
        bool counts_raised;      /* it is counted among those that are raised and busy */
        bool nobodys;            /* of kernel threads, that write for others: bfq waits for none of it */
        bool flows, seeky;       /* it reads on and thinks shortly; it seeks */
        bool bound;              /* it does little but I/O */
        nsec_t last_done;
        nsec_t bound_since, rested; /* since then, it rested so long */
        struct soft_rt kernel;      /* what bfq takes it for */
};

/* Of a drive; all zero at the beginning. */
struct turn {
        uint32_t owner;        /* whose turn it is, by the name that the caller gives; 0: none's */
        nsec_t waits_since;    /* ... and bfq waits for it since then; 0: it does not */
        nsec_t window;         /* so long */
        uint32_t busy, raised; /* queues that are busy; of them, those whose weight is raised */
        uint32_t at_drive;     /* requests of all */
        uint32_t most, looks;  /* requests at the drive at a time; looks since that is counted */
        bool shallow;          /* the drive does not queue by itself */
        struct turn_queue nobodys;
};

#define TURN_NOBODYS UINT32_MAX /* the name of turn->nobodys */

/* What happens to a process's queue. owner: the queue of turn->owner; NULL where it is gone, or there is none. */
struct turn_step {
        const struct soft_rt_rule *rule;
        nsec_t t;
        bool rotational;
        uint32_t name;
        struct turn_queue *queue, *owner;
};

/* It asks for so many sectors; traits: under_way is filled in here. The queue's flows and seeky are as before that. */
void turn_ask(struct turn *d, const struct turn_step *s, uint32_t sectors, const struct soft_rt_traits *traits);
/* So many sectors of it go to the drive. */
void turn_issue(struct turn *d, const struct turn_step *s, uint32_t sectors);
/* And back, without having been served (requeued). */
void turn_requeue(struct turn *d, const struct turn_step *s, uint32_t sectors);
/* One of its requests ends, so many sectors long; issued: it had gone to the drive. */
void turn_done(struct turn *d, const struct turn_step *s, uint32_t sectors, bool issued);

/* Now and then: the queues that are there now, since those of processes that have ended leave nothing behind. */
void turn_count_begin(struct turn *d);
void turn_count(struct turn *d, const struct turn_queue *q);

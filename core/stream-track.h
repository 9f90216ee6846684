/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether one process is a soft real-time stream on one drive: what bfq would say (soft-rt.h), what it would have said before it
 * had a memory, and what Brio says (rhythm.h). Part of a flow. */
#pragma once

#include "arrivals.h"
#include "rhythm.h"
#include "seek-history.h"
#include "soft-rt.h"
#include "turn.h"

/* A queue that asks so soon after its drive is looked at was there before, as far as can be told. */
#define STREAM_OLD_QUEUE_NS NSEC_PER_SEC

/* A process that asks faster than that is not judged each time: its figures do not change so fast, and reckoning them takes a while. */
#define STREAM_JUDGE_NS (100 * NSEC_PER_MSEC)

struct stream_track {
        struct turn_queue queue;         /* what bfq takes it for, where its turns on the drive are followed */
        struct soft_rt alone, forgetful; /* what it would, had the process the drive for itself; forgetful: and without the memory of 2017 */
        struct rhythm rhythm;
        nsec_t judged; /* its rhythm, last; 0: never */
        uint32_t computes_permille, busy_permille; /* as of the last look; process_computes_permille(), 1000 - process_rests_permille() */
        bool in_large_burst;
        uint64_t bytes_read, bytes_written; /* asked for */
        struct arrivals arrivals;
};

/* Its first request: is_old says that it had others that were not seen, so that it is not one that starts now. */
void stream_track_begin(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, bool is_old);

/* What it asks for. */
struct stream_ask {
        nsec_t t;
        uint32_t sectors;
        bool writes;
        const struct seek_history *seeks; /* before that */
        uint32_t weight;                  /* bfq's, SOFT_RT_WEIGHT where nothing else is known */
};

/* turn, step: where bfq's turns are followed on its drive; else NULL. */
void stream_track_ask(struct stream_track *s, const struct soft_rt_rule *rule, const struct stream_ask *a, struct turn *turn, const struct turn_step *step);
/* It got so many sectors, or they were given up (lost). */
void stream_track_done(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool lost);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bursts of processes that begin to use a drive, exactly as bfq sees them (block/bfq-iosched.c, bfq_handle_burst()): one that comes
 * as the eighth or later, each less than 180 ms after the one before, is part of something big (git grep, a boot), for which
 * throughput counts and no latency. None of them is raised. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define QUEUE_BURST_LARGE 8                         /* bfq_large_burst_thresh */
#define QUEUE_BURST_GAP_NS (180 * NSEC_PER_MSEC)    /* bfq_burst_interval */

struct queue_burst {
        nsec_t last; /* when the last queue came; 0: none yet */
        uint64_t group;
        uint32_t size;
        bool large;
        uint32_t members[QUEUE_BURST_LARGE]; /* of one that is not large yet */
};

/* A queue just created, called `name`, of the control group `group` (0 where groups are not told), asks for its first request.
 * others_busy: queues beside it have something under way. Fills ret with the names of those that are in a large burst from now
 * on, and returns their number: 0, 1 or QUEUE_BURST_LARGE. */
size_t queue_burst_add(struct queue_burst *b, nsec_t t, uint64_t group, uint32_t name, bool others_busy,
                       uint32_t ret[static QUEUE_BURST_LARGE]);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive with nothing to do while a process is waited for: its idle windows; and, of those, the service holes, in which
 * something else waits (seeds 000 and 004; facts of block/bfq-iosched.c: a queue in service is waited for, slice_idle long).
 *
 * An idle window is from the completion that leaves nothing at the drive to the dispatch that ends it, at most slice_idle of
 * it; one that no dispatch ends within IDLING_MAX_NS is a drive at rest. A hole is the part of it in which sectors wait, if it
 * is of a length that a scheduler makes. Times in ns. */
#pragma once

#include <stdint.h>

#include "recent.h"

/* Shorter is the time that a request takes through the kernel, longer is no scheduler's idling (slice_idle is 8 ms, and at
 * most 20 ms for a process that is raised). */
#define HOLE_MIN_NS NSEC_PER_MSEC
#define HOLE_MAX_NS (20 * NSEC_PER_MSEC)
#define IDLING_MAX_NS HOLE_MAX_NS

#define SLICE_IDLE_NS (8 * NSEC_PER_MSEC) /* bfq's default */

struct idling {
        uint32_t served;    /* name of the process that is waited for: whose read was the last one done; 0: none's */
        nsec_t idle_since;  /* since when nothing is at the drive, after a completion; 0: something is */
        nsec_t hole_since;  /* since when, of that, sectors wait; 0: none do */
        struct recent_sum window_ns, hole_ns, filled_ns; /* filled: of the holes, those that ended as was hoped */
};

/* A request is done, and so many sectors are left at the drive. reader: the name of the process that it was read for; 0: a write, or none's. */
void idling_done(struct idling *i, nsec_t t, uint64_t issued, uint32_t reader);

/* After each step of a request of `owner`. waiting, issued: sectors that wait for the drive, that are at it. Returns the length
 * of the hole that it ended, to be charged to the process that was waited for; 0: none. */
nsec_t idling_follow(struct idling *i, nsec_t t, uint64_t waiting, uint64_t issued, uint32_t owner);

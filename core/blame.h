/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Because of which process another waits: which ones a drive served while it had a read under way.
 *
 * A drive's time is charged to the process whose request is done: from the completion before it, or from its own dispatch where that was
 * later, so that what it does side by side is charged once. It is followed for a few of those that wait most; a share halves
 * with each BLAME_HALVE_NS, so that the last few of them count most. Of many that are served the greatest are kept (Misra and Gries 1982: one that has
 * more than 1 / (BLAME_CULPRITS + 1) of all is among them, and no share is told greater than it is). Bounded, plain data,
 * all zero at the start. Times in ns. */
#pragma once

#include <stdint.h>

#include "flow.h"

#define BLAME_VICTIMS 4
#define BLAME_CULPRITS 16
/* So much of the drive's time at least is charged at once, to whose request is done then: on a fast drive a sample, of a few thousand. */
#define BLAME_SAMPLE_NS (500 * NSEC_PER_USEC)
#define BLAME_HALVE_NS (4 * NSEC_PER_SEC) /* several turns of each of ten readers */

struct blame_victim {
        uint32_t name; /* of its flow; 0: free */
        nsec_t since;  /* followed from then on */
        nsec_t all, own, kernel; /* the drive's time while it waited: in all, for itself, for what no process asked for */
        uint32_t owners[BLAME_CULPRITS]; /* names of flows */
        int32_t tgids[BLAME_CULPRITS];
        nsec_t shares[BLAME_CULPRITS];   /* 0: free */
};

struct blame {
        nsec_t served; /* the last completion */
        nsec_t uncharged;
        nsec_t halved;
        struct blame_victim victims[BLAME_VICTIMS];
};

/* A request of that owner (0: of no process) that went to the drive at `issued` (0: not seen) is done at t; before the owner's own
 * flow_end(). Returns the time of the drive that it took. */
nsec_t blame_serve(struct blame *b, struct flow_table *flows, uint32_t owner, nsec_t issued, nsec_t t);

/* Each tick: chooses the processes to follow from now on: those that wait most and are served least. */
void blame_choose(struct blame *b, const struct flow_table *flows, uint32_t dev, nsec_t now);

/* The place of the greatest share of a process that is no soft real-time stream, or -1: a stream takes what it needs at its own pace, and is not the cause of
 * any waiting, however much of the drive's time that little takes. */
int blame_greatest(const struct blame_victim *v, const struct flow_table *flows);

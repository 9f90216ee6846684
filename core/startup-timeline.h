/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the processes of a start did over its time, in slices of equal width. Plain data, bounded, allocates nothing; all zero at the start. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Slices begin as wide as the shortest look at the processes is apart; where they no longer do, two become one. A start of a minute, after
 * which it is given up, has slices of 1.28 s. */
#define STARTUP_SLICES_MAX 64
#define STARTUP_SLICE_NS (20 * NSEC_PER_MSEC)
#define STARTUP_SLICE_MAX_NS (64 * STARTUP_SLICE_NS) /* what comes behind 64 of these is left out */

/* What was done in it, by all of the processes together. Once the start has ended, computing and waiting are no longer than the slice:
 * what is left of that went by with something else. */
struct startup_slice {
        uint32_t memory_us;    /* waited for memory, which had to be freed, moved together, swapped in or read again */
        uint32_t waited_us;    /* while none did: one at least waited for a drive */
        uint32_t computing_us; /* while none waited for either: CPU time used */
        uint32_t queued_us;    /* beside these: one could run, and had no processor */
        uint32_t behind_us;    /* of that, in which the drive worked for others, by its single requests */
        uint32_t read_bytes;
};

struct startup_timeline {
        nsec_t width; /* of a slice; 0: nothing was added yet */
        size_t n;     /* slices up to the last to which something was added */
        struct startup_slice slices[STARTUP_SLICES_MAX];
};

/* What was done from one time to another, both since the start began, and from < to: spread evenly over that. Sums stay exact, up to UINT32_MAX. */
void startup_timeline_add(struct startup_timeline *t, nsec_t from, nsec_t to, const struct startup_slice *what);

/* Of a slice that is so long: what was added for the same time twice counts once, as the first of the times in the struct's order. */
void startup_slice_fit(struct startup_slice *slice, uint32_t length_us);

/* Puts the timeline of one that began `earlier` before it in front of it: what was done at the same time is added. */
void startup_timeline_prepend(struct startup_timeline *t, const struct startup_timeline *first, nsec_t earlier);

/* Forgets what came after the start had ended. The last slice may reach beyond the end, and holds no more than what lies before that,
 * and each is fit into its length: processes are side by side. */
void startup_timeline_cut(struct startup_timeline *t, nsec_t end);

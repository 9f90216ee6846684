/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the models of drives have in common. */
#pragma once

#include <math.h>

#include "units.h"

static inline nsec_t drive_transfer_ns(uint64_t bytes, uint64_t rate) {
        return (nsec_t) ((double) bytes * (double) NSEC_PER_SEC / (double) rate);
}

/* The square-root law of Ruemmler & Wilkes, "An introduction to disk drive modeling", 1994, without its linear tail. The square root of
 * IEEE 754 is exact, so that each machine gives the same. */
static inline nsec_t drive_seek_ns(nsec_t min_ns, nsec_t max_ns, uint64_t distance, uint64_t full_stroke) {
        return min_ns + (nsec_t) ((double) (max_ns - min_ns) * sqrt((double) distance / (double) full_stroke));
}

/* A generator of our own: equal seeds give equal drives, whatever the C library (Marsaglia, "Xorshift RNGs", 2003). */
static inline uint64_t drive_random(uint64_t *state) {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        return *state;
}

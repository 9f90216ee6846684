/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Units of time and size. Every quantity elsewhere carries one of these in its name or its type. */
#pragma once

#include <stdint.h>

typedef uint64_t nsec_t; /* CLOCK_MONOTONIC unless a name says otherwise */

#define NSEC_PER_USEC 1000ULL
#define NSEC_PER_MSEC 1000000ULL
#define NSEC_PER_SEC 1000000000ULL
#define USEC_PER_MSEC 1000ULL
#define USEC_PER_SEC 1000000ULL

#define SECTOR_BYTES 512ULL /* the kernel's unit in diskstats and traces, whatever the drive's block size */

/* a - b, or 0 where b is later: clocks of different CPUs may disagree by a little. */
static inline nsec_t nsec_sub(nsec_t a, nsec_t b) {
        return a > b ? a - b : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How fast a drive is at its best, estimated exactly as bfq does (block/bfq-iosched.c, bfq_update_peak_rate()), so that what it
 * makes of it can be told: for how long it raises a start, and how much a process gets in its turn.
 *
 * Over each second with requests: rate = sectors / time. It counts if 75 % of the requests were sequential or the rate is above
 * the estimate, with a weight w of 0 to 8 by how many were sequential: peak = peak * (d - 1) / d + rate / d, d = 10 - w. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

#define PEAK_RATE_SHIFT 16 /* rates are sectors a microsecond, times 2^16 */

#define PEAK_RATE_SAMPLES_MIN 32                     /* an interval with fewer dispatches says nothing ... */
#define PEAK_RATE_SPAN_MIN_NS (300 * NSEC_PER_MSEC)  /* ... nor one that is shorter */
#define PEAK_RATE_SPAN_NS NSEC_PER_SEC               /* it ends after this */
#define PEAK_RATE_GAP_NS (100 * NSEC_PER_MSEC)       /* or when the drive was at rest so long */
#define PEAK_RATE_PAUSE_NS (2 * NSEC_PER_MSEC)       /* longer after a completion, and a dispatch is not on its heels */
#define PEAK_RATE_MAX (20u << PEAK_RATE_SHIFT)       /* 10 GB/s: no drive; the clock jumped */
#define PEAK_RATE_SLOWEST (1u << (PEAK_RATE_SHIFT - 10)) /* a completion that took longer than this rate ends the interval */

/* What bfq takes the estimate from at first, two thirds of the reference drive's, and the reference for a start's duration. */
#define PEAK_RATE_REFERENCE_ROTATIONAL 14000u
#define PEAK_RATE_REFERENCE_FLASH 33000u
#define RAISE_REFERENCE_ROTATIONAL_MS 7000u
#define RAISE_REFERENCE_FLASH_MS 2500u
#define RAISE_MIN_MS 3000u
#define RAISE_MAX_MS 25000u

struct peak_rate {
        uint32_t rate; /* the estimate; 0: not begun */
        bool rotational;
        uint32_t samples, sequential; /* dispatches in the running interval */
        uint32_t longest;             /* the longest of up to 32 of them, in sectors */
        uint32_t intervals;           /* that changed the estimate */
        uint64_t sectors;             /* in the running interval */
        uint64_t last_end;            /* sector behind the last dispatch */
        nsec_t first_dispatch, last_dispatch, last_completion, span;
};

void peak_rate_begin(struct peak_rate *p, bool rotational);
/* A request goes to the drive. at_work: others are there already. */
void peak_rate_dispatch(struct peak_rate *p, nsec_t t, uint64_t sector, uint32_t sectors, bool at_work);
void peak_rate_complete(struct peak_rate *p, nsec_t t);

/* 0 until something was measured. */
uint64_t peak_rate_bytes_per_s(const struct peak_rate *p);

/* For how long bfq raises a process that starts, ms: reference rate * reference duration / peak rate, 3 to 25 s. */
uint32_t peak_rate_raise_ms(const struct peak_rate *p);

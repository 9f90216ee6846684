/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A log-linear histogram of latencies: eight buckets for each doubling, so that a percentile is off by a sixteenth at most,
 * whatever its size. And a window of two of them, for what happened lately. Plain data, all zero at the start. */
#pragma once

#include <stdint.h>

#include "units.h"

#define HISTOGRAM_SUB_BITS 3                             /* 2^3 buckets a doubling */
#define HISTOGRAM_VALUE_BITS 26                          /* up to 2^26 us, 67 s; longer counts as that */
#define HISTOGRAM_VALUE_MAX ((1u << HISTOGRAM_VALUE_BITS) - 1)
#define HISTOGRAM_ERROR_PART 16                          /* a percentile is off by at most 1/16 of the value */
#define HISTOGRAM_BUCKETS ((HISTOGRAM_VALUE_BITS - HISTOGRAM_SUB_BITS + 1) << HISTOGRAM_SUB_BITS)

struct histogram {
        uint32_t count;
        uint32_t buckets[HISTOGRAM_BUCKETS];
};

/* Counts a value in us. A count that is full stays so. */
void histogram_add(struct histogram *h, uint64_t us);

/* Adds other's counts. */
void histogram_merge(struct histogram *h, const struct histogram *other);

/* The value in us that permille (0 to 1000) of the counted ones do not exceed: the middle of its bucket, exact below 16 us.
 * 0 where nothing was counted. */
uint32_t histogram_percentile(const struct histogram *h, uint32_t permille);

/* The largest that was counted: the middle of its bucket. 0 where nothing was. */
uint32_t histogram_largest(const struct histogram *h);

/* The last one to two periods: long enough for a percentile of a busy drive, short enough to follow a change. */
#define HISTOGRAM_PERIOD_NS (2 * NSEC_PER_SEC)

struct histogram_window {
        nsec_t start; /* of the running period; 0: nothing yet */
        struct histogram now, before;
};

/* Counts a value at time t. Times may go back a little: what comes late counts as of the running period. */
void histogram_window_add(struct histogram_window *w, nsec_t t, uint64_t us);

/* Has what counting the value will touch fetched from memory, meanwhile. */
void histogram_window_expect(const struct histogram_window *w, uint64_t us);

/* Counts n buckets at time t, from bucket `first` on; those that there are not are passed over. */
void histogram_window_add_counts(struct histogram_window *w, nsec_t t, unsigned first, const uint32_t *counts, unsigned n);

/* What was counted within one to two periods before now. */
void histogram_window_get(const struct histogram_window *w, nsec_t now, struct histogram *ret);

/* How far a reader has read a window. */
struct histogram_mark {
        nsec_t start; /* of the period that was running then; 0: it was not read yet */
        struct histogram seen;
};

/* Adds to sum (NULL: nothing) what was counted since the last call with this mark; the first one only sets it. A reader that asks less often than
 * once a period misses some. */
void histogram_window_follow(const struct histogram_window *w, struct histogram_mark *mark, struct histogram *sum);

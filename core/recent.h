/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What added up lately: a sum over the last one to two HISTOGRAM_PERIOD_NS. Plain data, all zero at the start. */
#pragma once

#include "histogram.h"

struct recent_sum {
        nsec_t start; /* of the running period; 0: nothing yet */
        uint64_t now, before;
};

/* Adds a value at time t. */
void recent_add(struct recent_sum *s, nsec_t t, uint64_t value);

/* The sum as of now. */
uint64_t recent_get(const struct recent_sum *s, nsec_t now);

/* The time in ns that the sum is over, of something that is counted from `since` on. */
nsec_t recent_span(const struct recent_sum *s, nsec_t since, nsec_t now);

/* What part of 1000 a sum of nanoseconds is of the time that it is over: at most all of it. */
uint32_t recent_permille(const struct recent_sum *s, nsec_t since, nsec_t now);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether one series of samples is higher than another: Mann and Whitney's test, normal approximation with the corrections for ties and
 * continuity (E. L. Lehmann, Nonparametrics, 1975, 1.3), and for series in which neighbours resemble each other (Bayley and Hammersley,
 * 1946). The same series always give the same answer. docs/trials.md says why this one. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define RANK_SAMPLES_MAX 24 /* of a series; from 6 on the approximation is on the safe side */
#define RANK_SAMPLES_MIN 6

struct rank_result {
        int sign;                  /* -1: b is lower than a, 1: it is higher, 0: neither */
        uint32_t confidence_permille; /* that it is: one-sided, for one of three looks; 0: below 900 */
        uint32_t median_a, median_b;
};

/* Of a (n samples) and b (m samples), oldest first, at most RANK_SAMPLES_MAX each. With fewer than RANK_SAMPLES_MIN of either,
 * confidence is 0. */
void rank_compare(const uint32_t *a, size_t n, const uint32_t *b, size_t m, struct rank_result *ret);

/* 0 where n is 0. */
uint32_t rank_median(const uint32_t *values, size_t n);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "macro.h"
#include "rank-test.h"

/* Neighbours that resemble each other more than this are a trend rather than samples; it bounds the correction. */
#define CORRELATION_MAX 0.8
/* And a short series does not show how much they do: so much is taken for granted. Found with test-rank-test, which has the error rates. */
#define CORRELATION_MIN 0.3

/* One-sided quantiles of the normal distribution, squared, at a third of the error: there are three looks. */
static const struct {
        double z2;
        uint32_t permille;
} levels[] = {
        { 3.403 * 3.403, 999 },
        { 2.936 * 2.936, 995 },
        { 2.713 * 2.713, 990 },
        { 2.128 * 2.128, 950 },
        { 1.834 * 1.834, 900 },
};

static int compare_values(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

uint32_t rank_median(const uint32_t *values, size_t n) {
        uint32_t sorted[RANK_SAMPLES_MAX];

        n = MIN(n, (size_t) RANK_SAMPLES_MAX);
        if (n == 0)
                return 0;
        memcpy(sorted, values, n * sizeof(*values));
        qsort(sorted, n, sizeof(*sorted), compare_values);
        return n % 2 ? sorted[n / 2] : sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2;
}

/* Twice its rank among all of both, so that ties have whole numbers. */
static double rank_among(uint32_t value, const uint32_t *all, size_t count, size_t *ret_ties) {
        size_t below = 0, same = 0;

        for (size_t i = 0; i < count; i++) {
                below += all[i] < value;
                same += all[i] == value;
        }
        *ret_ties = same;
        return (double) (2 * below + same + 1);
}

/* Adds a series' part of the lag-1 correlation: sums of products of neighbours, and of squares. */
static void add_correlation(const double *ranks, size_t n, double *products, double *squares) {
        double mean = 0;

        for (size_t i = 0; i < n; i++)
                mean += ranks[i] / (double) n;
        for (size_t i = 0; i < n; i++) {
                *squares += (ranks[i] - mean) * (ranks[i] - mean);
                if (i > 0)
                        *products += (ranks[i] - mean) * (ranks[i - 1] - mean);
        }
}

/* What the variance has to be multiplied by. In short series the correlation comes out too low, by (1 + 4 r) / n (Marriott and Pope, 1954). */
static double inflation(const double *ranks, size_t n, size_t m) {
        double products = 0, squares = 0, r;

        add_correlation(ranks, n, &products, &squares);
        add_correlation(ranks + n, m, &products, &squares);
        r = squares > 0 ? products / squares : 0;
        r += (1 + 4 * r) * 2 / (double) (n + m);
        r = CLAMP(r, CORRELATION_MIN, CORRELATION_MAX);
        return (1 + r) / (1 - r);
}

void rank_compare(const uint32_t *a, size_t n, const uint32_t *b, size_t m, struct rank_result *ret) {
        uint32_t all[2 * RANK_SAMPLES_MAX];
        double ranks[2 * RANK_SAMPLES_MAX], count, sum = 0, tied = 0, distance, variance;

        n = MIN(n, (size_t) RANK_SAMPLES_MAX);
        m = MIN(m, (size_t) RANK_SAMPLES_MAX);
        *ret = (struct rank_result){ .median_a = rank_median(a, n), .median_b = rank_median(b, m) };
        if (n < RANK_SAMPLES_MIN || m < RANK_SAMPLES_MIN)
                return;
        memcpy(all, a, n * sizeof(*a));
        memcpy(all + n, b, m * sizeof(*b));
        count = (double) (n + m);
        for (size_t i = 0; i < n + m; i++) {
                size_t ties;
                ranks[i] = rank_among(all[i], all, n + m, &ties);
                tied += (double) (ties * ties - 1); /* t (t^2 - 1) for each group of t */
                if (i >= n)
                        sum += ranks[i] / 2;
        }
        /* U of b, less what it is on average when nothing differs */
        distance = sum - (double) (m * (m + 1)) / 2 - (double) (n * m) / 2;
        variance = (double) (n * m) / 12 * (count + 1 - tied / (count * (count - 1))) * inflation(ranks, n, m);
        ret->sign = (distance > 0) - (distance < 0);
        distance = ret->sign * distance - 0.5; /* continuity */
        if (distance <= 0 || variance <= 0)
                return;
        for (size_t i = 0; i < ARRAY_SIZE(levels); i++)
                if (distance * distance >= levels[i].z2 * variance) {
                        ret->confidence_permille = levels[i].permille;
                        return;
                }
}

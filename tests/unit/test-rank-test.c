/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rank-test.h"
#include "test.h"

#define N RANK_SAMPLES_MAX

/* Roughly normal: the sum of twelve. */
static double normal(uint64_t *random) {
        double sum = -6;

        for (int i = 0; i < 12; i++)
                sum += (double) (test_random(random) >> 11) / (double) (UINT64_C(1) << 53);
        return sum;
}

/* n latencies around `level` us, of which neighbours resemble each other by r. */
static void fill(uint32_t *ret, size_t n, double level, double r, uint64_t *random) {
        double state = normal(random);

        for (size_t i = 0; i < n; i++) {
                ret[i] = (uint32_t) (level * (1 + 0.1 * state));
                state = r * state + (1 - r) * normal(random) * 1.2;
        }
}

/* Of a thousand pairs of series, how many are told apart with 99 %. */
static unsigned told_apart(double level_a, double level_b, double r, int sign, uint64_t seed) {
        unsigned n = 0;

        for (unsigned i = 0; i < 1000; i++) {
                uint32_t a[N], b[N];
                struct rank_result result;
                fill(a, N, level_a, r, &seed);
                fill(b, N, level_b, r, &seed);
                rank_compare(a, N, b, N, &result);
                n += result.confidence_permille >= 990 && result.sign == sign;
        }
        return n;
}

TEST(series_that_do_not_overlap_are_told_apart_from_six_samples_on) {
        const uint32_t low[] = { 10, 12, 11, 13, 9, 10 }, high[] = { 20, 25, 22, 21, 30, 24 };
        struct rank_result r;

        rank_compare(high, 6, low, 6, &r);
        CHECK_INT(r.sign, -1);
        CHECK(r.confidence_permille >= 990);
        CHECK_INT(r.median_a, 23);
        CHECK_INT(r.median_b, 10);
        rank_compare(low, 6, high, 6, &r);
        CHECK_INT(r.sign, 1);
        CHECK(r.confidence_permille >= 990);
        rank_compare(low, 5, high, 6, &r);
        CHECK_INT(r.confidence_permille, 0);
}

TEST(equal_series_and_constants_say_nothing) {
        const uint32_t same[] = { 7, 7, 7, 7, 7, 7, 7, 7 };
        struct rank_result r;

        rank_compare(same, 8, same, 8, &r);
        CHECK_INT(r.sign, 0);
        CHECK_INT(r.confidence_permille, 0);
}

TEST(one_outlier_has_one_vote) {
        const uint32_t a[] = { 10, 11, 12, 10, 11, 12, 10, 11 }, b[] = { 10, 11, 12, 10, 11, 12, 10, 4000000 };
        struct rank_result r;

        rank_compare(a, 8, b, 8, &r);
        CHECK_INT(r.confidence_permille, 0);
}

TEST(what_is_the_same_is_told_apart_once_in_a_hundred_times_at_most) {
        uint64_t seed = test_seed();
        const double correlations[] = { 0, 0.3, 0.6 };

        for (size_t i = 0; i < ARRAY_SIZE(correlations); i++) {
                unsigned lower = told_apart(100000, 100000, correlations[i], -1, seed), higher = told_apart(100000, 100000, correlations[i], 1, seed);
                printf("# neighbours %.1f: %u and %u of 1000\n", correlations[i], lower, higher);
                /* a third of 1 % is meant for each look; the rest is chance: ten in a thousand are four deviations away */
                CHECK(lower <= 10);
                CHECK(higher <= 10);
        }
}

TEST(a_fifth_less_is_seen_in_most_cases_also_where_neighbours_resemble_each_other) {
        uint64_t seed = test_seed();

        CHECK(told_apart(100000, 80000, 0, -1, seed) >= 990);
        CHECK(told_apart(100000, 80000, 0.3, -1, seed) >= 900);
}

TEST(the_median_of_an_even_number_lies_between) {
        const uint32_t values[] = { 4, 1, 3, 2 }, most[] = { UINT32_MAX, UINT32_MAX - 1 };

        CHECK_INT(rank_median(values, 4), 2);
        CHECK_INT(rank_median(values, 3), 3);
        CHECK_INT(rank_median(values, 0), 0);
        CHECK_INT(rank_median(most, 2), UINT32_MAX - 1);
}

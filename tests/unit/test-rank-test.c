/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rank-test.h"
#include "test.h"
#include "trial.h"

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

TEST(series_that_do_not_overlap_are_told_apart_from_six_samples_against_24_on) {
        const uint32_t low[] = { 10, 12, 11, 13, 9, 10 };
        const uint32_t high[] = { 20, 25, 22, 21, 30, 24, 20, 25, 22, 21, 30, 24, 20, 25, 22, 21, 30, 24, 20, 25, 22, 21, 30, 24 };
        struct rank_result r;

        rank_compare(high, N, low, 6, &r);
        CHECK_INT(r.sign, -1);
        CHECK(r.confidence_permille >= 990);
        CHECK_INT(r.median_a, 23);
        CHECK_INT(r.median_b, 10);
        rank_compare(low, 6, high, N, &r);
        CHECK_INT(r.sign, 1);
        CHECK(r.confidence_permille >= 990);
        rank_compare(low, 5, high, N, &r);
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

/* As a trial does: three looks, of which the first that decides ends it. */
static enum trial_answer look_on(double level_before, double level_after, double r, uint64_t *seed) {
        struct trial_series before = { .n = N }, after = { 0 };
        struct rank_result result;
        uint32_t later[N];
        unsigned looks = 0;

        fill(before.values, N, level_before, r, seed);
        fill(later, N, level_after, r, seed);
        while (after.n < N) {
                enum trial_answer answer;
                after.values[after.n] = later[after.n];
                after.n++;
                answer = trial_compare(TRIAL_MEAN_READ, &before, &after, &looks, &result);
                if (answer != TRIAL_WAIT)
                        return answer;
        }
        return TRIAL_WAIT;
}

TEST(with_its_three_looks_a_trial_reverts_what_makes_no_difference_once_in_a_hundred_times_at_most) {
        const double correlations[] = { 0, 0.3, 0.6 };
        uint64_t seed = test_seed();

        for (size_t i = 0; i < ARRAY_SIZE(correlations); i++) {
                unsigned n[TRIAL_NEITHER + 1] = { 0 };
                for (unsigned k = 0; k < 2000; k++)
                        n[look_on(100000, 100000, correlations[i], &seed)]++;
                printf("# neighbours %.1f: %u better, %u worse, %u neither\n", correlations[i], n[TRIAL_BETTER], n[TRIAL_WORSE], n[TRIAL_NEITHER]);
                CHECK_INT(n[TRIAL_WAIT], 0);
                /* 1 % is 20; 0.6 is where it is reached, give or take chance */
                CHECK(n[TRIAL_BETTER] <= 40);
                CHECK(n[TRIAL_WORSE] <= 40);
                CHECK(correlations[i] > 0.5 || n[TRIAL_BETTER] + n[TRIAL_WORSE] <= 20);
        }
}

TEST(a_difference_too_small_to_notice_decides_nothing_however_sure_it_is) {
        struct trial_series before = { .n = N }, after = { .n = N };
        struct rank_result r;
        unsigned looks = 0;

        for (size_t i = 0; i < N; i++) {
                before.values[i] = 100000 + (uint32_t) (i * 7 % 11);
                after.values[i] = 104000 + (uint32_t) (i * 7 % 11);
        }
        CHECK_INT(trial_compare(TRIAL_MEAN_READ, &before, &after, &looks, &r), TRIAL_NEITHER);
        CHECK(r.confidence_permille >= 990);
        for (size_t i = 0; i < N; i++)
                after.values[i] += 2000;
        looks = 0;
        CHECK_INT(trial_compare(TRIAL_MEAN_READ, &before, &after, &looks, &r), TRIAL_WORSE);
        looks = 0;
        CHECK_INT(trial_compare(TRIAL_THROUGHPUT, &before, &after, &looks, &r), TRIAL_BETTER); /* more of that is better */
}

TEST(a_fifth_less_is_seen_in_most_cases_also_where_neighbours_resemble_each_other) {
        uint64_t seed = test_seed();

        unsigned alike = told_apart(100000, 80000, 0.3, -1, seed), apart = told_apart(100000, 80000, 0, -1, seed);

        printf("# told apart: %u of 1000, and %u where neighbours resemble each other\n", apart, alike);
        CHECK(apart >= 900);
        CHECK(alike >= 900);
}

TEST(the_median_of_an_even_number_lies_between) {
        const uint32_t values[] = { 4, 1, 3, 2 }, most[] = { UINT32_MAX, UINT32_MAX - 1 };

        CHECK_INT(rank_median(values, 4), 2);
        CHECK_INT(rank_median(values, 3), 3);
        CHECK_INT(rank_median(values, 0), 0);
        CHECK_INT(rank_median(most, 2), UINT32_MAX - 1);
}

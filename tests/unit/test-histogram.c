/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "histogram.h"
#include "test.h"

#define SEC NSEC_PER_SEC
#define SAMPLES 2000

static int compare(const void *a, const void *b) {
        uint32_t x = *(const uint32_t *) a, y = *(const uint32_t *) b;

        return (x > y) - (x < y);
}

/* The slow reference: all values sorted. */
static uint32_t exact_percentile(uint32_t *values, size_t n, uint32_t permille) {
        size_t rank = MAX((n * permille + 999) / 1000, 1u);

        qsort(values, n, sizeof(*values), compare);
        return values[rank - 1];
}

static uint32_t distance(uint32_t a, uint32_t b) {
        return a > b ? a - b : b - a;
}

TEST(every_percentile_is_within_a_sixteenth_of_the_exact_one) {
        uint64_t seed = test_seed();

        for (unsigned round = 0; round < 200; round++) {
                struct histogram h = { 0 };
                uint32_t values[SAMPLES], bits = (uint32_t) (test_random(&seed) % HISTOGRAM_VALUE_BITS) + 1;
                size_t n = test_random(&seed) % SAMPLES + 1;

                for (size_t i = 0; i < n; i++) {
                        values[i] = (uint32_t) (test_random(&seed) & ((1u << bits) - 1)) >> test_random(&seed) % bits;
                        histogram_add(&h, values[i]);
                }
                CHECK_INT(h.count, n);
                for (uint32_t permille = 0; permille <= 1000; permille += 25) {
                        uint32_t exact = exact_percentile(values, n, permille);
                        CHECK(distance(histogram_percentile(&h, permille), exact) <= exact / HISTOGRAM_ERROR_PART);
                }
        }
}

TEST(small_values_are_exact_and_long_ones_count_as_the_longest) {
        for (uint32_t v = 0; v < 16; v++) {
                struct histogram h = { 0 };
                histogram_add(&h, v);
                CHECK_INT(histogram_percentile(&h, 500), v);
        }
        struct histogram h = { 0 };
        histogram_add(&h, UINT64_MAX);
        CHECK(distance(histogram_percentile(&h, 1000), HISTOGRAM_VALUE_MAX) <= HISTOGRAM_VALUE_MAX / HISTOGRAM_ERROR_PART);
}

TEST(an_empty_histogram_has_no_percentiles) {
        struct histogram h = { 0 };

        CHECK_INT(histogram_percentile(&h, 990), 0);
}

TEST(the_largest_is_within_a_sixteenth_of_what_was_counted) {
        struct histogram h = { 0 };

        CHECK_INT(histogram_largest(&h), 0);
        histogram_add(&h, 3);
        CHECK_INT(histogram_largest(&h), 3);
        histogram_add(&h, 2100000);
        for (unsigned i = 0; i < 5000; i++)
                histogram_add(&h, 400);
        CHECK(histogram_largest(&h) >= 2100000 - 2100000 / 16 && histogram_largest(&h) <= 2100000 + 2100000 / 16);
        CHECK(histogram_percentile(&h, 990) < 1000);
}

TEST(merging_is_the_same_as_counting_all_in_one) {
        struct histogram a = { 0 }, b = { 0 }, both = { 0 };
        uint64_t seed = test_seed();

        for (unsigned i = 0; i < SAMPLES; i++) {
                uint64_t v = test_random(&seed) >> test_random(&seed) % 64;
                histogram_add(i % 3 ? &a : &b, v);
                histogram_add(&both, v);
        }
        histogram_merge(&a, &b);
        CHECK(memcmp(&a, &both, sizeof(a)) == 0);
}

TEST(counts_saturate_instead_of_starting_anew) {
        struct histogram h = { .count = UINT32_MAX, .buckets[3] = UINT32_MAX }, other = { 0 };

        histogram_add(&h, 3);
        histogram_add(&other, 3);
        histogram_merge(&h, &other);
        CHECK_INT(h.count, UINT32_MAX);
        CHECK_INT(h.buckets[3], UINT32_MAX);
        CHECK_INT(histogram_percentile(&h, 500), 3);
}

TEST(a_window_remembers_one_to_two_periods) {
        struct histogram_window w = { 0 };
        struct histogram h;

        histogram_window_add(&w, 10 * SEC, 100);
        histogram_window_get(&w, 10 * SEC, &h);
        CHECK_INT(h.count, 1);
        histogram_window_add(&w, 10 * SEC + HISTOGRAM_PERIOD_NS, 7);
        histogram_window_get(&w, 10 * SEC + 2 * HISTOGRAM_PERIOD_NS - 1, &h);
        CHECK_INT(h.count, 2);
        histogram_window_get(&w, 10 * SEC + 2 * HISTOGRAM_PERIOD_NS, &h); /* reading alone lets the older one go */
        CHECK_INT(h.count, 1);
        CHECK_INT(histogram_percentile(&h, 500), 7);
        histogram_window_get(&w, 10 * SEC + 3 * HISTOGRAM_PERIOD_NS, &h);
        CHECK_INT(h.count, 0);
        histogram_window_add(&w, 100 * SEC, 9);
        histogram_window_get(&w, 100 * SEC, &h);
        CHECK_INT(h.count, 1);
}

TEST(a_follower_of_a_window_gets_each_value_once_and_none_from_before) {
        struct histogram_window w = { 0 };
        struct histogram_mark mark = { 0 };
        struct histogram all = { 0 }, got = { 0 };
        uint64_t seed = test_seed();
        nsec_t t = 10 * SEC;

        for (unsigned i = 0; i < SAMPLES; i++) {
                uint64_t v = test_random(&seed) % 100000;
                t += test_random(&seed) % (HISTOGRAM_PERIOD_NS / 20);
                histogram_window_add(&w, t, v);
                if (i >= 50)
                        histogram_add(&all, v);
                if (i == 49 || (i > 49 && i % 11 == 0)) /* within a period each time */
                        histogram_window_follow(&w, &mark, &got);
                if (i == 49)
                        CHECK_INT(got.count, 0);
                if (i == 5000) /* what is not wanted is passed over */
                        histogram_window_follow(&w, &mark, NULL);
                if (i == 5000)
                        memset(&got, 0, sizeof(got)), memset(&all, 0, sizeof(all));
        }
        histogram_window_follow(&w, &mark, &got);
        CHECK(got.count > 0);
        CHECK(memcmp(&got, &all, sizeof(got)) == 0);
}

TEST(a_late_value_counts_in_the_running_period) {
        struct histogram_window w = { 0 };
        struct histogram h;

        histogram_window_add(&w, 10 * SEC, 5);
        histogram_window_add(&w, 9 * SEC, 5);
        histogram_window_get(&w, 9 * SEC, &h);
        CHECK_INT(h.count, 2);
}

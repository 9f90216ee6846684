/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "plot-math.h"
#include "test.h"

#define ROUNDS 300
#define SAMPLES_MAX 2000
#define COLUMNS_MAX 500

/* By the definition: sample after sample for each column. */
static void reference(struct plot_column *columns, int64_t n_columns, int64_t t0, int64_t t1, const int64_t *t, const float *v,
                      size_t n) {
        for (int64_t c = 0; c < n_columns; c++) {
                columns[c] = (struct plot_column){ INFINITY, -INFINITY };
                for (size_t i = 0; i < n; i++) {
                        int64_t scaled = (t[i] - t0) * n_columns;

                        if (t[i] < t0 || scaled < c * (t1 - t0) || scaled >= (c + 1) * (t1 - t0) || !isfinite(v[i]))
                                continue;
                        columns[c].min = fminf(columns[c].min, v[i]);
                        columns[c].max = fmaxf(columns[c].max, v[i]);
                }
        }
}

static float random_value(uint64_t *seed) {
        uint64_t r = test_random(seed);

        if (r % 17 == 0)
                return NAN;
        if (r % 101 == 0)
                return INFINITY;
        return (float) (r % 1000000) / 7;
}

TEST(decimation_equals_the_slow_reference) {
        static struct plot_column fast[COLUMNS_MAX], slow[COLUMNS_MAX];
        static int64_t t[SAMPLES_MAX];
        static float v[SAMPLES_MAX];
        uint64_t seed = test_seed();

        for (int round = 0; round < ROUNDS; round++) {
                size_t n = test_random(&seed) % SAMPLES_MAX;
                size_t n_columns = 1 + test_random(&seed) % COLUMNS_MAX;
                int64_t t0 = (int64_t) (test_random(&seed) % 1000000), t1 = t0 + 1 + (int64_t) (test_random(&seed) % 60000000);
                size_t split = n ? test_random(&seed) % n : 0;

                for (size_t i = 0; i < n; i++) {
                        /* also before and after the span */
                        t[i] = t0 - 1000 + (int64_t) (test_random(&seed) % (uint64_t) (t1 - t0 + 2000));
                        v[i] = random_value(&seed);
                }
                plot_columns_clear(fast, n_columns);
                plot_columns_add(fast, n_columns, t0, t1, t, v, split);
                plot_columns_add(fast, n_columns, t0, t1, t + split, v + split, n - split);
                reference(slow, (int64_t) n_columns, t0, t1, t, v, n);
                CHECK(memcmp(fast, slow, n_columns * sizeof(*fast)) == 0);
        }
}

TEST(no_extreme_is_lost_when_samples_share_a_pixel) {
        struct plot_column column[1];
        int64_t t[] = { 0, 1, 2, 3 };
        float v[] = { 5, 900, -2, 6 };

        plot_columns_clear(column, 1);
        plot_columns_add(column, 1, 0, 4, t, v, 4);
        CHECK(column[0].min == -2 && column[0].max == 900);
}

TEST(both_ends_of_the_span_are_where_they_belong) {
        struct plot_column columns[10];
        int64_t t[] = { 99, 100, 199, 200 };
        float v[] = { 1, 2, 3, 4 };

        plot_columns_clear(columns, 10);
        plot_columns_add(columns, 10, 100, 200, t, v, 4);
        CHECK(columns[0].min == 2 && columns[0].max == 2);
        CHECK(columns[9].min == 3 && columns[9].max == 3);
        for (int i = 1; i < 9; i++)
                CHECK(columns[i].min > columns[i].max);
}

TEST(the_longest_span_on_the_widest_screen_does_not_overflow) {
        static struct plot_column columns[7680];
        int64_t span = INT64_C(30) * 60 * 1000000, t = INT64_MAX / 2 + span - 1;
        float v = 1;

        plot_columns_clear(columns, 7680);
        plot_columns_add(columns, 7680, INT64_MAX / 2, INT64_MAX / 2 + span, &t, &v, 1);
        CHECK(columns[7679].max == 1);
}

TEST(empty_columns_have_no_largest_value) {
        struct plot_column columns[3];

        plot_columns_clear(columns, 3);
        CHECK(plot_columns_max(columns, 3) == 0);
}

static bool is_nice(double d) {
        double mantissa = d / pow(10, floor(log10(d) + 1e-9));

        for (const double *n = (const double[]){ 1, 2, 5, 0 }; *n != 0; n++)
                if (fabs(mantissa - *n) < 1e-6)
                        return true;
        return false;
}

TEST(a_nice_ceiling_is_the_least_nice_number_above) {
        uint64_t seed = test_seed();

        for (int i = 0; i < 10000; i++) {
                double value = ldexp((double) (1 + test_random(&seed) % 1000000), (int) (test_random(&seed) % 60) - 20);
                double nice = plot_nice_ceiling(value);

                CHECK(is_nice(nice));
                CHECK(nice >= value);
                CHECK(nice < value * 2.5 * (1 + 1e-9));
        }
        CHECK(plot_nice_ceiling(5) == 5);
        CHECK(plot_nice_ceiling(1000) == 1000);
        CHECK(plot_nice_ceiling(0) == 1);
        CHECK(plot_nice_ceiling(-3) == 1);
        CHECK(plot_nice_ceiling((double) NAN) == 1);
        CHECK(plot_nice_ceiling((double) INFINITY) == 1);
}

TEST(a_scale_grows_at_once_and_shrinks_late) {
        double top = plot_scale_follow(0, 70, 1);

        CHECK(top == 100);
        CHECK((top = plot_scale_follow(top, 101, 1)) == 200);
        CHECK((top = plot_scale_follow(top, 90, 1)) == 200);
        CHECK((top = plot_scale_follow(top, 67, 1)) == 200);
        CHECK((top = plot_scale_follow(top, 60, 1)) == 100);
        CHECK((top = plot_scale_follow(top, 0, 10)) == 10);
}

TEST(ticks_are_even_end_at_the_top_and_never_too_many) {
        for (int exponent = -3; exponent < 12; exponent++)
                for (const double *n = (const double[]){ 1, 2, 5, 0 }; *n != 0; n++)
                        for (size_t max = 1; max <= 6; max++) {
                                double top = *n * pow(10, exponent), ticks[6];
                                size_t count = plot_ticks(top, max, ticks);

                                CHECK(count >= 1 && count <= max);
                                CHECK(fabs(ticks[count - 1] - top) <= top * 1e-9);
                                for (size_t i = 1; i < count; i++)
                                        CHECK(fabs(ticks[i] - ticks[i - 1] - ticks[0]) <= top * 1e-9);
                        }
}

TEST(an_axis_of_durations_has_as_much_room_for_a_short_one_as_for_one_a_hundred_times_as_long) {
        double ticks[2], top = plot_axis_follow(PLOT_UNIT_DURATION_US, 0, 500000);

        CHECK(top == 1e6);
        CHECK(fabs(plot_axis_position(PLOT_UNIT_DURATION_US, 1000, top) - 0.4) < 1e-9);
        CHECK(fabs(plot_axis_position(PLOT_UNIT_DURATION_US, 100000, top) - 0.8) < 1e-9);
        CHECK(plot_axis_position(PLOT_UNIT_DURATION_US, 0, top) == 0);
        CHECK(plot_axis_position(PLOT_UNIT_DURATION_US, top, top) == 1);
        CHECK_INT((int) plot_axis_ticks(PLOT_UNIT_DURATION_US, top, 2, ticks), 2);
        CHECK(fabs(ticks[0] - 1e3) < 1e-6 && ticks[1] == top);
        CHECK_INT((int) plot_axis_ticks(PLOT_UNIT_DURATION_US, 1e4, 2, ticks), 2);
        CHECK(fabs(ticks[0] - 100) < 1e-6 && ticks[1] == 1e4);
}

TEST(an_axis_of_durations_grows_at_once_and_shrinks_late) {
        double top = plot_axis_follow(PLOT_UNIT_DURATION_US, 0, 3);

        CHECK(top == 1e4);
        CHECK((top = plot_axis_follow(PLOT_UNIT_DURATION_US, top, 10001)) == 1e5);
        CHECK((top = plot_axis_follow(PLOT_UNIT_DURATION_US, top, 9000)) == 1e5);
        CHECK((top = plot_axis_follow(PLOT_UNIT_DURATION_US, top, 4000)) == 1e4);
        CHECK(plot_axis_follow(PLOT_UNIT_REQUESTS, 0, 7) == 10);
        CHECK(plot_axis_position(PLOT_UNIT_REQUESTS, 5, 10) == 0.5);
}

TEST(numbers_are_short_and_have_a_unit) {
        char buf[32];

        CHECK_STR(plot_format(PLOT_UNIT_DURATION_US, 64000, buf, sizeof(buf)), "64 ms");
        CHECK_STR(plot_format(PLOT_UNIT_DURATION_US, 12500, buf, sizeof(buf)), "12.5 ms");
        CHECK_STR(plot_format(PLOT_UNIT_BYTES_PER_S, 97e6, buf, sizeof(buf)), "97 MB/s");
        CHECK_STR(plot_format(PLOT_UNIT_REQUESTS, 3.24, buf, sizeof(buf)), "3.2");
        CHECK_STR(plot_format(PLOT_UNIT_REQUESTS, 31.4, buf, sizeof(buf)), "31");
        CHECK_STR(plot_format(PLOT_UNIT_REQUESTS, 5, buf, sizeof(buf)), "5");
        CHECK_STR(plot_format(PLOT_UNIT_DURATION_US, (double) NAN, buf, sizeof(buf)), "0 µs");
        CHECK_STR(plot_format(PLOT_UNIT_REQUESTS, (double) NAN, buf, sizeof(buf)), "0");
        CHECK_STR(plot_format(PLOT_UNIT_BYTES_PER_S, -1, buf, sizeof(buf)), "0 B/s");
        CHECK_STR(plot_format(PLOT_UNIT_BYTES_PER_S, 1e30, buf, sizeof(buf)), "18 EB/s");
}

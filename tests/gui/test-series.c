/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "series.h"
#include "test.h"

TEST(the_newest_push_out_the_oldest) {
        struct series *s = series_new(3, 2);

        for (int i = 1; i <= 5; i++)
                CHECK(series_append(s, i * 10, (float[]){ (float) i, (float) -i }));
        CHECK_INT(series_count(s), 3);
        CHECK_INT(series_serial(s), 5);
        for (size_t i = 0; i < 3; i++) {
                CHECK_INT(series_time(s, i), ((int64_t) i + 3) * 10);
                CHECK(series_value(s, 0, i) == (float) (i + 3));
                CHECK(series_value(s, 1, i) == -(float) (i + 3));
        }
        s = series_free(s);
        CHECK(!s);
}

TEST(time_does_not_run_backwards) {
        struct series *s = series_new(4, 1);

        CHECK(series_append(s, 100, (float[]){ 1 }));
        CHECK(!series_append(s, 100, (float[]){ 2 }));
        CHECK(!series_append(s, 99, (float[]){ 3 }));
        CHECK_INT(series_count(s), 1);
        CHECK_INT(series_serial(s), 1);
        series_free(s);
}

TEST(runs_have_every_sample_once_and_in_order) {
        uint64_t seed = test_seed();

        for (size_t capacity = 1; capacity < 40; capacity++) {
                struct series *s = series_new(capacity, 3);
                size_t n = test_random(&seed) % 100;
                struct series_run runs[2];

                for (size_t i = 0; i < n; i++)
                        series_append(s, (int64_t) i, (float[]){ 0, (float) i, NAN });
                series_runs(s, 1, runs);
                CHECK_INT(runs[0].n + runs[1].n, series_count(s));
                for (size_t i = 0; i < series_count(s); i++) {
                        const struct series_run *r = i < runs[0].n ? &runs[0] : &runs[1];
                        size_t k = i < runs[0].n ? i : i - runs[0].n;

                        CHECK_INT(r->t_us[k], series_time(s, i));
                        CHECK(r->values[k] == series_value(s, 1, i));
                }
                series_free(s);
        }
}

TEST(nearest_is_the_nearest_or_nothing) {
        struct series *s = series_new(4, 1);
        size_t i = 99;

        CHECK(!series_nearest(s, 0, 1000, &i));
        for (int k = 0; k < 6; k++) /* 20, 30, 40, 50 remain */
                series_append(s, k * 10, (float[]){ 0 });
        CHECK(series_nearest(s, 34, 10, &i) && i == 1);
        CHECK(series_nearest(s, 36, 10, &i) && i == 2);
        CHECK(series_nearest(s, 12, 10, &i) && i == 0);
        CHECK(series_nearest(s, 60, 10, &i) && i == 3);
        i = 99;
        CHECK(!series_nearest(s, 61, 10, &i));
        CHECK(!series_nearest(s, 9, 10, &i));
        CHECK_INT(i, 99);
        series_free(s);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "history.h"
#include "macro.h"
#include "test.h"

#define ROUNDS 200
#define APPENDED_MAX 3000
#define COLUMNS_MAX 300
#define MINUTE_US INT64_C(60000000)

/* Everything that was ever appended to one channel. */
struct all {
        int64_t t[APPENDED_MAX];
        float v[APPENDED_MAX];
        size_t n;
};

struct shape {
        size_t n_samples, n_buckets;
        int64_t bucket_us, step_us;
};

static float random_value(uint64_t *seed) {
        uint64_t r = test_random(seed);

        return r % 13 == 0 ? NAN : (float) (r % 1000000) / 7;
}

/* Steps are up to twice step_us, and now and then there is a pause. */
static struct history *fill(struct shape shape, struct all *all, size_t n, uint64_t *seed) {
        struct history *h = history_new(2, shape.n_samples, shape.n_buckets, shape.bucket_us);
        int64_t t = (int64_t) (test_random(seed) % 1000000);

        for (all->n = 0; all->n < n; all->n++) {
                t += 1 + (int64_t) (test_random(seed) % (uint64_t) (2 * shape.step_us));
                if (test_random(seed) % 200 == 0)
                        t += 20 * shape.bucket_us;
                all->t[all->n] = t;
                all->v[all->n] = random_value(seed);
                if (!history_append(h, t, (float[]){ NAN, all->v[all->n] }))
                        abort();
        }
        return h;
}

static struct shape random_shape(uint64_t *seed) {
        return (struct shape){ .n_samples = 1 + test_random(seed) % 200, .n_buckets = 1 + test_random(seed) % 100,
                               .bucket_us = 1 + (int64_t) (test_random(seed) % 5000), .step_us = 1 + (int64_t) (test_random(seed) % 2000) };
}

/* The extremes of all values from begin to before end, by going through them all. */
static struct plot_column reference(const struct all *all, int64_t begin, int64_t end) {
        struct plot_column c = { INFINITY, -INFINITY };

        for (size_t i = 0; i < all->n; i++) {
                if (all->t[i] < begin || all->t[i] >= end || !isfinite(all->v[i]))
                        continue;
                c.min = fminf(c.min, all->v[i]);
                c.max = fmaxf(c.max, all->v[i]);
        }
        return c;
}

static bool is_within(struct plot_column inner, struct plot_column outer) {
        return inner.min > inner.max || (inner.min >= outer.min && inner.max <= outer.max);
}

TEST(columns_are_exact_where_samples_are_kept_and_no_further_off_than_a_bucket_before) {
        static struct plot_column columns[COLUMNS_MAX];
        static struct all all;
        uint64_t seed = test_seed();

        for (int round = 0; round < ROUNDS; round++) {
                struct shape shape = random_shape(&seed);
                struct history *h = fill(shape, &all, 1 + test_random(&seed) % APPENDED_MAX, &seed);
                size_t n = 1 + test_random(&seed) % COLUMNS_MAX;
                int64_t column_us = 1 + (int64_t) (test_random(&seed) % 10000);
                int64_t t0 = history_newest_us(h) + 1 - column_us * (int64_t) n, exact = history_exact_from_us(h);

                history_columns(h, 1, t0, column_us, columns, n);
                for (size_t c = 0; c < n; c++) {
                        int64_t begin = t0 + column_us * (int64_t) c, end = begin + column_us;
                        struct plot_column near = reference(&all, begin - shape.bucket_us, end + shape.bucket_us);
                        struct plot_column is = reference(&all, begin, end);

                        if (begin >= exact)
                                CHECK(columns[c].min == is.min && columns[c].max == is.max);
                        else
                                CHECK(is_within(columns[c], near));
                }
                CHECK(!history_free(h));
        }
}

/* Whether fewer buckets began after sample i's than there is room for. */
static bool is_kept(const struct all *all, const struct shape *shape, size_t i) {
        size_t later = 0;

        for (size_t k = i + 1; k < all->n; k++)
                later += all->t[k] / shape->bucket_us != all->t[k - 1] / shape->bucket_us;
        return later < shape->n_buckets;
}

TEST(no_value_is_lost_for_as_long_as_its_bucket_is_kept) {
        static struct plot_column columns[COLUMNS_MAX];
        static struct all all;
        uint64_t seed = test_seed();

        for (int round = 0; round < ROUNDS; round++) {
                struct shape shape = random_shape(&seed);
                struct history *h = fill(shape, &all, 1 + test_random(&seed) % 400, &seed);
                int64_t t0 = all.t[0] - shape.bucket_us, span = history_newest_us(h) + 1 - t0;
                size_t n = 1 + test_random(&seed) % COLUMNS_MAX;
                int64_t column_us = span / (int64_t) n + 1;

                history_columns(h, 1, t0, column_us, columns, n);
                for (size_t i = 0; i < all.n; i++) {
                        bool found = !isfinite(all.v[i]) || !is_kept(&all, &shape, i);
                        int64_t first = (all.t[i] - shape.bucket_us - t0) / column_us, last = (all.t[i] + shape.bucket_us - t0) / column_us;

                        for (int64_t c = first < 0 ? 0 : first; !found && c <= last && c < (int64_t) n; c++)
                                found = columns[c].min <= all.v[i] && columns[c].max >= all.v[i];
                        CHECK(found);
                }
                history_free(h);
        }
}

TEST(half_an_hour_of_samples_is_kept_however_often_they_come) {
        static const int64_t steps_us[] = { 100000, 500000, 1000000, 2500000 };
        const int64_t begin_us = 70 * MINUTE_US, peak_us = begin_us + 5000000;

        for (size_t i = 0; i < ARRAY_SIZE(steps_us); i++) {
                struct history *h = history_new(1, 360, 361, 5000000);
                struct plot_column column[1];

                for (int64_t t = 0; t <= begin_us + 30 * MINUTE_US; t += steps_us[i])
                        history_append(h, t, (float[]){ t == peak_us ? 777 : 1 });
                history_columns(h, 0, begin_us, 30 * MINUTE_US, column, 1);
                CHECK(column[0].min == 1 && column[0].max == 777);
                history_free(h);
        }
}

TEST(a_moment_is_the_nearest_sample_or_the_bucket_around_it) {
        struct history *h = history_new(1, 3, 10, 100);
        int64_t found = -1;

        CHECK(!history_find(h, 0, 1000, &found));
        for (int i = 0; i < 10; i++) /* 0, 30, ... 270: 210, 240 and 270 are kept */
                history_append(h, i * 30, (float[]){ (float) i });
        CHECK_INT(history_exact_from_us(h), 210);
        CHECK(history_find(h, 229, 20, &found) && found == 240);
        CHECK(history_at(h, 0, found).min == 8 && history_at(h, 0, found).max == 8);
        CHECK(history_find(h, 130, 20, &found) && found == 150);
        CHECK(history_at(h, 0, found).min == 4 && history_at(h, 0, found).max == 6);
        CHECK(history_find(h, 205, 20, &found) && found == 209); /* in the bucket that the exact ones begin in */
        CHECK(history_at(h, 0, found).min == 7 && history_at(h, 0, found).max == 9);
        CHECK(!history_find(h, -1, 20, &found));
        CHECK(!history_find(h, 1000, 20, &found));
        CHECK(history_at(h, 0, 5000).min > history_at(h, 0, 5000).max);
        history_free(h);
}

TEST(what_is_nothing_to_show_is_nothing_in_every_part) {
        struct history *h = history_new(1, 2, 10, 100);
        struct plot_column columns[4];

        for (int i = 0; i < 9; i++)
                history_append(h, i * 50, (float[]){ i % 3 ? NAN : INFINITY });
        history_columns(h, 0, 0, 100, columns, 4);
        for (int i = 0; i < 4; i++)
                CHECK(columns[i].min > columns[i].max);
        CHECK(history_at(h, 0, 400).min > history_at(h, 0, 400).max);
        CHECK(history_at(h, 0, 50).min > history_at(h, 0, 50).max);
        history_free(h);
}

TEST(lines_part_at_a_pause_and_not_between_two_buckets) {
        struct history *h = history_new(1, 2, 10, 100);

        for (int i = 0; i < 20; i++)
                history_append(h, i * 50, (float[]){ 1 });
        CHECK_INT(history_distance_us(h, 900, 60), 60);
        CHECK_INT(history_distance_us(h, 0, 60), 160);
        history_free(h);
}

TEST(time_that_does_not_run_forwards_changes_nothing) {
        struct history *h = history_new(1, 4, 4, 100);

        CHECK(history_append(h, -50, (float[]){ 1 })); /* before the clock's beginning, too, a bucket begins before its samples */
        CHECK(history_append(h, 500, (float[]){ 1 }));
        CHECK(!history_append(h, 500, (float[]){ 99 }));
        CHECK(!history_append(h, 100, (float[]){ 99 }));
        CHECK(history_at(h, 0, 500).max == 1);
        CHECK_INT(history_newest_us(h), 500);
        history_free(h);
}

TEST(the_last_marks_are_kept_and_what_happens_at_once_is_one) {
        struct history *h = history_new(1, 10, 10, 1000);
        const int64_t *marks;
        int64_t sum = 0;
        size_t n;

        history_marks(h, &n);
        CHECK_INT(n, 0);
        for (int64_t i = 0; i < HISTORY_MARKS + 10; i++) {
                history_mark(h, i * 1000000);
                history_mark(h, i * 1000000 + 400000);
                history_mark(h, i * 1000000 - 400000);
        }
        marks = history_marks(h, &n);
        CHECK_INT(n, HISTORY_MARKS);
        for (size_t i = 0; i < n; i++)
                sum += marks[i] / 1000000;
        CHECK_INT(sum, (10 + HISTORY_MARKS + 9) * HISTORY_MARKS / 2); /* 10 to HISTORY_MARKS + 9 */
        history_free(h);
}

TEST(a_day_of_samples_takes_no_byte_more_than_none) {
        struct mallinfo2 without = mallinfo2();
        struct history *h = history_new(9, 360, 361, 5000000);
        float values[9] = { 0 };
        struct mallinfo2 before = mallinfo2();

        CHECK(before.uordblks - without.uordblks <= 64 * 1024);
        for (int64_t s = 0; s < 24 * 60 * 60; s++) {
                values[s % 9] = (float) s;
                CHECK(history_append(h, s * 1000000, values));
        }
        CHECK_INT(mallinfo2().uordblks, before.uordblks);
        CHECK_INT(series_count(history_samples(h)), 360);
        history_free(h);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recent.h"
#include "test.h"

#define PERIOD HISTOGRAM_PERIOD_NS

TEST(a_sum_is_over_one_to_two_periods) {
        struct recent_sum s = { 0 };

        recent_add(&s, PERIOD, 10);
        CHECK_INT(recent_get(&s, PERIOD), 10);
        recent_add(&s, 2 * PERIOD, 5); /* the next period */
        CHECK_INT(recent_get(&s, 2 * PERIOD), 15);
        CHECK_INT(recent_get(&s, 3 * PERIOD - 1), 15);
        CHECK_INT(recent_get(&s, 3 * PERIOD), 5);
        CHECK_INT(recent_get(&s, 4 * PERIOD), 0);
}

TEST(nothing_added_is_no_part_of_anything) {
        const struct recent_sum s = { 0 };

        CHECK_INT(recent_permille(&s, PERIOD, PERIOD), 0);
        CHECK_INT(recent_permille(&s, PERIOD, 100 * PERIOD), 0);
}

TEST(a_part_is_of_the_time_that_the_sum_is_over) {
        struct recent_sum s = { 0 };

        recent_add(&s, 10 * PERIOD, PERIOD / 4);
        CHECK_INT(recent_permille(&s, 10 * PERIOD, 10 * PERIOD + PERIOD / 2), 500); /* counted since its first */
        CHECK_INT(recent_permille(&s, 1, 10 * PERIOD), 250);                        /* for long: the period before was empty */
        recent_add(&s, 10 * PERIOD, 9 * PERIOD);
        CHECK_INT(recent_permille(&s, 10 * PERIOD, 10 * PERIOD + 1), 1000);
}

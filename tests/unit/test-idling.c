/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "idling.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC
#define BEGIN (10 * NSEC_PER_SEC)
#define A 1
#define B 2

/* A's read is done at t, and the drive has nothing else. */
static void served(struct idling *i, nsec_t t, uint64_t waiting) {
        idling_done(i, t, 0, A);
        idling_follow(i, t, waiting, 0, A);
}

TEST(an_idle_window_lasts_to_the_next_dispatch_and_no_longer_than_slice_idle) {
        struct idling i = { 0 };

        served(&i, BEGIN, 0);
        CHECK_INT(idling_follow(&i, BEGIN + 3 * MSEC, 0, 8, A), 0);
        CHECK_INT(recent_get(&i.window_ns, BEGIN + 3 * MSEC), 3 * MSEC);
        served(&i, BEGIN + 10 * MSEC, 0);
        idling_follow(&i, BEGIN + 25 * MSEC, 0, 8, A);
        CHECK_INT(recent_get(&i.window_ns, BEGIN + 25 * MSEC), 3 * MSEC + SLICE_IDLE_NS);
        CHECK_INT(recent_get(&i.hole_ns, BEGIN + 25 * MSEC), 0); /* nothing waited */
}

TEST(a_drive_at_rest_is_no_window) {
        struct idling i = { 0 };

        served(&i, BEGIN, 0);
        idling_follow(&i, BEGIN + IDLING_MAX_NS + 1, 0, 8, A);
        CHECK_INT(recent_get(&i.window_ns, BEGIN + IDLING_MAX_NS + 1), 0);
        idling_done(&i, BEGIN + 30 * MSEC, 8, A); /* others are at the drive */
        idling_follow(&i, BEGIN + 30 * MSEC, 0, 8, A);
        idling_follow(&i, BEGIN + 33 * MSEC, 0, 16, A);
        CHECK_INT(recent_get(&i.window_ns, BEGIN + 33 * MSEC), 0);
}

TEST(a_hole_is_the_part_in_which_something_waits_and_is_filled_by_the_process_that_was_waited_for) {
        struct idling i = { 0 };

        served(&i, BEGIN, 0);
        idling_follow(&i, BEGIN + 2 * MSEC, 8, 0, 0); /* B asks, and the drive still waits for A */
        idling_follow(&i, BEGIN + 4 * MSEC, 16, 0, 0);
        CHECK_INT(idling_follow(&i, BEGIN + 4 * MSEC, 8, 8, A), 2 * MSEC);
        CHECK_INT(recent_get(&i.filled_ns, BEGIN + 5 * MSEC), 2 * MSEC);
        served(&i, BEGIN + 10 * MSEC, 8);
        CHECK_INT(idling_follow(&i, BEGIN + 18 * MSEC, 0, 8, B), 8 * MSEC); /* in vain */
        CHECK_INT(recent_get(&i.filled_ns, BEGIN + 18 * MSEC), 2 * MSEC);
        CHECK_INT(recent_get(&i.hole_ns, BEGIN + 18 * MSEC), 10 * MSEC);
        CHECK_INT(recent_get(&i.window_ns, BEGIN + 18 * MSEC), 12 * MSEC);
}

TEST(what_no_scheduler_makes_is_no_hole) {
        struct idling i = { 0 };

        served(&i, BEGIN, 8);
        CHECK_INT(idling_follow(&i, BEGIN + HOLE_MIN_NS - 1, 0, 8, B), 0);
        served(&i, BEGIN + 10 * MSEC, 8);
        CHECK_INT(idling_follow(&i, BEGIN + 10 * MSEC + HOLE_MAX_NS + 1, 0, 8, B), 0);
        idling_follow(&i, BEGIN + 40 * MSEC, 8, 0, 0);
        idling_follow(&i, BEGIN + 45 * MSEC, 0, 0, 0); /* what waited was given up */
        CHECK_INT(idling_follow(&i, BEGIN + 50 * MSEC, 0, 8, B), 0);
        CHECK_INT(recent_get(&i.hole_ns, BEGIN + 50 * MSEC), 0);
}

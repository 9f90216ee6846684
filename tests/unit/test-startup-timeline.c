/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-timeline.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC

static struct startup_slice sum(const struct startup_timeline *t) {
        struct startup_slice all = { 0 };

        for (size_t i = 0; i < STARTUP_SLICES_MAX; i++) {
                all.computing_us += t->slices[i].computing_us;
                all.waited_us += t->slices[i].waited_us;
                all.behind_us += t->slices[i].behind_us;
                all.read_bytes += t->slices[i].read_bytes;
        }
        return all;
}

TEST(what_is_done_over_several_slices_is_spread_evenly) {
        struct startup_timeline t = { 0 };

        startup_timeline_add(&t, 10 * MSEC, 60 * MSEC, &(struct startup_slice){ .computing_us = 50000, .read_bytes = 5000, .waited_us = 500, .behind_us = 50 });
        CHECK_INT(t.width, STARTUP_SLICE_NS);
        CHECK_INT(t.n, 3);
        CHECK_INT(t.slices[0].computing_us, 10000);
        CHECK_INT(t.slices[1].computing_us, 20000);
        CHECK_INT(t.slices[2].computing_us, 20000);
        CHECK_INT(t.slices[1].read_bytes, 2000);
        CHECK_INT(t.slices[2].waited_us, 200);
        CHECK_INT(t.slices[0].behind_us, 10);
}

TEST(a_long_start_has_wider_slices_and_the_same_sums) {
        struct startup_timeline t = { 0 };
        uint64_t state = test_seed();
        struct startup_slice all, told = { 0 };
        nsec_t now = 0;

        while (now < 60 * NSEC_PER_SEC) {
                nsec_t next = now + (1 + test_random(&state) % 200) * MSEC;
                struct startup_slice s = { .computing_us = test_random(&state) % 20000, .waited_us = test_random(&state) % 20000,
                                           .behind_us = test_random(&state) % 1000, .read_bytes = test_random(&state) % 1000000 };
                startup_timeline_add(&t, now, next, &s);
                told.computing_us += s.computing_us;
                told.waited_us += s.waited_us;
                told.behind_us += s.behind_us;
                told.read_bytes += s.read_bytes;
                now = next;
        }
        all = sum(&t);
        CHECK_INT(t.width, 64 * STARTUP_SLICE_NS);
        CHECK_INT(t.n, (now + t.width - 1) / t.width);
        CHECK_INT(all.computing_us, told.computing_us);
        CHECK_INT(all.waited_us, told.waited_us);
        CHECK_INT(all.behind_us, told.behind_us);
        CHECK_INT(all.read_bytes, told.read_bytes);
}

TEST(what_was_done_before_it_comes_in_front_of_it) {
        struct startup_timeline t = { 0 }, first = { 0 };

        startup_timeline_add(&first, 0, 60 * MSEC, &(struct startup_slice){ .read_bytes = 300 });
        startup_timeline_add(&t, 0, 40 * MSEC, &(struct startup_slice){ .read_bytes = 4000 });
        startup_timeline_prepend(&t, &first, 50 * MSEC);
        CHECK_INT(t.n, 5); /* 90 ms */
        CHECK_INT(t.slices[0].read_bytes, 100);
        CHECK_INT(t.slices[2].read_bytes, 100 + 1000);
        CHECK_INT(t.slices[3].read_bytes, 2000);
        CHECK_INT(t.slices[4].read_bytes, 1000);
}

TEST(what_came_after_the_end_is_cut_off) {
        struct startup_timeline t = { 0 };

        startup_timeline_add(&t, 0, 200 * MSEC, &(struct startup_slice){ .read_bytes = 1000 });
        startup_timeline_cut(&t, 90 * MSEC);
        CHECK_INT(t.n, 5); /* the last reaches beyond */
        CHECK_INT(sum(&t).read_bytes, 500);
        startup_timeline_cut(&t, 90 * MSEC);
        CHECK_INT(t.n, 5);
        startup_timeline_cut(&t, 0);
        CHECK_INT(t.n, 0);
        CHECK_INT(sum(&t).read_bytes, 0);
}

TEST(what_was_done_side_by_side_is_cut_to_the_time_that_it_took_waiting_first) {
        struct startup_timeline t = { 0 };

        for (int i = 0; i < 2; i++) /* two that were handed over to each other */
                startup_timeline_add(&t, 0, 50 * MSEC, &(struct startup_slice){ .computing_us = 40000, .waited_us = 15000, .behind_us = 5000 });
        startup_timeline_cut(&t, 50 * MSEC);
        CHECK_INT(t.slices[0].waited_us, 12000);
        CHECK_INT(t.slices[0].behind_us, 4000);
        CHECK_INT(t.slices[0].computing_us, 8000);
        CHECK_INT(sum(&t).computing_us + sum(&t).waited_us, 50000);
        for (int i = 0; i < 2; i++)
                startup_timeline_add(&t, 0, 20 * MSEC, &(struct startup_slice){ .waited_us = 20000, .behind_us = 20000 });
        startup_timeline_cut(&t, 50 * MSEC);
        CHECK_INT(t.slices[0].waited_us, 20000);
        CHECK_INT(t.slices[0].behind_us, 20000);
        CHECK_INT(t.slices[0].computing_us, 0);
}

TEST(what_was_done_side_by_side_counts_as_waiting_for_memory_for_a_drive_as_computing_and_as_waiting_for_a_processor_in_this_order) {
        struct startup_slice all = { .memory_us = 9000, .waited_us = 9000, .computing_us = 9000, .queued_us = 9000, .behind_us = 9000 };
        struct startup_slice little = { .waited_us = 1, .memory_us = 2, .computing_us = 3, .queued_us = 4, .behind_us = 1 };

        startup_slice_fit(&all, 20000);
        CHECK(all.waited_us == 9000 && all.memory_us == 9000 && all.computing_us == 2000 && all.queued_us == 0 && all.behind_us == 9000);
        startup_slice_fit(&all, 5000);
        CHECK(all.memory_us == 5000 && all.waited_us == 0 && all.computing_us == 0 && all.behind_us == 0);
        startup_slice_fit(&little, 20000);
        CHECK(little.waited_us == 1 && little.memory_us == 2 && little.computing_us == 3 && little.queued_us == 4 && little.behind_us == 1);
}

TEST(what_comes_after_more_than_any_start_takes_is_left_out) {
        struct startup_timeline t = { 0 };

        startup_timeline_add(&t, 0, 64 * MSEC, &(struct startup_slice){ .read_bytes = 1000 });
        startup_timeline_add(&t, UINT64_MAX - MSEC, UINT64_MAX, &(struct startup_slice){ .read_bytes = 1000 });
        CHECK_INT(t.width, STARTUP_SLICE_MAX_NS);
        CHECK_INT(sum(&t).read_bytes, 1000);
}

TEST(nothing_of_no_time_and_very_much_are_taken) {
        struct startup_timeline t = { 0 };

        startup_timeline_cut(&t, MSEC);
        startup_timeline_add(&t, MSEC, MSEC, &(struct startup_slice){ .read_bytes = 1000 });
        CHECK_INT(t.n, 0);
        for (int i = 0; i < 3; i++)
                startup_timeline_add(&t, 0, MSEC, &(struct startup_slice){ .read_bytes = UINT32_MAX });
        CHECK_INT(t.slices[0].read_bytes, UINT32_MAX);
}

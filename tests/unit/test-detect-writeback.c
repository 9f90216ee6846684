/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detection.h"
#include "test.h"
#include "told.h"

/* So many seconds of the last five, on a disk with heads that is written to at 100 MB/s. */
static struct device_view *write_for(unsigned seconds, uint32_t reads, uint32_t read_ms) {
        struct device_view *v = begin_drive();

        v->settings = (struct drive_settings){ .known = true, .rotational = true, .scheduler = "mq-deadline", .wbt_us = 75000, .nr_requests = 256, .queue_depth = 32 };
        for (unsigned i = 0; i < seconds; i++)
                v->writing[i] = (struct writing_second){ .span_us = 1000000, .reads = reads, .read_sectors = reads * 8, .read_ms = read_ms, .writes = 400,
                                                         .write_sectors = 195312, .busy_ms = 1000, .queue_ms = 30000 };
        return v;
}

TEST(reads_that_starve_behind_writes_say_how_long_they_take_and_which_process_writes) {
        struct device_view *v = write_for(3, 10, 4800);
        const struct verdict *verdict;

        v->alone_us = 12000;
        add_process(30, "dd")->write_bytes_per_s = 90000000;
        add_process(31, "tar")->write_bytes_per_s = 10000000;
        verdict = find_about(VERDICT_WRITEBACK, 0);
        CHECK(verdict);
        CHECK_STR(told(verdict->sentence), "a read takes 480 ms (alone 12 ms) while 100 MB/s are written, 90 % of it by dd");
        CHECK_INT(verdict->culprit.tgid, 30);
        CHECK_INT(verdict->severity, 960);
        CHECK_INT(verdict_evidence(verdict, "read-latency-alone", 0), 12000);
}

TEST(seconds_that_add_up_to_more_than_a_number_holds_are_survived) {
        struct device_view *v = write_for(3, 10, 4800);

        v->alone_us = 12000;
        for (size_t i = 0; i < 3; i++) { /* 2^32 us in all, as no drive tells them, but a recording may */
                v->writing[i].span_us = i == 0 ? 1u << 31 : 1u << 30;
                v->writing[i].queue_ms = 30u << 20;
        }
        CHECK(find_about(VERDICT_WRITEBACK, 0));
}

TEST(two_bad_seconds_are_no_finding_and_one_good_second_ends_none) {
        struct device_view *v = write_for(2, 10, 4800);

        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v = write_for(3, 10, 4800);
        CHECK(find_about(VERDICT_WRITEBACK, 0));
        v->writing[2].read_ms = 10;
        CHECK(find_about(VERDICT_WRITEBACK, 0));
        v->writing[1].read_ms = 10;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v->writing[1].read_ms = 4800;
        CHECK(!find_about(VERDICT_WRITEBACK, 0)); /* that is not enough to begin */
}

TEST(reads_no_slower_than_four_times_what_they_take_alone_do_not_starve) {
        struct device_view *v = write_for(5, 10, 470);

        v->settings.wbt_us = 0;
        v->alone_us = 12000; /* the limit is 48 ms */
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v->alone_us = 11000;
        CHECK(find_about(VERDICT_WRITEBACK, 0));
        v->alone_us = 900000; /* learnt while readers were in each other's way: 25 ms is taken for it */
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
}

TEST(on_flash_reads_of_less_than_20_ms_do_not_starve_and_are_no_persons_concern) {
        struct device_view *v = write_for(5, 100, 1900);

        v->settings.wbt_us = 0;
        v->settings.rotational = false;
        v->alone_us = 200;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].read_ms = 2100;
        CHECK(find_about(VERDICT_WRITEBACK, 0));
}

TEST(slow_reads_among_reads_are_not_the_writers_fault) {
        struct device_view *v = write_for(5, 10, 4800);

        v->settings.wbt_us = 0;
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].read_sectors = v->writing[i].write_sectors;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
}

/* Throttled to eight requests, without a break, and no process reads. */
static struct device_view *throttle(void) {
        struct device_view *v = write_for(5, 0, 0);

        for (unsigned i = 0; i < 5; i++) {
                v->writing[i].queue_ms = 8200;
                v->writing[i].memory_known = true;
                v->writing[i].dirty_permille = 970;
                v->writing[i].merges_known = true;
                v->writing[i].merges = 4000;
        }
        return v;
}

TEST(throttling_that_hurts_says_what_memory_waits_for) {
        struct device_view *v = throttle();
        const struct verdict *verdict = find_about(VERDICT_WRITEBACK, 0);

        CHECK(verdict);
        CHECK_STR(told(verdict->sentence), "writing is throttled to 8.2 requests at a time and keeps the drive busy without a break, while memory is full of what is "
                                     "to be written (97 % of the limit)");
        CHECK_INT(verdict_evidence(verdict, "queue-depth", 0), 8200);
        CHECK_INT(verdict->severity, 400);
        v->writing[0].stalls = 3;
        verdict = find_about(VERDICT_WRITEBACK, 0);
        CHECK_INT(verdict->severity, 800);
        CHECK(strstr(told(verdict->sentence), "programs wait for memory (3 times)"));
}

TEST(small_writes_that_do_not_merge_are_those_of_a_reclaim) {
        struct device_view *v = throttle();

        for (unsigned i = 0; i < 5; i++) {
                v->writing[i].memory_known = false;
                v->writing[i].merges = 40;
        }
        CHECK(strstr(told(find_about(VERDICT_WRITEBACK, 0)->sentence), "small and apart"));
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].merges = 45; /* a tenth */
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        for (unsigned i = 0; i < 5; i++) {
                v->writing[i].merges_known = false; /* not told */
                v->writing[i].merges = 0;
        }
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
}

TEST(throttling_hurts_only_where_it_is_on_binds_and_serves_no_reader) {
        struct device_view *v = throttle();

        v->settings.wbt_us = 0;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v->settings.wbt_us = 75000;
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].queue_ms = 10500; /* above 1.3 times 8: others than the throttled are there */
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v = throttle();
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].busy_ms = 940;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        v = throttle();
        for (unsigned i = 0; i < 5; i++) {
                v->writing[i].reads = 5;
                v->writing[i].read_ms = 5 * 76; /* slower than its target: it has a reason */
        }
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].read_ms = 5 * 75;
        CHECK(find_about(VERDICT_WRITEBACK, 0));
}

TEST(each_direction_begins_and_ends_by_itself) {
        struct device_view *v = throttle();

        CHECK_INT(find_about(VERDICT_WRITEBACK, 0)->direction, DIRECTION_THROTTLING_HURTS);
        snapshot.now += SEC;
        for (unsigned i = 0; i < 5; i++)
                v->writing[i] = (struct writing_second){ .span_us = 1000000, .reads = 10, .read_sectors = 80, .read_ms = i < 2 ? 4800 : 10, .writes = 400,
                                                         .write_sectors = 195312, .busy_ms = 1000, .queue_ms = 30000 };
        CHECK(!find_about(VERDICT_WRITEBACK, 0)); /* two seconds would go on with it, but it is another finding */
        v->writing[2].read_ms = 4800;
        CHECK_INT(find_about(VERDICT_WRITEBACK, 0)->direction, DIRECTION_READS_STARVE);
        CHECK_INT(verdicts[0].since, 101 * SEC);
}

TEST(reads_that_are_fast_because_we_hold_writing_back_would_starve_without) {
        struct device_view *v = write_for(5, 10, 4800);

        v->settings.wbt_us = 0;
        CHECK(find_about(VERDICT_WRITEBACK, 0));
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].read_ms = 200;
        v->settings.throttled = true;
        CHECK_INT(find_about(VERDICT_WRITEBACK, 0)->direction, DIRECTION_READS_STARVE);
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].reads = 0; /* none reads any more */
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].reads = 10;
        CHECK(find_about(VERDICT_WRITEBACK, 0)); /* within the time that a setting is held */
        v->settings.throttled = false;
        CHECK(!find_about(VERDICT_WRITEBACK, 0));
}

TEST(our_own_throttling_hurts_where_memory_waits_for_it_even_beside_readers) {
        struct device_view *v = throttle();
        const struct verdict *verdict;

        v->settings.wbt_us = 0;
        v->settings.nr_requests = 8;
        CHECK(!find_about(VERDICT_WRITEBACK, 0)); /* nothing throttles */
        v->settings.throttled = true;
        verdict = find_about(VERDICT_WRITEBACK, 0);
        CHECK(verdict);
        CHECK_INT(verdict->direction, DIRECTION_THROTTLING_HURTS);
        for (unsigned i = 0; i < 5; i++) {
                v->writing[i].reads = v->writing[i].read_sectors = 10;
                v->writing[i].read_ms = 200;
        }
        CHECK_INT(find_about(VERDICT_WRITEBACK, 0)->direction, DIRECTION_READS_STARVE); /* a reader gains by it */
        for (unsigned i = 0; i < 5; i++)
                v->writing[i].stalls = 1;
        CHECK_INT(find_about(VERDICT_WRITEBACK, 0)->direction, DIRECTION_THROTTLING_HURTS);
}

static void stat(struct writing *w, const struct memory_state *m, nsec_t t, uint32_t reads, uint32_t read_ms, uint32_t write_sectors) {
        struct event e = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = 1 };

        e.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = reads, .read_sectors = reads * 8, .read_ms = read_ms, .write_sectors = write_sectors };
        writing_feed(w, &e, m);
}

static void second(struct writing *w, const struct memory_state *m, nsec_t t) {
        for (unsigned i = 0; i < 4; i++)
                stat(w, m, t + i * SEC / 4, 1, 10, 1000);
}

TEST(four_quarters_make_a_second_with_what_memory_did_in_it) {
        struct memory_state m = { 0 };
        struct writing w = { 0 };
        struct event e = { .t = 10 * SEC, .kind = EVENT_MEMORY, .memory = { 1000000, 900, 0, 1000, 500, 2, 64 } };

        memory_feed(&m, &e);
        second(&w, &m, 10 * SEC);
        CHECK_INT(w.n, 1);
        CHECK_INT(w.seconds[0].reads, 4);
        CHECK_INT(w.seconds[0].dirty_permille, 900);
        CHECK_INT(w.seconds[0].stalls, 0); /* those may be of before the drive was there */
        e.t += SEC;
        memory_feed(&m, &e);
        second(&w, &m, 11 * SEC);
        CHECK_INT(w.seconds[1].stalls, 2);
        CHECK_INT(w.seconds[1].scans, 64);
        second(&w, &m, 12 * SEC);
        CHECK_INT(w.seconds[2].stalls, 0); /* those were counted */
        second(&w, &m, 20 * SEC);
        CHECK(!w.seconds[3].memory_known); /* told too long ago */
}

TEST(what_a_read_takes_alone_is_learnt_while_nothing_is_written) {
        struct memory_state m = { 0 };
        struct writing w = { 0 };

        for (unsigned i = 0; i < 4; i++)
                stat(&w, &m, 10 * SEC, 2, 400, 100000);
        CHECK_INT(w.alone_us, 0);
        for (unsigned i = 0; i < 4; i++)
                stat(&w, &m, 11 * SEC, 2, 20, 0);
        CHECK_INT(w.alone_us, 10000);
        for (unsigned i = 0; i < 4; i++)
                stat(&w, &m, 12 * SEC, 2, 52, 0); /* 26 ms: a little is believed of it */
        CHECK_INT(w.alone_us, 11000);
        for (unsigned i = 0; i < 4; i++)
                stat(&w, &m, 13 * SEC, 2, 16, 0);
        CHECK_INT(w.alone_us, 8000);
}

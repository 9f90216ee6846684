/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SSD with cells of several bits: its cache of one bit, what it collects, and reads that overtake. */
#include <errno.h>

#include "engine.h"
#include "macro.h"
#include "model-ssd.h"
#include "test.h"

#define BLOCK 4096
#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define MB UINT64_C(1000000)

/* Round figures: one channel, 100 us to read, 400 MB/s and 100 MB/s to write; the link takes no time. */
static struct ssd_params ssd_params(void) {
        return (struct ssd_params) {
                .queue_depth = 32,
                .channels = 1,
                .read_ns = 100 * NSEC_PER_USEC,
                .program_ns = 2 * NSEC_PER_MSEC,
                .suspend_ns = 50 * NSEC_PER_USEC,
                .flush_ns = NSEC_PER_MSEC,
                .fold_after_ns = NSEC_PER_SEC,
                .suspends = 3,
                .read_rate = UINT64_C(1) << 50,
                .slc_rate = 400 * MB,
                .rate = 100 * MB,
                .fold_rate = 50 * MB,
                .link_rate = UINT64_C(1) << 50,
                .page_bytes = 16 * KIB,
                .buffer_bytes = MIB,
                .slc_bytes = 200 * MB,
                .small_bytes = 64 * KIB,
                .spare_percent = 10,
                .filled_percent = 50,
        };
}

/* Writes so many MiB in order, one after the other. Returns how long that and a flush took. */
static nsec_t write_mib(struct drive_engine *e, nsec_t *now, unsigned n) {
        nsec_t from = *now;

        for (unsigned i = 0; i <= n; i++) {
                struct drive_request r = { .offset = i * MIB, .length = MIB, .write = i < n, .flush = i == n, .arrival = *now };

                drive_engine_submit(e, &r);
                if (drive_engine_complete(e, DRIVE_NEVER - 1) != &r)
                        return DRIVE_NEVER;
                *now = r.done;
        }
        return *now - from;
}

TEST(writes_are_fast_until_the_cells_of_one_bit_run_out) {
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        nsec_t now = 0, fast, slow;
        struct ssd s;

        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        CHECK_INT(s.slc_bytes, 100 * MB); /* half of the drive is free */
        fast = write_mib(&e, &now, 90);
        CHECK(fast > 90 * MIB * 10 / 4 && fast < 92 * MIB * 10 / 4 + 2 * NSEC_PER_MSEC); /* 2.5 ns a byte */
        (void) write_mib(&e, &now, 10);
        slow = write_mib(&e, &now, 90);
        CHECK(slow > 90 * MIB * 10 && slow < 92 * MIB * 10);
}

TEST(a_quiet_drive_moves_them_and_is_fast_again) {
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        nsec_t now = 0, slow;
        struct ssd s;

        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        (void) write_mib(&e, &now, 110);
        slow = write_mib(&e, &now, 20);
        now += NSEC_PER_SEC / 2; /* too short */
        CHECK(write_mib(&e, &now, 20) > slow * 9 / 10);
        now += 2 * NSEC_PER_SEC; /* a second of it: 50 MB */
        CHECK(write_mib(&e, &now, 20) < slow / 2);
        CHECK(s.slc_used_bytes > 65 * MB && s.slc_used_bytes < 75 * MB);
}

TEST(a_fuller_drive_has_fewer_cells_of_one_bit_and_writes_more_for_small_writes) {
        static const struct { unsigned filled; uint64_t slc_mb, permille; } expected[] = {
                { 0, 200, 1000 }, { 50, 100, 1000 }, { 80, 40, 1833 }, { 90, 20, 2750 }, { 98, 4, 4583 },
        };
        struct ssd_params p = ssd_params();
        struct ssd s;

        for (size_t i = 0; i < ARRAY_SIZE(expected); i++) {
                p.filled_percent = expected[i].filled;
                CHECK_INT(ssd_init(&s, &p), 0);
                CHECK_INT(s.slc_bytes, expected[i].slc_mb * MB);
                CHECK_INT(ssd_written_permille(&p), expected[i].permille);
        }
}

TEST(small_writes_beyond_the_cache_cost_what_is_collected_and_large_ones_do_not) {
        struct drive_request small = { .length = BLOCK, .write = true }, flush = { .flush = true }, large = { .length = 25 * BLOCK, .write = true };
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        nsec_t small_ns;
        struct ssd s;

        p.filled_percent = 98;
        p.slc_bytes = 0;
        p.flush_ns = 0;
        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        drive_engine_submit(&e, &small);
        drive_engine_submit(&e, &flush);
        while (drive_engine_complete(&e, DRIVE_NEVER - 1))
                ;
        small_ns = flush.done;
        CHECK(small_ns > BLOCK * 45 && small_ns < BLOCK * 46); /* 4.583 times 10 ns a byte */
        large.arrival = flush.done;
        flush = (struct drive_request) { .flush = true, .arrival = flush.done };
        drive_engine_submit(&e, &large);
        drive_engine_submit(&e, &flush);
        while (drive_engine_complete(&e, DRIVE_NEVER - 1))
                ;
        CHECK_INT(flush.done - small_ns, 25 * BLOCK * 10);
}

TEST(a_read_overtakes_a_program_that_may_be_suspended_and_then_one_is_ended_first) {
        struct drive_request write = { .length = MIB, .write = true };
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        struct ssd s;
        nsec_t now;

        p.slc_bytes = 0; /* 10 ms of programming */
        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        drive_engine_submit(&e, &write);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &write);
        now = write.done;
        for (int i = 0; i < 4; i++) {
                struct drive_request read = { .length = BLOCK, .arrival = now };

                drive_engine_submit(&e, &read);
                CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &read);
                now = read.done;
                CHECK_INT(read.done - read.arrival, i < 3 ? 150 * NSEC_PER_USEC : 2100 * NSEC_PER_USEC);
        }
}

TEST(suspended_programs_are_that_much_later) {
        struct drive_request write = { .length = MIB, .write = true }, read = { .length = BLOCK, .arrival = NSEC_PER_MSEC }, flush = { .flush = true };
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        struct ssd s;

        p.slc_bytes = 0;
        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        flush.arrival = 2 * NSEC_PER_MSEC;
        drive_engine_submit(&e, &write);
        drive_engine_submit(&e, &read);
        drive_engine_submit(&e, &flush);
        while (drive_engine_complete(&e, DRIVE_NEVER - 1))
                ;
        CHECK_INT(flush.done, MIB * 10 + 150 * NSEC_PER_USEC + NSEC_PER_MSEC);
}

TEST(writes_that_wait_for_room_in_the_buffer_do_not_hold_reads) {
        struct drive_request writes[8], read = { .length = BLOCK }, *r;
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        struct ssd s;

        p.slc_bytes = 0;
        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
                writes[i] = (struct drive_request) { .offset = i * MIB, .length = MIB, .write = true };
                drive_engine_submit(&e, &writes[i]);
        }
        drive_engine_submit(&e, &read);
        while ((r = drive_engine_complete(&e, DRIVE_NEVER - 1)))
                ;
        CHECK_INT(read.done, 100 * NSEC_PER_USEC);
        CHECK_INT(writes[0].done, 0);
        CHECK(writes[7].done > 6 * MIB * 10 && writes[7].done < 8 * MIB * 10);
}

TEST(nothing_overtakes_a_flush) {
        struct drive_request write = { .length = MIB, .write = true }, flush = { .flush = true }, read = { .length = BLOCK };
        struct ssd_params p = ssd_params();
        struct drive_engine e;
        struct ssd s;

        p.slc_bytes = 0;
        CHECK_INT(ssd_init(&s, &p), 0);
        drive_engine_init(&e, &s.model);
        drive_engine_submit(&e, &write);
        drive_engine_submit(&e, &flush);
        drive_engine_submit(&e, &read);
        while (drive_engine_complete(&e, DRIVE_NEVER - 1))
                ;
        CHECK_INT(flush.done, MIB * 10 + NSEC_PER_MSEC);
        CHECK_INT(read.done, flush.done + 100 * NSEC_PER_USEC);
}

TEST(params_that_make_no_ssd_are_refused) {
        struct ssd_params p;
        struct ssd s;

#define BAD(change)                                \
        do {                                       \
                p = ssd_params();                  \
                change;                            \
                CHECK_INT(ssd_init(&s, &p), -EINVAL); \
        } while (0)
        BAD(p.channels = 0);
        BAD(p.channels = SSD_CHANNELS_MAX + 1);
        BAD(p.queue_depth = 0);
        BAD(p.rate = 0);
        BAD(p.link_rate = 0);
        BAD(p.page_bytes = 0);
        BAD(p.buffer_bytes = 0);
        BAD(p.filled_percent = 100);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the flash model, each with figures that one can add up by hand. */
#include "engine.h"
#include "model-flash.h"
#include "test.h"

#define BLOCK 4096
#define WRITES_MAX 32

/* Round figures: 4 channels, 100 us to read and 1 ms to write 4 KiB, segments of 16 KiB of which 2 are open. */
static struct flash_params flash_params(void) {
        return (struct flash_params) {
                .queue_depth = 32,
                .channels = 4,
                .read_ns = 100 * NSEC_PER_USEC,
                .write_ns = NSEC_PER_MSEC,
                .read_rate = UINT64_C(1) << 50, /* the bytes themselves take no time */
                .write_rate = UINT64_C(1) << 50,
                .link_rate = UINT64_C(1) << 50,
                .page_bytes = BLOCK,
                .segment_bytes = 4 * BLOCK,
                .open_segments = 2,
        };
}

/* Gives the drive n requests at once and lets it finish; returns when it did. */
static nsec_t finish(struct flash *f, struct drive_request *requests, size_t n) {
        struct drive_request *r;
        struct drive_engine e;
        nsec_t done = 0;

        drive_engine_init(&e, &f->model);
        for (size_t i = 0; i < n; i++)
                drive_engine_submit(&e, &requests[i]);
        while ((r = drive_engine_complete(&e, DRIVE_NEVER - 1)))
                done = r->done;
        return done;
}

TEST(channels_work_side_by_side_each_at_one_page) {
        struct drive_request apart[] = { { .offset = 0, .length = BLOCK }, { .offset = BLOCK, .length = BLOCK } };
        struct drive_request together[] = { { .offset = 0, .length = BLOCK }, { .offset = 4 * BLOCK, .length = BLOCK } };
        struct drive_request wide = { .length = 16 * BLOCK };
        struct flash_params p = flash_params();
        struct flash f;

        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK_INT(finish(&f, apart, 2), 100 * NSEC_PER_USEC);
        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK_INT(finish(&f, together, 2), 200 * NSEC_PER_USEC);
        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK_INT(finish(&f, &wide, 1), 100 * NSEC_PER_USEC);
}

TEST(the_link_is_shared_by_all_channels) {
        struct drive_request reads[4];
        struct flash_params p = flash_params();
        struct flash f;

        p.link_rate = BLOCK * 1000; /* 1 ms a page */
        for (size_t i = 0; i < ARRAY_SIZE(reads); i++)
                reads[i] = (struct drive_request) { .offset = i * BLOCK, .length = BLOCK };
        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK_INT(finish(&f, reads, 4), 4 * NSEC_PER_MSEC);
}

TEST(a_write_waits_for_room_in_the_buffer_and_a_flush_for_all_of_it) {
        struct drive_request write = { .length = 4 * BLOCK, .write = true }, flush = { .flush = true };
        struct flash_params p = flash_params();
        struct flash f;

        p.channels = 1;
        p.write_ns = 0;
        p.write_rate = BLOCK * 1000; /* 1 ms a block */
        p.flush_ns = 5 * NSEC_PER_MSEC;
        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK(!f.model.write_cache);
        CHECK_INT(finish(&f, &write, 1), 4 * NSEC_PER_MSEC);
        p.buffer_bytes = 3 * BLOCK;
        CHECK_INT(flash_init(&f, &p, 0), 0);
        CHECK(f.model.write_cache);
        CHECK_INT(finish(&f, &write, 1), NSEC_PER_MSEC);
        CHECK_INT(finish(&f, &flush, 1), 9 * NSEC_PER_MSEC);
}

/* How long n blocks take that are written one after the other, `step` blocks apart. */
static nsec_t write_blocks(size_t n, uint64_t step) {
        struct drive_request writes[WRITES_MAX];
        struct flash_params p = flash_params();
        struct flash f;

        p.channels = 1;
        p.merge_ns = 80 * NSEC_PER_MSEC;
        for (size_t i = 0; i < n; i++)
                writes[i] = (struct drive_request) { .offset = i * step * BLOCK, .length = BLOCK, .write = true };
        return flash_init(&f, &p, 0) == 0 ? finish(&f, writes, n) : 0;
}

TEST(sequential_writes_fill_segments_and_scattered_ones_pay_for_the_rest_of_each) {
        CHECK_INT(write_blocks(32, 1), 32 * NSEC_PER_MSEC);
        /* Two segments are open; each further one closes one of which three quarters must be moved. */
        CHECK_INT(write_blocks(32, 4), (32 + 30 * 60) * NSEC_PER_MSEC);
        CHECK_INT(write_blocks(32, 2), (32 + 14 * 40) * NSEC_PER_MSEC);
}

TEST(stalls_come_about_as_often_as_said) {
        struct drive_request writes[32];
        struct flash_params p = flash_params();
        nsec_t stalled;
        struct flash f;

        p.channels = 1;
        p.stall_ns = NSEC_PER_SEC;
        p.stall_every_bytes = 100 * BLOCK;
        CHECK_INT(flash_init(&f, &p, test_seed()), 0);
        for (size_t run = 0; run < 1000; run++) {
                for (size_t i = 0; i < ARRAY_SIZE(writes); i++)
                        writes[i] = (struct drive_request) { .offset = i * BLOCK, .length = BLOCK, .write = true };
                (void) finish(&f, writes, ARRAY_SIZE(writes));
        }
        stalled = f.free_at[0] - 32000 * NSEC_PER_MSEC;
        CHECK(stalled > 290 * NSEC_PER_SEC && stalled < 350 * NSEC_PER_SEC);
}

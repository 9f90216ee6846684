/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rotating drive with a write cache, several segments, zones and a capacity of its own; and the shingled one. */
#include <errno.h>

#include "engine.h"
#include "macro.h"
#include "model-disk.h"
#include "test.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define GB UINT64_C(1000000000)
#define BLOCK 4096
#define SERVED (UINT64_C(32768) * MIB)

static struct disk_params disk_params(void) {
        return (struct disk_params) {
                .geometry = {
                        .capacity_bytes = 2000 * GB,
                        .outer_rate = 210000000,
                        .inner_rate = 105000000,
                        .turn_ns = 8333333,
                        .seek_min_ns = NSEC_PER_MSEC,
                        .seek_max_ns = 15 * NSEC_PER_MSEC,
                },
                .write_settle_ns = NSEC_PER_MSEC,
                .longest_wait_ns = 2 * NSEC_PER_SEC,
                .link_rate = 600000000,
                .read_ahead_bytes = MIB,
                .segment_bytes = MIB,
                .segments = 16,
                .destages_per_read = 1,
                .write_cache_bytes = 48 * MIB,
                .destage_after_ns = 10 * NSEC_PER_MSEC,
                .queue_depth = 32,
        };
}

static struct smr_params smr_params(void) {
        return (struct smr_params) { .band_bytes = 32 * MIB, .media_cache_bytes = 1024 * MIB, .streams = 1, .clean_bands = 4,
                                     .clean_ns = NSEC_PER_SEC, .clean_after_ns = NSEC_PER_SEC };
}

struct rig {
        struct disk disk;
        struct drive_engine engine;
        nsec_t now;
};

static int begin(struct rig *g, const struct disk_params *p) {
        int r = disk_init(&g->disk, p, test_seed());

        g->now = 0;
        drive_engine_init(&g->engine, &g->disk.model);
        return r;
}

/* One request alone, from now on; returns how long it took. */
static nsec_t lone(struct rig *g, struct drive_request r) {
        r.arrival = g->now;
        drive_engine_submit(&g->engine, &r);
        if (drive_engine_complete(&g->engine, DRIVE_NEVER - 1) != &r)
                return DRIVE_NEVER;
        g->now = r.done;
        return r.done - r.arrival;
}

static nsec_t read_one(struct rig *g, uint64_t offset, uint64_t length) {
        return lone(g, (struct drive_request) { .offset = offset, .length = length });
}

static nsec_t write_one(struct rig *g, uint64_t offset, uint64_t length) {
        return lone(g, (struct drive_request) { .offset = offset, .length = length, .write = true });
}

static nsec_t flush(struct rig *g) {
        return lone(g, (struct drive_request) { .flush = true });
}

/* Into the write cache; no two touch. */
static void write_at_random(struct rig *g, unsigned n, uint64_t within, uint64_t *random) {
        for (unsigned i = 0; i < n; i++)
                (void) write_one(g, test_random(random) % (within / (2 * BLOCK)) * 2 * BLOCK, BLOCK);
}

/* ---- Where the bytes lie ---- */

TEST(seeks_span_the_drive_whatever_part_of_it_is_served) {
        struct disk_params p = disk_params();
        struct disk_geometry g;

        CHECK_INT(disk_geometry_init(&g, &p.geometry, 0), 0);
        CHECK_INT(disk_seek_ns(&g, 0, 0), 0);
        CHECK_INT(disk_seek_ns(&g, 0, g.zones[0].track_bytes - 1), 0);
        CHECK(disk_seek_ns(&g, 0, g.zones[0].track_bytes) >= NSEC_PER_MSEC);
        CHECK(disk_seek_ns(&g, 0, 10 * GB) < 2 * NSEC_PER_MSEC);
        CHECK(disk_seek_ns(&g, 0, 2000 * GB - 1) > 14900 * NSEC_PER_USEC);
        CHECK_INT(disk_seek_ns(&g, 10 * GB, 700 * GB), disk_seek_ns(&g, 700 * GB, 10 * GB));
}

TEST(the_inner_zone_passes_half_as_fast_and_all_zones_together_hold_the_drive) {
        struct disk_params p = disk_params();
        struct disk_geometry g;
        uint64_t end = 0;

        CHECK_INT(disk_geometry_init(&g, &p.geometry, 0), 0);
        for (size_t z = 0; z < DISK_ZONES; z++) {
                CHECK_INT(g.zones[z].first_byte, end);
                CHECK(z == 0 || g.zones[z].track_bytes < g.zones[z - 1].track_bytes);
                end += g.tracks * g.zones[z].track_bytes;
        }
        CHECK(end >= p.geometry.capacity_bytes);
        CHECK(disk_media_ns(&g, 0, 210 * MIB) / NSEC_PER_MSEC == 1050 || disk_media_ns(&g, 0, 210 * MIB) / NSEC_PER_MSEC == 1049);
        CHECK(disk_media_ns(&g, 1999 * GB, 105 * MIB) > disk_media_ns(&g, 0, 209 * MIB));
}

TEST(what_lies_in_order_passes_without_a_wait) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed(), at = 0;
        struct disk_geometry g;
        nsec_t now = 0;

        CHECK_INT(disk_geometry_init(&g, &p.geometry, test_seed()), 0);
        now = disk_rotation_ns(&g, 0, 0);
        for (unsigned i = 0; i < 10000; i++) {
                uint64_t bytes = (1 + test_random(&random) % 256) * BLOCK;

                now += disk_media_ns(&g, at, bytes);
                at += bytes;
                CHECK(disk_rotation_ns(&g, now, at) < 100);
                now += disk_rotation_ns(&g, now, at);
                CHECK_INT(disk_media_bytes(&g, at, disk_media_ns(&g, at, bytes) + 10) / BLOCK, bytes / BLOCK);
        }
}

/* ---- The write cache ---- */

TEST(a_write_is_done_once_it_is_in_the_cache) {
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        CHECK_INT(write_one(&g, 7 * GB, BLOCK), 6826); /* at 600 MB/s */
        CHECK_INT(g.disk.cache.dirty_bytes, BLOCK);
}

TEST(what_is_written_is_read_from_the_cache_at_once) {
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) write_one(&g, 7 * GB, 4 * BLOCK);
        CHECK_INT(read_one(&g, 7 * GB + BLOCK, BLOCK), 6826);
        CHECK(read_one(&g, 7 * GB + 2 * BLOCK, 4 * BLOCK) > 100 * NSEC_PER_USEC); /* of which a part is on the platter alone */
}

TEST(writes_that_touch_become_one_and_count_once) {
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) write_one(&g, 0, BLOCK);
        (void) write_one(&g, 2 * BLOCK, BLOCK);
        CHECK_INT(g.disk.cache.n_dirty, 2);
        (void) write_one(&g, BLOCK, BLOCK);
        (void) write_one(&g, 0, 3 * BLOCK);
        CHECK_INT(g.disk.cache.n_dirty, 1);
        CHECK_INT(g.disk.cache.dirty_bytes, 3 * BLOCK);
}

TEST(a_flush_ends_when_everything_is_on_the_platter) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        write_at_random(&g, 32, SERVED, &random);
        CHECK(g.disk.cache.n_dirty >= 30); /* the arm may have begun with one */
        CHECK(flush(&g) > 32 * NSEC_PER_MSEC);
        CHECK_INT(g.disk.cache.n_dirty, 0);
        CHECK_INT(flush(&g), 0);
}

TEST(a_flush_waits_for_what_came_before_it_and_holds_what_comes_after_it) {
        struct drive_request before = { .offset = 20 * GB, .length = BLOCK }, flush_ = { .flush = true };
        struct drive_request after = { .offset = 7 * GB, .length = BLOCK }, write = { .offset = 9 * GB, .length = BLOCK, .write = true };
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) write_one(&g, 7 * GB, BLOCK);
        before.arrival = flush_.arrival = after.arrival = write.arrival = g.now;
        drive_engine_submit(&g.engine, &before);
        drive_engine_submit(&g.engine, &flush_);
        drive_engine_submit(&g.engine, &after);
        drive_engine_submit(&g.engine, &write);
        CHECK(drive_engine_complete(&g.engine, DRIVE_NEVER - 1) == &before);
        CHECK(drive_engine_complete(&g.engine, DRIVE_NEVER - 1) == &flush_);
        CHECK(!disk_cache_has_dirty(&g.disk.cache, 7 * GB, 7 * GB + BLOCK));
        CHECK(flush_.done > before.done);
        CHECK(drive_engine_complete(&g.engine, DRIVE_NEVER - 1) == &write);
        CHECK(drive_engine_complete(&g.engine, DRIVE_NEVER - 1) == &after);
        CHECK(write.done > flush_.done && after.done > flush_.done);
}

/* A random access takes 6 ms here; by place, neighbours are on tracks side by side. */
TEST(what_is_in_the_cache_is_written_by_place) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        write_at_random(&g, 512, SERVED, &random);
        CHECK(flush(&g) < 512 * 3 * NSEC_PER_MSEC);
}

TEST(a_quiet_drive_destages_by_itself) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) read_one(&g, 0, BLOCK);
        write_at_random(&g, 64, SERVED, &random);
        CHECK_INT(g.disk.cache.n_dirty, 64);
        g.now += NSEC_PER_SEC;
        (void) read_one(&g, 0, BLOCK);
        CHECK_INT(g.disk.cache.n_dirty, 0);
}

TEST(while_the_cache_has_room_destages_do_not_delay_reads) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) read_one(&g, 0, BLOCK);
        write_at_random(&g, 64, SERVED, &random);
        for (int i = 0; i < 200; i++)
                CHECK(read_one(&g, test_random(&random) % (SERVED / BLOCK) * BLOCK, BLOCK) < 13 * NSEC_PER_MSEC);
        CHECK_INT(g.disk.cache.n_dirty, 64);
}

TEST(a_write_waits_for_room_while_the_cache_is_full) {
        struct drive_request writes[96];
        struct disk_params p = disk_params();
        nsec_t done = 0;
        struct rig g;

        p.queue_depth = ARRAY_SIZE(writes);
        CHECK_INT(begin(&g, &p), 0);
        for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
                writes[i] = (struct drive_request) { .offset = i * MIB, .length = MIB, .write = true };
                drive_engine_submit(&g.engine, &writes[i]);
        }
        for (struct drive_request *r; (r = drive_engine_complete(&g.engine, DRIVE_NEVER - 1)); done = r->done)
                CHECK(g.disk.cache.dirty_bytes <= p.write_cache_bytes);
        CHECK(writes[0].done < 2 * NSEC_PER_MSEC);
        /* 96 MiB, of which the last 48 may still be in memory, at 210 MB/s */
        CHECK(done > disk_media_ns(&g.disk.geometry, 0, 47 * MIB) && done < disk_media_ns(&g.disk.geometry, 0, 60 * MIB));
}

/* A random reader beside as many writes in order as the drive takes. Returns how long 200 of its reads took at most. */
static nsec_t longest_read_beside_writes(struct rig *g) {
        struct drive_request writes[31], read = { .length = BLOCK }, *r;
        uint64_t random = test_seed(), next = 0;
        nsec_t longest = 0;
        unsigned reads = 0;

        for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
                writes[i] = (struct drive_request) { .offset = next++ * MIB, .length = MIB, .write = true };
                drive_engine_submit(&g->engine, &writes[i]);
        }
        drive_engine_submit(&g->engine, &read);
        while (reads < 200) {
                r = drive_engine_complete(&g->engine, DRIVE_NEVER - 1);
                g->now = r->done;
                if (r == &read) {
                        longest = MAX(longest, r->done - r->arrival);
                        reads++;
                        *r = (struct drive_request) { .offset = SERVED / 2 + test_random(&random) % (SERVED / 2 / BLOCK) * BLOCK, .length = BLOCK, .arrival = r->done };
                } else {
                        *r = (struct drive_request) { .offset = next++ % 16384 * MIB, .length = MIB, .write = true, .arrival = r->done };
                }
                drive_engine_submit(&g->engine, r);
        }
        return longest;
}

/* It waits for what the arm does, and one more destage. */
TEST(while_writes_wait_reads_and_destages_take_turns) {
        struct disk_params p = disk_params();
        nsec_t one, four;
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        one = longest_read_beside_writes(&g);
        CHECK(one < 40 * NSEC_PER_MSEC);
        p.destages_per_read = 4;
        CHECK_INT(begin(&g, &p), 0);
        four = longest_read_beside_writes(&g);
        CHECK(four > one && four < 60 * NSEC_PER_MSEC);
}

TEST(a_drive_that_does_what_is_nearest_lets_reads_wait_until_its_deadline) {
        struct disk_params p = disk_params();
        nsec_t longest;
        struct rig g;

        p.destages_per_read = 0;
        CHECK_INT(begin(&g, &p), 0);
        longest = longest_read_beside_writes(&g);
        CHECK(longest > 1900 * NSEC_PER_MSEC && longest < 2100 * NSEC_PER_MSEC);
}

/* ---- What is read ---- */

/* Readers in order, each with one request at a time; returns how long 800 requests of 64 KiB took. */
static nsec_t readers_in_order(struct rig *g, size_t n) {
        struct drive_request reads[16];
        nsec_t now = 0;

        for (size_t i = 0; i < n; i++) {
                reads[i] = (struct drive_request) { .offset = i * GB, .length = 64 * KIB };
                drive_engine_submit(&g->engine, &reads[i]);
        }
        for (unsigned done = 0; done < 800; done++) {
                struct drive_request *r = drive_engine_complete(&g->engine, DRIVE_NEVER - 1);

                now = r->done;
                *r = (struct drive_request) { .offset = r->offset + r->length, .length = r->length, .arrival = now };
                drive_engine_submit(&g->engine, r);
        }
        return now;
}

TEST(readers_in_order_find_in_the_segments_what_was_read_ahead_for_each) {
        struct disk_params p = disk_params();
        nsec_t one, many;
        struct rig g;

        p.read_ahead_least_bytes = 256 * KIB;
        CHECK_INT(begin(&g, &p), 0);
        many = readers_in_order(&g, 8);
        p.segments = 1;
        CHECK_INT(begin(&g, &p), 0);
        one = readers_in_order(&g, 8);
        CHECK(one > 2 * many);
}

TEST(what_was_read_ahead_is_there_when_it_is_asked_for) {
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) read_one(&g, 0, 64 * KIB);
        (void) read_one(&g, 5 * GB, 64 * KIB);
        g.now += 10 * NSEC_PER_MSEC;
        CHECK_INT(read_one(&g, 5 * GB + 64 * KIB, 64 * KIB), 109226); /* over the link */
        CHECK_INT(read_one(&g, 0, 64 * KIB), 109226);
        CHECK(read_one(&g, 5 * GB + 4 * MIB, 64 * KIB) > 200 * NSEC_PER_USEC);
}

/* The arm was sent for it, and the drive never answered again: the head had passed its end. */
TEST(what_was_read_ahead_waits_for_the_link_alone_while_the_drive_reads_on) {
        struct drive_request both[2];
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) read_one(&g, 0, 128 * KIB);
        g.now += 2 * NSEC_PER_MSEC; /* the head is some 400 KiB further */
        for (unsigned i = 0; i < 2; i++) {
                both[i] = (struct drive_request) { .offset = (i + 1) * 128 * KIB, .length = 128 * KIB, .arrival = g.now };
                drive_engine_submit(&g.engine, &both[i]);
        }
        for (unsigned i = 0; i < 2; i++) {
                CHECK(drive_engine_complete(&g.engine, DRIVE_NEVER - 1) == &both[i]);
                CHECK(both[i].done - g.now < NSEC_PER_MSEC);
        }
}

TEST(what_is_written_over_is_not_read_from_what_was_read_before) {
        struct disk_params p = disk_params();
        struct rig g;

        CHECK_INT(begin(&g, &p), 0);
        (void) read_one(&g, GB, 64 * KIB);
        (void) write_one(&g, GB, 64 * KIB);
        (void) flush(&g);
        CHECK(read_one(&g, GB, 64 * KIB) > NSEC_PER_MSEC);
}

/* ---- Shingled ---- */

TEST(a_shingled_drive_writes_what_comes_in_order_to_its_bands_at_once) {
        struct disk_params p = disk_params();
        struct rig g;

        p.smr = smr_params();
        CHECK_INT(begin(&g, &p), 0);
        for (uint64_t i = 0; i < 256; i++)
                (void) write_one(&g, i * MIB, MIB);
        (void) flush(&g);
        CHECK_INT(g.disk.smr.used_bytes, 0);
        CHECK_INT(g.disk.smr.n_bands, 0);
}

TEST(a_shingled_drive_logs_what_comes_at_random_several_at_once) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        p.smr = smr_params();
        CHECK_INT(begin(&g, &p), 0);
        write_at_random(&g, 512, SERVED, &random);
        CHECK(flush(&g) < 512 * NSEC_PER_MSEC);
        CHECK(g.disk.smr.used_bytes > 500 * BLOCK && g.disk.smr.used_bytes <= 512 * BLOCK);
        CHECK(g.disk.smr.n_bands > 100);
}

TEST(a_full_media_cache_stalls_writes_for_seconds_while_reads_get_through_between_bands) {
        struct drive_request write = { .length = 256 * KIB, .write = true }, read = { .length = BLOCK }, *r;
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        nsec_t longest_write = 0, longest_read = 0;
        struct rig g;

        p.smr = smr_params();
        CHECK_INT(begin(&g, &p), 0);
        drive_engine_submit(&g.engine, &write);
        drive_engine_submit(&g.engine, &read);
        for (unsigned i = 0; i < 50000 && g.now < 300 * NSEC_PER_SEC; i++) {
                bool is_write;

                r = drive_engine_complete(&g.engine, DRIVE_NEVER - 1);
                is_write = r->write;
                g.now = r->done;
                if (is_write)
                        longest_write = MAX(longest_write, r->done - r->arrival);
                else
                        longest_read = MAX(longest_read, r->done - r->arrival);
                *r = (struct drive_request) { .length = is_write ? 256 * KIB : BLOCK, .write = is_write, .arrival = g.now };
                r->offset = test_random(&random) % (SERVED / (512 * KIB)) * 512 * KIB;
                drive_engine_submit(&g.engine, r);
        }
        CHECK(longest_write > 3 * NSEC_PER_SEC && longest_write < 10 * NSEC_PER_SEC);
        CHECK(longest_read > NSEC_PER_SEC / 2 && longest_read < 1200 * NSEC_PER_MSEC);
}

TEST(a_quiet_shingled_drive_cleans_its_bands) {
        struct disk_params p = disk_params();
        uint64_t random = test_seed();
        struct rig g;

        p.smr = smr_params();
        p.smr.used_bytes = 64 * MIB;
        CHECK_INT(begin(&g, &p), 0);
        CHECK_INT(g.disk.smr.n_bands, 4);
        write_at_random(&g, 16, SERVED, &random);
        g.now += 100 * NSEC_PER_SEC;
        (void) read_one(&g, 0, BLOCK);
        CHECK_INT(g.disk.smr.n_bands, 0);
        CHECK_INT(g.disk.smr.used_bytes, 0);
}

TEST(params_that_make_no_disk_are_refused) {
        struct disk_params p;
        struct rig g;

#define BAD(change)                         \
        do {                                \
                p = disk_params();          \
                p.smr = smr_params();       \
                CHECK_INT(begin(&g, &p), 0); \
                change;                     \
                CHECK_INT(begin(&g, &p), -EINVAL); \
        } while (0)
        BAD(p.geometry.capacity_bytes = 0);
        BAD(p.geometry.inner_rate = p.geometry.outer_rate + 1);
        BAD(p.geometry.turn_ns = 0);
        BAD(p.segments = 0);
        BAD(p.segments = DISK_SEGMENTS_MAX + 1);
        BAD(p.write_cache_bytes = MIB);
        BAD(p.queue_depth = DRIVE_QUEUE_MAX + 1);
        BAD(p.smr.streams = SMR_STREAMS_MAX + 1);
        BAD(p.smr.clean_bands = 0);
        BAD(p.smr.used_bytes = p.smr.media_cache_bytes + 1);
}

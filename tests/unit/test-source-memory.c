/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "source-memory.h"
#include "test.h"

#define SEC NSEC_PER_SEC

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_memory *, source_memory_free)

static struct {
        unsigned n;
        struct event last;
} got;

static void take(void *userdata, const struct event *e) {
        (void) userdata;
        got.n++;
        got.last = *e;
}

static struct source_memory *open_source(void) {
        memset(&got, 0, sizeof(got));
        return source_memory_new(test_tmpdir(), (struct event_sink){ take, NULL });
}

/* As Linux 6.18 has it, and what stands around it. */
static int sample(struct source_memory *s, nsec_t t, unsigned dirty, unsigned stalls, unsigned scans) {
        char text[1024];

        snprintf(text, sizeof(text),
                 "nr_free_pages 4711\nnr_dirty %u\nnr_writeback 20\nnr_dirtied 99999\nnr_dirty_threshold 1000\nnr_dirty_background_threshold 500\n"
                 "allocstall_dma 0\nallocstall_dma32 1\nallocstall_normal %u\nallocstall_movable 2\nallocstall_device 0\n"
                 "pgsteal_direct 7\npgscan_direct %u\npgscan_direct_throttle 555\nworkingset_nodes 3\n",
                 dirty, stalls, scans);
        test_write_file(test_tmpdir(), "proc/vmstat", text);
        return source_memory_sample(s, t);
}

TEST(thresholds_and_what_happened_since_are_told) {
        _cleanup_(source_memory_freep) struct source_memory *s = open_source();
        uint32_t kib = (uint32_t) sysconf(_SC_PAGESIZE) / 1024;

        CHECK_INT(sample(s, 10 * SEC, 900, 5, 100), 0);
        CHECK_INT(got.n, 1);
        CHECK_INT(got.last.kind, EVENT_MEMORY);
        CHECK_INT(got.last.memory.dirty_kib, 900 * kib);
        CHECK_INT(got.last.memory.writeback_kib, 20 * kib);
        CHECK_INT(got.last.memory.limit_kib, 1000 * kib);
        CHECK_INT(got.last.memory.background_kib, 500 * kib);
        CHECK_INT(got.last.memory.stalls, 0); /* since when is not known */
        CHECK_INT(sample(s, 11 * SEC, 800, 8, 164), 0);
        CHECK_INT(got.last.memory.span_us, 1000000);
        CHECK_INT(got.last.memory.stalls, 3);
        CHECK_INT(got.last.memory.scans, 64);
}

TEST(it_is_read_once_a_second_at_most) {
        _cleanup_(source_memory_freep) struct source_memory *s = open_source();

        sample(s, 10 * SEC, 900, 5, 100);
        sample(s, 10 * SEC + SEC / 4, 900, 6, 100);
        sample(s, 10 * SEC + SEC * 3 / 4, 900, 6, 100);
        CHECK_INT(got.n, 1);
        sample(s, 11 * SEC, 900, 6, 100);
        CHECK_INT(got.n, 2);
        CHECK_INT(got.last.memory.stalls, 1);
}

TEST(what_happened_while_samples_were_missing_is_not_told_as_new) {
        _cleanup_(source_memory_freep) struct source_memory *s = open_source();

        sample(s, 10 * SEC, 900, 5, 100);
        sample(s, 60 * SEC, 900, 500, 100000);
        CHECK_INT(got.last.memory.stalls, 0);
        CHECK_INT(got.last.memory.span_us, 0);
}

TEST(after_a_reading_that_failed_nothing_is_told_as_new) {
        _cleanup_(source_memory_freep) struct source_memory *s = open_source();

        test_write_file(test_tmpdir(), "proc/vmstat", "nr_dirty 1\n");
        CHECK_INT(source_memory_sample(s, 10 * SEC), -EBADMSG);
        sample(s, 11 * SEC, 900, 500, 100000);
        CHECK_INT(got.last.memory.stalls, 0);
        CHECK_INT(got.last.memory.span_us, 0);
}

TEST(without_thresholds_nothing_is_told_and_the_probe_says_so) {
        _cleanup_(source_memory_freep) struct source_memory *s = open_source();
        struct source_info info;

        test_write_file(test_tmpdir(), "proc/vmstat", "nr_dirty 1\nnr_writeback 2\n");
        CHECK_INT(source_memory_sample(s, 10 * SEC), -EBADMSG);
        CHECK_INT(got.n, 0);
        CHECK_INT(source_memory_ops.probe(s, &info), 1);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(strstr(info.detail, "lacks the dirty thresholds"));
}

TEST(live_it_works) {
        _cleanup_(source_memory_freep) struct source_memory *s = NULL;
        struct source_info info;

        memset(&got, 0, sizeof(got));
        s = source_memory_new("", (struct event_sink){ take, NULL });
        CHECK_INT(source_memory_sample(s, 10 * SEC), 0);
        CHECK(got.last.memory.limit_kib > 0);
        source_memory_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_WORKS);
}

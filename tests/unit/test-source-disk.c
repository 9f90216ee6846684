/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <math.h>

#include "diskstats.h"
#include "source-disk.h"
#include "test.h"

#define SDA DEV_NUMBER(8, 0)
#define EVENTS_MAX 128

struct capture {
        size_t n;
        struct event events[EVENTS_MAX];
};

static void capture_event(void *userdata, const struct event *e) {
        struct capture *c = userdata;

        if (c->n < EVENTS_MAX)
                c->events[c->n] = *e;
        c->n++;
}

DEFINE_TRIVIAL_CLEANUP_FUNC(struct source_disk *, source_disk_free)
#define _cleanup_source_ _cleanup_(source_disk_freep)

static struct source_disk *open_source(struct capture *c) {
        struct source_disk *s = NULL;

        *c = (struct capture) { 0 };
        if (source_disk_new(test_tmpdir(), (struct event_sink) { capture_event, c }, &s) < 0)
                abort();
        return s;
}

/* Puts text into the tree's diskstats and samples it at second t. Returns the source's answer. */
static int sample(struct source_disk *s, const char *text, nsec_t t, bool *busy) {
        test_write_file(test_tmpdir(), "proc/diskstats", text);
        return source_disk_sample(s, t * NSEC_PER_SEC, busy);
}

static int parse(const char *text, struct disk_counters *ret) {
        char line[512];

        snprintf(line, sizeof(line), "%s", text);
        return diskstats_parse(line, ret);
}

static double absolute_error(double a, double b) {
        return fabs(a - b);
}

TEST(merges_are_told_before_the_counters_where_many_are_written) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);

        source_disk_add(s, SDA);
        sample(s, "8 0 sda 0 0 0 0 0 0 0 0 0 0 0\n", 1, NULL);
        sample(s, "8 0 sda 0 0 0 0 24 96 960 0 0 0 0\n", 2, NULL);
        CHECK_INT(c.n, 1); /* too few */
        sample(s, "8 0 sda 0 0 0 0 64 1096 9960 0 0 0 0\n", 3, NULL);
        CHECK_INT(c.n, 3);
        CHECK_INT(c.events[1].kind, EVENT_DEVICE_MERGES);
        CHECK_INT(c.events[1].merges.writes, 1000);
        CHECK_INT(c.events[1].merges.span_us, 1000000);
        CHECK_INT(c.events[2].kind, EVENT_DEVICE_STAT);
        CHECK_INT(c.events[2].device_stat.writes, 40);
}

TEST(lines_of_11_15_and_17_fields_give_the_same) {
        static const char *const lines[] = {
                "sda 1 2 3 4 5 6 7 8 9 10 11",
                "sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15",
                "sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17",
                "sda 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19",
        };

        for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
                struct disk_counters c;
                CHECK_INT(parse(lines[i], &c), 0);
                CHECK(c.reads == 1 && c.read_sectors == 3 && c.read_ms == 4);
                CHECK(c.writes == 5 && c.write_sectors == 7 && c.write_ms == 8);
                CHECK(c.inflight == 9 && c.busy_ms == 10 && c.queue_ms == 11);
                CHECK_INT(c.discards, i == 0 ? 0 : 12);
        }
}

TEST(what_is_no_line_is_refused) {
        static const char *const lines[] = {
                "", "sda", "sda 1 2 3 4 5 6 7 8 9 10", "sda 1 2 3 4", "sda 1 2 3 4 5 6 7 8 9 10 x", "sda 1 2 -3 4 5 6 7 8 9 10 11",
        };
        struct disk_counters c = { .reads = 7 };
        char dev[] = "4096 0 x", none[] = "8", word[] = "a b";
        char *p = dev;
        uint32_t n;

        for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
                CHECK_INT(parse(lines[i], &c), -EINVAL);
        CHECK_INT(parse("sda 18446744073709551616 2 3 4 5 6 7 8 9 10 11", &c), -ERANGE);
        CHECK_INT(c.reads, 7);
        CHECK_INT(diskstats_take_dev(&p, &n), -ERANGE);
        p = none;
        CHECK_INT(diskstats_take_dev(&p, &n), -EINVAL);
        p = word;
        CHECK_INT(diskstats_take_dev(&p, &n), -EINVAL);
}

TEST(garbage_never_breaks_the_parser) {
        uint64_t state = test_seed();

        for (size_t i = 0; i < 20000; i++) {
                static const char alphabet[] = "0123456789 \tab-\xff";
                char line[96], *rest = line;
                size_t n = test_random(&state) % sizeof(line);
                struct disk_counters c;
                uint32_t dev;

                for (size_t k = 0; k < n; k++)
                        line[k] = alphabet[test_random(&state) % (sizeof(alphabet) - 1)];
                line[MIN(n, sizeof(line) - 1)] = '\0';
                if (diskstats_take_dev(&rest, &dev) == 0 && rest)
                        (void) diskstats_parse(rest, &c);
        }
        CHECK(true); /* the sanitizers are the judges */
}

TEST(iostat_identities_hold_for_the_first_row_of_seed_002) {
        /* 100 s of r/s 6.20, w/s 436.60, r_await 486.58, w_await 141.27, rMB/s 0.05, wMB/s 269.89, util 72.40 %. */
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        struct event_device_stat d;
        double requests, await, size, service;
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "   8       0 sda 0 0 0 0 0 0 0 0 0 0 0\n", 1, &busy), 0);
        CHECK(c.n == 0 && !busy);
        CHECK_INT(sample(s, "   8       0 sda 620 0 10240 301680 43660 0 55273472 6167848 0 72400 6469528\n", 101, &busy), 0);
        CHECK(c.n == 2 && busy);
        CHECK(c.events[1].kind == EVENT_DEVICE_STAT && c.events[1].dev == SDA && c.events[1].t == 101 * NSEC_PER_SEC);
        d = c.events[1].device_stat;
        CHECK_INT(d.span_us, 100000000);
        requests = (double) d.reads + d.writes;
        await = ((double) d.read_ms + d.write_ms) / requests;
        size = ((double) d.read_sectors + d.write_sectors) / requests;
        service = d.busy_ms / requests;
        CHECK(absolute_error(await, 146.11) < 0.01); /* the row itself is rounded to hundredths */
        CHECK(absolute_error(size, 1248.48) < 0.05);
        CHECK(absolute_error(service, 1.64) < 0.006);
        CHECK(absolute_error((double) d.queue_ms / requests, await) < 0.005);
}

TEST(only_added_drives_are_reported) {
        static const char text[] = "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n8 1 sda1 1 0 8 1 0 0 0 0 0 1 1\n"
                                   "259 1048575 nvme0n1 1 0 8 1 0 0 0 0 0 1 1\n8 16 sdb 1 0 8 1 0 0 0 0 0 1 1\n";
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(source_disk_add(s, DEV_NUMBER(259, 1048575)), 0);
        CHECK_INT(source_disk_add(s, 0), -EINVAL);
        CHECK_INT(sample(s, text, 1, &busy), 0);
        CHECK_INT(sample(s, text, 2, &busy), 0);
        CHECK(c.n == 2 && !busy);
        CHECK(c.events[0].dev == SDA && c.events[1].dev == DEV_NUMBER(259, 1048575));
        source_disk_remove(s, SDA);
        CHECK_INT(sample(s, text, 3, &busy), 0);
        CHECK_INT(c.n, 3);
        CHECK(c.events[2].dev == DEV_NUMBER(259, 1048575));
}

TEST(what_the_drives_have_read_is_without_those_left_alone) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(source_disk_add_other(s, DEV_NUMBER(8, 16)), 0);
        CHECK_INT(source_disk_read_bytes(s), 0);
        CHECK_INT(sample(s, "8 0 sda 7 0 8 1 0 0 0 0 0 1 1\n8 16 sdb 7 0 800 1 0 0 0 0 0 1 1\n", 1, &busy), 0);
        CHECK_INT(source_disk_read_bytes(s), 4096);
        CHECK_INT(sample(s, "8 0 sda 9 0 24 1 0 0 0 0 0 1 1\n8 16 sdb 7 0 800 1 0 0 0 0 0 1 1\n", 2, &busy), 0);
        CHECK_INT(source_disk_read_bytes(s), 12288);
}

TEST(of_a_drive_left_alone_only_when_it_did_something_is_kept) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        struct drive_activity others[2];
        bool busy;

        CHECK_INT(source_disk_add_other(s, SDA), 0);
        CHECK_INT(source_disk_add_other(s, SDA), 0);
        CHECK_INT(source_disk_add_other(s, 0), -EINVAL);
        CHECK_INT(sample(s, "8 0 sda 7 0 8 1 0 0 0 0 0 1 1\n", 1, &busy), 0);
        CHECK_INT(source_disk_list_others(s, others, 2), 1);
        CHECK(others[0].dev == SDA && others[0].last == 0); /* what it did before was not seen */
        CHECK_INT(sample(s, "8 0 sda 8 0 8 1 0 0 0 0 0 1 1\n", 2, &busy), 0);
        CHECK(!busy && c.n == 0);
        CHECK_INT(source_disk_list_others(s, others, 2), 1);
        CHECK_INT(others[0].last, 2 * NSEC_PER_SEC);
        CHECK_INT(sample(s, "8 0 sda 8 0 8 1 0 0 0 0 0 1 1\n", 3, &busy), 0);
        CHECK_INT(source_disk_list_others(s, others, 2), 1);
        CHECK_INT(others[0].last, 2 * NSEC_PER_SEC);
        CHECK_INT(source_disk_list_others(s, others, 0), 0);
        CHECK_INT(sample(s, "8 16 sdb 8 0 8 1 0 0 0 0 0 1 1\n", 4, &busy), 0);
        CHECK_INT(source_disk_list_others(s, others, 2), 0); /* gone: forgotten */
        CHECK_INT(source_disk_add_other(s, SDA), 0);
        CHECK_INT(source_disk_list_others(s, others, 2), 1);
        CHECK_INT(source_disk_add(s, SDA), 0); /* it has become one of ours */
        CHECK_INT(source_disk_list_others(s, others, 2), 0);
        CHECK_INT(sample(s, "8 0 sda 9 0 8 1 0 0 0 0 0 1 1\n", 5, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 9 0 8 1 0 0 0 0 0 1 1\n", 6, &busy), 0);
        CHECK_INT(c.n, 1);
}

TEST(a_request_in_flight_makes_busy_even_when_none_completes) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 1 1 1\n", 1, &busy), 0);
        CHECK(busy);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 1 1 1\n", 2, &busy), 0);
        CHECK(busy && c.n == 1 && c.events[0].device_stat.inflight == 1);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 4294967295 1 1\n", 3, &busy), 0);
        CHECK(!busy && c.events[1].device_stat.inflight == 0);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 0 1 1 5 0 0 0\n", 4, &busy), 0);
        CHECK(busy); /* discards are I/O too */
}

TEST(millisecond_fields_wrap_at_32_bits) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "8 0 sda 9 0 8 4294967290 9 0 8 4294967295 0 4294967200 4294967295\n", 1, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 10 0 16 4 10 0 16 0 0 304 99\n", 2, &busy), 0);
        CHECK_INT(c.n, 1);
        CHECK_INT(c.events[0].device_stat.read_ms, 10);
        CHECK_INT(c.events[0].device_stat.write_ms, 1);
        CHECK_INT(c.events[0].device_stat.busy_ms, 400);
        CHECK_INT(c.events[0].device_stat.queue_ms, 100);
}

TEST(counters_that_go_backwards_set_a_new_base) {
        static const char *const restarts[] = {
                "8 0 sda 10 0 800 50 100 0 800 50 0 60 100\n", /* fewer reads */
                "8 0 sda 100 0 800 50 100 0 799 50 0 60 100\n", /* fewer sectors */
                "8 0 sda 100 0 800 50 100 0 800 50 0 59 100\n", /* less time, and no wrap */
        };

        for (size_t i = 0; i < ARRAY_SIZE(restarts); i++) {
                struct capture c;
                _cleanup_source_ struct source_disk *s = open_source(&c);
                bool busy;

                CHECK_INT(source_disk_add(s, SDA), 0);
                CHECK_INT(sample(s, "8 0 sda 100 0 800 50 100 0 800 50 0 60 100\n", 1, &busy), 0);
                CHECK_INT(sample(s, restarts[i], 2, &busy), 0);
                CHECK(c.n == 0 && !busy);
                CHECK_INT(sample(s, "8 0 sda 103 0 824 80 100 0 800 90 0 90 200\n", 3, &busy), 0);
                CHECK(c.n == 1 && busy);
                CHECK_INT(c.events[0].device_stat.reads, i == 0 ? 93 : 3);
                CHECK_INT(c.events[0].device_stat.span_us, 1000000);
        }
}

TEST(a_drive_that_was_missing_begins_anew) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n", 1, &busy), 0);
        CHECK_INT(sample(s, "8 16 sdb 1 0 8 1 0 0 0 0 0 1 1\n", 2, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 1000000 0 8000000 1 0 0 0 0 0 1 1\n", 3, &busy), 0);
        CHECK(c.n == 0 && !busy);
}

TEST(a_line_without_its_end_is_not_believed) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 0 1 100\n", 1, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 2 0 16 1 0 0 0 0 0 1 20", 2, &busy), 0);
        CHECK_INT(sample(s, "", 3, &busy), 0);
        CHECK_INT(sample(s, "\n\n  \n8 0\n8 0 sda\nnonsense\n8 0 sda 2 0 16 1 0 0 0 0 0 1 200\n", 4, &busy), 0);
        CHECK_INT(c.n, 0);
        CHECK_INT(sample(s, "8 0 sda 2 0 16 1 0 0 0 0 0 1 200\n", 5, &busy), 0);
        CHECK_INT(c.n, 1);
}

TEST(drives_are_found_across_the_end_of_the_buffer_and_under_odd_names) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        size_t size = 1 << 20, used;
        _cleanup_free_ char *text = calloc(1, size), *name = calloc(1, 3001);
        bool busy;

        CHECK(text && name);
        memset(name, 'x', 3000);
        used = (size_t) snprintf(text, size, "8 0 %s 1 0 8 1 0 0 0 0 0 1 1\n", name);
        for (unsigned i = 1; i < 2000; i++)
                used += (size_t) snprintf(text + used, size - used, "  65 %7u cciss!c0d%u\xff 1 0 8 1 0 0 0 0 0 1 1 0 0 0 0 0 0\n", i, i);
        for (unsigned i = 0; i < 100; i++)
                CHECK_INT(source_disk_add(s, i == 0 ? SDA : DEV_NUMBER(65, i * 20 - 1)), 0);
        CHECK_INT(sample(s, text, 1, &busy), 0);
        CHECK_INT(sample(s, text, 2, &busy), 0);
        CHECK_INT(c.n, 100);
}

TEST(a_line_larger_than_any_is_an_error_and_the_next_sample_recovers) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        size_t size = 100000;
        _cleanup_free_ char *text = malloc(size + 1);
        struct source_info info;
        bool busy;

        CHECK(text);
        memset(text, 'x', size);
        text[size] = '\0';
        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, text, 1, &busy), -EFBIG);
        source_disk_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n", 2, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 2 0 8 1 0 0 0 0 0 1 1\n", 3, &busy), 0);
        CHECK(c.n == 1 && busy);
}

TEST(a_machine_without_diskstats_says_so) {
        struct capture c = { 0 };
        _cleanup_source_ struct source_disk *s = NULL;
        struct source_info info;
        bool busy;

        CHECK_INT(source_disk_new("/nonexistent", (struct event_sink) { capture_event, &c }, &s), 0);
        CHECK_INT(source_disk_sample(s, NSEC_PER_SEC, &busy), -ENOENT);
        source_disk_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_UNAVAILABLE);
        CHECK(strstr(info.detail, "/proc/diskstats"));
        CHECK_STR(source_state_to_string(info.state), "unavailable");
}

TEST(a_drive_whose_statistics_are_off_is_named) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        struct source_info info;

        test_write_file(test_tmpdir(), "proc/diskstats", "");
        test_write_file(test_tmpdir(), "sys/dev/block/8:0/queue/iostats", "0\n");
        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(source_disk_add(s, DEV_NUMBER(8, 16)), 0);
        source_disk_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_REDUCED);
        CHECK(strstr(info.detail, "8:0") && !strstr(info.detail, "8:16") && strstr(info.detail, "iostats"));
        test_write_file(test_tmpdir(), "sys/dev/block/8:0/queue/iostats", "1\n");
        source_disk_ops.probe(s, &info);
        CHECK_INT(info.state, SOURCE_WORKS);
}

TEST(two_samples_at_one_time_lose_nothing) {
        struct capture c;
        _cleanup_source_ struct source_disk *s = open_source(&c);
        bool busy;

        CHECK_INT(source_disk_add(s, SDA), 0);
        CHECK_INT(sample(s, "8 0 sda 1 0 8 1 0 0 0 0 0 1 1\n", 1, &busy), 0);
        CHECK_INT(sample(s, "8 0 sda 2 0 8 1 0 0 0 0 0 1 1\n", 1, &busy), 0);
        CHECK(c.n == 0 && busy);
        CHECK_INT(sample(s, "8 0 sda 3 0 8 1 0 0 0 0 0 1 1\n", 2, &busy), 0);
        CHECK(c.n == 1 && c.events[0].device_stat.reads == 2);
}

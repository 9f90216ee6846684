/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The emulated drive on a clock of its own. */
#include <glob.h>
#include <math.h>

#include "data.h"
#include "engine.h"
#include "figures.h"
#include "model-load.h"
#include "test.h"
#include "units.h"

#define CAPACITY (UINT64_C(32) << 30)
#define BLOCK 4096
#define DEPTH_MAX 64
/* From a completion to the next request of the same reader: what the way through loop driver and FUSE takes beyond WAY_NS
 * (serve.c). */
#define HOST_NS (20 * NSEC_PER_USEC)

/* Loads a model; ends the test where that fails. */
static bool load_file(const char *path, struct drive *ret) {
        struct drive_load_error error = { 0 };
        int r = drive_load(path, CAPACITY, test_seed(), ret, &error);

        if (r < 0)
                test_fail(__FILE__, __LINE__, "%s:%d: %s", path, error.line, error.text);
        return r == 0;
}

static bool load(struct drive *ret) {
        return load_file(MODELS_DIR "/hdd-7200.conf", ret);
}

static bool is_about(double value, double expected, double tolerance) {
        return fabs(value - expected) <= expected * tolerance;
}

TEST(seeks_follow_the_square_root_of_the_distance) {
        struct drive d;

        if (!load(&d))
                return;
        CHECK_INT(hdd_seek_ns(&d.hdd, 0, 0), 0);
        CHECK_INT(hdd_seek_ns(&d.hdd, 0, d.hdd.track_bytes - 1), 0);
        CHECK(hdd_seek_ns(&d.hdd, 0, d.hdd.track_bytes) >= 800 * NSEC_PER_USEC);
        CHECK_INT(hdd_seek_ns(&d.hdd, 0, CAPACITY), 14 * NSEC_PER_MSEC);
        CHECK_INT(hdd_seek_ns(&d.hdd, CAPACITY / 4, 0), 7400 * NSEC_PER_USEC); /* 0.8 + 13.2 * sqrt(1/4) */
        CHECK_INT(hdd_seek_ns(&d.hdd, 0, CAPACITY / 4), hdd_seek_ns(&d.hdd, CAPACITY / 4, 0));
}

TEST(rotation_waits_less_than_a_turn_and_is_periodic) {
        uint64_t random = test_seed();
        struct drive d;

        if (!load(&d))
                return;
        CHECK_INT(d.hdd.params.turn_ns, 8333333);
        for (int i = 0; i < 10000; i++) {
                nsec_t at = test_random(&random) % (1000 * NSEC_PER_SEC);
                uint64_t to = test_random(&random) % CAPACITY;
                nsec_t wait = hdd_rotation_ns(&d.hdd, at, to);

                CHECK(wait < d.hdd.params.turn_ns);
                CHECK_INT(hdd_rotation_ns(&d.hdd, at + d.hdd.params.turn_ns, to), wait);
                CHECK_INT(hdd_rotation_ns(&d.hdd, at + wait, to), 0);
        }
}

TEST(the_nearest_request_of_the_queue_is_served_first) {
        struct drive_request first = { .offset = 0, .length = BLOCK };
        struct drive_request far = { .offset = CAPACITY / 2, .length = BLOCK, .arrival = 1 };
        struct drive_request near = { .offset = BLOCK, .length = BLOCK, .arrival = 2 };
        struct drive_engine e;
        struct drive d;

        if (!load(&d))
                return;
        drive_engine_init(&e, drive_model(&d));
        drive_engine_submit(&e, &first);
        drive_engine_submit(&e, &far);
        drive_engine_submit(&e, &near);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &first);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &near);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &far);
        CHECK(!drive_engine_complete(&e, DRIVE_NEVER - 1));
        CHECK(drive_engine_next(&e) == DRIVE_NEVER);
}

/* A player's read stood in the drive for 18 s while ten files were written next to where the head was. */
TEST(a_far_request_waits_for_nearer_ones_but_not_for_longer_than_the_drives_limit) {
        struct drive_request far = { .offset = CAPACITY / 2, .length = BLOCK }, writes[4] = { 0 };
        struct drive_engine e;
        uint64_t next = 0;
        nsec_t now = 0;
        struct drive d;

        if (!load(&d))
                return;
        CHECK_INT(d.hdd.params.longest_wait_ns, 2 * NSEC_PER_SEC);
        drive_engine_init(&e, drive_model(&d));
        for (size_t i = 0; i < ARRAY_SIZE(writes); i++) {
                writes[i] = (struct drive_request){ .offset = next++ << 20, .length = 1 << 20, .write = true };
                drive_engine_submit(&e, &writes[i]);
        }
        drive_engine_submit(&e, &far);
        for (struct drive_request *r; (r = drive_engine_complete(&e, DRIVE_NEVER - 1)) != &far;) {
                now = r->done;
                CHECK(now < 3 * NSEC_PER_SEC);
                *r = (struct drive_request){ .offset = next++ << 20, .length = 1 << 20, .write = true, .arrival = now + HOST_NS };
                drive_engine_submit(&e, r);
        }
        CHECK(now > 2 * NSEC_PER_SEC && far.done < 2100 * NSEC_PER_MSEC);
}

TEST(the_drive_sees_no_more_than_its_queue_holds) {
        struct drive_request requests[DEPTH_MAX];
        struct drive_engine e;
        struct drive d;

        if (!load(&d))
                return;
        drive_engine_init(&e, drive_model(&d));
        for (size_t i = 0; i < DEPTH_MAX; i++) {
                requests[i] = (struct drive_request) { .offset = i * (CAPACITY / DEPTH_MAX), .length = BLOCK };
                drive_engine_submit(&e, &requests[i]);
        }
        CHECK(!drive_engine_complete(&e, 0));
        CHECK_INT(e.n_queue + e.n_active, 32);
        CHECK(e.waiting == &requests[32]);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1));
        CHECK(e.waiting == &requests[33]);
}

TEST(nothing_completes_before_its_time_or_out_of_order) {
        uint64_t random = test_seed();
        struct drive_request requests[DEPTH_MAX], *r;
        struct drive_engine e;
        nsec_t last = 0;
        size_t n = 0;
        struct drive d;

        if (!load(&d))
                return;
        drive_engine_init(&e, drive_model(&d));
        for (size_t i = 0; i < DEPTH_MAX; i++) {
                requests[i] = (struct drive_request) { .offset = test_random(&random) % (CAPACITY / BLOCK) * BLOCK,
                                                       .length = BLOCK, .write = i % 3 == 0, .arrival = i * NSEC_PER_MSEC };
                drive_engine_submit(&e, &requests[i]);
        }
        while (drive_engine_next(&e) != DRIVE_NEVER) {
                nsec_t at = drive_engine_next(&e);

                CHECK(at == 0 || !drive_engine_complete(&e, at - 1));
                r = drive_engine_complete(&e, at);
                if (!r)
                        continue; /* an arrival */
                CHECK(r->done >= last && r->done > r->arrival);
                last = r->done;
                n++;
        }
        CHECK_INT(n, DEPTH_MAX);
}

/* A caller that answers before a request is due hears of the next one before the engine's time. */
TEST(a_request_from_the_past_is_served_now) {
        struct drive_request first = { .length = BLOCK }, second = { .offset = CAPACITY / 2, .length = BLOCK };
        struct drive_engine e;
        struct drive d;

        if (!load(&d))
                return;
        drive_engine_init(&e, drive_model(&d));
        drive_engine_submit(&e, &first);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &first);
        second.arrival = first.done - 1;
        drive_engine_submit(&e, &second);
        CHECK_INT(drive_engine_next(&e), first.done);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &second);
        CHECK(second.done > first.done);
}

/* Takes a request only each whole millisecond, and then 10 us. */
static int start_in_steps(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n) {
        (void) n;
        m->wake = (now / NSEC_PER_MSEC + 1) * NSEC_PER_MSEC;
        if (now % NSEC_PER_MSEC != 0)
                return -1;
        queue[0]->done = now + 10 * NSEC_PER_USEC;
        return 0;
}

TEST(a_model_that_can_start_nothing_is_asked_again_when_it_wants_to_be_and_not_while_it_has_no_work) {
        struct drive_model model = { .start = start_in_steps, .queue_depth = 4 };
        struct drive_request a = { .arrival = 5 }, b = { .arrival = 6 };
        struct drive_engine e;

        drive_engine_init(&e, &model);
        drive_engine_submit(&e, &a);
        CHECK(!drive_engine_complete(&e, 5));
        CHECK_INT(drive_engine_next(&e), NSEC_PER_MSEC);
        drive_engine_submit(&e, &b);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &a);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &b);
        CHECK_INT(a.done, NSEC_PER_MSEC + 10 * NSEC_PER_USEC);
        CHECK_INT(b.done, NSEC_PER_MSEC + 10 * NSEC_PER_USEC);
        CHECK(drive_engine_next(&e) == DRIVE_NEVER);
}

TEST(a_late_caller_does_not_slow_the_drive) {
        struct drive_request requests[2][8];
        struct drive_engine e;
        struct drive d;

        for (int late = 0; late < 2; late++) {
                if (!load(&d))
                        return;
                drive_engine_init(&e, drive_model(&d));
                for (size_t i = 0; i < 8; i++) {
                        requests[late][i] = (struct drive_request) { .offset = i * (CAPACITY / 8), .length = BLOCK };
                        drive_engine_submit(&e, &requests[late][i]);
                }
                while (drive_engine_next(&e) != DRIVE_NEVER)
                        (void) drive_engine_complete(&e, late ? NSEC_PER_SEC * 100 : drive_engine_next(&e));
        }
        for (size_t i = 0; i < 8; i++)
                CHECK_INT(requests[1][i].done, requests[0][i].done);
}

TEST(a_figure_that_nothing_measures_is_refused_with_its_line) {
        struct drive_figure figures[FIGURES_MAX];
        struct drive_load_error error = { 0 };
        char path[4096] = "";

        test_write_file(test_tmpdir(), "odd.conf", "[intended]\nweight_g = 400\n");
        snprintf(path, sizeof(path), "%s/odd.conf", test_tmpdir());
        CHECK_INT(drive_figures(path, 0, figures, &error), -EINVAL);
        CHECK_INT(error.line, 2);
        CHECK_STR(error.text, "nothing measures \"weight_g = 400\" in [intended]");
}

/* The next completion: at once, or event by event, as a caller that is never late lives through them. */
static struct drive_request *next_done(struct drive_engine *e, bool stepwise) {
        struct drive_request *r = NULL;

        while (!r && drive_engine_next(e) != DRIVE_NEVER)
                r = drive_engine_complete(e, stepwise ? drive_engine_next(e) : DRIVE_NEVER - 1);
        return r;
}

/* All times of a mix of requests in one number; 0 where one was never answered, or before it was due. */
static uint64_t history_of(struct drive *d, bool stepwise) {
        struct drive_request requests[8] = { 0 };
        uint64_t random = 1, sum = 0;
        struct drive_engine e;

        drive_engine_init(&e, drive_model(d));
        for (unsigned n = 0; n < 20000; n++) {
                struct drive_request *r = n < ARRAY_SIZE(requests) ? &requests[n] : next_done(&e, stepwise);
                nsec_t now = r ? r->done : 0;

                if (!r || now < r->arrival)
                        return 0;
                sum = (sum ^ now) * UINT64_C(0x100000001b3);
                *r = (struct drive_request) { .length = (1 + test_random(&random) % 64) * BLOCK, .arrival = now + test_random(&random) % NSEC_PER_MSEC };
                r->offset = test_random(&random) % (CAPACITY / BLOCK - 64) * BLOCK;
                r->write = test_random(&random) % 3 == 0;
                r->flush = drive_model(d)->write_cache && test_random(&random) % 100 == 0;
                drive_engine_submit(&e, r);
        }
        return sum;
}

TEST(every_model_answers_each_request_and_a_late_caller_changes_no_time) {
        glob_t models;

        CHECK_INT(glob(MODELS_DIR "/*.conf", 0, NULL, &models), 0);
        for (size_t m = 0; m < models.gl_pathc; m++) {
                uint64_t late, stepwise;
                struct drive d;

                printf("# %s\n", basename(models.gl_pathv[m]));
                CHECK(load_file(models.gl_pathv[m], &d));
                late = history_of(&d, false);
                CHECK(load_file(models.gl_pathv[m], &d));
                stepwise = history_of(&d, true);
                CHECK(late != 0 && late == stepwise);
        }
        globfree(&models);
}

/* Published results were measured with these. */
TEST(the_models_of_former_results_are_as_they_were) {
        static const struct { const char *model; uint64_t history; } known[] = {
                { "emmc", UINT64_C(0x906fe9e1c089b39f) },
                { "hdd-5400", UINT64_C(0x8bd2347ad962fc99) },
                { "hdd-7200", UINT64_C(0xe76f8ed725a116c3) },
                { "nvme", UINT64_C(0x6dd8981c6ec09669) },
                { "sd-card", UINT64_C(0xb4ca788a726cdf1d) },
                { "ssd-sata", UINT64_C(0xcd548ee7c000afdd) },
                { "usb-stick", UINT64_C(0x7e2be07306433d10) },
        };

        for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
                struct drive_load_error error;
                char path[4096] = "";
                uint64_t history;
                struct drive d;

                snprintf(path, sizeof(path), MODELS_DIR "/%s.conf", known[i].model);
                CHECK_INT(drive_load(path, CAPACITY, 1, &d, &error), 0);
                history = history_of(&d, false);
                printf("# %s: %" PRIx64 "\n", known[i].model, history);
                CHECK(history == known[i].history);
        }
}

TEST(the_cache_keeps_the_last_segment_alone) {
        struct drive_request first = { .length = 64 << 20 }, recent = { .length = BLOCK }, old = { .length = BLOCK }, *r;
        struct drive_engine e;
        struct drive d;

        if (!load(&d))
                return;
        drive_engine_init(&e, drive_model(&d));
        drive_engine_submit(&e, &first);
        CHECK(drive_engine_complete(&e, DRIVE_NEVER - 1) == &first);
        recent.offset = first.length - (1 << 20);
        recent.arrival = first.done;
        drive_engine_submit(&e, &recent);
        r = drive_engine_complete(&e, DRIVE_NEVER - 1);
        CHECK(r->done - r->arrival < NSEC_PER_MSEC);
        old.arrival = recent.done + NSEC_PER_MSEC;
        drive_engine_submit(&e, &old);
        r = drive_engine_complete(&e, DRIVE_NEVER - 1);
        CHECK(r->done - r->arrival > NSEC_PER_MSEC);
}

/* A write that comes just after the one before it has missed its sector: it waits for the next turn. */
TEST(lone_sequential_writes_cost_a_turn_each) {
        struct drive d;

        if (!load(&d))
                return;
        CHECK(is_about(drive_run(&d, &(struct drive_workload) { .pattern = PATTERN_SEQUENTIAL, .depth = 1, .bytes = BLOCK, .write_percent = 100 },
                                  test_seed(), 1000).iops, 120, 0.02));
}

TEST(equal_seeds_give_equal_drives) {
        static const char *const paths[] = { MODELS_DIR "/hdd-7200.conf", MODELS_DIR "/sd-card.conf", MODELS_DIR "/disk-2tb.conf" };
        static const struct drive_workload w = { .pattern = PATTERN_RANDOM, .depth = 8, .bytes = BLOCK, .write_percent = 30 };
        struct drive a, b;

        for (size_t i = 0; i < ARRAY_SIZE(paths); i++)
                if (load_file(paths[i], &a) && load_file(paths[i], &b))
                        CHECK(drive_run(&a, &w, test_seed(), 20000).iops == drive_run(&b, &w, test_seed(), 20000).iops);
}

/* Whether a read of each part shows what is expected there. */
static bool shows(const struct drive_data *d, const char *expected, uint64_t size) {
        struct iovec pieces[16];

        for (uint64_t begin = 0; begin < size; begin += 700) {
                uint64_t at = begin;
                size_t n = drive_data_read(d, begin, size - begin, pieces, ARRAY_SIZE(pieces));

                for (size_t i = 0; i < n; at += pieces[i++].iov_len)
                        if (at + pieces[i].iov_len > size || memcmp(pieces[i].iov_base, expected + at, pieces[i].iov_len) != 0)
                                return false;
                if (at != size)
                        return false;
        }
        return true;
}

TEST(what_is_written_is_there_and_what_is_made_zeros_is_gone) {
        static const struct { uint64_t offset, length; } ranges[] = {
                { 0, 20000 }, { 100, 50 }, { 4000, 200 }, { 4096, 4096 }, { 5000, 9000 },
        };
        char text[20000], expected[20000];
        struct drive_data d = { 0 };

        memset(text, 'x', sizeof(text));
        for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
                CHECK_INT(drive_data_init(&d, 5 * DRIVE_BLOCK_BYTES), 0);
                memset(expected, 0, sizeof(expected));
                CHECK(shows(&d, expected, sizeof(expected)));
                drive_data_zero(&d, ranges[i].offset, ranges[i].length);
                drive_data_write(&d, text, ranges[i].offset, ranges[i].length);
                memcpy(expected + ranges[i].offset, text, ranges[i].length);
                CHECK(shows(&d, expected, sizeof(expected)));
                drive_data_write(&d, text, 0, sizeof(text));
                CHECK(shows(&d, text, sizeof(text)));
                memcpy(expected, text, sizeof(text));
                memset(expected + ranges[i].offset, 0, ranges[i].length);
                drive_data_zero(&d, ranges[i].offset, ranges[i].length);
                CHECK(shows(&d, expected, sizeof(expected)));
                drive_data_write(&d, text, 0, sizeof(text));
                drive_data_write(&d, expected, 0, sizeof(expected));
                CHECK(shows(&d, expected, sizeof(expected)));
                drive_data_done(&d);
        }
}

static uint64_t anonymous_kib(void) {
        _cleanup_fclose_ FILE *f = fopen("/proc/self/status", "re");
        char line[256];
        uint64_t kib = 0;

        while (f && fgets(line, sizeof(line), f))
                if (sscanf(line, "RssAnon: %" SCNu64, &kib) == 1)
                        break;
        return kib;
}

TEST(zeros_cost_no_memory_and_made_zeros_give_it_back) {
        enum { KIB = 16384 };
        _cleanup_free_ char *text = calloc(KIB, 1024);
        struct drive_data d = { 0 };
        uint64_t before;

        CHECK(text);
        CHECK_INT(drive_data_init(&d, KIB * 1024), 0);
        memset(text, 0, KIB * 1024);
        before = anonymous_kib();
        drive_data_write(&d, text, 0, KIB * 1024);
        CHECK(anonymous_kib() < before + KIB / 2);
        memset(text, 'x', KIB * 1024);
        before = anonymous_kib();
        drive_data_write(&d, text, 0, KIB * 1024);
        CHECK(anonymous_kib() > before + KIB / 2);
        drive_data_zero(&d, 0, KIB * 1024);
        CHECK(anonymous_kib() < before + KIB / 2);
        drive_data_done(&d);
}

TEST(a_bad_model_file_is_refused_with_its_line) {
        static const struct { const char *text; int line; const char *says; } bad[] = {
                { "[model]\nkind = floppy\n", 2, "unknown kind of drive \"floppy\"" },
                { "[model]\nkind = hdd\n[hdd]\nrpm = fast\n", 4, "bad value \"fast\" for rpm" },
                { "[model]\nkind = hdd\n[hdd]\nspindles = 2\n", 4, "unknown key \"spindles\" in [hdd]" },
                { "[model]\nkind = hdd\n[hdd]\nseek_min = 800\n", 4, "bad value \"800\" for seek_min" },
                { "[model]\nqueue_depth = 32\n", 0, "no kind in [model]" },
                { "[model]\nkind = hdd\nqueue_depth = 32\n[hdd]\nrpm = 0\n", 0, "these values make no drive" },
                { "[model]\nkind = flash\n[hdd]\nrpm = 7200\n", 0, "these values make no drive" },
                { "[model]\nkind = flash\n[flash]\nread = 10\n", 4, "bad value \"10\" for read" },
        };

        for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
                struct drive_load_error error = { 0 };
                char path[4096] = "";
                struct drive d;

                test_write_file(test_tmpdir(), "bad.conf", bad[i].text);
                snprintf(path, sizeof(path), "%s/bad.conf", test_tmpdir());
                CHECK_INT(drive_load(path, CAPACITY, 0, &d, &error), -EINVAL);
                CHECK_INT(error.line, bad[i].line);
                CHECK_STR(error.text, bad[i].says);
        }
}

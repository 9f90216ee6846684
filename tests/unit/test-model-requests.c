/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detector.h"
#include "flow.h"
#include "model.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC

static struct snapshot snapshot;

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

static void feed(struct model *m, nsec_t t, enum event_kind kind, int32_t tgid, uint64_t sector, enum request_op op) {
        struct event e = { .t = t, .kind = (uint16_t) kind, .dev = DRIVE, .tgid = tgid };

        e.request = (struct event_request){ .sector = sector, .sectors = 8, .op = (uint8_t) op };
        model_feed(m, &e);
}

static void watch(struct model *m, nsec_t t, bool on) {
        struct event e = { .t = t, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = on, .rotational = true } };

        model_feed(m, &e);
}

static void name(struct model *m, nsec_t t, int32_t tgid) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_NAME, .tgid = tgid, .process_name = { .start_ticks = 7, .name = "reader" } };

        model_feed(m, &e);
}

/* As /proc has it: on which drive is a guess. */
static void infer(struct model *m, nsec_t t, int32_t tgid, uint32_t dev) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = dev, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 4096 };
        model_feed(m, &e);
}

static void feed_stat(struct model *m, nsec_t t, uint32_t reads) {
        struct event e = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

        e.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = reads, .read_sectors = reads * 8, .read_ms = reads };
        model_feed(m, &e);
}

/* A read from its queuing at t on: 2 ms until it is dispatched, and 3 ms in the drive. */
static void read_once(struct model *m, nsec_t t, int32_t tgid, uint64_t sector) {
        feed(m, t, EVENT_REQUEST_QUEUE, tgid, sector, REQUEST_READ);
        feed(m, t + 2 * MSEC, EVENT_REQUEST_ISSUE, 0, sector, REQUEST_READ);
        feed(m, t + 5 * MSEC, EVENT_REQUEST_COMPLETE, 0, sector, REQUEST_READ);
}

static const struct device_view *look(struct model *m, nsec_t now) {
        model_snapshot(m, now, &snapshot);
        return snapshot_find_device(&snapshot, DRIVE);
}

TEST(a_read_whose_end_was_found_out_later_counts_and_has_no_latency) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .t = 3 * SEC, .kind = EVENT_REQUEST_COMPLETE, .flags = EVENT_UNSEEN, .dev = DRIVE };
        const struct device_view *v;

        watch(m, SEC, true);
        name(m, SEC, 42);
        read_once(m, 2 * SEC, 42, 1000);
        feed(m, 2 * SEC + 100 * MSEC, EVENT_REQUEST_QUEUE, 42, 2000, REQUEST_READ);
        feed(m, 2 * SEC + 102 * MSEC, EVENT_REQUEST_ISSUE, 0, 2000, REQUEST_READ);
        infer(m, 2 * SEC + 200 * MSEC, 42, DRIVE);
        e.request = (struct event_request){ .sector = 2000, .sectors = 8, .op = REQUEST_READ };
        model_feed(m, &e);
        v = look(m, 3 * SEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 1);
        CHECK_INT(v->requests.latencies.service[REQUEST_READ].requests, 1);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK_INT(snapshot.processes[0].requests.count[REQUEST_READ], 2);
        CHECK_INT(snapshot.processes[0].requests.latencies.wait[REQUEST_READ].requests, 1);
        read_once(m, 3 * SEC, 42, 3000); /* the next one has */
        v = look(m, 3 * SEC + 10 * MSEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 2);
}

TEST(requests_of_more_processes_than_there_is_room_for_are_counted_and_followed_as_of_none) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct model_counters c;

        watch(m, SEC, true);
        for (int32_t i = 1; i <= FLOWS_MAX + 100; i++)
                read_once(m, 2 * SEC + (nsec_t) i * 10 * MSEC, i, (uint64_t) i * 8);
        model_get_counters(m, &c);
        CHECK_INT(c.flows_refused, 100);
        CHECK_INT(c.requests_refused + c.requests_unmatched, 0);
        CHECK(look(m, 2 * SEC + (nsec_t) (FLOWS_MAX + 101) * 10 * MSEC)->requests.anonymous_permille > 0);
}

/* To process 100. */
static void give_priority(struct model *m, nsec_t t, uint8_t io_class, uint8_t io_level) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_PRIORITY, .tgid = 100 };

        e.process_priority = (struct event_process_priority){ .start_ticks = 7, .io_class = io_class, .io_level = io_level };
        model_feed(m, &e);
}

TEST(reads_of_a_process_that_lets_others_go_first_count_for_the_drive_but_not_for_those_others) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, true);
        name(m, SEC, 100);
        name(m, SEC, 101);
        read_once(m, SEC, 101, 8);
        give_priority(m, SEC, IO_CLASS_BEST_EFFORT, 7);
        for (unsigned i = 1; i < 10; i++)
                read_once(m, SEC + i * 10 * MSEC, 100, 8 + i * 100000);
        v = look(m, 2 * SEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 10);
        CHECK_INT(v->requests.foremost_reads.requests, 1);
}

/* bfq takes a request's priority when it is asked for: what it waits is that one's, whatever its process has when it is done. */
TEST(a_read_counts_by_the_priority_that_its_process_had_when_it_asked) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, true);
        name(m, SEC, 100);
        give_priority(m, SEC, IO_CLASS_BEST_EFFORT, 7);
        feed(m, SEC + 10 * MSEC, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
        give_priority(m, SEC + 20 * MSEC, IO_CLASS_NONE, 0);
        feed(m, SEC + 30 * MSEC, EVENT_REQUEST_QUEUE, 100, 800, REQUEST_READ);
        feed(m, SEC + 900 * MSEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        feed(m, SEC + 910 * MSEC, EVENT_REQUEST_COMPLETE, 0, 800, REQUEST_READ);
        v = look(m, 2 * SEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 2);
        CHECK_INT(v->requests.foremost_reads.requests, 1);
}

TEST(latencies_are_those_of_the_requests) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, true);
        name(m, SEC, 100);
        infer(m, SEC, 100, DRIVE);
        for (unsigned i = 0; i < 100; i++)
                read_once(m, SEC + i * 10 * MSEC, 100, 8 + i * 100000);
        v = look(m, 2 * SEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 100);
        CHECK(v->requests.latencies.wait[REQUEST_READ].median_us >= 4690 && v->requests.latencies.wait[REQUEST_READ].median_us <= 5310);
        CHECK(v->requests.latencies.service[REQUEST_READ].p99_us >= 2810 && v->requests.latencies.service[REQUEST_READ].p99_us <= 3190);
        CHECK_INT(v->requests.latencies.wait[REQUEST_WRITE].requests, 0);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK(snapshot.processes[0].requests.told);
        CHECK(snapshot.processes[0].requests.seeky);
        CHECK_INT(snapshot.processes[0].requests.count[REQUEST_READ], 100);
        CHECK_INT(snapshot.processes[0].requests.latencies.wait[REQUEST_READ].requests, 100);
        CHECK(snapshot.processes[0].requests.think_time_us >= 5000 && snapshot.processes[0].requests.think_time_us <= 5150);
        CHECK_INT(snapshot.processes[0].flags & EVENT_INFERRED, 0);
}

TEST(readers_that_requests_show_are_counted_and_guessed_ones_are_not) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, true);
        for (int32_t tgid = 100; tgid < 120; tgid++) {
                name(m, SEC, tgid);
                infer(m, 3 * SEC, tgid, DRIVE);
        }
        feed_stat(m, 3 * SEC, 20);
        for (int32_t tgid = 100; tgid < 105; tgid++)
                read_once(m, 3 * SEC - 10 * MSEC, tgid, (uint64_t) tgid * 1000);
        v = look(m, 3 * SEC);
        CHECK_INT(v->readers, 5);
        CHECK_INT(v->inferred_readers, 0);
        for (size_t i = 0; i < snapshot.n_processes; i++)
                CHECK_INT(snapshot.processes[i].dev, snapshot.processes[i].tgid < 105 ? DRIVE : 0);
}

TEST(what_requests_say_of_waiting_replaces_what_samples_say) {
        struct model *m = model_new();

        watch(m, SEC, true);
        for (nsec_t t = 2 * SEC; t < 4 * SEC; t += 10 * MSEC) {
                name(m, t, 100);
                infer(m, t, 100, DRIVE);
                read_once(m, t, 100, t / MSEC * 8);
        }
        look(m, 4 * SEC);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK(snapshot.processes[0].requests.told);
        CHECK_INT(snapshot.processes[0].wait_permille, 500); /* 5 of each 10 ms */
        CHECK_INT(snapshot.processes[0].requests.per_s[REQUEST_READ], 100);
        CHECK_INT(snapshot.processes[0].requests.per_s[REQUEST_WRITE], 0);
        model_free(m);
}

TEST(guesses_count_until_requests_were_told_for_a_window) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, 3 * SEC - MSEC, true);
        name(m, SEC, 100);
        infer(m, 3 * SEC, 100, DRIVE);
        feed_stat(m, 3 * SEC, 20);
        CHECK_INT(look(m, 3 * SEC)->inferred_readers, 1);
}

/* As with dm-crypt: which process waits for what its threads read, only /proc can guess. */
TEST(guesses_count_where_kernel_threads_ask_for_most) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, true);
        name(m, SEC, 100);
        infer(m, 3 * SEC, 100, DRIVE);
        feed_stat(m, 3 * SEC, 20);
        for (unsigned i = 0; i < 20; i++)
                read_once(m, 3 * SEC - 10 * MSEC, 0, i * 1000);
        v = look(m, 3 * SEC);
        CHECK_INT(v->requests.anonymous_permille, 1000);
        CHECK_INT(v->readers, 1);
        CHECK_INT(v->inferred_readers, 1);
}

TEST(a_process_that_waits_for_a_read_is_a_reader_however_long_it_takes) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true);
        feed(m, 2 * SEC, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
        feed(m, 2 * SEC, EVENT_REQUEST_ISSUE, 0, 8, REQUEST_READ);
        CHECK_INT(look(m, 20 * SEC)->readers, 1);
        feed(m, 20 * SEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        CHECK_INT(look(m, 20 * SEC + READER_WINDOW_NS)->readers, 1);
        CHECK_INT(look(m, 20 * SEC + READER_WINDOW_NS + 1)->readers, 0);
}

TEST(a_process_that_only_writes_now_is_no_reader_for_what_it_read_once) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true);
        read_once(m, 2 * SEC, 100, 8);
        for (nsec_t t = 2 * SEC; t < 6 * SEC; t += 100 * MSEC) {
                feed(m, t, EVENT_REQUEST_QUEUE, 100, 8000, REQUEST_WRITE);
                feed(m, t + MSEC, EVENT_REQUEST_COMPLETE, 0, 8000, REQUEST_WRITE);
        }
        CHECK_INT(look(m, 6 * SEC)->readers, 0);
}

TEST(what_a_process_read_before_requests_were_told_stays_its_use_of_the_drive) {
        _cleanup_(model_freep) struct model *m = model_new();

        infer(m, SEC, 100, DRIVE); /* and rests */
        watch(m, SEC, true);
        read_once(m, 4 * SEC, 200, 8);
        look(m, 4 * SEC);
        CHECK_INT(snapshot_find_process(&snapshot, 100, 7)->dev, DRIVE);
        infer(m, 4 * SEC, 100, DRIVE); /* they would have shown this */
        look(m, 4 * SEC);
        CHECK_INT(snapshot_find_process(&snapshot, 100, 7)->dev, 0);
}

/* Through the page cache, the usual way: its requests are those of kernel threads. */
TEST(writers_are_known_from_proc_where_requests_are_told_too) {
        struct event e = { .t = 3 * SEC, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = 100 };
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true);
        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .write_bytes = 1 << 20 };
        model_feed(m, &e);
        feed_stat(m, 3 * SEC, 1);
        look(m, 3 * SEC);
        CHECK_INT(snapshot.processes[0].dev, DRIVE);
        CHECK(snapshot.processes[0].write_bytes_per_s > 0);
}

TEST(reads_are_their_processes_even_if_these_are_gone_when_they_end) {
        struct event gone = { .t = 3 * SEC, .kind = EVENT_PROCESS_EXIT, .tgid = 100 };
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true);
        feed(m, 3 * SEC, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
        model_feed(m, &gone);
        feed(m, 3 * SEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        CHECK_INT(look(m, 3 * SEC)->requests.latencies.wait[REQUEST_READ].requests, 1);
        CHECK_INT(look(m, 3 * SEC)->requests.anonymous_permille, 0);
}

TEST(a_process_is_where_it_is_at_work_not_where_it_was) {
        struct event e = { .t = 10 * SEC, .kind = EVENT_PROCESS_IO, .dev = DEV_NUMBER(8, 16), .tgid = 100 };
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true);
        read_once(m, 2 * SEC, 100, 8);
        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 1 << 20 };
        model_feed(m, &e);
        look(m, 10 * SEC);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK_INT(snapshot.processes[0].dev, DEV_NUMBER(8, 16));
        read_once(m, 10 * SEC, 100, 8000);
        look(m, 10 * SEC);
        CHECK_INT(snapshot.processes[0].dev, DRIVE);
}

TEST(a_service_hole_is_a_drive_that_idles_while_something_waits) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, 10 * SEC, true);
        for (unsigned i = 0; i < 100; i++) { /* 8 of each 20 ms: slice_idle */
                nsec_t t = 10 * SEC + i * 20 * MSEC;
                feed(m, t, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
                feed(m, t + 8 * MSEC, EVENT_REQUEST_ISSUE, 0, 8, REQUEST_READ);
                feed(m, t + 20 * MSEC - 1, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        }
        CHECK(look(m, 12 * SEC - MSEC)->requests.hole_permille >= 390);
        CHECK(look(m, 12 * SEC - MSEC)->requests.hole_permille <= 410);
        CHECK_INT(look(m, 13 * SEC)->requests.hole_permille, 800 * 1000 / 2992); /* at rest since: 800 ms from the first one's end on */
        CHECK_INT(look(m, 20 * SEC)->requests.hole_permille, 0);
}

TEST(neither_a_busy_drive_nor_an_idle_one_has_holes) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, 10 * SEC, true);
        for (unsigned i = 0; i < 50; i++) {
                nsec_t t = 10 * SEC + i * 40 * MSEC;
                feed(m, t, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
                feed(m, t, EVENT_REQUEST_ISSUE, 0, 8, REQUEST_READ);
                feed(m, t + MSEC, EVENT_REQUEST_QUEUE, 101, 800, REQUEST_READ); /* waits, but the drive is at work */
                feed(m, t + 9 * MSEC, EVENT_REQUEST_ISSUE, 0, 800, REQUEST_READ);
                feed(m, t + 10 * MSEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
                feed(m, t + 11 * MSEC, EVENT_REQUEST_COMPLETE, 0, 800, REQUEST_READ);
        }
        CHECK_INT(look(m, 12 * SEC)->requests.hole_permille, 0);
}

/* In each 14 ms: 100 reads, the drive idles 4 ms for it although 101 waits for 3 of them, 100 reads on, and 101 is served while
 * 100 pauses for 6 ms. */
TEST(holes_pauses_and_injection_are_charged_to_the_process_that_was_waited_for) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct process_view *a = NULL, *b = NULL;
        const struct device_view *v;

        watch(m, SEC, true);
        for (int32_t tgid = 100; tgid <= 101; tgid++) {
                name(m, SEC, tgid);
                infer(m, SEC, tgid, DRIVE);
        }
        for (unsigned i = 0; i < 142; i++) { /* 2 s */
                nsec_t t = SEC + i * 14 * MSEC;
                uint64_t far = 1000000 + i * 10000;
                feed(m, t, EVENT_REQUEST_QUEUE, 100, 8 + i * 16, REQUEST_READ);
                feed(m, t, EVENT_REQUEST_ISSUE, 0, 8 + i * 16, REQUEST_READ);
                feed(m, t + 2 * MSEC, EVENT_REQUEST_COMPLETE, 0, 8 + i * 16, REQUEST_READ);
                feed(m, t + 3 * MSEC, EVENT_REQUEST_QUEUE, 101, far, REQUEST_READ);
                feed(m, t + 6 * MSEC, EVENT_REQUEST_QUEUE, 100, 16 + i * 16, REQUEST_READ);
                feed(m, t + 6 * MSEC, EVENT_REQUEST_ISSUE, 0, 16 + i * 16, REQUEST_READ);
                feed(m, t + 8 * MSEC, EVENT_REQUEST_COMPLETE, 0, 16 + i * 16, REQUEST_READ);
                feed(m, t + 8 * MSEC, EVENT_REQUEST_ISSUE, 0, far, REQUEST_READ);
                feed(m, t + 13 * MSEC, EVENT_REQUEST_COMPLETE, 0, far, REQUEST_READ);
        }
        v = look(m, SEC + 142 * 14 * MSEC);
        CHECK(v->requests.hole_permille >= 205 && v->requests.hole_permille <= 220); /* 3 of 14 ms */
        CHECK_INT(v->requests.filled_permille, 1000);
        CHECK(v->requests.idle_permille >= 350 && v->requests.idle_permille <= 360); /* 4 and 1 of 14 ms */
        CHECK_INT(v->requests.injected, 2 * 141); /* 100 asks on within a pause of 101, too */
        for (size_t i = 0; i < snapshot.n_processes; i++) {
                a = snapshot.processes[i].tgid == 100 ? &snapshot.processes[i] : a;
                b = snapshot.processes[i].tgid == 101 ? &snapshot.processes[i] : b;
        }
        CHECK(a && b);
        CHECK(a->requests.hole_permille >= 205 && a->requests.hole_permille <= 220);
        CHECK(a->requests.idle_permille >= 700 && a->requests.idle_permille <= 720); /* 4 and 6 of 14 ms */
        CHECK_INT(a->requests.sequential_permille, 1000);
        CHECK_INT(b->requests.hole_permille, 0);
        CHECK_INT(b->requests.sequential_permille, 0);
        CHECK(b->requests.seeky && !a->requests.seeky);
}

TEST(the_peak_rate_of_a_drive_is_known_once_it_was_read_from_for_a_while) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .dev = DRIVE, .tgid = 100 };

        watch(m, SEC, true);
        CHECK_INT(look(m, SEC)->requests.peak_bytes_per_s, 0);
        for (unsigned i = 0; i < 3000; i++) { /* 1 MiB in 10 ms */
                e.t = SEC + i * 10 * MSEC;
                e.request = (struct event_request){ .sector = 8 + i * 2048, .sectors = 2048, .op = REQUEST_READ };
                e.kind = EVENT_REQUEST_QUEUE;
                model_feed(m, &e);
                e.kind = EVENT_REQUEST_ISSUE;
                model_feed(m, &e);
                e.t += 9 * MSEC;
                e.kind = EVENT_REQUEST_COMPLETE;
                model_feed(m, &e);
        }
        CHECK(look(m, 31 * SEC)->requests.peak_bytes_per_s >= 103000000 && look(m, 31 * SEC)->requests.peak_bytes_per_s <= 106000000);
        CHECK(look(m, 31 * SEC)->requests.raise_ms >= 7200 && look(m, 31 * SEC)->requests.raise_ms <= 7450); /* 109.4 / 104.9 * 7 s */
        CHECK_INT(look(m, 31 * SEC)->requests.sequential_permille, 1000);
        watch(m, 32 * SEC, false);
        CHECK_INT(look(m, 32 * SEC)->requests.peak_bytes_per_s, 0);
}

TEST(after_a_loss_nothing_stays_under_way_and_confidence_falls) {
        struct event lost = { .t = 3 * SEC, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = 5 };
        _cleanup_(model_freep) struct model *m = model_new();
        struct verdict verdicts[DETECTORS_VERDICTS_MAX];
        struct detectors detectors = { 0 };
        struct model_counters counters;

        watch(m, SEC, true);
        for (int32_t tgid = 100; tgid < 120; tgid++)
                feed(m, 3 * SEC, EVENT_REQUEST_QUEUE, tgid, (uint64_t) tgid * 1000, REQUEST_READ);
        look(m, 3 * SEC);
        CHECK_INT(detectors_run(&detectors, &snapshot, verdicts), 3);
        CHECK_INT(verdicts[0].confidence, 1000);
        model_feed(m, &lost);
        look(m, 3 * SEC + MSEC);
        CHECK_INT(snapshot.lost_events, 5);
        CHECK_INT(detectors_run(&detectors, &snapshot, verdicts), 3);
        CHECK_INT(verdicts[0].confidence, 500);
        CHECK_INT(verdict_evidence(&verdicts[0], "events-lost", -1), 5);
        feed(m, 3 * SEC + 2 * MSEC, EVENT_REQUEST_COMPLETE, 0, 100000, REQUEST_READ);
        model_get_counters(m, &counters);
        CHECK_INT(counters.requests_unmatched, 1);
        CHECK_INT(look(m, 6 * SEC)->readers, 0);
        lost.t += LOSS_MATTERS_NS - 1;
        lost.lost.count = 0; /* unknown: one at least */
        model_feed(m, &lost);
        look(m, lost.t);
        CHECK_INT(snapshot.lost_lately, 6);
        look(m, lost.t + LOSS_MATTERS_NS);
        CHECK_INT(snapshot.lost_lately, 0);
        lost.t += LOSS_MATTERS_NS;
        model_feed(m, &lost);
        look(m, lost.t);
        CHECK_INT(snapshot.lost_lately, 1);
        CHECK_INT(snapshot.lost_events, 7);
}

static int64_t readers_of(const struct verdict *v, size_t n, enum verdict_kind kind) {
        for (size_t i = 0; i < n; i++)
                if (v[i].kind == kind)
                        return verdict_evidence(&v[i], "readers", 0);
        return 0;
}

/* Short-lived ones beside them, as a load has when it begins, at times of chance. */
TEST(sharers_are_those_that_are_left_once_the_others_are_gone) {
        uint64_t seed = test_seed();

        for (int32_t sharers = 1; sharers <= 8; sharers++) {
                _cleanup_(model_freep) struct model *m = model_new();
                struct verdict verdicts[DETECTORS_VERDICTS_MAX];
                struct detectors detectors = { 0 };
                size_t n = 0;

                watch(m, SEC, true);
                for (nsec_t t = 2 * SEC; t < 12 * SEC; t += 50 * MSEC) {
                        for (int32_t tgid = 1; tgid <= sharers; tgid++)
                                read_once(m, t, tgid, (uint64_t) tgid * 1000);
                        for (int32_t tgid = 100; t < 4 * SEC && tgid < 120; tgid++)
                                if (test_random(&seed) % 4 == 0)
                                        read_once(m, t, tgid, (uint64_t) tgid * 1000);
                        look(m, t + 5 * MSEC);
                        n = detectors_run(&detectors, &snapshot, verdicts);
                        if (t == 4 * SEC - 50 * MSEC)
                                CHECK(readers_of(verdicts, n, VERDICT_SHARED) >= sharers + 15);
                }
                CHECK_INT(readers_of(verdicts, n, VERDICT_SHARED), sharers >= 3 ? sharers : 0);
        }
}

TEST(a_finding_says_what_the_slowest_reads_take) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct verdict verdicts[DETECTORS_VERDICTS_MAX];
        struct detectors detectors = { 0 };
        int64_t p99;

        watch(m, SEC, true);
        for (int32_t tgid = 100; tgid < 120; tgid++)
                read_once(m, 3 * SEC, tgid, (uint64_t) tgid * 1000);
        look(m, 3 * SEC + 5 * MSEC);
        CHECK_INT(detectors_run(&detectors, &snapshot, verdicts), 3);
        p99 = verdict_evidence(&verdicts[0], "read-latency-p99", -1);
        CHECK(p99 >= 4690 && p99 <= 5310);
        CHECK(verdict_evidence(&verdicts[2], "read-latency-p99", -1) == p99);
}

TEST(a_drive_that_is_watched_no_longer_starts_anew) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct model_counters counters;

        watch(m, SEC, true);
        read_once(m, SEC, 100, 8);
        feed(m, 2 * SEC, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
        watch(m, 2 * SEC, false);
        CHECK_INT(look(m, 2 * SEC)->requests.since, 0);
        feed(m, 2 * SEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        model_get_counters(m, &counters);
        CHECK_INT(counters.invalid, 1);
        watch(m, 3 * SEC, true);
        CHECK_INT(look(m, 3 * SEC)->requests.latencies.wait[REQUEST_READ].requests, 0);
        feed(m, 3 * SEC, EVENT_REQUEST_COMPLETE, 0, 8, REQUEST_READ);
        model_get_counters(m, &counters);
        CHECK_INT(counters.requests_unmatched, 1);
}

TEST(requests_of_a_drive_that_is_not_watched_are_senseless) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct model_counters counters;

        feed(m, SEC, EVENT_REQUEST_QUEUE, 100, 8, REQUEST_READ);
        watch(m, SEC, true);
        feed(m, SEC, EVENT_REQUEST_QUEUE, 100, 8, _REQUEST_OP_MAX);
        model_get_counters(m, &counters);
        CHECK_INT(counters.invalid, 2);
}

TEST(the_same_events_give_the_same_snapshot) {
        static struct snapshot first;
        uint64_t seed = test_seed();

        for (unsigned run = 0; run < 2; run++) {
                _cleanup_(model_freep) struct model *m = model_new();
                uint64_t state = seed;

                watch(m, SEC, true);
                for (unsigned i = 0; i < 20000; i++)
                        feed(m, SEC + i * 100000, (enum event_kind) (EVENT_REQUEST_QUEUE + test_random(&state) % 5), (int32_t) (test_random(&state) % 20),
                             test_random(&state) % 64 * 8, test_random(&state) % 2 ? REQUEST_READ : REQUEST_WRITE);
                model_expire(m, 3 * SEC);
                look(m, 3 * SEC);
                CHECK(snapshot.devices[0].requests.read_waits);
                snapshot.devices[0].requests.read_waits = NULL; /* each model's own */
                if (run == 0)
                        first = snapshot;
        }
        CHECK(memcmp(&first, &snapshot, sizeof(first)) == 0);
}

#define JUMP_READERS 4

/* So many readers for five seconds, each ten times a second, of which one waits for a read when it ends. */
static void read_for_five_seconds(struct model *m, nsec_t begin) {
        for (nsec_t t = begin; t < begin + 5 * SEC; t += 100 * MSEC) {
                for (int32_t tgid = 1; tgid <= JUMP_READERS; tgid++) {
                        infer(m, t, tgid, DRIVE);
                        read_once(m, t, tgid, (uint64_t) tgid * 100000);
                }
                feed_stat(m, t + 5 * MSEC, JUMP_READERS);
        }
        feed(m, begin + 5 * SEC, EVENT_REQUEST_QUEUE, 1, 800000, REQUEST_READ);
        feed(m, begin + 5 * SEC, EVENT_REQUEST_ISSUE, 0, 800000, REQUEST_READ);
}

static void check_figures(struct model *m, nsec_t now) {
        const struct device_view *v = look(m, now);

        CHECK_INT(v->readers, JUMP_READERS);
        CHECK_INT(snapshot.n_processes, JUMP_READERS);
        CHECK(v->requests.latencies.wait[REQUEST_READ].p99_us >= 4690 && v->requests.latencies.wait[REQUEST_READ].p99_us <= 5310);
        CHECK(v->requests.latencies.service[REQUEST_READ].median_us >= 2810 && v->requests.latencies.service[REQUEST_READ].median_us <= 3190);
        for (size_t i = 0; i < snapshot.n_processes; i++) {
                CHECK(snapshot.processes[i].wait_permille <= 60); /* 5 of 100 ms */
                CHECK(snapshot.processes[i].requests.per_s[REQUEST_READ] >= 9 && snapshot.processes[i].requests.per_s[REQUEST_READ] <= 11);
        }
}

/* Even the monotonic one, where a machine is stopped and goes on; and what comes very late has an old time. */
TEST(when_the_clock_jumps_figures_stay_possible_and_are_right_again_once_their_time_is_over) {
        static const nsec_t jumps[] = { 3 * SEC, 3600 * SEC, 30 * 86400 * SEC };
        _cleanup_(model_freep) struct model *m = model_new();
        nsec_t t = 10 * SEC;

        watch(m, t, true);
        read_for_five_seconds(m, t);
        check_figures(m, t + 5 * SEC - MSEC);
        for (size_t i = 0; i < ARRAY_SIZE(jumps); i++) {
                const struct device_view *v;

                t += 5 * SEC + jumps[i];
                model_expire(m, t);
                v = look(m, t);
                CHECK(v->readers <= JUMP_READERS && v->requests.hole_permille <= 1000 && v->requests.idle_permille <= 1000);
                for (size_t k = 0; k < snapshot.n_processes; k++)
                        CHECK(snapshot.processes[k].wait_permille <= 1000);
                feed(m, t, EVENT_REQUEST_COMPLETE, 0, 800000, REQUEST_READ); /* of a read that was under way meanwhile */
                read_for_five_seconds(m, t);
                check_figures(m, t + 5 * SEC - MSEC);
                feed(m, t + 5 * SEC, EVENT_REQUEST_COMPLETE, 0, 800000, REQUEST_READ);

                read_for_five_seconds(m, t - 3 * SEC); /* late, or of a clock that went back */
                v = look(m, t + 5 * SEC);
                CHECK(v->readers <= JUMP_READERS && v->requests.hole_permille <= 1000 && v->requests.idle_permille <= 1000);
                feed(m, t + 5 * SEC, EVENT_REQUEST_COMPLETE, 0, 800000, REQUEST_READ);
                t += 5 * SEC;
                read_for_five_seconds(m, t);
                check_figures(m, t + 5 * SEC - MSEC);
                feed(m, t + 5 * SEC, EVENT_REQUEST_COMPLETE, 0, 800000, REQUEST_READ);
        }
}

/* A second in which a process reads a tenth of what /proc says from the drive; the rest are libraries on another one. A reader beside it does read
 * all of what it is said to. */
static void load_libraries(struct model *m, nsec_t t, uint32_t dev, bool told) {
        for (nsec_t at = t; at < t + SEC; at += 250 * MSEC) {
                struct event e = { .t = at, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

                e.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = 1000, .read_sectors = 40000, .read_ms = 250 };
                model_feed(m, &e);
                for (int32_t tgid = 10; tgid <= 11; tgid++) {
                        e = (struct event){ .t = at, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = tgid == 10 ? dev : DRIVE, .tgid = tgid };
                        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 10u << 20 };
                        model_feed(m, &e);
                        e.dev = DRIVE;
                        e.process_io.read_bytes = 65536;
                        model_feed(m, &e);
                        for (uint64_t i = 0; told && i < (tgid == 10 ? 16 : 160); i++)
                                read_once(m, at + 5 * i * MSEC / 4, tgid, (uint64_t) at / MSEC * 100000 + i * 1000 + (uint64_t) tgid * 8);
                }
        }
}

static const struct verdict *find_bulk(struct detectors *d, struct verdict *verdicts, int32_t tgid) {
        size_t n = detectors_run(d, &snapshot, verdicts);

        for (size_t i = 0; i < n; i++)
                if (verdicts[i].kind == VERDICT_BULK && verdicts[i].dev == DRIVE && verdicts[i].subject.tgid == tgid)
                        return &verdicts[i];
        return NULL;
}

static struct verdict found[DETECTORS_VERDICTS_MAX];

static struct event_request large(uint64_t sector) {
        return (struct event_request){ .sector = sector, .sectors = 2048, .op = REQUEST_READ };
}

/* So much of it: 1 MiB at a time. */
static void read_mebibyte(struct model *m, nsec_t t, int32_t tgid, uint64_t sector) {
        static const enum event_kind kinds[] = { EVENT_REQUEST_QUEUE, EVENT_REQUEST_ISSUE, EVENT_REQUEST_COMPLETE };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                struct event e = { .t = t + i * MSEC, .kind = (uint16_t) kinds[i], .dev = DRIVE, .tgid = i == 0 ? tgid : 0 };
                e.request = large(sector);
                model_feed(m, &e);
        }
}

TEST(a_player_whose_libraries_come_from_elsewhere_is_not_bulk_on_the_drive_of_its_video) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct detectors detectors = { 0 };

        watch(m, SEC, true);
        for (nsec_t t = 3 * SEC; t < 10 * SEC; t += SEC) {
                load_libraries(m, t, DRIVE, true);
                for (uint64_t i = 0; i < 20; i++)
                        read_mebibyte(m, t + 950 * MSEC + i * 2 * MSEC, 11, (uint64_t) t / MSEC * 10000 + i * 4096);
                look(m, t + SEC - 1);
                CHECK(!find_bulk(&detectors, found, 10));
        }
        CHECK(find_bulk(&detectors, found, 11));
}

TEST(what_was_read_from_an_unknown_drive_makes_no_process_bulk) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct detectors detectors = { 0 };

        for (nsec_t t = 3 * SEC; t < 10 * SEC; t += SEC) {
                load_libraries(m, t, 0, false);
                look(m, t + SEC - 1);
                CHECK(!find_bulk(&detectors, found, 10));
        }
        CHECK(find_bulk(&detectors, found, 11)); /* whose drive is a guess as well, but no other is in question */
}

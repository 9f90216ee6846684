/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "model-private.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC
#define SPAN (250 * MSEC)

static struct snapshot snapshot;

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

static void watch(struct model *m, nsec_t t, bool on, bool summed) {
        struct event e = { .t = t, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = on, .rotational = true } };

        e.flags = summed ? EVENT_SUMMED : 0;
        model_feed(m, &e);
}

/* A process as /proc has it, too, so that it is among those of the snapshot. */
static void meet(struct model *m, nsec_t t, int32_t tgid) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 4096 };
        model_feed(m, &e);
}

/* It waits half of the span for its reads, and pauses for a tenth of it. */
static void sum(struct model *m, nsec_t t, int32_t tgid, uint32_t requests, enum request_op op) {
        struct event e = { .t = t, .kind = EVENT_SUMS, .dev = DRIVE, .tgid = tgid };

        e.sums = (struct event_sums){
                .span_us = SPAN / NSEC_PER_USEC, .requests = requests, .sectors = 8 * requests, .asked_us = 2000, .done_us = 1000,
                .waited_us = op == REQUEST_READ ? 125000 : 0, .idle_us = op == REQUEST_READ ? 25000 : 0, .seeks = 0x0000ffff, .seeks_n = 32,
                .think_samples = 200, .think_us = 3000, .op = (uint8_t) op,
        };
        model_feed(m, &e);
}

static void latencies(struct model *m, nsec_t t, int32_t tgid, uint8_t first, uint32_t count) {
        struct event e = { .t = t, .kind = EVENT_LATENCIES, .dev = DRIVE, .tgid = tgid };

        e.latencies = (struct event_latencies){ .counts = { [3] = count }, .op = REQUEST_READ, .first = first };
        model_feed(m, &e);
}

static const struct device_view *look(struct model *m, nsec_t now) {
        model_snapshot(m, now, &snapshot);
        return snapshot_find_device(&snapshot, DRIVE);
}

TEST(a_process_is_what_its_sums_say) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct process_view *p = &snapshot.processes[0];

        watch(m, SEC, true, true);
        meet(m, 3 * SEC, 42);
        for (nsec_t t = SEC + SPAN; t <= 3 * SEC; t += SPAN) {
                sum(m, t, 42, 100, REQUEST_READ);
                sum(m, t, 42, 10, REQUEST_WRITE);
                latencies(m, t, 42, 8, 100);
        }
        look(m, 3 * SEC);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK(p->requests.told);
        CHECK_INT(p->dev, DRIVE);
        CHECK_INT(p->flags & EVENT_INFERRED, 0);
        CHECK_INT(p->requests.count[REQUEST_READ], 800);
        CHECK_INT(p->requests.count[REQUEST_WRITE], 80);
        CHECK_INT(p->requests.per_s[REQUEST_READ], 400);
        CHECK(p->wait_known);
        CHECK_INT(p->wait_permille, 500);
        CHECK_INT(p->requests.idle_permille, 100);
        CHECK_INT(p->requests.sequential_permille, 500);
        CHECK(!p->requests.seeky);
        CHECK_INT(p->requests.think_time_us, 3000);
        CHECK_INT(p->requests.latencies.wait[REQUEST_READ].requests, 800);
        CHECK_INT(p->requests.latencies.wait[REQUEST_READ].median_us, 11); /* bucket 11: below 16 each value has its own */
        CHECK_INT(p->requests.latencies.service[REQUEST_READ].requests, 0);
}

TEST(summed_reads_of_a_process_that_lets_others_go_first_count_for_the_drive_but_not_for_those_others) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event e = { .t = SEC, .kind = EVENT_PROCESS_PRIORITY, .tgid = 42 };
        const struct device_view *v;

        e.process_priority = (struct event_process_priority){ .start_ticks = 7, .io_class = IO_CLASS_IDLE };
        watch(m, SEC, true, true);
        meet(m, 3 * SEC, 42);
        model_feed(m, &e);
        latencies(m, 3 * SEC, 42, 8, 100);
        latencies(m, 3 * SEC, 43, 8, 7);
        v = look(m, 3 * SEC);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 107);
        CHECK_INT(v->requests.foremost_reads.requests, 7);
}

TEST(a_drive_is_the_sum_of_all_that_is_asked_of_it) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;
        struct event stat = { .t = 3 * SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };

        watch(m, SEC, true, true);
        for (nsec_t t = SEC + SPAN; t <= 3 * SEC; t += SPAN) {
                for (int32_t tgid = 100; tgid < 119; tgid++) {
                        sum(m, t, tgid, 10, REQUEST_READ);
                        latencies(m, t, tgid, 0, 10);
                }
                sum(m, t, 0, 8, REQUEST_READ); /* kernel threads */
                latencies(m, t, 0, 0, 8);
        }
        stat.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = 198, .read_sectors = 8 * 198, .read_ms = 1 };
        model_feed(m, &stat);
        v = look(m, 3 * SEC);
        CHECK(v->requests.summed);
        CHECK_INT(v->readers, 19);
        CHECK_INT(v->inferred_readers, 0);
        CHECK_INT(v->requests.anonymous_permille, 40); /* 8 of 198 */
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].requests, 8 * 198);
        CHECK_INT(v->requests.latencies.wait[REQUEST_READ].p99_us, 3);
        v = look(m, 3 * SEC + READER_WINDOW_NS + 2 * MSEC);
        CHECK_INT(v->readers, 0); /* the last one was served a millisecond before the sum was made */
}

TEST(sums_and_single_requests_are_not_taken_for_each_other) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event queue = { .t = 2 * SEC, .kind = EVENT_REQUEST_QUEUE, .dev = DRIVE, .tgid = 42, .request = { 8, 8, REQUEST_READ } };
        struct event odd = { .t = 2 * SEC, .kind = EVENT_SUMS, .dev = DRIVE, .tgid = 42, .sums = { .requests = 1, .op = REQUEST_DISCARD } };
        struct model_counters c;

        sum(m, SEC, 42, 1, REQUEST_READ); /* not watched */
        watch(m, SEC, true, false);
        sum(m, 2 * SEC, 42, 1, REQUEST_READ);
        latencies(m, 2 * SEC, 42, 0, 1);
        watch(m, 2 * SEC, true, true);
        model_feed(m, &queue);
        model_feed(m, &odd);
        model_get_counters(m, &c);
        CHECK_INT(c.invalid, 5);
        latencies(m, 2 * SEC, 42, UINT8_MAX, 1); /* no such bucket */
        CHECK_INT(look(m, 2 * SEC)->requests.latencies.wait[REQUEST_READ].requests, 0);
        watch(m, 2 * SEC, true, false);
        CHECK(!look(m, 2 * SEC)->requests.summed);
        model_feed(m, &queue);
        model_get_counters(m, &c);
        CHECK_INT(c.invalid, 5);
}

TEST(of_samples_the_drive_has_what_was_counted_and_its_processes_what_is_estimated) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event stat = { .t = 3 * SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE };
        struct event total = { .kind = EVENT_TOTAL, .dev = DRIVE, .total = { .span_us = 250000, .requests = 1000, .sectors = 8000, .one_in = 16 } };
        struct event sums = { .kind = EVENT_SUMS, .flags = EVENT_SAMPLED, .dev = DRIVE, .tgid = 42 };
        const struct device_view *v;
        struct model_counters c;

        watch(m, SEC, true, true);
        meet(m, 3 * SEC, 42);
        for (nsec_t t = SEC + SPAN; t <= 3 * SEC; t += SPAN) {
                total.t = sums.t = t;
                model_feed(m, &total);
                sums.sums = (struct event_sums){ .span_us = 250000, .requests = 990, .sectors = 7920, .asked_us = 1, .done_us = 1 };
                model_feed(m, &sums);
        }
        stat.device_stat = (struct event_device_stat){ .span_us = 250000, .reads = 1000, .read_sectors = 8000, .read_ms = 1 };
        model_feed(m, &stat);
        v = look(m, 3 * SEC);
        CHECK_INT(v->requests.one_in, 16);
        CHECK_INT(v->requests.asked_per_s[REQUEST_READ], 4000); /* counted, where 3960 are estimated of its processes */
        CHECK_INT(v->requests.asked_per_s[REQUEST_WRITE], 0);
        CHECK_INT(snapshot.processes[0].requests.count[REQUEST_READ], 8 * 990);
        CHECK_INT(v->inferred_readers, v->readers); /* a process that reads seldom may be in no sample: its readers are not all known */
        total.total = (struct event_total){ .span_us = 250000, .one_in = 1 }; /* all is looked at again */
        model_feed(m, &total);
        CHECK_INT(look(m, 3 * SEC)->requests.one_in, 1);
        total.total.op = REQUEST_DISCARD; /* there is no such direction */
        model_feed(m, &total);
        watch(m, 3 * SEC, true, false);
        total.total.op = REQUEST_READ;
        model_feed(m, &total);
        model_get_counters(m, &c);
        CHECK_INT(c.invalid, 2);
        CHECK_INT(look(m, 3 * SEC)->requests.one_in, 1);
}

TEST(each_request_of_a_drive_counts_once_whether_its_total_is_told_or_its_processes_alone) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct event total = { .t = 2 * SEC, .kind = EVENT_TOTAL, .dev = DRIVE, .total = { .span_us = 250000, .requests = 10, .sectors = 80, .one_in = 1 } };
        const struct flow_side *reads;

        watch(m, SEC, true, true);
        reads = &model_find_device(m, DRIVE)->requests.sides[REQUEST_READ];
        sum(m, 2 * SEC, 42, 10, REQUEST_READ); /* as recordings without totals have it */
        CHECK_INT(reads->requests, 10);
        CHECK_INT(reads->bytes, 80 * SECTOR_BYTES);
        model_feed(m, &total);
        sum(m, 2 * SEC, 42, 9, REQUEST_READ);
        CHECK_INT(reads->requests, 20);
        total.total.one_in = 16;
        model_feed(m, &total);
        sum(m, 2 * SEC, 42, 11, REQUEST_READ);
        CHECK_INT(reads->requests, 30);
        CHECK_INT(reads->bytes, 240 * SECTOR_BYTES);
}

TEST(what_was_read_is_what_the_sums_say_and_not_what_proc_guesses) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, true, true);
        for (nsec_t t = 3 * SEC; t < 8 * SEC; t += SPAN) {
                struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = 10 };
                e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 10u << 20 };
                model_feed(m, &e);
                sum(m, t, 10, 64, REQUEST_READ);
        }
        look(m, 8 * SEC - 1);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK_INT(snapshot.processes[0].moved[REQUEST_READ].bytes, 20 * 64 * 4096);
        CHECK_INT(snapshot.processes[0].moved[REQUEST_READ].active_s, 5);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model.h"
#include "process-table.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC

static struct snapshot snapshot;

static void feed_io(struct model *m, nsec_t t, int32_t tgid, uint64_t start, uint32_t read_bytes, uint32_t write_bytes) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = start, .span_us = 250000, .read_bytes = read_bytes, .write_bytes = write_bytes };
        model_feed(m, &e);
}

static void feed_stat(struct model *m, nsec_t t, struct event_device_stat stat) {
        struct event e = { .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE, .device_stat = stat };

        model_feed(m, &e);
}

TEST(smoothing_rises_fast_and_falls_slowly) {
        static const uint32_t busy[] = { 10, 10, 10, 2, 2, 2, 2 }, expected[] = { 8, 10, 10, 8, 7, 6, 5 };
        uint32_t average = 0;

        for (size_t i = 0; i < ARRAY_SIZE(busy); i++) {
                average = model_smooth_busy(average, busy[i]);
                CHECK_INT(average, expected[i]);
        }
}

/* The kernel's rounding stops at 4, 3 and 2 here. */
TEST(smoothing_ends_at_what_is_there) {
        uint64_t seed = test_seed();

        for (unsigned i = 0; i < 200; i++) {
                uint32_t average = (uint32_t) (test_random(&seed) % 100), busy = (uint32_t) (test_random(&seed) % 100);
                for (unsigned step = 0; step < 40; step++)
                        average = model_smooth_busy(average, busy);
                CHECK_INT(average, busy);
        }
}

/* The first row of seed 002's iostat table: 6.20 r/s at 486.58 ms and 436.60 w/s at 141.27 ms, 72.40 % busy, over 5 s. */
TEST(rates_and_latencies_are_those_of_iostat) {
        struct model *m = model_new();
        const struct device_view *v;

        feed_stat(m, 5 * SEC, (struct event_device_stat){ .span_us = 5000000, .reads = 31, .read_sectors = 512, .read_ms = 15084, .writes = 2183,
                                                          .write_sectors = 2763674, .write_ms = 308393, .busy_ms = 3620, .queue_ms = 323477 });
        model_snapshot(m, 5 * SEC, &snapshot);
        v = snapshot_find_device(&snapshot, DRIVE);
        CHECK(v);
        CHECK_INT(v->read_iops, 6);
        CHECK_INT(v->write_iops, 436);
        CHECK_INT(v->read_latency_us, 486580);
        CHECK_INT(v->write_latency_us, 141270);
        CHECK_INT(v->utilisation_permille, 724);
        CHECK_INT(v->depth_milli, 64695);
        CHECK_INT(v->write_bytes_per_s, 283000217);
        model_free(m);
}

TEST(a_reader_counts_for_the_window_and_no_longer) {
        struct model *m = model_new();

        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 1000000, .reads = 5 });
        feed_io(m, SEC, 100, 7, 4096, 0);
        feed_io(m, SEC, 101, 7, 0, 4096);
        model_snapshot(m, SEC + READER_WINDOW_NS, &snapshot);
        CHECK_INT(snapshot.devices[0].readers, 1);
        CHECK_INT(snapshot.devices[0].small_readers, 1);
        CHECK_INT(snapshot.devices[0].inferred_readers, 1);
        model_snapshot(m, SEC + READER_WINDOW_NS + 1, &snapshot);
        CHECK_INT(snapshot.devices[0].readers, 0);
        model_free(m);
}

TEST(a_greedy_reader_is_not_a_small_one) {
        struct model *m = model_new();

        for (int i = 0; i < 8; i++) {
                feed_stat(m, SEC + (nsec_t) i * 250 * MSEC, (struct event_device_stat){ .span_us = 250000, .reads = 8 });
                feed_io(m, SEC + (nsec_t) i * 250 * MSEC, 100, 7, 8 << 20, 0);
        }
        model_snapshot(m, 3 * SEC, &snapshot);
        CHECK_INT(snapshot.devices[0].readers, 1);
        CHECK_INT(snapshot.devices[0].small_readers, 0);
        CHECK(snapshot.processes[0].read_bytes_per_s > 20 << 20);
        CHECK_INT(snapshot.processes[0].read_bytes, 64 << 20);
        model_free(m);
}

TEST(a_drive_has_no_more_readers_than_requests) {
        struct model *m = model_new();

        for (int32_t pid = 1; pid <= 150; pid++)
                feed_io(m, SEC, pid, 1, 4096, 0); /* guessed: their files lie here, too */
        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 1000000, .reads = 3, .inflight = 2 });
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.devices[0].readers, 5);
        CHECK_INT(snapshot.devices[0].small_readers, 5);
        model_free(m);
}

TEST(recent_figures_outlast_a_sample_without_reads) {
        struct model *m = model_new();

        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 250000, .reads = 100, .read_sectors = 800, .read_ms = 300 });
        feed_stat(m, SEC + 250 * MSEC, (struct event_device_stat){ .span_us = 250000 });
        model_snapshot(m, SEC + 250 * MSEC, &snapshot);
        CHECK_INT(snapshot.devices[0].read_iops, 0);
        CHECK_INT(snapshot.devices[0].recent.read_iops, 200);
        CHECK_INT(snapshot.devices[0].recent.read_size_bytes, 4096);
        CHECK_INT(snapshot.devices[0].recent.read_latency_us, 3000);
        CHECK_INT(snapshot.devices[0].recent.read_bytes_per_s, 819200);
        model_snapshot(m, SEC + 250 * MSEC + READER_WINDOW_NS, &snapshot);
        CHECK_INT(snapshot.devices[0].recent.reads, 0);
        model_free(m);
}

TEST(a_process_that_waits_for_its_read_stays_a_reader) {
        struct model *m = model_new();
        struct event wait = { .kind = EVENT_PROCESS_IO, .flags = EVENT_WAITING, .tgid = 100, .process_io.start_ticks = 7 };

        feed_io(m, SEC, 100, 7, 4096, 0);
        for (int i = 1; i <= 12; i++) {
                wait.t = SEC + (nsec_t) i * SEC;
                model_feed(m, &wait);
                feed_stat(m, wait.t, (struct event_device_stat){ .span_us = 1000000, .inflight = 1 });
                model_snapshot(m, wait.t, &snapshot);
                CHECK_INT(snapshot.devices[0].readers, i <= 11); /* for 10 s, and the window after */
        }
        CHECK_INT(snapshot.processes[0].read_bytes, 4096);
        model_free(m);
}

TEST(a_process_that_waits_after_it_wrote_is_no_reader) {
        struct model *m = model_new();
        struct event wait = { .kind = EVENT_PROCESS_IO, .flags = EVENT_WAITING, .tgid = 100, .process_io.start_ticks = 7 };

        feed_io(m, SEC, 100, 7, 4096, 1 << 20); /* an inode that was read, and a file that was written, in one sample */
        for (int i = 1; i <= 3; i++) {
                wait.t = SEC + (nsec_t) i * SEC;
                model_feed(m, &wait);
                feed_stat(m, wait.t, (struct event_device_stat){ .span_us = 1000000, .writes = 100, .write_sectors = 204800, .inflight = 32 });
                model_snapshot(m, wait.t, &snapshot);
                CHECK_INT(snapshot.devices[0].readers, i <= 1); /* for the window */
        }
        model_free(m);
}

TEST(samples_in_which_a_process_waits_make_its_wait_share) {
        struct model *m = model_new();
        struct event e = { .kind = EVENT_PROCESS_IO, .tgid = 100 };

        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 4096 };
        for (unsigned i = 0; i < 8; i++) {
                e.t = SEC + i * SEC / 4;
                e.flags = i % 4 == 0 ? EVENT_WAITING : 0;
                e.dev = DEV_NUMBER(8, 0);
                model_feed(m, &e);
                e.dev = DEV_NUMBER(8, 16); /* the same sample: its I/O was on two drives */
                model_feed(m, &e);
        }
        model_snapshot(m, e.t, &snapshot);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK(snapshot.processes[0].wait_known);
        CHECK_INT(snapshot.processes[0].wait_permille, 250);
        model_free(m);
}

TEST(what_the_kernel_says_of_waiting_counts_before_what_was_seen) {
        struct model *m = model_new();
        struct event io = { .kind = EVENT_PROCESS_IO, .tgid = 100, .flags = EVENT_WAITING }, wait = { .kind = EVENT_PROCESS_WAIT, .tgid = 100 };

        io.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 4096 };
        wait.process_wait = (struct event_process_wait){ .start_ticks = 7, .span_us = 250000, .waited_us = 25000 };
        for (unsigned i = 0; i < 8; i++) {
                io.t = wait.t = SEC + i * SEC / 4;
                model_feed(m, &wait);
                model_feed(m, &io);
        }
        model_snapshot(m, io.t, &snapshot);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK(snapshot.processes[0].wait_known);
        CHECK_INT(snapshot.processes[0].wait_permille, 100);
        wait.t = io.t + SEC / 4;
        wait.process_wait.waited_us = UINT32_MAX; /* of a quarter of a second */
        model_feed(m, &wait);
        model_snapshot(m, wait.t, &snapshot);
        CHECK_INT(snapshot.processes[0].wait_permille, 225); /* 200 + 250 ms of the last 2 s */
        model_free(m);
}

TEST(a_reused_pid_is_another_process) {
        struct model *m = model_new();

        feed_io(m, SEC, 100, 7, 1 << 20, 0);
        feed_io(m, 2 * SEC, 100, 8, 4096, 0);
        model_snapshot(m, 2 * SEC, &snapshot);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK_INT(snapshot.processes[0].read_bytes, 4096);
        CHECK_INT(snapshot.processes[0].start_ticks, 8);
        model_free(m);
}

TEST(the_table_refuses_more_processes_than_it_holds_and_counts_them) {
        struct model *m = model_new();
        struct model_counters c;

        for (int32_t pid = 1; pid <= MODEL_PROCESSES_MAX + 10; pid++)
                feed_io(m, SEC, pid, 1, 4096, 0);
        model_get_counters(m, &c);
        CHECK_INT(c.processes_refused, 10);
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.processes_known, MODEL_PROCESSES_MAX);
        CHECK_INT(snapshot.n_processes, SNAPSHOT_PROCESSES_MAX);
        model_expire(m, SEC + MODEL_FORGET_NS + 1);
        model_snapshot(m, SEC + MODEL_FORGET_NS + 1, &snapshot);
        CHECK_INT(snapshot.processes_known, 0);
        model_free(m);
}

TEST(the_snapshot_lists_the_busiest_in_order) {
        struct model *m = model_new();

        for (int32_t pid = 1; pid <= 1000; pid++)
                feed_io(m, SEC, pid, 1, (uint32_t) (pid * 7919 % 1000) * 4096, 0);
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.n_processes, SNAPSHOT_PROCESSES_MAX);
        CHECK_INT(snapshot.processes[0].read_bytes, 999 * 4096);
        for (size_t i = 0; i < snapshot.n_processes; i++)
                CHECK_INT(snapshot.processes[i].read_bytes, (999 - i) * 4096);
        model_free(m);
}

TEST(removal_keeps_every_other_process_reachable) {
        static struct process_table table;
        static bool alive[5000];
        uint64_t state = test_seed();
        size_t n = 0;

        for (int i = 0; i < 100000; i++) {
                int32_t pid = (int32_t) (test_random(&state) % ARRAY_SIZE(alive));
                if (test_random(&state) % 2) {
                        CHECK(process_table_get(&table, pid + 1, 1));
                        n += !alive[pid];
                        alive[pid] = true;
                } else {
                        process_table_remove(&table, pid + 1);
                        n -= alive[pid];
                        alive[pid] = false;
                }
        }
        CHECK_INT(table.n, n);
        for (size_t pid = 0; pid < ARRAY_SIZE(alive); pid++)
                if (alive[pid])
                        CHECK_INT(process_table_get(&table, (int32_t) pid + 1, 1)->tgid, (int32_t) pid + 1);
        CHECK_INT(table.n, n);
}

TEST(the_user_at_the_machine_is_remembered_with_when_that_began) {
        struct model *m = model_new();
        struct model_counters c;

        model_snapshot(m, SEC, &snapshot);
        CHECK(snapshot.presence == PRESENCE_UNKNOWN && snapshot.presence_since == 0);
        model_feed(m, &(struct event){ .t = 2 * SEC, .kind = EVENT_PRESENCE, .presence.presence = PRESENCE_SOMEBODY });
        model_feed(m, &(struct event){ .t = 3 * SEC, .kind = EVENT_PRESENCE, .presence.presence = PRESENCE_SOMEBODY });
        model_feed(m, &(struct event){ .t = 4 * SEC, .kind = EVENT_PRESENCE, .presence.presence = _PRESENCE_MAX });
        model_snapshot(m, 5 * SEC, &snapshot);
        CHECK(snapshot.presence == PRESENCE_SOMEBODY && snapshot.presence_since == 2 * SEC);
        model_feed(m, &(struct event){ .t = 6 * SEC, .kind = EVENT_PRESENCE, .presence.presence = PRESENCE_IDLE });
        model_snapshot(m, 7 * SEC, &snapshot);
        CHECK(snapshot.presence == PRESENCE_IDLE && snapshot.presence_since == 6 * SEC);
        model_get_counters(m, &c);
        CHECK_INT(c.invalid, 1);
        model_free(m);
}

TEST(senseless_events_are_counted_and_change_nothing) {
        struct model *m = model_new();
        struct model_counters c;

        model_feed(m, &(struct event){ .kind = _EVENT_KIND_MAX });
        model_feed(m, &(struct event){ .kind = 0xffff });
        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 0, .reads = 5 });
        feed_io(m, SEC, 0, 1, 4096, 0);
        feed_io(m, SEC, -5, 1, 4096, 0);
        model_get_counters(m, &c);
        CHECK_INT(c.invalid, 5);
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.n_devices, 0);
        CHECK_INT(snapshot.n_processes, 0);
        model_free(m);
}

TEST(extreme_counts_do_not_overflow) {
        struct model *m = model_new();

        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 1, .reads = UINT32_MAX, .read_sectors = UINT32_MAX, .read_ms = UINT32_MAX,
                                                      .writes = 1, .write_ms = UINT32_MAX, .busy_ms = UINT32_MAX, .queue_ms = UINT32_MAX });
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.devices[0].read_iops, UINT32_MAX);
        CHECK_INT(snapshot.devices[0].utilisation_permille, 1000);
        CHECK_INT(snapshot.devices[0].write_latency_us, UINT32_MAX);
        model_free(m);
}

TEST(lost_events_are_remembered) {
        struct model *m = model_new();
        struct event e = { .t = 3 * SEC, .kind = EVENT_LOST };

        model_feed(m, &e);
        e.lost.count = 41;
        model_feed(m, &e);
        model_snapshot(m, 4 * SEC, &snapshot);
        CHECK_INT(snapshot.lost_events, 42);
        CHECK_INT(snapshot.last_loss, 3 * SEC);
        model_free(m);
}

/* Its program and libraries lie on the drive, its data does not. */
TEST(a_process_that_reads_elsewhere_is_not_said_to_use_the_drive) {
        struct model *m = model_new();
        struct event e = { .t = 2 * SEC, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED | EVENT_ELSEWHERE, .tgid = 100 };

        feed_io(m, SEC, 100, 7, 1 << 20, 0);
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.processes[0].dev, DRIVE);
        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 20 << 20 };
        model_feed(m, &e);
        model_snapshot(m, 2 * SEC, &snapshot);
        CHECK_INT(snapshot.n_processes, 1);
        CHECK_INT(snapshot.processes[0].dev, 0);
        CHECK_INT(snapshot.processes[0].other_devs[0], DRIVE);
        CHECK_INT(snapshot.processes[0].read_bytes, 21 << 20);
        feed_io(m, 12 * SEC, 100, 7, 1 << 20, 0);
        model_snapshot(m, 12 * SEC, &snapshot);
        CHECK_INT(snapshot.processes[0].dev, DRIVE);
        model_free(m);
}

TEST(a_drive_that_is_gone_leaves_no_trace) {
        struct model *m = model_new();

        feed_stat(m, SEC, (struct event_device_stat){ .span_us = 1000000, .reads = 100 });
        model_feed(m, &(struct event){ .t = SEC, .kind = EVENT_DEVICE_GONE, .dev = DRIVE });
        model_feed(m, &(struct event){ .t = SEC, .kind = EVENT_DEVICE_GONE, .dev = 0 });
        model_snapshot(m, SEC, &snapshot);
        CHECK_INT(snapshot.n_devices, 0);
        model_free(m);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads through what stands on a drive. */
#include "model.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)
#define UPPER DEV_NUMBER(253, 0)
#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC

static struct snapshot snapshot;

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

static void feed(struct model *m, nsec_t t, enum event_kind kind, uint32_t dev, int32_t tgid, uint64_t sector) {
        struct event e = { .t = t, .kind = (uint16_t) kind, .dev = dev, .tgid = tgid };

        e.request = (struct event_request){ .sector = sector, .sectors = 8, .op = REQUEST_READ };
        model_feed(m, &e);
}

static void watch(struct model *m, nsec_t t, uint32_t dev, bool on) {
        model_feed(m, &(struct event){ .t = t, .kind = EVENT_WATCH, .dev = dev, .watch = { .on = on } });
}

static void stack(struct model *m, nsec_t t, uint32_t upper, uint32_t dev, uint8_t drives) {
        model_feed(m, &(struct event){ .t = t, .kind = EVENT_STACK, .dev = dev, .stack = { .upper = upper, .drives = drives } });
}

/* At the drive, under this name, 0: a kernel thread's. */
static void read_below(struct model *m, nsec_t t, uint32_t dev, int32_t tgid, uint64_t sector) {
        feed(m, t, EVENT_REQUEST_QUEUE, dev, tgid, sector);
        feed(m, t, EVENT_REQUEST_ISSUE, dev, 0, sector);
        feed(m, t + MSEC, EVENT_REQUEST_COMPLETE, dev, 0, sector);
}

/* As through dm-crypt. */
static void read_through(struct model *m, nsec_t t, int32_t tgid, uint64_t sector) {
        feed(m, t, EVENT_REQUEST_QUEUE, UPPER, tgid, sector);
        read_below(m, t + MSEC, DRIVE, 0, sector + 32768);
}

/* What /proc says of a process that may not read there at all. */
static void infer(struct model *m, nsec_t t, int32_t tgid) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = 7, .span_us = 250000, .read_bytes = 4096 };
        model_feed(m, &e);
        e = (struct event){ .t = t, .kind = EVENT_DEVICE_STAT, .dev = DRIVE, .device_stat = { .span_us = 250000, .reads = 100 } };
        model_feed(m, &e);
}

static const struct device_view *look(struct model *m, nsec_t now, uint32_t dev) {
        model_snapshot(m, now, &snapshot);
        return snapshot_find_device(&snapshot, dev);
}

TEST(readers_through_an_upper_device_are_counted_and_guesses_are_not) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, DRIVE, true);
        stack(m, SEC, UPPER, DRIVE, 1);
        watch(m, SEC, UPPER, true);
        for (int32_t tgid = 100; tgid < 106; tgid++)
                for (unsigned i = 0; i < 10; i++)
                        read_through(m, 3 * SEC + i * 10 * MSEC, tgid, (uint64_t) tgid * 1000 + i * 8);
        for (int32_t tgid = 100; tgid < 120; tgid++)
                infer(m, 3 * SEC + 100 * MSEC, tgid);
        v = look(m, 3 * SEC + 200 * MSEC, DRIVE);
        CHECK_INT(v->requests.anonymous_permille, 0);
        CHECK_INT(v->readers, 6);
        CHECK_INT(v->inferred_readers, 0);
        CHECK_INT(snapshot.n_devices, 1); /* what stands on it is no drive */
        for (size_t i = 0; i < snapshot.n_processes; i++) {
                const struct process_view *p = &snapshot.processes[i];
                CHECK_INT(p->dev, p->tgid < 106 ? DRIVE : 0);
                CHECK_INT(p->flags, 0);
                CHECK(!p->requests.told); /* how long they took at the drive is not known for each */
        }
        CHECK_INT(look(m, 3 * SEC + 91 * MSEC + READER_WINDOW_NS, DRIVE)->readers, 0);
}

TEST(what_no_process_asked_for_above_is_still_a_kernel_thread_s) {
        _cleanup_(model_freep) struct model *m = model_new();
        const struct device_view *v;

        watch(m, SEC, DRIVE, true);
        stack(m, SEC, UPPER, DRIVE, 1);
        for (unsigned i = 0; i < 10; i++) {
                read_through(m, 3 * SEC + i * 10 * MSEC, 100, i * 8);
                read_below(m, 3 * SEC + i * 10 * MSEC, DRIVE, 0, 1000000 + i * 8);
        }
        infer(m, 3 * SEC + 100 * MSEC, 110);
        v = look(m, 3 * SEC + 100 * MSEC, DRIVE);
        CHECK_INT(v->requests.anonymous_permille, 500);
        CHECK_INT(v->inferred_readers, 1);
}

/* LVM hands a request down under the name of the process that asked: that accounts for no other's. */
TEST(a_request_that_keeps_its_name_explains_no_other) {
        _cleanup_(model_freep) struct model *m = model_new();

        watch(m, SEC, DRIVE, true);
        stack(m, SEC, UPPER, DRIVE, 1);
        for (unsigned i = 0; i < 10; i++) {
                nsec_t t = 3 * SEC + i * 10 * MSEC;
                feed(m, t, EVENT_REQUEST_QUEUE, UPPER, 100, i * 8);
                read_below(m, t, DRIVE, 100, 32768 + i * 8);
                read_below(m, t + 2 * MSEC, DRIVE, 0, 1000000 + i * 8);
        }
        CHECK_INT(look(m, 3 * SEC + 100 * MSEC, DRIVE)->requests.anonymous_permille, 500);
}

TEST(an_array_s_readers_are_those_of_each_of_its_drives) {
        _cleanup_(model_freep) struct model *m = model_new();

        for (uint32_t dev = DRIVE; dev <= OTHER; dev += OTHER - DRIVE) {
                watch(m, SEC, dev, true);
                stack(m, SEC, UPPER, dev, 2);
        }
        for (unsigned i = 0; i < 10; i++) {
                nsec_t t = 3 * SEC + i * 10 * MSEC;
                feed(m, t, EVENT_REQUEST_QUEUE, UPPER, 100, i * 8);
                read_below(m, t, i % 2 ? DRIVE : OTHER, 0, 32768 + i * 8);
        }
        CHECK_INT(look(m, 3 * SEC + 100 * MSEC, DRIVE)->readers, 1);
        CHECK_INT(snapshot_find_device(&snapshot, OTHER)->readers, 1);
        CHECK_INT(snapshot_find_device(&snapshot, OTHER)->requests.anonymous_permille, 0);
}

TEST(what_stands_on_a_drive_does_so_until_that_is_watched_no_longer) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct model_counters counters;

        watch(m, SEC, DRIVE, true);
        stack(m, SEC, UPPER, DRIVE, 1);
        feed(m, 3 * SEC, EVENT_REQUEST_ISSUE, UPPER, 0, 8); /* passed over */
        model_get_counters(m, &counters);
        CHECK_INT(counters.invalid, 0);
        watch(m, 4 * SEC, DRIVE, false);
        feed(m, 4 * SEC, EVENT_REQUEST_QUEUE, UPPER, 100, 8);
        watch(m, 5 * SEC, DRIVE, true);
        CHECK_INT(look(m, 7 * SEC, DRIVE)->readers, 0);
        model_get_counters(m, &counters);
        CHECK_INT(counters.invalid, 1);
        stack(m, 7 * SEC, UPPER, DRIVE, 1);
        feed(m, 7 * SEC, EVENT_REQUEST_QUEUE, UPPER, 100, 8);
        CHECK_INT(look(m, 7 * SEC, DRIVE)->readers, 1);
        stack(m, 9 * SEC, UPPER, DRIVE, 0); /* or it is taken down */
        feed(m, 9 * SEC, EVENT_REQUEST_QUEUE, UPPER, 100, 8);
        CHECK_INT(look(m, 9 * SEC, DRIVE)->readers, 0);
}

TEST(senseless_and_too_many_stacks_are_counted) {
        _cleanup_(model_freep) struct model *m = model_new();
        struct model_counters counters;

        stack(m, SEC, UPPER, 0, 1);
        stack(m, SEC, 0, DRIVE, 1);
        stack(m, SEC, DRIVE, DRIVE, 1);
        model_get_counters(m, &counters);
        CHECK_INT(counters.invalid, 3);
        for (uint32_t round = 0; round < 2; round++) /* the same again is no other */
                for (uint32_t i = 0; i < 65; i++)
                        stack(m, SEC, UPPER + i, DRIVE, 1);
        model_get_counters(m, &counters);
        CHECK_INT(counters.requests_refused, 2);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "burst.h"
#include "detection.h"
#include "model.h"
#include "test.h"
#include "told.h"

#define DRIVE DEV_NUMBER(8, 0)

DEFINE_TRIVIAL_CLEANUP_FUNC(struct model *, model_free)

TEST(eight_at_most_180_ms_apart_are_a_burst_and_a_ninth_joins) {
        struct burst b = { 0 };
        struct queue_burst rule = { 0 };
        uint32_t marked[QUEUE_BURST_LARGE];

        for (uint32_t i = 0; i < 7; i++)
                burst_note(&b, 10 * SEC + i * 100 * MSEC, queue_burst_add(&rule, 10 * SEC + i * 100 * MSEC, 0, i + 1, false, marked), false);
        CHECK_INT(b.n, 0);
        burst_note(&b, 10 * SEC + 700 * MSEC, queue_burst_add(&rule, 10 * SEC + 700 * MSEC, 0, 8, false, marked), false);
        CHECK_INT(b.n, 8);
        burst_note(&b, 10 * SEC + 850 * MSEC, queue_burst_add(&rule, 10 * SEC + 850 * MSEC, 0, 9, false, marked), false);
        CHECK_INT(b.n, 9);
        CHECK_INT(b.began, 10 * SEC + 700 * MSEC);
        burst_note(&b, 10 * SEC + 1031 * MSEC, queue_burst_add(&rule, 10 * SEC + 1031 * MSEC, 0, 10, false, marked), false);
        CHECK_INT(b.n, 9); /* 181 ms later */
        CHECK_INT(b.last, 10 * SEC + 850 * MSEC);
}

TEST(births_are_compared_by_when_they_were_not_by_when_they_are_told) {
        struct burst b = { 0 };

        for (uint32_t i = 0; i < 8; i++) /* 190 ms apart, all seen in one look */
                burst_note_birth(&b, 10 * SEC, i + 1, 500 + i * 19);
        CHECK_INT(b.n, 0);
        for (uint32_t i = 0; i < 8; i++) {
                burst_note_birth(&b, 11 * SEC, 20 + i, 1000 + i * 18);
                burst_note_birth(&b, 11 * SEC, 40 + i, 100 + i); /* old ones between them */
        }
        CHECK_INT(b.n, 8);
        CHECK(b.inferred);
}

static void first_io(struct model *m, nsec_t t, int32_t tgid, uint64_t start_ticks) {
        struct event e = { .t = t, .kind = EVENT_PROCESS_IO, .flags = EVENT_INFERRED, .dev = DRIVE, .tgid = tgid };

        e.process_io = (struct event_process_io){ .start_ticks = start_ticks, .span_us = 250000, .read_bytes = 4096 };
        model_feed(m, &e);
}

static struct model *model_with_drive(void) {
        struct model *m = model_new();
        struct event e = { .t = SEC, .kind = EVENT_DEVICE_STAT, .dev = DRIVE, .device_stat = { .span_us = 250000, .reads = 1 } };

        model_feed(m, &e);
        return m;
}

static const struct verdict *look(struct model *m, nsec_t now) {
        model_snapshot(m, now, &snapshot);
        return find_about(VERDICT_BURST, 0);
}

TEST(a_burst_of_new_processes_is_known_from_proc_and_ends_five_seconds_after_the_last) {
        _cleanup_(model_freep) struct model *m = model_with_drive();
        const struct verdict *v;

        detectors = (struct detectors){ 0 };
        for (int32_t i = 0; i < 20; i++)
                first_io(m, 10 * SEC + (i >= 10) * 250 * MSEC, 100 + i, 5000 + (uint64_t) i);
        v = look(m, 11 * SEC);
        CHECK(v);
        CHECK_STR(told(v->sentence), "20 processes began to use the drive, each less than 180 ms after the one before, over 250 ms");
        CHECK_INT(v->confidence, 700);
        CHECK(look(m, 15 * SEC));
        CHECK(!look(m, 15 * SEC + 251 * MSEC));
}

TEST(what_a_process_does_later_and_processes_that_were_there_long_ago_are_no_burst) {
        _cleanup_(model_freep) struct model *m = model_with_drive();

        detectors = (struct detectors){ 0 };
        first_io(m, 10 * SEC, 99, 90000); /* one of now */
        for (int32_t i = 0; i < 20; i++)
                first_io(m, 10 * SEC, 100 + i, 5000 + (uint64_t) i); /* begun with the machine */
        for (int32_t i = 0; i < 20; i++)
                first_io(m, 11 * SEC, 100 + i, 5000 + (uint64_t) i);
        CHECK(!look(m, 11 * SEC));
}

TEST(a_burst_of_first_requests_is_known_for_certain) {
        _cleanup_(model_freep) struct model *m = model_with_drive();
        struct event e = { .t = 10 * SEC, .kind = EVENT_WATCH, .dev = DRIVE, .watch = { .on = true } };
        const struct verdict *v;

        detectors = (struct detectors){ 0 };
        model_feed(m, &e);
        for (int32_t i = 0; i < 12; i++) {
                e = (struct event){ .t = 20 * SEC + (unsigned) i * 50 * MSEC, .kind = EVENT_REQUEST_QUEUE, .dev = DRIVE, .tgid = 100 + i };
                e.request = (struct event_request){ .sector = 800 * (uint64_t) i, .sectors = 8, .op = REQUEST_READ };
                model_feed(m, &e);
        }
        v = look(m, 21 * SEC);
        CHECK(v);
        CHECK_INT(verdict_evidence(v, "processes", 0), 12);
        CHECK_INT(v->confidence, 1000);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"
#include "trace-merge.h"

#define DRIVE DEV_NUMBER(8, 0)
#define MS NSEC_PER_MSEC

static struct {
        size_t n;
        struct event events[8];
} heard;

static void hear(void *userdata _unused_, const struct event *e) {
        if (e->kind != EVENT_PROCESS_NAME && heard.n < ARRAY_SIZE(heard.events))
                heard.events[heard.n++] = *e;
}

static struct trace_merge merge;
static struct trace_lane lanes[3];

static void begin(void) {
        struct event_sink sink = { hear, NULL };

        heard.n = 0;
        merge = (struct trace_merge) { .sink = sink, .tasks = task_table_new(sink) };
        for (size_t i = 0; i < ARRAY_SIZE(lanes); i++) {
                lanes[i] = (struct trace_lane) { .record = { .kind = TRACE_RQ_ISSUE, .request = { .sector = i, .sectors = 8 } } };
                trace_merge_add(&merge, &lanes[i]);
        }
}

static void done(void) {
        merge.tasks = task_table_free(merge.tasks);
}

static void give(size_t i, nsec_t t) {
        lanes[i].t = t;
        lanes[i].pending = true;
}

TEST(the_earliest_of_all_lanes_comes_first_once_it_is_settled) {
        begin();
        give(0, 12 * MS);
        give(1, 11 * MS);
        CHECK(!trace_merge_next(&merge, 11 * MS + TRACE_SETTLE_NS - 1));
        CHECK(trace_merge_next(&merge, 11 * MS + TRACE_SETTLE_NS) == &lanes[1]);
        trace_merge_tell(&merge, &lanes[1], DRIVE);
        CHECK(!trace_merge_next(&merge, 11 * MS + TRACE_SETTLE_NS));
        give(2, 10 * MS);
        CHECK(trace_merge_next(&merge, 20 * MS) == &lanes[2]);
        trace_merge_tell(&merge, &lanes[2], DRIVE);
        CHECK(trace_merge_next(&merge, 20 * MS) == &lanes[0]);
        trace_merge_tell(&merge, &lanes[0], DRIVE);
        CHECK(!trace_merge_next(&merge, 20 * MS));
        CHECK_INT(heard.n, 3);
        CHECK_INT(merge.told, 3);
        CHECK_INT(merge.late, 1); /* lane 2's came after a later one had been told */
        done();
}

TEST(a_lane_that_was_removed_is_not_asked) {
        begin();
        give(0, 1 * MS);
        give(2, 2 * MS);
        trace_merge_remove(&merge, &lanes[0]);
        CHECK(trace_merge_next(&merge, 20 * MS) == &lanes[2]);
        trace_merge_remove(&merge, &lanes[2]);
        trace_merge_remove(&merge, &lanes[2]);
        CHECK(!trace_merge_next(&merge, 20 * MS));
        done();
}

TEST(the_process_that_asked_is_told_of_a_queue_alone) {
        static const enum event_kind kinds[_TRACE_KIND_MAX] = { EVENT_REQUEST_QUEUE, EVENT_REQUEST_SPLIT, EVENT_REQUEST_ISSUE,
                                                                EVENT_REQUEST_REQUEUE, EVENT_REQUEST_COMPLETE };

        begin();
        for (int k = 0; k < _TRACE_KIND_MAX; k++) {
                give(0, MS);
                lanes[0].record.kind = (enum trace_kind) k;
                lanes[0].record.tid = gettid();
                trace_merge_tell(&merge, &lanes[0], DRIVE);
                CHECK_INT(heard.n, k + 1);
                CHECK_INT(heard.events[k].kind, kinds[k]);
                CHECK_INT(heard.events[k].dev, DRIVE);
                CHECK_INT(heard.events[k].tgid, k == TRACE_BIO_QUEUE ? getpid() : 0);
                CHECK_INT(heard.events[k].request.sectors, 8);
        }
        done();
}

TEST(what_is_of_no_drive_is_not_told) {
        begin();
        give(0, MS);
        trace_merge_tell(&merge, &lanes[0], 0);
        CHECK(!lanes[0].pending);
        CHECK_INT(heard.n, 0);
        CHECK_INT(merge.told, 0);
        done();
}

TEST(a_request_of_a_thread_too_many_is_told_as_of_none_and_counted) {
        begin();
        lanes[0].record.kind = TRACE_BIO_QUEUE;
        for (int i = 0; i <= TASK_LOOKUPS_MAX; i++) {
                lanes[0].record.tid = (1 << 22) + i;
                give(0, MS);
                CHECK(trace_merge_next(&merge, 10 * MS) == &lanes[0]);
                trace_merge_tell(&merge, &lanes[0], DRIVE);
        }
        CHECK_INT(merge.told, TASK_LOOKUPS_MAX + 1);
        CHECK_INT(merge.not_looked_up, 1);
        CHECK_INT(heard.events[0].tgid, 0);
        give(0, MS);
        CHECK(trace_merge_next(&merge, 11 * MS)); /* the next look */
        trace_merge_tell(&merge, &lanes[0], DRIVE);
        CHECK_INT(merge.not_looked_up, 1);
        done();
}

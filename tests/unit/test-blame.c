/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "blame.h"
#include "macro.h"
#include "test.h"

#define SEC NSEC_PER_SEC
#define MSEC NSEC_PER_MSEC
#define DRIVE 1
#define BEGIN (10 * SEC)

static struct flow_table flows;
static struct blame blame;

static struct flow *get(int32_t tgid) {
        return flow_table_get(&flows, tgid, DRIVE);
}

static uint32_t name_of(int32_t tgid) {
        return flow_table_name(&flows, get(tgid));
}

static void ask(int32_t tgid, nsec_t t) {
        flow_ask(get(tgid), t, &(struct event_request){ .sector = 8, .sectors = 8, .op = REQUEST_READ }, false, false);
}

/* The drive is at work on a read of that process from `issued` to t; 0: of no process. */
static nsec_t serve(int32_t tgid, nsec_t issued, nsec_t t) {
        struct request r = { .sectors = 8, .asked = 8, .op = REQUEST_READ, .queued = issued, .issued = issued };
        nsec_t took = blame_serve(&blame, &flows, tgid ? name_of(tgid) : 0, issued, t);

        if (tgid) {
                flow_end(get(tgid), t, &r, false);
                recent_add(&get(tgid)->served, t, took);
        }
        return took;
}

static const struct blame_victim *victim(int32_t tgid) {
        for (size_t i = 0; i < BLAME_VICTIMS; i++)
                if (blame.victims[i].name == name_of(tgid))
                        return &blame.victims[i];
        return NULL;
}

static void begin(void) {
        flows = (struct flow_table){ 0 };
        blame = (struct blame){ 0 };
}

/* Waits for one read from t on, in which the drive serves others for 90 ms and then it for 10. */
static void wait_once(int32_t tgid, int32_t other, nsec_t t) {
        ask(tgid, t);
        for (unsigned i = 0; i < 9; i++) {
                if (other)
                        ask(other, t + i * 10 * MSEC);
                serve(other, t + i * 10 * MSEC, t + (i + 1) * 10 * MSEC);
        }
        serve(tgid, t + 90 * MSEC, t + 100 * MSEC);
}

TEST(the_drives_time_is_charged_once_whatever_it_does_side_by_side) {
        begin();
        for (int32_t tgid = 1; tgid <= 3; tgid++)
                ask(tgid, BEGIN);
        CHECK_INT(serve(1, BEGIN, BEGIN + 4 * MSEC), 4 * MSEC);
        CHECK_INT(serve(2, BEGIN, BEGIN + 5 * MSEC), MSEC);
        CHECK_INT(serve(3, BEGIN + 4 * MSEC, BEGIN + 9 * MSEC), 4 * MSEC);
        CHECK_INT(serve(3, BEGIN + 20 * MSEC, BEGIN + 21 * MSEC), MSEC); /* after a rest */
        CHECK_INT(serve(3, BEGIN, BEGIN + 20 * MSEC), 0); /* told late */
}

TEST(a_process_that_waits_knows_which_one_the_drive_served_meanwhile) {
        const struct blame_victim *v;

        begin();
        wait_once(1, 2, BEGIN);
        blame_choose(&blame, &flows, DRIVE, BEGIN + 100 * MSEC);
        for (unsigned i = 1; i < 10; i++)
                wait_once(1, 2, BEGIN + i * 100 * MSEC);
        v = victim(1);
        CHECK(v);
        CHECK_INT(v->since, BEGIN + 100 * MSEC);
        CHECK_INT(v->all, 900 * MSEC);
        CHECK_INT(v->own, 90 * MSEC);
        CHECK_INT(v->kernel, 0);
        CHECK_INT(v->tgids[blame_greatest(v, &flows)], 2);
        CHECK_INT(v->shares[blame_greatest(v, &flows)], 810 * MSEC);
}

TEST(a_stream_is_not_the_cause_of_anybodys_waiting) {
        const struct blame_victim *v;

        begin();
        wait_once(1, 2, BEGIN);
        wait_once(1, 3, BEGIN + 100 * MSEC);
        blame_choose(&blame, &flows, DRIVE, BEGIN + 200 * MSEC);
        for (unsigned i = 2; i < 10; i++)
                wait_once(1, i % 4 ? 2 : 3, BEGIN + i * 100 * MSEC);
        v = victim(1);
        CHECK_INT(v->tgids[blame_greatest(v, &flows)], 2);
        get(2)->stream.rhythm.confirmed = BEGIN;
        CHECK_INT(v->tgids[blame_greatest(v, &flows)], 3);
        get(3)->stream.rhythm.confirmed = BEGIN;
        CHECK_INT(blame_greatest(v, &flows), -1);
}

TEST(what_no_process_asked_for_is_the_kernels) {
        begin();
        wait_once(1, 0, BEGIN);
        blame_choose(&blame, &flows, DRIVE, BEGIN + 100 * MSEC);
        wait_once(1, 0, BEGIN + 100 * MSEC);
        CHECK_INT(victim(1)->kernel, 90 * MSEC);
        CHECK_INT(blame_greatest(victim(1), &flows), -1);
}

TEST(what_the_drive_does_while_it_does_not_wait_is_not_charged) {
        begin();
        wait_once(1, 2, BEGIN);
        blame_choose(&blame, &flows, DRIVE, BEGIN + 100 * MSEC);
        ask(2, BEGIN + 100 * MSEC);
        serve(2, BEGIN + 100 * MSEC, BEGIN + 150 * MSEC);
        CHECK_INT(victim(1)->all, 0);
        ask(2, BEGIN + 150 * MSEC);
        ask(1, BEGIN + 170 * MSEC); /* in the middle of it */
        serve(2, BEGIN + 150 * MSEC, BEGIN + 180 * MSEC);
        CHECK_INT(victim(1)->all, 10 * MSEC);
}

/* 40 others in turn, of which one has half of the time: more than there is room for. */
TEST(the_greatest_of_very_many_is_found_and_never_told_greater_than_it_is) {
        const struct blame_victim *v;
        nsec_t t = BEGIN + 100 * MSEC, last = 0;

        begin();
        wait_once(1, 0, BEGIN);
        blame_choose(&blame, &flows, DRIVE, t);
        ask(1, t);
        for (int32_t i = 0; i < 400; i++) {
                int32_t other = i % 2 ? 50 : 100 + i % 40;
                ask(other, t);
                serve(other, t, t + MSEC);
                t += MSEC;
        }
        v = victim(1);
        CHECK_INT(v->all, 400 * MSEC);
        last = v->shares[blame_greatest(v, &flows)];
        CHECK_INT(v->tgids[blame_greatest(v, &flows)], 50);
        CHECK(last <= 200 * MSEC && last >= 200 * MSEC - v->all / (BLAME_CULPRITS + 1));
}

TEST(in_a_crowd_of_equals_no_process_is_to_blame) {
        const struct blame_victim *v;
        nsec_t t = BEGIN + 100 * MSEC;

        begin();
        wait_once(1, 0, BEGIN);
        blame_choose(&blame, &flows, DRIVE, t);
        ask(1, t);
        for (int32_t i = 0; i < 1500; i++, t += MSEC) {
                ask(100 + i % 150, t);
                serve(100 + i % 150, t, t + MSEC);
        }
        v = victim(1);
        CHECK(blame_greatest(v, &flows) < 0 || v->shares[blame_greatest(v, &flows)] * 100 <= v->all * 2);
}

TEST(those_are_followed_that_wait_most_and_are_served_least) {
        begin();
        for (unsigned i = 0; i < 10; i++)
                wait_once(1, 2, BEGIN + i * 100 * MSEC);
        for (int32_t tgid = 10; tgid < 20; tgid++) { /* a moment only */
                ask(tgid, BEGIN);
                serve(tgid, BEGIN, BEGIN + MSEC);
        }
        for (int32_t tgid = 3; tgid <= 6; tgid++)
                ask(tgid, BEGIN); /* and get nothing */
        blame_choose(&blame, &flows, DRIVE, BEGIN + SEC);
        for (int32_t tgid = 3; tgid <= 6; tgid++)
                CHECK(victim(tgid));
        for (int32_t tgid = 3; tgid <= 5; tgid++)
                flow_table_remove(&flows, tgid, DRIVE, UINT64_MAX);
        blame_choose(&blame, &flows, DRIVE, BEGIN + SEC);
        CHECK(victim(6) && victim(1));
        CHECK(!victim(10));
}

TEST(old_shares_fade) {
        begin();
        wait_once(1, 2, BEGIN);
        blame_choose(&blame, &flows, DRIVE, BEGIN + 100 * MSEC);
        wait_once(1, 2, BEGIN + 100 * MSEC);
        for (unsigned i = 1; i <= 4; i++) {
                ask(1, BEGIN + i * BLAME_HALVE_NS);
                blame_choose(&blame, &flows, DRIVE, BEGIN + 100 * MSEC + i * BLAME_HALVE_NS);
        }
        CHECK(victim(1)->all <= 100 * MSEC / 8);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"
#include "turn.h"

#define MSEC NSEC_PER_MSEC
#define QUEUES 6

static const struct soft_rt_traits plain = { .weight = SOFT_RT_WEIGHT };

/* A rotational drive with processes 1 to QUEUES, of which none has asked for anything. */
struct drive {
        struct soft_rt_rule rule;
        struct turn turn;
        struct turn_queue queues[QUEUES + 1];
};

static struct drive drive_new(uint32_t interactive_ms) {
        struct drive d = { .rule = SOFT_RT_RULE };

        d.rule.hz = 1000;
        d.rule.interactive_ms = interactive_ms;
        for (size_t i = 1; i <= QUEUES; i++)
                soft_rt_begin(&d.queues[i].kernel, &d.rule, 0);
        return d;
}

static struct turn_step step(struct drive *d, uint32_t name, nsec_t t) {
        return (struct turn_step){ .rule = &d->rule, .t = t, .rotational = true, .name = name, .queue = &d->queues[name],
                                   .owner = d->turn.owner ? &d->queues[d->turn.owner] : NULL };
}

static enum soft_rt_answer ask(struct drive *d, uint32_t name, nsec_t t, uint32_t sectors) {
        struct turn_step s = step(d, name, t);

        turn_ask(&d->turn, &s, sectors, &plain);
        return d->queues[name].kernel.answer;
}

static void issue(struct drive *d, uint32_t name, nsec_t t, uint32_t sectors) {
        struct turn_step s = step(d, name, t);

        turn_issue(&d->turn, &s, sectors);
}

static void done(struct drive *d, uint32_t name, nsec_t t, uint32_t sectors) {
        struct turn_step s = step(d, name, t);

        turn_done(&d->turn, &s, sectors, true);
}

static enum soft_rt_answer serve(struct drive *d, uint32_t name, nsec_t begin, nsec_t end, uint32_t sectors) {
        enum soft_rt_answer answer = ask(d, name, begin, sectors);

        issue(d, name, begin, sectors);
        done(d, name, end, sectors);
        return answer;
}

TEST(a_process_that_has_the_drive_alone_goes_on_with_its_period_while_bfq_waits_for_it) {
        struct drive d = drive_new(0);

        serve(&d, 1, 1000 * MSEC, 1002 * MSEC, 100);
        CHECK_INT(d.turn.owner, 1);
        CHECK_INT(d.turn.busy, 1);
        serve(&d, 1, 1008 * MSEC, 1010 * MSEC, 100);
        CHECK_INT(d.queues[1].kernel.busy_jiffies, 1000);
        CHECK_INT(d.queues[1].kernel.sectors, 200);
        serve(&d, 1, 1200 * MSEC, 1202 * MSEC, 100);
        CHECK_INT(d.queues[1].kernel.busy_jiffies, 1200);
        CHECK_INT(d.queues[1].kernel.sectors, 100);
}

TEST(next_start_is_reckoned_when_bfq_has_waited_in_vain) {
        struct drive d = drive_new(0);

        d.queues[1].kernel.next_start_jiffies = UINT32_MAX; /* not raised: it is waited for 8 ms */
        serve(&d, 1, 1000 * MSEC, 1002 * MSEC, 100);
        d.queues[1].kernel.next_start_jiffies = 0;
        CHECK_INT(ask(&d, 2, 1500 * MSEC, 8), SOFT_RT_YES);
        CHECK_INT(d.queues[1].kernel.next_start_jiffies, 1010 + 8 + 4);
        CHECK(!d.queues[1].busy);
}

/* What makes bfq take a greedy process on a contended drive for a stream: while it is raised as one that starts, others that are soft
 * real-time take its turns, with a request of it under way, and then no next_start is reckoned. */
TEST(one_that_starts_and_loses_its_turn_with_a_request_under_way_is_soft_real_time_with_its_next_request) {
        struct drive d = drive_new(10000);
        nsec_t t = 3000 * MSEC;

        serve(&d, 2, 1, 2 * MSEC, 8); /* the other one: starts, rests for a second, and then is soft real-time */
        CHECK_INT(serve(&d, 2, 1000 * MSEC, 1002 * MSEC, 8), SOFT_RT_YES);
        CHECK_INT(d.queues[2].kernel.raised, RAISED_SOFT_RT);
        ask(&d, 1, t, 128); /* it was not seen before */
        issue(&d, 1, t, 128);
        CHECK_INT(d.queues[1].kernel.raised, RAISED_INTERACTIVE);
        d.queues[2].kernel.raised_since = d.queues[2].kernel.empty_since = t; /* it has played all the while */
        CHECK_INT(ask(&d, 2, t + MSEC, 8), SOFT_RT_YES);
        CHECK(!d.queues[1].busy);
        issue(&d, 2, t + MSEC, 8);
        done(&d, 1, t + 10 * MSEC, 128);
        CHECK_INT(ask(&d, 1, t + 10 * MSEC, 128), SOFT_RT_YES);
        CHECK_INT(d.queues[1].kernel.raised, RAISED_SOFT_RT);
}

TEST(alone_the_same_process_is_too_early) {
        struct drive d = drive_new(10000);

        serve(&d, 1, 3000 * MSEC, 3010 * MSEC, 128);
        serve(&d, 1, 3010 * MSEC, 3020 * MSEC, 128);
        CHECK_INT(d.queues[1].kernel.yes + d.queues[1].kernel.no, 1); /* one long period */
        CHECK_INT(d.queues[1].kernel.raised, RAISED_INTERACTIVE);
}

TEST(with_a_request_under_way_next_start_is_reckoned_when_that_is_done) {
        struct drive d = drive_new(0);

        d.queues[1].kernel.next_start_jiffies = 2000; /* it will not be raised */
        ask(&d, 1, 1000 * MSEC, 7000);
        issue(&d, 1, 1000 * MSEC, 7000);
        CHECK_INT(ask(&d, 2, 1001 * MSEC, 8), SOFT_RT_YES); /* a higher weight: its turn is over */
        CHECK_INT(d.turn.owner, 0);
        CHECK_INT(d.queues[1].kernel.next_start_jiffies, 2000);
        issue(&d, 2, 1001 * MSEC, 8);
        done(&d, 1, 1500 * MSEC, 7000);
        CHECK_INT(d.queues[1].kernel.next_start_jiffies, 2000); /* 1000 + a second */
        d.queues[1].kernel.next_start_jiffies = 0;
        done(&d, 1, 1500 * MSEC, 7000);
        CHECK_INT(d.queues[1].kernel.next_start_jiffies, 2000);
}

TEST(whose_request_is_injected_rests_without_a_next_start) {
        struct drive d = drive_new(0);

        d.queues[2].kernel.next_start_jiffies = 100000;
        serve(&d, 1, 1000 * MSEC, 1002 * MSEC, 8); /* raised, and waited for 20 ms */
        CHECK_INT(d.turn.owner, 1);
        ask(&d, 2, 1003 * MSEC, 8);
        issue(&d, 2, 1003 * MSEC, 8);
        CHECK_INT(d.turn.owner, 1);
        CHECK(!d.queues[2].busy);
        done(&d, 2, 1004 * MSEC, 8);
        CHECK_INT(d.queues[2].kernel.next_start_jiffies, 100000);
        CHECK_INT(d.queues[2].kernel.empty_since, 1004 * MSEC);
}

TEST(two_that_are_raised_alone_are_not_waited_for) {
        struct drive d = drive_new(0);

        ask(&d, 1, 1000 * MSEC, 8);
        issue(&d, 1, 1000 * MSEC, 8);
        CHECK_INT(ask(&d, 2, 1001 * MSEC, 8), SOFT_RT_YES);
        CHECK(!d.queues[1].busy);
        CHECK_INT(d.turn.busy, 1);
        CHECK_INT(d.turn.raised, 1);
}

TEST(a_process_that_asks_before_it_has_got_what_it_asked_for_is_not_isochronous) {
        struct drive d = drive_new(0);

        ask(&d, 1, 1000 * MSEC, 8);
        issue(&d, 1, 1000 * MSEC, 8);
        ask(&d, 2, 1001 * MSEC, 8);
        CHECK_INT(ask(&d, 1, 1500 * MSEC, 8), SOFT_RT_UNDER_WAY);
}

TEST(the_time_without_service_does_not_count_for_one_that_is_soft_real_time) {
        struct drive d = drive_new(0);
        struct soft_rt *s = &d.queues[1].kernel;

        soft_rt_wake(s, &d.rule, 1000 * MSEC, &plain);
        soft_rt_turn(s, &d.rule, 1000 * MSEC);
        CHECK_INT(s->raised, RAISED_SOFT_RT);
        soft_rt_rest(s, 1010 * MSEC);
        soft_rt_turn(s, &d.rule, 1210 * MSEC);
        CHECK_INT(s->raised_since, 1200 * MSEC);
        CHECK_INT(s->empty_since, 1335 * MSEC); /* its turn may take so long */
        soft_rt_serve(s, &d.rule, 1335 * MSEC, 8, true);
        CHECK_INT(s->raised, RAISED_SOFT_RT);
        soft_rt_serve(s, &d.rule, 1501 * MSEC, 8, true);
        CHECK_INT(s->raised, RAISED_NOT);
}

TEST(a_process_that_seeks_with_each_request_goes_back_to_being_one_that_starts) {
        struct drive d = drive_new(10000);
        struct soft_rt *s = &d.queues[1].kernel;
        struct turn_step at = step(&d, 1, 2000 * MSEC);

        serve(&d, 1, MSEC, 2 * MSEC, 8);
        CHECK_INT(serve(&d, 1, 1000 * MSEC, 1001 * MSEC, 8), SOFT_RT_YES);
        CHECK_INT(s->raised, RAISED_SOFT_RT);
        turn_ask(&d.turn, &at, 8, &(struct soft_rt_traits){ .totally_seeky = true, .weight = SOFT_RT_WEIGHT });
        CHECK_INT(s->raised, RAISED_INTERACTIVE);
}

TEST(whose_queue_is_gone_has_no_turn) {
        struct drive d = drive_new(0);
        struct turn_step s;

        serve(&d, 1, 1000 * MSEC, 1002 * MSEC, 8);
        s = step(&d, 2, 1003 * MSEC);
        s.owner = NULL;
        turn_ask(&d.turn, &s, 8, &plain);
        turn_issue(&d.turn, &s, 8);
        CHECK_INT(d.turn.owner, 2);
        turn_count_begin(&d.turn);
        turn_count(&d.turn, &d.queues[2]);
        CHECK_INT(d.turn.busy, 1);
}

static void check_counts(const struct drive *d) {
        uint32_t busy = 0, at_drive = 0;

        for (size_t i = 1; i <= QUEUES; i++) {
                const struct turn_queue *q = &d->queues[i];
                busy += q->busy;
                at_drive += q->at_drive;
        }
        CHECK_INT(d->turn.busy, busy);
        CHECK_INT(d->turn.at_drive, at_drive);
        CHECK(d->turn.raised <= busy);
        CHECK(!d->turn.owner || d->queues[d->turn.owner].busy);
        CHECK(!d->turn.waits_since || (d->turn.owner && d->queues[d->turn.owner].queued == 0));
}

TEST(whatever_comes_processes_that_are_busy_and_at_the_drive_are_counted_right) {
        uint64_t random = test_seed();

        for (unsigned round = 0; round < 40; round++) {
                struct drive d = drive_new(round % 2 ? 3000 : 0);
                nsec_t t = NSEC_PER_SEC;

                for (unsigned i = 0; i < 2000; i++) {
                        uint32_t name = (uint32_t) (test_random(&random) % QUEUES) + 1;
                        struct turn_queue *q = &d.queues[name];

                        t += test_random(&random) % (test_random(&random) % 20 == 0 ? 300 * MSEC : 4 * MSEC);
                        q->flows = test_random(&random) % 2;
                        if (q->queued > 0 && test_random(&random) % 2)
                                issue(&d, name, t, q->queued);
                        else if (q->at_drive > 0 && test_random(&random) % 2)
                                done(&d, name, t, 128);
                        else
                                ask(&d, name, t, 128);
                        check_counts(&d);
                }
        }
}

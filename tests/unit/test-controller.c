/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller on a bfq drive, with a perfect actuator (perform) unless a test says otherwise. */
#include <errno.h>

#include "controller.h"
#include "facts.h"
#include "str.h"
#include "test.h"
#include "told.h"

#define DRIVE 0x800000u
#define SEC NSEC_PER_SEC
#define IDLE TUNABLE_BFQ_SLICE_IDLE_US

static struct controller *c;
static struct policy policy;
static struct device_facts facts;
static struct snapshot snapshot;
static struct verdict verdicts[2];
static struct controller_input in;
static struct plan plan;
static unsigned writes;

static void set_scheduler(enum scheduler scheduler) {
        facts.scheduler = scheduler;
        facts_set(&facts, TUNABLE_QUEUE_SCHEDULER, scheduler);
        if (controller_set_device(c, &facts, &policy) < 0)
                abort();
}

static void setup(void) {
        c = controller_new();
        writes = 0;
        policy_init(&policy, "hdd", "hdd.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit = (struct policy_idle_limit){ .enabled = true, .group_slice_us = 300000, .min_readers = 16 };
        policy.limits[IDLE] = (struct policy_limit){ .set = true, .min = 500, .max = 8000 };
        facts = (struct device_facts){ .dev = DRIVE, .name = "sda", .class = DEVICE_CLASS_HDD, .scheduler = SCHEDULER_BFQ, .rotational = true };
        facts.schedulers = 1u << SCHEDULER_BFQ | 1u << SCHEDULER_MQ_DEADLINE | 1u << SCHEDULER_NONE;
        facts_set(&facts, TUNABLE_QUEUE_SCHEDULER, SCHEDULER_BFQ);
        facts_set(&facts, IDLE, 8000);
        facts_set(&facts, TUNABLE_BFQ_TIMEOUT_SYNC, 125);
        snapshot = (struct snapshot){ .n_devices = 1, .devices = { { .dev = DRIVE, .busy_since = 1 } } };
        in = (struct controller_input){ .now = 100 * SEC, .mode = MODE_AUTO, .snapshot = &snapshot, .verdicts = verdicts };
        if (controller_set_device(c, &facts, &policy) < 0)
                abort();
}

static void teardown(void) {
        c = controller_free(c);
}

static void readers(int64_t n) {
        in.n_verdicts = n > 0;
        verdicts[0] = (struct verdict){ .kind = VERDICT_MANY_SYNC, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", n, 16, "" } },
                                        .sentence = "many readers" };
}

static const struct controller_tunable *tunable(enum tunable_id id) {
        return &controller_find_device(c, DRIVE)->tunables[id];
}

static struct receipt receipt_of(const struct setting_change *change, enum receipt_result result, int error) {
        struct receipt r = { .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .result = result, .error = error, .t = in.now };

        str_copy(r.wanted, sizeof(r.wanted), change->value);
        str_copy(r.observed, sizeof(r.observed), change->value);
        return r;
}

static void perform(void) {
        for (size_t i = 0; i < plan.n; i++) {
                struct receipt r = receipt_of(&plan.changes[i], plan.changes[i].advice                      ? RECEIPT_ADVISED
                                                                : plan.changes[i].action == CHANGE_RESTORE ? RECEIPT_RESTORED
                                                                                                           : RECEIPT_APPLIED, 0);
                writes += r.result != RECEIPT_ADVISED;
                controller_commit(c, &r);
        }
}

static void step(double seconds) {
        in.now += (nsec_t) (seconds * NSEC_PER_SEC);
        snapshot.now = in.now;
        controller_step(c, &in, &plan);
        perform();
}

TEST(a_crowd_limits_the_idling_within_one_step) {
        setup();
        readers(150);
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "2000");
        CHECK_INT(plan.changes[0].law, LAW_IDLE_LIMIT);
        CHECK(strstr(told(plan.changes[0].reason), "150 readers"));
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        CHECK_INT(tunable(IDLE)->original, 8000);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_HOLDING);
        teardown();
}

TEST(nothing_happens_while_the_law_yields_the_base) {
        setup();
        readers(37);
        step(0.25);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_OBSERVING);
        teardown();
}

TEST(the_policys_limit_is_never_passed) {
        setup();
        readers(100000);
        step(0.25);
        CHECK_STR(plan.changes[0].value, "500");
        teardown();
}

TEST(small_movements_are_not_written) {
        setup();
        readers(150);
        step(0.25);
        readers(160); /* 1875: 6 % */
        step(10);
        CHECK_INT(plan.n, 0);
        readers(200); /* 1500: 25 % */
        step(10);
        CHECK_INT(plan.n, 1);
        teardown();
}

TEST(a_growing_load_need_not_wait_but_a_shrinking_one_does) {
        setup();
        readers(60); /* 5000 */
        step(0.25);
        CHECK_STR(plan.changes[0].value, "5000");
        readers(150); /* 2000: less than half */
        step(0.25);
        CHECK_STR(plan.changes[0].value, "2000");
        readers(75); /* 4000 */
        step(0.25);
        CHECK_INT(plan.n, 0);
        step(2);
        CHECK_STR(plan.changes[0].value, "4000");
        teardown();
}

TEST(what_was_computed_from_an_old_value_is_computed_again) {
        struct receipt r;

        setup();
        readers(150);
        in.now += SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].from, "8000");
        r = receipt_of(&plan.changes[0], RECEIPT_STALE, 0);
        str_copy(r.observed, sizeof(r.observed), "3000"); /* another write came between the look and ours */
        controller_commit(c, &r);
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].from, "3000");
        CHECK(strstr(told(plan.changes[0].reason), "min(base 3000"));
        CHECK_INT(tunable(IDLE)->original, 3000);
        readers(400);
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].from, "2000"); /* ours, should the actuator have lost it meanwhile */
        teardown();
}

TEST(the_reason_follows_its_numbers_while_the_value_stands) {
        setup();
        readers(1000); /* 300, and so the limit */
        step(0.25);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "/ 1000 readers"));
        readers(2000);
        step(0.25);
        CHECK_INT(plan.n, 0);
        step(1);
        CHECK_INT(plan.n, 0);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "/ 2000 readers"));
        teardown();
}

TEST(the_original_comes_back_after_the_hold_time) {
        setup();
        readers(150);
        step(0.25);
        readers(0);
        step(0.25);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_REVERTING);
        step(4);
        CHECK_INT(plan.n, 0);
        step(1);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_OBSERVING);
        step(60);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(a_crowd_that_returns_within_the_hold_time_costs_no_write) {
        setup();
        readers(150);
        step(0.25);
        for (int i = 0; i < 20; i++) {
                readers(i % 2 ? 150 : 0);
                step(2);
        }
        CHECK_INT(writes, 1);
        teardown();
}

TEST(a_restless_load_is_bounded_by_the_dwell_time) {
        uint64_t state = test_seed();

        setup();
        for (int i = 0; i < 4 * 60; i++) { /* a minute of ticks */
                readers((int64_t) (test_random(&state) % 600));
                step(0.25);
        }
        CHECK(writes <= 60); /* 30 dwell times, and as many urgent moves at most */
        teardown();
}

TEST(no_plan_leaves_the_policys_limits) {
        uint64_t state = test_seed();

        setup();
        for (int i = 0; i < 2000; i++) {
                readers((int64_t) test_random(&state));
                step(0.25);
                for (size_t k = 0; k < plan.n; k++) {
                        int64_t value;
                        CHECK(str_parse_i64(plan.changes[k].value, &value) == 0);
                        CHECK(value >= 500 && value <= 8000);
                }
        }
        teardown();
}

TEST(advice_is_given_once_and_written_never) {
        setup();
        in.mode = MODE_ADVISE;
        readers(150);
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK(plan.changes[0].advice);
        CHECK(tunable(IDLE)->advice_known);
        CHECK_INT(tunable(IDLE)->advice, 2000);
        for (int i = 0; i < 100; i++) {
                step(1);
                CHECK_INT(plan.n, 0);
        }
        CHECK_INT(writes, 0);
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        teardown();
}

TEST(a_drive_with_advice_says_how_much_would_be_changed) {
        setup();
        in.mode = MODE_ADVISE;
        step(1);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "Nothing has to be changed");
        readers(150);
        step(0.25);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "The mode is advise: 1 setting would be changed");
        readers(0);
        step(1);
        step(6);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "Nothing has to be changed");
        teardown();
}

TEST(advice_ends_with_its_reason) {
        setup();
        in.mode = MODE_ADVISE;
        readers(150);
        step(0.25);
        readers(0);
        step(1);
        step(6);
        CHECK(!tunable(IDLE)->advice_known);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_apply(c, DRIVE, IDLE, &snapshot, &plan), -ENOENT);
        teardown();
}

TEST(advice_is_carried_out_when_the_user_asks) {
        setup();
        in.mode = MODE_ADVISE;
        readers(150);
        step(0.25);
        CHECK_INT(controller_apply(c, DRIVE, IDLE, &snapshot, &plan), 0);
        CHECK_INT(plan.n, 1);
        CHECK(!plan.changes[0].advice);
        CHECK_STR(plan.changes[0].value, "2000");
        perform();
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        step(10);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(undo_restores_and_leaves_alone_until_forgiven) {
        setup();
        readers(150);
        step(0.25);
        CHECK_INT(controller_undo(c, DRIVE, IDLE, &snapshot, &plan), 0);
        perform();
        CHECK_INT(tunable(IDLE)->owner, OWNER_FOREIGN);
        CHECK_INT(controller_undo(c, DRIVE, IDLE, &snapshot, &plan), -ENOENT);
        step(10);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_MANUAL);
        controller_forgive(c, DRIVE);
        step(1);
        CHECK_INT(plan.n, 1);
        teardown();
}

TEST(a_foreign_write_wins) {
        struct receipt r = { .dev = DRIVE, .tunable = IDLE, .result = RECEIPT_FOREIGN, .observed = "4321" };

        setup();
        readers(150);
        step(0.25);
        controller_commit(c, &r);
        CHECK_INT(tunable(IDLE)->owner, OWNER_FOREIGN);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "4321"));
        readers(300);
        step(60);
        CHECK_INT(plan.n, 0);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(what_another_program_wrote_stands_whatever_becomes_of_a_change_of_ours_that_was_under_way) {
        static const enum receipt_result late[] = { RECEIPT_RESTORED, RECEIPT_STALE, RECEIPT_FAILED, RECEIPT_GONE };
        struct receipt foreign = { .dev = DRIVE, .tunable = IDLE, .result = RECEIPT_FOREIGN, .observed = "4321" };

        for (size_t i = 0; i < ARRAY_SIZE(late); i++) {
                struct receipt r;
                setup();
                readers(150);
                step(0.25);
                readers(late[i] == RECEIPT_RESTORED ? 0 : 400);
                in.now += 6 * SEC;
                controller_step(c, &in, &plan);
                if (late[i] == RECEIPT_RESTORED) {
                        in.now += 6 * SEC;
                        controller_step(c, &in, &plan);
                } else
                        CHECK_STR(plan.changes[0].from, "2000"); /* by which the actuator sees that it is another's */
                CHECK_INT(plan.n, 1);
                foreign.t = in.now;
                controller_commit(c, &foreign);
                r = receipt_of(&plan.changes[0], late[i], late[i] == RECEIPT_FAILED ? -EIO : 0);
                str_copy(r.observed, sizeof(r.observed), "4300");
                controller_commit(c, &r);
                CHECK_INT(tunable(IDLE)->owner, OWNER_FOREIGN);
                CHECK_INT(controller_find_device(c, DRIVE)->facts.values[IDLE].number, 4300);
                readers(400);
                step(60);
                CHECK_INT(plan.n, 0);
                teardown();
        }
}

TEST(a_failed_write_is_given_up_after_one_attempt) {
        struct receipt r;

        setup();
        readers(150);
        in.now += SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        r = receipt_of(&plan.changes[0], RECEIPT_FAILED, -EACCES);
        controller_commit(c, &r);
        CHECK_INT(tunable(IDLE)->owner, OWNER_GIVEN_UP);
        CHECK_INT(tunable(IDLE)->error, -EACCES);
        step(100);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(off_and_pause_write_nothing) {
        setup();
        readers(150);
        in.mode = MODE_OFF;
        step(1);
        CHECK_INT(plan.n, 0);
        in.mode = MODE_AUTO;
        in.hold = HOLD_PAUSE;
        step(1);
        CHECK_INT(plan.n, 0);
        in.hold = HOLD_INTERACTIVE;
        step(1);
        CHECK_INT(plan.n, 1);
        in.hold = HOLD_PAUSE; /* what stands stays */
        readers(0);
        step(100);
        CHECK_INT(plan.n, 0);
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "; a hold asks for a pause, so it stays as it is"));
        teardown();
}

TEST(a_throughput_hold_stops_the_laws_that_cost_throughput) {
        setup();
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4 };
        in.n_verdicts = 1;
        verdicts[0] = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", 32, 3, "" } } };
        in.hold = HOLD_THROUGHPUT;
        step(1);
        CHECK_INT(plan.n, 0);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "A program holds \"throughput\", so what would cost some waits: slice-share");
        in.hold = HOLD_NONE;
        step(1);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
        in.hold = HOLD_THROUGHPUT;
        step(1);
        step(6);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        teardown();
}

TEST(long_turns_end_at_once_when_a_user_comes_back_though_another_law_wants_them_shorter) {
        setup();
        policy.throughput.enabled = true;
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4 };
        snapshot.presence = PRESENCE_NOBODY;
        in.n_verdicts = 1;
        verdicts[0] = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .since = in.now, .n_evidence = 1, .evidence = { { "readers", 32, 3, "" } } };
        step(0.25);
        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->owner, OWNER_BRIO);
        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->wanted, 500);
        step(2.5);
        CHECK_INT(plan.n, 0);
        snapshot.presence = PRESENCE_SOMEBODY;
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_STR(plan.changes[0].value, "125"); /* slice-share has its turn after that */
        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->owner, OWNER_KERNEL);
        teardown();
}

TEST(what_a_hold_on_throughput_holds_off_keeps_no_other_law_from_giving_back) {
        setup();
        policy.throughput.enabled = policy.startup_guard.enabled = true;
        policy.startup_guard.slice_us = 40000;
        in.hold = HOLD_THROUGHPUT;
        in.n_verdicts = 1;
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DRIVE, .since = in.now };
        step(0.25);
        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->wanted, 500);
        verdicts[0] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DRIVE, .since = in.now, .sentence = "gedit starts" };
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->owner, OWNER_KERNEL);
        step(0.25);
        CHECK_INT(plan.n, 0);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "A program holds \"throughput\", so what would cost some waits: startup-guard");
        teardown();
}

TEST(an_original_outside_of_the_limits_comes_back_at_once_and_no_law_leads_to_their_other_side) {
        static const struct {
                int64_t original, set; /* -1: nothing */
        } cases[] = { { 600, -1 }, { 500, -1 }, { 20, 100 }, { 100, 400 } };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                setup();
                policy.throughput.enabled = true;
                policy.limits[TUNABLE_BFQ_TIMEOUT_SYNC] = (struct policy_limit){ .set = true, .min = 100, .max = 500 };
                facts_set(&facts, TUNABLE_BFQ_TIMEOUT_SYNC, cases[i].original);
                controller_set_device(c, &facts, &policy);
                snapshot.presence = PRESENCE_NOBODY;
                in.n_verdicts = 1;
                verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DRIVE, .since = in.now };
                step(0.25);
                CHECK_INT(plan.n, cases[i].set >= 0);
                if (cases[i].set >= 0)
                        CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->wanted, cases[i].set);
                snapshot.presence = PRESENCE_SOMEBODY;
                step(0.25);
                CHECK_INT(plan.n, cases[i].set >= 0);
                CHECK_INT(tunable(TUNABLE_BFQ_TIMEOUT_SYNC)->owner, OWNER_KERNEL);
                teardown();
        }
}

static void setup_stream_guard(void) {
        setup();
        policy.stream_guard.enabled = true;
        policy.changes_per_hour = 1000;
        facts_set(&facts, TUNABLE_QUEUE_NR_REQUESTS, 64);
        facts_set(&facts, TUNABLE_BFQ_STRICT_GUARANTEES, 0);
        controller_set_device(c, &facts, &policy);
}

/* A stream plays beside what is written. */
static void play(void) {
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                snapshot.devices[0].writing[i] =
                        (struct writing_second){ .span_us = 1000000, .reads = 4, .read_sectors = 2048, .writes = 96, .write_sectors = 195312, .busy_ms = 1000 };
        verdicts[0] = (struct verdict){ .kind = VERDICT_SOFT_RT, .dev = DRIVE, .since = in.now, .sentence = "a film" };
        in.n_verdicts = 1;
}

TEST(what_only_came_near_to_a_stream_is_guarded_for_no_longer_than_others_settings_stay) {
        nsec_t begin;

        setup_stream_guard();
        play();
        in.n_verdicts = 0;
        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_NEAR_MISS, .dev = DRIVE, .tgid = 4712, .name = "dpkg",
                                                    .figures = { .flaw = RHYTHM_TOO_SHORT, .value = 1200000, .limit = 3000000 } };
        step(0.25);
        CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_BRIO);
        snapshot.streams[0].figures.value = 900000;
        for (begin = in.now; in.now < begin + policy.hold_us * NSEC_PER_USEC + SEC;)
                step(0.25);
        CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_KERNEL);
        teardown();
}

TEST(a_stream_is_guarded_while_what_is_written_beside_it_pauses) {
        nsec_t end;

        setup_stream_guard();
        for (int i = 0; i < 2; i++) {
                play();
                step(0.25);
                CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_BRIO);
                memset(snapshot.devices[0].writing, 0, sizeof(snapshot.devices[0].writing));
                for (end = in.now + policy.stream_guard.hold_us * NSEC_PER_USEC - SEC; in.now < end;) {
                        step(0.25);
                        CHECK_INT(plan.n, 0);
                }
        }
        step(1);
        step(0.25);
        CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_KERNEL);
        play();
        step(policy.dwell_us / (double) USEC_PER_SEC);
        CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_BRIO);
        memset(snapshot.devices[0].writing, 0, sizeof(snapshot.devices[0].writing));
        in.hold = HOLD_THROUGHPUT; /* a program that asks for that does not wait so long */
        step(0.25);
        step(policy.hold_us / (double) USEC_PER_SEC);
        CHECK_INT(tunable(TUNABLE_BFQ_STRICT_GUARANTEES)->owner, OWNER_KERNEL);
        teardown();
}

/* A drive's holes can be filled, at that cost for the process that it waits for. */
static void holes(int64_t cost) {
        in.n_verdicts = 1;
        verdicts[0] = (struct verdict){ .kind = VERDICT_HOLES, .dev = DRIVE, .since = in.now, .n_evidence = 1, .evidence = { { "injection-cost", cost, 1500, "permille" } },
                                        .sentence = "holes" };
}

TEST(what_is_taken_back_at_once_because_it_hurts_is_not_set_again_before_the_dwell_time_and_ever_later) {
        nsec_t taken_back, longest = 0, shortest = 0;
        unsigned sets = 0;

        setup();
        policy.hole_filler.enabled = true;
        policy.changes_per_hour = 1000;
        controller_set_device(c, &facts, &policy);
        while (in.now < 1000 * SEC && sets < 8) {
                taken_back = in.now;
                while (tunable(IDLE)->owner != OWNER_BRIO && in.now < 1000 * SEC) {
                        holes(1200);
                        step(0.25);
                }
                longest = in.now - taken_back;
                shortest = sets == 1 ? longest : shortest;
                sets++;
                step(0.25); /* it hurts soon: no dwell protects that */
                holes(1600);
                step(0.25);
                CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        }
        CHECK_INT(sets, 8);
        CHECK(shortest >= policy.dwell_us * NSEC_PER_USEC);
        CHECK(longest >= 16 * policy.dwell_us * NSEC_PER_USEC && longest < 17 * policy.dwell_us * NSEC_PER_USEC);
        for (taken_back = in.now; in.now < taken_back + 80 * SEC;) { /* what then stands for long ... */
                holes(1200);
                step(0.25);
        }
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        holes(1600);
        step(0.25);
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        for (taken_back = in.now; tunable(IDLE)->owner != OWNER_BRIO && in.now < taken_back + 80 * SEC;) {
                holes(1200);
                step(0.25);
        }
        CHECK(in.now - taken_back <= (policy.dwell_us + USEC_PER_SEC) * NSEC_PER_USEC); /* ... begins anew */
        teardown();
}

TEST(a_scheduler_is_switched_only_when_the_drive_is_quiet) {
        setup();
        policy.n_schedulers = 2;
        policy.schedulers[0] = SCHEDULER_KYBER; /* not offered: passed over */
        policy.schedulers[1] = SCHEDULER_MQ_DEADLINE;
        policy.switch_quiet_us = 10 * USEC_PER_SEC;
        step(100);
        CHECK_INT(plan.n, 0);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "Policy hdd prefers mq-deadline: the switch waits until the drive was idle for 10 s");
        CHECK_INT(controller_awaited_scheduler(controller_find_device(c, DRIVE)), SCHEDULER_MQ_DEADLINE);
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
        step(9);
        CHECK_INT(plan.n, 0);
        step(2);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_QUEUE_SCHEDULER);
        CHECK_STR(plan.changes[0].value, "mq-deadline");
        facts.scheduler = SCHEDULER_MQ_DEADLINE;
        facts.values[TUNABLE_QUEUE_SCHEDULER].number = SCHEDULER_MQ_DEADLINE;
        facts.values[IDLE].present = false;
        controller_set_device(c, &facts, &policy);
        snapshot.devices[0].idle_since = 0;
        step(100);
        CHECK_INT(plan.n, 0);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "bfq");
        teardown();
}

TEST(what_lives_under_the_scheduler_that_is_switched_away_from_is_not_planned_beside_the_switch) {
        setup();
        readers(150);
        step(1);
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        policy.n_schedulers = 1;
        policy.schedulers[0] = SCHEDULER_MQ_DEADLINE;
        policy.switch_quiet_us = USEC_PER_SEC;
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
        readers(0);
        in.now += 100 * SEC; /* long enough for both: the switch, and what no law wants any more */
        snapshot.now = in.now;
        controller_step(c, &in, &plan);
        in.now += 100 * SEC;
        controller_step(c, &in, &plan); /* the first was not carried out: the switch is under way */
        for (size_t i = 0; i < plan.n; i++)
                CHECK_INT(plan.changes[i].tunable, TUNABLE_QUEUE_SCHEDULER);
        teardown();
}

TEST(more_changes_than_the_policy_allows_wait_and_say_so) {
        setup();
        policy.changes_per_hour = 1;
        readers(150);
        step(1);
        CHECK_INT(plan.n, 1);
        readers(600);
        step(10);
        CHECK_INT(plan.n, 0);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "; 1 changes within an hour are all that policy hdd allows: the next one waits"));
        step(3660);
        CHECK_INT(plan.n, 1);
        teardown();
}

/* By a policy that prefers bfq. */
static void setup_mq_deadline(void) {
        setup();
        policy.n_schedulers = 2;
        policy.schedulers[0] = SCHEDULER_BFQ;
        policy.schedulers[1] = SCHEDULER_NONE;
        policy.switch_quiet_us = 2 * USEC_PER_SEC;
        facts.scheduler = SCHEDULER_MQ_DEADLINE;
        facts.schedulers = 1u << SCHEDULER_BFQ | 1u << SCHEDULER_NONE | 1u << SCHEDULER_MQ_DEADLINE;
        facts.values[TUNABLE_QUEUE_SCHEDULER].number = SCHEDULER_MQ_DEADLINE;
        controller_set_device(c, &facts, &policy);
}

static void be_busy(void) {
        snapshot.devices[0].idle_since = 0;
        snapshot.devices[0].busy_since = in.now;
}

static void be_idle(void) {
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
}

static void make_switched(uint32_t peak_iops) {
        setup_mq_deadline();
        snapshot.devices[0].peak_iops = peak_iops;
        be_idle();
        step(3);
}

static void take_switch(enum scheduler s) {
        facts.scheduler = s;
        facts.values[TUNABLE_QUEUE_SCHEDULER].number = s;
        controller_set_device(c, &facts, &policy);
}

TEST(a_favourite_that_the_kernel_does_not_offer_is_said_where_nothing_else_is) {
        setup();
        policy.n_schedulers = 2;
        policy.schedulers[0] = SCHEDULER_KYBER;
        policy.schedulers[1] = SCHEDULER_BFQ;
        in.n_verdicts = 0;
        step(0.25);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason),
                  "Nothing has to be changed. Policy hdd prefers kyber, which the kernel does not offer here: it may be a module that is not loaded");
        facts.schedulers |= 1u << SCHEDULER_KYBER;
        CHECK_INT(controller_set_device(c, &facts, &policy), 0);
        snapshot.devices[0].busy_since = 0;
        step(0.25);
        CHECK(!strstr(told(controller_find_device(c, DRIVE)->reason), "does not offer"));
        teardown();
}

TEST(a_drive_that_outruns_bfq_gets_the_next_scheduler_of_the_policy) {
        make_switched(150000);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "bfq");
        teardown();
        make_switched(150001);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "none");
        CHECK(strstr(told(plan.changes[0].reason), "has done 150001 requests a second, and above 150000 (BfqMaxIops)"));
        teardown();
}

TEST(a_drive_that_turns_out_to_outrun_bfq_keeps_it_until_it_is_quiet) {
        make_switched(1000);
        take_switch(SCHEDULER_BFQ);
        snapshot.devices[0].idle_since = 0;
        snapshot.devices[0].busy_since = in.now;
        snapshot.devices[0].peak_iops = 200000;
        step(100);
        CHECK_INT(plan.n, 0);
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
        step(3);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "none");
        teardown();
}

TEST(a_switch_back_to_the_original_waits_for_a_quiet_drive_too) {
        make_switched(1000);
        take_switch(SCHEDULER_BFQ);
        policy.n_schedulers = 0;
        snapshot.devices[0].idle_since = 0;
        snapshot.devices[0].busy_since = in.now;
        step(100);
        CHECK_INT(plan.n, 0);
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
        step(6);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        teardown();
}

/* Switched to bfq by the policy, and busy since. */
static void make_busy_under_bfq(void) {
        make_switched(1000);
        take_switch(SCHEDULER_BFQ);
        be_busy();
        step(1);
        CHECK_INT(plan.n, 0);
}

static void check_waits_and_then_goes_back(const char *reason) {
        const struct controller_device *d = controller_find_device(c, DRIVE);

        step(100);
        CHECK_INT(plan.n, 0);
        CHECK_INT(tunable(TUNABLE_QUEUE_SCHEDULER)->owner, OWNER_BRIO);
        CHECK_INT(d->state, DEVICE_STATE_REVERTING);
        CHECK(strstr(told(d->reason), reason) && strstr(told(d->reason), "; the switch waits until the drive was idle for 2 s"));
        be_idle();
        step(1);
        CHECK_INT(plan.n, 0);
        step(2);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_STR(plan.changes[0].value, "mq-deadline");
        CHECK_STR(told(plan.changes[0].reason), reason);
        CHECK_INT(tunable(TUNABLE_QUEUE_SCHEDULER)->waits, SWITCH_WAIT_NONE);
}

TEST(a_mode_that_is_set_switches_no_busy_drive_back_before_it_is_quiet) {
        static const enum mode modes[] = { MODE_OFF, MODE_ADVISE };

        for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
                make_busy_under_bfq();
                controller_plan_restore(c, 0, false, &snapshot, "the mode was set", &plan);
                CHECK_INT(plan.n, 0);
                in.mode = modes[i];
                controller_forgive(c, 0);
                check_waits_and_then_goes_back("the mode was set");
                teardown();
        }
}

TEST(a_quiet_drive_is_switched_back_at_once_when_the_mode_is_set) {
        make_switched(1000);
        take_switch(SCHEDULER_BFQ);
        controller_plan_restore(c, 0, false, &snapshot, "the mode was set", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_QUEUE_SCHEDULER);
        teardown();
}

TEST(restore_and_undo_switch_no_busy_drive_back_before_it_is_quiet) {
        make_busy_under_bfq();
        controller_plan_restore(c, DRIVE, true, &snapshot, "the user asked", &plan);
        CHECK_INT(plan.n, 0);
        check_waits_and_then_goes_back("the user asked");
        teardown();
        make_busy_under_bfq();
        CHECK_INT(controller_undo(c, DRIVE, TUNABLE_QUEUE_SCHEDULER, &snapshot, &plan), 0);
        CHECK_INT(plan.n, 0);
        check_waits_and_then_goes_back("undone on request");
        take_switch(SCHEDULER_MQ_DEADLINE);
        step(100); /* left alone */
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(what_else_is_ours_need_not_wait_for_the_switch_back) {
        make_busy_under_bfq();
        readers(150);
        step(1);
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        controller_plan_restore(c, 0, false, &snapshot, "the mode was set", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, IDLE);
        CHECK_STR(plan.changes[0].value, "8000");
        CHECK_STR(plan.changes[0].from, "2000"); /* what it is said to be restored from, should the switch come first */
        perform();
        in.mode = MODE_ADVISE; /* nor is there advice for a scheduler that goes */
        step(10);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(a_switch_back_that_waits_is_dropped_when_the_mode_is_auto_again) {
        make_busy_under_bfq();
        controller_plan_restore(c, 0, false, &snapshot, "the mode was set", &plan);
        in.mode = MODE_OFF;
        step(1);
        in.mode = MODE_AUTO;
        controller_forgive(c, 0);
        step(1);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_HOLDING);
        be_idle();
        step(100);
        CHECK_INT(plan.n, 0);
        CHECK_INT(tunable(TUNABLE_QUEUE_SCHEDULER)->owner, OWNER_BRIO);
        teardown();
}

TEST(the_end_switches_a_busy_drive_back) {
        make_busy_under_bfq();
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "mq-deadline");
        teardown();
}

TEST(a_busy_drive_has_advice_to_switch_which_waits_until_it_is_quiet_when_it_is_applied) {
        setup_mq_deadline();
        in.mode = MODE_ADVISE;
        be_busy();
        step(3);
        CHECK_INT(plan.n, 1);
        CHECK(plan.changes[0].advice);
        CHECK_STR(plan.changes[0].value, "bfq");
        CHECK_INT(controller_apply(c, DRIVE, TUNABLE_QUEUE_SCHEDULER, &snapshot, &plan), 0);
        CHECK_INT(plan.n, 0);
        step(100);
        CHECK_INT(plan.n, 0);
        CHECK_STR(told(controller_find_device(c, DRIVE)->reason), "Advice applied on request: the switch waits until the drive was idle for 2 s");
        be_idle();
        step(3);
        CHECK_INT(plan.n, 1);
        CHECK(!plan.changes[0].advice);
        CHECK_STR(plan.changes[0].value, "bfq");
        CHECK_INT(tunable(TUNABLE_QUEUE_SCHEDULER)->owner, OWNER_BRIO);
        teardown();
}

TEST(restore_takes_back_everything_and_a_drive_left_alone_stays_so) {
        setup();
        readers(150);
        step(1);
        controller_plan_restore(c, DRIVE, true, NULL, "the user asked", &plan);
        CHECK_INT(plan.n, 1);
        perform();
        step(10);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_MANUAL);
        controller_forgive(c, 0);
        step(10);
        CHECK_INT(plan.n, 1);
        teardown();
}

static void let_step_back(size_t i, enum law_id law, const char *name, const char *reason) {
        c->processes[i] = (struct controller_process){ .process = { .tgid = 4711 + (int32_t) i }, .dev = DRIVE, .owner = OWNER_BRIO, .held = true, .law = law };
        str_copy(c->processes[i].process.name, sizeof(c->processes[i].process.name), name);
        str_copy(c->processes[i].reason, sizeof(c->processes[i].reason), reason);
}

TEST(what_has_stepped_back_is_said_of_the_law_that_wants_it_now) {
        struct controller_stepped_back s;

        setup();
        controller_describe_processes(c, DRIVE, &s);
        CHECK(!controller_stepped_back_for(&s, LAW_STEP_BACK) && !controller_stepped_back_for(&s, LAW_STARTUP_GUARD));
        let_step_back(0, LAW_STARTUP_GUARD, "tar", "gimp starts, and tar moves much");
        let_step_back(1, LAW_STEP_BACK, "cp", "cp has moved much");
        let_step_back(2, LAW_STARTUP_GUARD, "dd", "gimp starts, and dd moves much");
        controller_describe_processes(c, DRIVE, &s);
        CHECK_INT(s.n, 3);
        CHECK_STR(told(controller_stepped_back_for(&s, LAW_STEP_BACK)->reason), "cp has moved much");
        CHECK_STR(told(controller_stepped_back_for(&s, LAW_STARTUP_GUARD)->reason),
                  "2 processes have stepped back, among them tar (4711): gimp starts, and tar moves much");
        step(0);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "step-back: cp has moved much · startup-guard: 2 processes"));
        teardown();
}

TEST(drives_without_a_policy_are_ignored) {
        setup();
        controller_set_device(c, &facts, NULL);
        readers(150);
        step(1);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_IGNORED);
        teardown();
}

TEST(a_drive_that_loses_its_policy_gets_its_originals_back) {
        setup();
        readers(150);
        step(1);
        controller_set_device(c, &facts, NULL);
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        step(1);
        CHECK_INT(plan.n, 0);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_IGNORED);
        teardown();
}

TEST(what_was_given_up_is_put_back_at_the_end) {
        struct receipt r;

        setup();
        readers(60);
        step(1);
        readers(150);
        in.now += 10 * SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        r = receipt_of(&plan.changes[0], RECEIPT_FAILED, -EIO);
        str_copy(r.old, sizeof(r.old), "5000");
        controller_commit(c, &r);
        CHECK_INT(tunable(IDLE)->owner, OWNER_GIVEN_UP);
        CHECK_INT(tunable(IDLE)->wanted, 5000);
        CHECK_INT(controller_find_device(c, DRIVE)->state, DEVICE_STATE_HOLDING);
        CHECK(strstr(told(controller_find_device(c, DRIVE)->reason), "EIO"));
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 0);
        controller_retry(c, 0);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "8000");
        r = receipt_of(&plan.changes[0], RECEIPT_FAILED, -EIO); /* and one that fails again is not planned for ever */
        controller_commit(c, &r);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(a_fresh_start_knows_the_original_of_what_was_given_up) {
        struct receipt r;

        setup();
        readers(150);
        step(1);
        readers(0);
        step(1);
        in.now += 10 * SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        r = receipt_of(&plan.changes[0], RECEIPT_FAILED, -EIO);
        controller_commit(c, &r);
        controller_forgive(c, 0);
        CHECK_INT(tunable(IDLE)->owner, OWNER_BRIO);
        CHECK_INT(tunable(IDLE)->original, 8000);
        step(1);
        step(10);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "8000");
        CHECK_INT(tunable(IDLE)->owner, OWNER_KERNEL);
        teardown();
}

TEST(what_lives_under_a_scheduler_that_cannot_be_switched_back_is_put_back) {
        struct receipt r;

        setup();
        set_scheduler(SCHEDULER_MQ_DEADLINE);
        policy.n_schedulers = 1;
        policy.schedulers[0] = SCHEDULER_BFQ;
        snapshot.devices[0] = (struct device_view){ .dev = DRIVE, .idle_since = 1 };
        step(1);
        set_scheduler(SCHEDULER_BFQ);
        readers(150);
        step(1);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_QUEUE_SCHEDULER);
        r = receipt_of(&plan.changes[0], RECEIPT_FAILED, -EBUSY);
        controller_commit(c, &r);
        controller_plan_restore(c, 0, false, NULL, "the end", &plan);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, IDLE);
        teardown();
}

TEST(the_original_is_what_the_write_found) {
        struct receipt r;

        setup();
        readers(150);
        in.now += SEC;
        controller_step(c, &in, &plan);
        r = receipt_of(&plan.changes[0], RECEIPT_APPLIED, 0);
        str_copy(r.old, sizeof(r.old), "4000"); /* written by another since the drive was looked at */
        controller_commit(c, &r);
        CHECK_INT(tunable(IDLE)->original, 4000);
        teardown();
}

TEST(a_scheduler_that_is_there_already_does_not_become_ours) {
        struct receipt r;

        setup();
        policy.n_schedulers = 1;
        policy.schedulers[0] = SCHEDULER_MQ_DEADLINE;
        snapshot.devices[0] = (struct device_view){ .dev = DRIVE, .idle_since = 1 };
        in.now += SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        r = receipt_of(&plan.changes[0], RECEIPT_APPLIED, 0);
        str_copy(r.old, sizeof(r.old), "mq-deadline");
        controller_commit(c, &r);
        CHECK_INT(tunable(TUNABLE_QUEUE_SCHEDULER)->owner, OWNER_KERNEL);
        step(1);
        CHECK_INT(plan.n, 0);
        teardown();
}

TEST(advice_does_not_outlive_the_mode) {
        static const struct {
                enum mode mode;
                enum hold hold;
        } ends[] = { { MODE_OFF, HOLD_NONE }, { MODE_ADVISE, HOLD_PAUSE } };

        for (size_t i = 0; i < ARRAY_SIZE(ends); i++) {
                setup();
                in.mode = MODE_ADVISE;
                readers(150);
                step(0.25);
                CHECK(tunable(IDLE)->advice_known);
                in.mode = ends[i].mode;
                in.hold = ends[i].hold;
                step(0.25);
                CHECK_INT(controller_apply(c, DRIVE, IDLE, &snapshot, &plan), -ENOENT);
                teardown();
        }
}

TEST(advice_is_acted_on_at_once_when_the_mode_becomes_auto) {
        setup();
        in.mode = MODE_ADVISE;
        readers(60); /* 5000: more than half, so that it would have to wait for the dwell time */
        step(0.25);
        CHECK(plan.changes[0].advice);
        in.mode = MODE_AUTO;
        step(0.25);
        CHECK_INT(plan.n, 1);
        CHECK(!plan.changes[0].advice);
        teardown();
}

TEST(a_value_that_reads_back_rounded_is_not_written_again) {
        struct receipt r;

        setup();
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4 };
        in.n_verdicts = 1;
        verdicts[0] = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", 5, 3, "" } } };
        in.now += SEC;
        controller_step(c, &in, &plan);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "75");
        r = receipt_of(&plan.changes[0], RECEIPT_APPLIED, 0);
        str_copy(r.observed, sizeof(r.observed), "76");
        controller_commit(c, &r);
        for (int i = 0; i < 10; i++) {
                step(10);
                CHECK_INT(plan.n, 0);
        }
        teardown();
}

TEST(the_65th_drive_is_refused) {
        setup();
        for (uint32_t i = 1; i < SNAPSHOT_DEVICES_MAX; i++) {
                facts.dev = DRIVE + i;
                CHECK_INT(controller_set_device(c, &facts, &policy), 0);
        }
        facts.dev = DRIVE + SNAPSHOT_DEVICES_MAX;
        CHECK_INT(controller_set_device(c, &facts, &policy), -ENOSPC);
        controller_remove_device(c, DRIVE);
        CHECK_INT(controller_set_device(c, &facts, &policy), 0);
        teardown();
}

TEST(the_same_input_gives_the_same_plan) {
        struct plan first;

        setup();
        readers(150);
        step(1);
        first = plan;
        teardown();
        setup();
        readers(150);
        step(1);
        CHECK(memcmp(&first, &plan, sizeof(plan)) == 0);
        teardown();
}

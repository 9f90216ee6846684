/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard under bfq: which streams go first, and what is set meanwhile. */
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define DRIVE 1
#define PLAYER 4711
#define IDLE TUNABLE_BFQ_SLICE_IDLE_US
#define FIRST IO_PRIORITY(IO_CLASS_REALTIME, 3)

static struct policy policy;
static struct controller *c;
static struct controller_device device;
static struct device_view *view;
static struct snapshot snapshot;
static struct verdict verdicts[2];
static struct controller_input input;
static struct priority_wish first;
static struct law_wish wishes[LAW_WISHES_MAX];

static void read_much(bool writes) {
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                view->writing[i] = (struct writing_second){ .span_us = 1000000, .reads = writes ? 4 : 100, .read_sectors = writes ? 2048 : 195312,
                                                            .writes = writes ? 96 : 0, .write_sectors = writes ? 195312 : 0, .busy_ms = 1000 };
}

/* A film of 12 MB/s on a disk under bfq, from which others read 88 MB/s. */
static void begin(void) {
        policy_init(&policy, "test", "test.conf");
        policy.stream_guard.enabled = true;
        c = controller_free(c);
        c = controller_new();
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = SCHEDULER_BFQ, .rotational = true } };
        facts_set(&device.facts, IDLE, 8000);
        facts_set(&device.facts, TUNABLE_QUEUE_NR_REQUESTS, 64);
        snapshot = (struct snapshot){ .now = NSEC_PER_SEC, .n_devices = 1, .n_streams = 1, .n_processes = 1 };
        view = &snapshot.devices[0];
        *view = (struct device_view){ .dev = DRIVE };
        read_much(false);
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_IS, .dev = DRIVE, .tgid = PLAYER, .start_ticks = 7, .name = "mpv", .uid = 1000,
                                                    .figures = { .bytes_per_s = 12000000, .period_us = 10000, .regularity_permille = 900, .pause_permille = 600 } };
        snapshot.processes[0] = (struct process_view){ .tgid = PLAYER, .start_ticks = 7, .name = "mpv", .dev = DRIVE, .uid = 1000,
                                                       .requests = { .told = true, .served_permille = 150 } };
        input = (struct controller_input){ .now = NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = verdicts };
        verdicts[0] = (struct verdict){ .kind = VERDICT_SOFT_RT, .dev = DRIVE, .subject = { .tgid = PLAYER, .start_ticks = 7, .name = "mpv" } };
        verdicts[1] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DRIVE, .sentence = "a start" };
        input.n_verdicts = 1;
}

static size_t hear_first(void) {
        size_t at = 0;

        return law_stream_guard_processes(c, &device, &input, &at, &first);
}

static size_t hear(void) {
        return law_stream_guard(&(struct law_input){ .d = &device, .in = &input, .view = view, .v = verdicts, .n = input.n_verdicts, .c = c }, wishes);
}

static void hold(void) {
        c->processes[0] = (struct controller_process){ .process = { .tgid = PLAYER, .start_ticks = 7 }, .dev = DRIVE, .law = LAW_STREAM_GUARD, .held = true };
}

TEST(what_plays_beside_much_that_is_moved_goes_first_and_others_wait_less_for_it) {
        begin();
        CHECK_INT(hear_first(), 1);
        CHECK_INT(first.law, LAW_STREAM_GUARD);
        CHECK_INT(first.priority, FIRST);
        CHECK_INT(first.process.tgid, PLAYER);
        CHECK(strstr(told(first.sentence), ", beside 88 MB/s that are read; it goes first (RT/3) as long as it plays"));
        CHECK_INT(hear(), 1);
        CHECK_INT(wishes[0].tunable, IDLE);
        CHECK_INT(wishes[0].value, 2000);
        CHECK_INT(wishes[0].hold_us, policy.stream_guard.hold_us);
        CHECK(strstr(told(wishes[0].sentence), ", beside 88 MB/s that are read; it goes first, and others wait less for it in between: slice_idle_us = 2000, base 8000"));
        read_much(true);
        CHECK_INT(hear_first(), 1);
        CHECK(strstr(told(first.sentence), ", beside 100 MB/s that are written; "));
        CHECK_INT(hear(), 1);
        CHECK_INT(wishes[0].tunable, IDLE);
}

TEST(beside_little_no_stream_goes_first_but_one_that_does_goes_on_to) {
        begin();
        memset(view->writing, 0, sizeof(view->writing));
        CHECK_INT(hear_first(), 0);
        CHECK_INT(hear(), 0);
        hold();
        CHECK_INT(hear_first(), 1);
        CHECK_INT(hear(), 0);
}

/* Else a process with an even rhythm could have the drive for itself. */
TEST(a_stream_that_takes_more_than_half_of_the_drives_time_does_not_go_first) {
        begin();
        snapshot.processes[0].requests.served_permille = 500;
        CHECK_INT(hear_first(), 1);
        snapshot.processes[0].requests.served_permille = 501;
        CHECK_INT(hear_first(), 0);
        hold();
        CHECK_INT(hear_first(), 0);
        begin();
        snapshot.processes[0].requests.told = false; /* how much of it is not known */
        CHECK_INT(hear_first(), 0);
        begin();
        snapshot.n_processes = 0;
        CHECK_INT(hear_first(), 0);
}

/* Any process can be connected to one. */
TEST(a_process_that_is_connected_to_a_sound_server_and_reads_all_it_can_does_not_go_first) {
        begin();
        snapshot.streams[0].holds = HOLDS_SOUND;
        snapshot.streams[0].figures = (struct rhythm_figures){ .bytes_per_s = 40000000 };
        CHECK_INT(hear_first(), 1);
        snapshot.processes[0].requests.served_permille = 900;
        CHECK_INT(hear_first(), 0);
        hold(); /* it went first before */
        CHECK_INT(hear_first(), 0);
}

TEST(streams_that_take_more_than_half_of_the_drives_time_together_go_first_as_far_as_that_reaches) {
        size_t at = 0;

        begin();
        snapshot.n_streams = snapshot.n_processes = 3;
        for (int32_t i = 1; i < 3; i++) {
                snapshot.streams[i] = snapshot.streams[0];
                snapshot.processes[i] = snapshot.processes[0];
                snapshot.streams[i].tgid = snapshot.processes[i].tgid = PLAYER + i;
        }
        snapshot.processes[0].requests.served_permille = 300;
        snapshot.processes[1].requests.served_permille = 201;
        snapshot.processes[2].requests.served_permille = 1;
        CHECK_INT(law_stream_guard_processes(c, &device, &input, &at, &first), 1);
        CHECK_INT(first.process.tgid, PLAYER);
        CHECK_INT(law_stream_guard_processes(c, &device, &input, &at, &first), 1);
        CHECK_INT(first.process.tgid, PLAYER + 2); /* the second would take too much beside the first */
        CHECK_INT(law_stream_guard_processes(c, &device, &input, &at, &first), 0);
        at = 0;
        snapshot.processes[1].requests.served_permille = 199;
        for (int32_t i = 0; i < 3; i++) {
                CHECK_INT(law_stream_guard_processes(c, &device, &input, &at, &first), 1);
                CHECK_INT(first.process.tgid, PLAYER + i);
        }
}

TEST(where_classes_are_not_served_first_or_the_policy_says_no_none_goes_first) {
        for (enum scheduler s = 0; s < _SCHEDULER_MAX; s++) {
                begin();
                device.facts.scheduler = s;
                CHECK_INT(hear_first(), s == SCHEDULER_BFQ);
        }
        begin();
        device.facts.rotational = false; /* flash, where its policy says yes */
        device.facts.queue_depth = 64;
        CHECK_INT(hear_first(), 1);
        begin();
        policy.stream_guard.enabled = false;
        CHECK_INT(hear_first(), 0);
        begin();
        input.hold = HOLD_THROUGHPUT;
        CHECK_INT(hear_first(), 0);
        begin();
        snapshot.streams[0].dev = DRIVE + 1;
        CHECK_INT(hear_first(), 0);
        begin(); /* a program that is always to wait */
        CHECK_INT(policy_set(&policy, "StepBack", "Always", "mpv", "test.conf", 1, NULL, NULL), 0);
        CHECK_INT(hear_first(), 0);
}

TEST(a_near_miss_goes_first_where_it_keeps_its_own_pace_or_rate_and_a_recorder_never) {
        begin();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_NO_PAUSE;
        CHECK_INT(hear_first(), 0);
        snapshot.processes[0].paced = true;
        CHECK_INT(hear_first(), 1);
        CHECK_INT(hear(), 1);
        CHECK_INT(wishes[0].hold_us, 0); /* it may yet be none */
        snapshot.processes[0].paced = false;
        snapshot.streams[0].figures.flaw = RHYTHM_STARVES; /* which a reader that takes what it can may look like beside many */
        CHECK_INT(hear_first(), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_SHORT;
        snapshot.streams[0].figures.value = 999999;
        CHECK_INT(hear_first(), 0);
        snapshot.streams[0].figures.value = 1000000;
        CHECK_INT(hear_first(), 1);
        begin();
        snapshot.streams[0].writes = true; /* the kernel writes it, for no process */
        CHECK_INT(hear_first(), 0);
}

TEST(what_shows_no_clock_does_not_go_first_however_even_its_pace) {
        static const enum rhythm_flaw none[] = { RHYTHM_COMPUTES, RHYTHM_SEEKY, RHYTHM_TOO_FAST };

        begin();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.processes[0].paced = true;
        for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
                snapshot.streams[0].figures.flaw = none[i];
                CHECK_INT(hear_first(), 0);
        }
        snapshot.streams[0].figures.flaw = RHYTHM_FOLLOWS; /* as a film does that others starve */
        CHECK_INT(hear_first(), 1);
        snapshot.processes[0].io_class = IO_CLASS_BEST_EFFORT;
        snapshot.processes[0].io_level = 7; /* its pace is that of its turns */
        CHECK_INT(hear_first(), 0);
        snapshot.processes[0].io_class = IO_CLASS_NONE;
        snapshot.processes[0].in_start = true; /* what an application reads while it starts */
        CHECK_INT(hear_first(), 0);
        snapshot.streams[0].state = STREAM_IS;
        CHECK_INT(hear_first(), 1);
}

/* Another program gave it a priority of its own, or the user undid ours: it does not go first, so nothing is set as if it did. */
TEST(where_a_stream_may_not_go_first_others_keep_the_wait) {
        static const enum tunable_owner owners[] = { OWNER_FOREIGN, OWNER_GIVEN_UP };

        for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
                begin();
                read_much(true);
                hold();
                c->processes[0].owner = owners[i];
                CHECK_INT(hear_first(), 0);
                for (size_t k = hear(); k > 0; k--)
                        CHECK(wishes[k - 1].tunable != IDLE);
        }
        begin();
        hold();
        c->processes[0].owner = OWNER_KERNEL;
        c->processes[0].refused_until = input.now + 1;
        CHECK_INT(hear_first(), 0);
        c->processes[0].refused_until = input.now;
        CHECK_INT(hear_first(), 1);
}

TEST(while_a_program_holds_throughput_nothing_is_set_as_if_a_stream_went_first) {
        begin();
        CHECK(hear() > 0);
        input.hold = HOLD_THROUGHPUT;
        CHECK_INT(hear(), 0);
}

TEST(what_was_bound_until_a_stream_could_go_first_comes_back_at_once) {
        const enum tunable_id strict = TUNABLE_BFQ_STRICT_GUARANTEES;
        bool found = false;

        begin();
        facts_set(&device.facts, strict, 1);
        device.tunables[strict] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .wanted = 1 };
        for (size_t i = hear(); i > 0; i--)
                if (wishes[i - 1].tunable == strict) {
                        CHECK_INT(wishes[i - 1].value, 0);
                        CHECK(wishes[i - 1].at_once && strstr(told(wishes[i - 1].sentence), "it goes first (RT/3)"));
                        found = true;
                }
        CHECK(found);
        device.tunables[strict].law = LAW_WRITEBACK_GUARD; /* another law's */
        for (size_t i = hear(); i > 0; i--)
                CHECK(wishes[i - 1].tunable != strict);
}

/* A reader that has stepped back is served turn by turn. */
TEST(beside_a_stream_another_that_has_only_begun_goes_first_but_not_one_that_moves_much_without_a_pause) {
        begin();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_FEW;
        device.tunables[IDLE] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .hold_us = 1 };
        CHECK_INT(hear_first(), 1);
        verdicts[0].kind = VERDICT_BULK;
        CHECK_INT(hear_first(), 0);
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_SHORT; /* it keeps it, and was found to move much before */
        CHECK_INT(hear_first(), 1);
}

TEST(beside_a_stream_a_process_that_lets_others_go_first_has_to_keep_its_rhythm_for_a_second_to_go_first) {
        begin();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_SHORT;
        snapshot.streams[0].figures.value = 156000;
        device.tunables[IDLE] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .hold_us = 1 };
        CHECK_INT(hear_first(), 1);
        snapshot.processes[0].io_class = IO_CLASS_BEST_EFFORT;
        snapshot.processes[0].io_level = 7;
        CHECK_INT(hear_first(), 0);
        snapshot.streams[0].figures.value = 1000000;
        CHECK_INT(hear_first(), 1);
}

TEST(what_starts_beside_a_stream_has_the_wait_back_at_once_and_no_stream_before_it) {
        begin();
        device.tunables[IDLE] = (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_STREAM_GUARD, .original_known = true, .original = 8000 };
        facts_set(&device.facts, IDLE, 2000);
        input.n_verdicts = 2;
        CHECK_INT(hear(), 1);
        CHECK_INT(wishes[0].tunable, IDLE);
        CHECK_INT(wishes[0].value, 8000);
        CHECK(wishes[0].at_once);
        CHECK_INT(hear_first(), 0);
}

TEST(a_shorter_wait_stays) {
        begin();
        facts_set(&device.facts, IDLE, 2000);
        CHECK_INT(hear(), 0);
        facts_set(&device.facts, IDLE, 0);
        CHECK_INT(hear(), 0);
}

TEST(a_reader_that_has_only_begun_does_not_go_first_unless_what_is_written_keeps_it_waiting) {
        begin();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_TOO_FEW;
        snapshot.processes[0].paced = true;
        CHECK_INT(hear_first(), 0);
        snapshot.processes[0].behind_writes = true;
        CHECK_INT(hear_first(), 1);
}

/* By the controller: DRIVE's facts and policy, and what its plan does to the player's priority. */
static struct plan plan;

static void begin_controlled(void) {
        begin();
        device.facts.class = DEVICE_CLASS_HDD;
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.step_back.enabled = true;
        controller_set_device(c, &device.facts, &policy);
        snapshot.presence = PRESENCE_SOMEBODY;
}

static size_t step(nsec_t after) {
        input.now += after;
        controller_step(c, &input, &plan);
        return plan.n_priorities;
}

static void commit(size_t i, enum receipt_result result) {
        controller_commit(c, &(struct receipt){ .id = plan.priorities[i].id, .dev = DRIVE, .tunable = _TUNABLE_INVALID, .process = plan.priorities[i].process,
                                                .law = plan.priorities[i].law, .result = result, .t = input.now });
}

TEST(a_stream_that_ends_has_its_own_priority_back_after_the_hold_and_may_go_first_again_at_once) {
        begin_controlled();
        for (unsigned i = 0; i < 2; i++) {
                CHECK_INT(step(NSEC_PER_SEC), 1);
                CHECK_INT(plan.priorities[0].action, CHANGE_SET);
                CHECK_INT(plan.priorities[0].priority, FIRST);
                commit(0, RECEIPT_APPLIED);
                snapshot.n_streams = 0;
                input.n_verdicts = 0;
                CHECK_INT(step(NSEC_PER_SEC), 0);
                CHECK_INT(step(4 * NSEC_PER_SEC), 0);
                CHECK_INT(step(NSEC_PER_SEC), 1);
                CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
                commit(0, RECEIPT_RESTORED);
                snapshot.n_streams = input.n_verdicts = 1;
        }
}

TEST(under_a_pause_a_stream_goes_first_for_no_longer_than_the_hold_and_again_after_it) {
        begin_controlled();
        CHECK_INT(step(NSEC_PER_SEC), 1);
        commit(0, RECEIPT_APPLIED);
        input.hold = HOLD_PAUSE;
        CHECK_INT(step(NSEC_PER_SEC), 0);
        CHECK_INT(step(4 * NSEC_PER_SEC), 0);
        CHECK_INT(step(NSEC_PER_SEC), 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        commit(0, RECEIPT_RESTORED);
        CHECK_INT(step(60 * NSEC_PER_SEC), 0);
        input.hold = HOLD_NONE;
        CHECK_INT(step(NSEC_PER_SEC), 1);
        CHECK_INT(plan.priorities[0].priority, FIRST);
}

TEST(a_process_that_had_stepped_back_goes_first_in_one_plan_once_it_keeps_its_own_pace) {
        begin_controlled();
        snapshot.n_streams = 0;
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DRIVE, .subject = { .tgid = PLAYER, .start_ticks = 7 }, .sentence = "mpv has moved much" };
        CHECK_INT(step(NSEC_PER_SEC), 1);
        CHECK_INT(plan.priorities[0].priority, IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7));
        commit(0, RECEIPT_APPLIED);
        snapshot.n_streams = 1;
        input.n_verdicts = 0;
        CHECK_INT(step(NSEC_PER_SEC), 2);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].action, CHANGE_SET);
        CHECK_INT(plan.priorities[1].priority, FIRST);
}

/* Else it would go back and forth with each look. */
TEST(what_goes_first_does_not_step_back_however_much_it_has_moved) {
        begin_controlled();
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_IRREGULAR;
        snapshot.processes[0].paced = true;
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DRIVE, .subject = { .tgid = PLAYER, .start_ticks = 7 }, .sentence = "mpv has moved much" };
        CHECK_INT(step(NSEC_PER_SEC), 1);
        CHECK_INT(plan.priorities[0].priority, FIRST);
        commit(0, RECEIPT_APPLIED);
        for (unsigned i = 0; i < 8; i++)
                CHECK_INT(step(NSEC_PER_SEC / 4), 0);
}

/* One law wants it served last, the other first. */
TEST(what_goes_first_has_its_own_priority_while_a_program_starts_and_makes_no_room) {
        begin_controlled();
        policy.startup_guard.enabled = true;
        policy.startup_guard.min_rate_kib = 1024;
        snapshot.streams[0].state = STREAM_NEAR_MISS;
        snapshot.streams[0].figures.flaw = RHYTHM_IRREGULAR;
        snapshot.processes[0].paced = true;
        snapshot.processes[0].read_bytes_per_s = 12000000;
        input.n_verdicts = 0;
        CHECK_INT(step(NSEC_PER_SEC), 1);
        CHECK_INT(plan.priorities[0].priority, FIRST);
        commit(0, RECEIPT_APPLIED);
        verdicts[0] = verdicts[1];
        verdicts[0].subject = (struct subject){ .tgid = 5000, .start_ticks = 9, .name = "editor" };
        input.n_verdicts = 1;
        CHECK_INT(step(NSEC_PER_SEC / 4), 1); /* at once, whatever the hold */
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK(strstr(told(plan.priorities[0].reason), "a program starts"));
        commit(0, RECEIPT_RESTORED);
        for (unsigned i = 0; i < 8; i++)
                CHECK_INT(step(NSEC_PER_SEC / 4), 0);
        input.n_verdicts = 0; /* and goes first again */
        CHECK_INT(step(NSEC_PER_SEC / 4), 1);
        CHECK_INT(plan.priorities[0].priority, FIRST);
        commit(0, RECEIPT_APPLIED);
        input.n_verdicts = 1;
        snapshot.processes[0].paced = false; /* and then as any other */
        CHECK_INT(step(NSEC_PER_SEC / 4), 2);
        CHECK_INT(plan.priorities[1].law, LAW_STARTUP_GUARD);
}

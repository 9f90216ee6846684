/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law startup-guard: which processes make room while an application starts, which never do, and when it ends. */
#include "facts.h"
#include "law.h"
#include "test.h"
#include "told.h"

#define DEV DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)
#define BE_7 IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)
#define IDLE IO_PRIORITY(IO_CLASS_IDLE, LAW_STEP_BACK_IDLE_LEVEL)
#define MIB (UINT64_C(1) << 20)
#define MS NSEC_PER_MSEC

static struct policy policy;
static struct controller *c;
static struct snapshot snapshot;
static struct verdict verdicts[8];
static struct controller_input in;
static struct plan plan;

/* One drive, of which all is done at the moment, on which an application starts. */
static void begin(enum scheduler scheduler) {
        struct device_facts facts = { .dev = DEV, .name = "sda", .class = DEVICE_CLASS_HDD, .rotational = true,
                                      .scheduler = scheduler };

        facts.values[TUNABLE_BFQ_TIMEOUT_SYNC].present = facts.values[TUNABLE_BFQ_TIMEOUT_SYNC].numeric = scheduler == SCHEDULER_BFQ;
        facts.values[TUNABLE_BFQ_TIMEOUT_SYNC].number = 124;
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.startup_guard.enabled = true;
        controller_free(c);
        c = controller_new();
        controller_set_device(c, &facts, &policy);
        snapshot = (struct snapshot){ .presence = PRESENCE_NOBODY, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = DEV, .utilisation_permille = 1000, .read_bytes_per_s = 60 * MIB };
        in = (struct controller_input){ .now = 100 * NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = verdicts, .n_verdicts = 1 };
        verdicts[0] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DEV, .subject = { .tgid = 500, .start_ticks = 1, .name = "gedit" },
                                        .sentence = "gedit starts" };
}

static struct process_view *add_process(int32_t tgid, uint64_t read_bytes_per_s) {
        struct process_view *p = &snapshot.processes[snapshot.n_processes++];

        *p = (struct process_view){ .tgid = tgid, .start_ticks = (uint64_t) tgid, .name = "tar", .dev = DEV, .read_bytes_per_s = read_bytes_per_s,
                                    .read_bytes = 100 * MIB };
        return p;
}

static void step(nsec_t after) {
        in.now += after;
        controller_step(c, &in, &plan);
}

static void commit_all(enum receipt_result result) {
        for (size_t i = 0; i < plan.n_priorities; i++) {
                struct receipt r = { .id = plan.priorities[i].id, .dev = DEV, .tunable = _TUNABLE_INVALID, .process = plan.priorities[i].process,
                                     .law = plan.priorities[i].law, .result = result, .t = in.now };
                controller_commit(c, &r);
        }
}

static size_t wanted(void) {
        step(0);
        return plan.n_priorities;
}

/* How long after the start's end it comes back. */
static nsec_t end_of_start(void) {
        nsec_t begun = in.now;

        in.n_verdicts = 0;
        for (step(0); plan.n_priorities == 0 && nsec_sub(in.now, begun) < 60 * NSEC_PER_SEC;)
                step(50 * MS);
        commit_all(RECEIPT_RESTORED);
        in.n_verdicts = 1;
        return nsec_sub(in.now, begun);
}

TEST(a_process_that_moves_much_steps_back_at_once_known_as_bulk_or_not) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].process.tgid, 10);
        CHECK_INT(plan.priorities[0].priority, IDLE);
        CHECK_INT(plan.priorities[0].law, LAW_STARTUP_GUARD);
        CHECK_STR(told(plan.priorities[0].reason), "gedit (500) starts, and tar moves 6.3 MB/s there; it steps back to idle until that runs");
}

TEST(a_program_with_the_rule_never_makes_no_room_and_what_has_done_so_gets_its_priority_back_at_once) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        CHECK_INT(policy_programs_set(&policy.step_back.programs, "tar", PROGRAM_NEVER, (struct policy_source){ .line = 1 }), 0);
        CHECK_INT(wanted(), 0);
        CHECK_INT(policy_programs_set(&policy.step_back.programs, "tar", PROGRAM_UNRULED, (struct policy_source){ .line = 1 }), 0);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        CHECK_INT(policy_programs_set(&policy.step_back.programs, "tar", PROGRAM_NEVER, (struct policy_source){ .line = 1 }), 0);
        CHECK_INT(wanted(), 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

/* The start is of user 1000, and the process of another. */
static void begin_of_users(uint32_t starter, uint32_t other) {
        begin(SCHEDULER_BFQ);
        snapshot.n_startups = 1;
        snapshot.startups[0] = (struct startup_view){ .tgid = 500, .start_ticks = 1, .uid = starter };
        add_process(10, 6 * MIB)->uid = other;
}

/* For how long the process made room in so much time, looked at each tick. is_short: each second begins a start that takes a tick, else they have no end. */
static nsec_t made_room(nsec_t span, nsec_t tick, bool is_short) {
        size_t starts = in.n_verdicts;
        nsec_t room = 0;
        bool back = false;

        for (nsec_t t = 0; t < span; t += tick) {
                in.n_verdicts = is_short && t % NSEC_PER_SEC != 0 ? 0 : starts;
                step(tick);
                for (size_t i = 0; i < plan.n_priorities; i++)
                        back = plan.priorities[i].action == CHANGE_SET;
                commit_all(back ? RECEIPT_APPLIED : RECEIPT_RESTORED);
                room += back ? tick : 0;
        }
        in.n_verdicts = starts;
        return room;
}

TEST(starts_of_one_user_hold_back_anothers_process_for_a_third_of_each_minute_at_most) {
        nsec_t room;

        begin_of_users(1000, 1001);
        room = made_room(600 * NSEC_PER_SEC, 250 * MS, false);
        CHECK(room >= 150 * NSEC_PER_SEC);
        CHECK(room <= 220 * NSEC_PER_SEC); /* with the time until each return */
}

TEST(the_time_until_a_process_that_made_room_for_anothers_start_comes_back_is_of_that_third_too) {
        nsec_t room;

        begin_of_users(1000, 1001);
        room = made_room(600 * NSEC_PER_SEC, 50 * MS, true);
        CHECK(room >= 150 * NSEC_PER_SEC);
        CHECK(room <= 210 * NSEC_PER_SEC);
        begin_of_users(1000, 1000);
        CHECK(made_room(120 * NSEC_PER_SEC, 50 * MS, true) >= 110 * NSEC_PER_SEC);
}

TEST(a_process_that_is_no_longer_told_of_makes_room_for_anothers_starts_no_longer_than_others) {
        begin_of_users(1000, 1001);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        snapshot.n_processes = 0;
        made_room(21 * NSEC_PER_SEC, 250 * MS, false);
        CHECK_INT(controller_find_process(c, &(struct subject){ .tgid = 10, .start_ticks = 10 })->owner, OWNER_KERNEL);
}

TEST(a_users_own_processes_make_room_for_as_long_as_the_start_lasts_and_so_does_each_for_roots) {
        static const uint32_t users[][2] = { { 1000, 1000 }, { 0, 1000 }, { PROCESS_UID_UNKNOWN, 1000 }, { 1000, PROCESS_UID_UNKNOWN } };

        for (size_t i = 0; i < ARRAY_SIZE(users); i++) {
                begin_of_users(users[i][0], users[i][1]);
                CHECK(made_room(120 * NSEC_PER_SEC, 250 * MS, false) >= 119 * NSEC_PER_SEC);
        }
}

TEST(beside_a_start_of_its_own_user_a_process_makes_room_for_others_starts_too) {
        begin_of_users(1000, 1001);
        snapshot.n_startups = 2;
        snapshot.startups[1] = (struct startup_view){ .tgid = 501, .start_ticks = 1, .uid = 1001 };
        verdicts[1] = verdicts[0];
        verdicts[1].subject.tgid = 501;
        in.n_verdicts = 2;
        CHECK(made_room(120 * NSEC_PER_SEC, 250 * MS, false) >= 119 * NSEC_PER_SEC);
}

TEST(each_scheduler_has_the_priority_that_it_looks_at_and_the_others_none) {
        static const struct {
                enum scheduler scheduler;
                uint16_t priority;
        } cases[] = { { SCHEDULER_BFQ, IDLE }, { SCHEDULER_CFQ, IDLE }, { SCHEDULER_MQ_DEADLINE, IDLE },
                      { SCHEDULER_NONE, 0 }, { SCHEDULER_KYBER, 0 }, { SCHEDULER_OTHER, 0 } };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                begin(cases[i].scheduler);
                add_process(10, 6 * MIB);
                CHECK_INT(wanted(), cases[i].priority != 0);
                CHECK(plan.n_priorities == 0 || plan.priorities[0].priority == cases[i].priority);
        }
}

/* A start that takes long, or is one of many processes, is raised no more: beside level 7 its reads would wait for others' turns. */
TEST(under_bfq_also_a_process_that_has_moved_much_for_long_is_served_last_of_all) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB)->read_bytes = 0;
        add_process(11, 6 * MIB)->read_bytes = UINT64_C(1) << 40;
        CHECK_INT(wanted(), 2);
        CHECK_INT(plan.priorities[0].priority, IDLE);
        CHECK_INT(plan.priorities[1].priority, IDLE);
        commit_all(RECEIPT_APPLIED);
        step(20 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0); /* they stay for the rest of the start */
}

/* Else it would have its own priority for a tick, in the first quarter of a second of a start. */
static void check_moves_at_once(uint16_t from, uint16_t to) {
        CHECK_INT(plan.n_priorities, 2);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].action, CHANGE_SET);
        CHECK_INT(plan.priorities[1].priority, to);
        for (size_t i = 0; i < 2; i++) {
                struct receipt r = { .id = plan.priorities[i].id, .dev = DEV, .tunable = _TUNABLE_INVALID, .process = plan.priorities[i].process,
                                     .law = plan.priorities[i].law, .result = i == 0 ? RECEIPT_RESTORED : RECEIPT_APPLIED, .t = in.now };
                controller_commit(c, &r);
        }
        CHECK_INT(c->processes[0].owner, OWNER_BRIO);
        CHECK_INT(c->processes[0].wanted, to);
        CHECK(from != to && c->processes[0].held);
}

TEST(after_the_start_a_bulk_process_goes_from_the_idle_class_to_level_7_at_once) {
        begin(SCHEDULER_BFQ);
        policy.step_back.enabled = true;
        snapshot.presence = PRESENCE_SOMEBODY;
        add_process(10, 6 * MIB)->read_bytes = 0;
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DEV, .subject = { .tgid = 10, .start_ticks = 10, .name = "tar" } };
        step(250 * MS);
        CHECK_STR(told(plan.priorities[0].reason), "step-back under bfq wants another priority now");
        check_moves_at_once(IDLE, BE_7);
        step(250 * MS);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(a_process_that_has_stepped_back_goes_to_the_idle_class_at_once_when_a_program_starts) {
        begin(SCHEDULER_BFQ);
        policy.step_back.enabled = true;
        snapshot.presence = PRESENCE_SOMEBODY;
        add_process(10, 6 * MIB)->read_bytes = 0;
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DEV, .subject = { .tgid = 10, .start_ticks = 10, .name = "tar" } };
        CHECK_INT(wanted(), 1);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        commit_all(RECEIPT_APPLIED);
        verdicts[1] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DEV, .subject = { .tgid = 500, .start_ticks = 1, .name = "gedit" } };
        in.n_verdicts = 2;
        step(250 * MS);
        check_moves_at_once(BE_7, IDLE);
        CHECK_INT(c->processes[0].again, 0); /* that was no return */
        step(250 * MS);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(no_process_does_so_without_a_start_on_that_drive_or_where_the_policy_or_a_hold_says_no) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        verdicts[0].dev = OTHER;
        CHECK_INT(wanted(), 0);
        verdicts[0].dev = DEV;
        verdicts[0].kind = VERDICT_BURST;
        CHECK_INT(wanted(), 0);
        verdicts[0].kind = VERDICT_STARTUP;
        policy.startup_guard.enabled = false;
        CHECK_INT(wanted(), 0);
        policy.startup_guard.enabled = true;
        in.hold = HOLD_THROUGHPUT;
        CHECK_INT(wanted(), 0);
        in.hold = HOLD_PAUSE;
        CHECK_INT(wanted(), 0);
        in.hold = HOLD_NONE;
        CHECK_INT(wanted(), 1);
}

TEST(the_start_and_its_kin_players_and_processes_elsewhere_never_do) {
        struct stream_view *stream;

        begin(SCHEDULER_BFQ);
        add_process(500, 6 * MIB)->start_ticks = 1; /* itself */
        add_process(10, 6 * MIB)->in_start = true;
        add_process(11, 6 * MIB)->dev = OTHER;
        add_process(12, 6 * MIB);
        stream = &snapshot.streams[snapshot.n_streams++];
        *stream = (struct stream_view){ .tgid = 12, .state = STREAM_CANDIDATE };
        CHECK_INT(wanted(), 0);
        stream->state = STREAM_NEAR_MISS;
        stream->figures.flaw = RHYTHM_STARVES;
        CHECK_INT(wanted(), 0);
        stream->figures.flaw = RHYTHM_NO_PAUSE;
        CHECK_INT(wanted(), 1);
        CHECK_INT(plan.priorities[0].process.tgid, 12);
}

/* Ten readers of a disk with heads move some MB/s each; a stream of 1 MB/s less, a log little. */
TEST(much_is_so_many_bytes_a_second) {
        begin(SCHEDULER_BFQ);
        add_process(10, MIB - 1);
        CHECK_INT(wanted(), 0);
        snapshot.processes[0].read_bytes_per_s = MIB / 2;
        snapshot.processes[0].write_bytes_per_s = MIB / 2; /* both count */
        CHECK_INT(wanted(), 1);
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        policy.startup_guard.min_rate_kib = 7 * 1024;
        policy.startup_guard.min_share_percent = 100;
        CHECK_INT(wanted(), 0);
}

/* Sixteen readers of single pages at random are all that a disk does: 5 kB/s each of 80. */
TEST(or_so_large_a_share_of_what_a_busy_drive_does) {
        begin(SCHEDULER_BFQ);
        snapshot.devices[0].read_bytes_per_s = 800 * 1024;
        add_process(10, 50 * 1024);
        CHECK_INT(wanted(), 1);
        begin(SCHEDULER_BFQ);
        snapshot.devices[0].read_bytes_per_s = 800 * 1024;
        snapshot.devices[0].utilisation_permille = 499; /* no process waits there */
        add_process(10, 50 * 1024);
        CHECK_INT(wanted(), 0);
        snapshot.devices[0].utilisation_permille = 500;
        snapshot.processes[0].read_bytes_per_s = 15 * 1024; /* two per cent, and hardly anything */
        CHECK_INT(wanted(), 0);
        snapshot.processes[0].read_bytes_per_s = 16 * 1024;
        CHECK_INT(wanted(), 1);
        begin(SCHEDULER_BFQ);
        add_process(10, 600 * 1024); /* 1 % of 60 MiB/s */
        CHECK_INT(wanted(), 0);
}

TEST(a_process_that_has_made_room_moves_less_by_that_and_stays_back_to_the_end_of_the_start) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        snapshot.processes[0].read_bytes_per_s = 0;
        for (int i = 0; i < 100; i++) {
                step(250 * MS);
                CHECK_INT(plan.n_priorities, 0);
        }
        snapshot.n_processes = 0; /* nor where nothing is known of it any more */
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK_INT(end_of_start() / MS, 500);
}

TEST(it_comes_back_half_a_second_after_the_start) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        step(20 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK_INT(end_of_start() / MS, 500);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

TEST(the_next_start_is_guarded_at_once_and_one_after_the_other_keep_it_back_longer) {
        static const unsigned holds_ms[] = { 500, 1000, 2000, 4000, 5000, 5000 };

        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        for (size_t i = 0; i < ARRAY_SIZE(holds_ms); i++) {
                CHECK_INT(wanted(), 1);
                commit_all(RECEIPT_APPLIED);
                CHECK_INT(end_of_start() / MS, holds_ms[i]);
        }
        in.n_verdicts = 0;
        step(20 * NSEC_PER_SEC); /* a pause, and all is as at first */
        in.n_verdicts = 1;
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        CHECK_INT(end_of_start() / MS, 500);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        CHECK_INT(end_of_start() / MS, 1000);
}

TEST(a_pause_lets_go_when_the_start_has_ended) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        in.hold = HOLD_PAUSE;
        CHECK_INT(wanted(), 0);
        step(500 * MS);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

TEST(a_process_that_is_bulk_too_stays_back_after_the_start_and_is_no_reason_to_wait_before_the_next) {
        struct verdict bulk = { .kind = VERDICT_BULK, .dev = DEV, .subject = { .tgid = 10, .start_ticks = 10, .name = "tar" }, .sentence = "much" };

        begin(SCHEDULER_BFQ);
        policy.step_back.enabled = true;
        snapshot.presence = PRESENCE_SOMEBODY;
        add_process(10, 6 * MIB);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_APPLIED);
        verdicts[1] = bulk;
        in.n_verdicts = 2;
        step(250 * MS);
        CHECK_INT(plan.n_priorities, 0);
        verdicts[0] = bulk;
        in.n_verdicts = 1;
        step(10 * NSEC_PER_SEC);
        check_moves_at_once(IDLE, BE_7);
        step(10 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK_INT(c->processes[0].law, LAW_STEP_BACK);
        in.n_verdicts = 0;
        step(250 * MS);
        step(5 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        commit_all(RECEIPT_RESTORED);
        verdicts[0] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DEV, .subject = { .tgid = 501, .name = "gedit" } };
        in.n_verdicts = 1;
        CHECK_INT(wanted(), 1); /* law step-back's pause is not this one's */
        CHECK_INT(plan.priorities[0].law, LAW_STARTUP_GUARD);
}

TEST(a_caller_that_was_refused_is_asked_about_again_after_five_seconds) {
        begin(SCHEDULER_BFQ);
        add_process(10, 6 * MIB);
        CHECK_INT(wanted(), 1);
        commit_all(RECEIPT_REFUSED);
        step(4 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
}

TEST(turns_shorten_where_the_policy_says_so) {
        begin(SCHEDULER_BFQ);
        step(0);
        CHECK_INT(plan.n, 0);
        policy.startup_guard.slice_us = 40000;
        step(0);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_BFQ_TIMEOUT_SYNC);
        CHECK_STR(plan.changes[0].value, "40");
        CHECK_STR(told(plan.changes[0].reason), "gedit starts; turns of 40 ms instead of 124 until it runs");
        begin(SCHEDULER_BFQ);
        policy.startup_guard.slice_us = 200000; /* would be longer */
        step(0);
        CHECK_INT(plan.n, 0);
        begin(SCHEDULER_MQ_DEADLINE);
        policy.startup_guard.slice_us = 40000;
        step(0);
        CHECK_INT(plan.n, 0);
}

/* On a disk under bfq, beside a reader. */
static struct controller_device *begin_waiting(void) {
        struct device_facts facts;

        begin(SCHEDULER_BFQ);
        facts = controller_find_device(c, DEV)->facts;
        facts_set(&facts, TUNABLE_BFQ_SLICE_IDLE_US, 8000);
        controller_set_device(c, &facts, &policy);
        add_process(10, 6 * MIB);
        return controller_find_device(c, DEV);
}

TEST(bfq_waits_twice_as_long_for_what_starts_beside_others) {
        begin_waiting();
        step(0);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(plan.changes[0].law, LAW_STARTUP_GUARD);
        CHECK_STR(plan.changes[0].value, "16000");
        CHECK_STR(told(plan.changes[0].reason), "gedit starts; bfq waits 16 ms for its next request instead of 8 ms until it runs");
}

TEST(bfq_waits_no_longer_for_a_start_that_is_alone_or_where_it_waits_for_none) {
        begin_waiting();
        snapshot.n_processes = 0;
        step(0);
        CHECK_INT(plan.n, 0);
        begin_waiting()->facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number = 0;
        step(0);
        CHECK_INT(plan.n, 0);
        begin_waiting()->facts.rotational = false;
        step(0);
        CHECK_INT(plan.n, 0);
}

TEST(bfq_waits_no_longer_for_one_users_start_beside_anothers_process_once_that_has_made_room_for_its_time) {
        for (uint32_t uid = 1000; uid <= 1001; uid++) {
                begin_waiting()->others = (struct others_time){ .began = in.now, .spent = policy.startup_guard.others_time_us * NSEC_PER_USEC };
                snapshot.n_startups = 1;
                snapshot.startups[0] = (struct startup_view){ .tgid = 500, .start_ticks = 1, .uid = 1000 };
                snapshot.processes[0].uid = uid;
                step(0);
                CHECK_INT(plan.n, uid == 1000);
        }
}

static void write_beside(uint32_t mib_per_s) {
        for (size_t i = 0; i < WRITING_SECONDS; i++)
                snapshot.devices[0].writing[i] = (struct writing_second){
                        .span_us = 1000000, .writes = 4 * mib_per_s, .write_sectors = mib_per_s << 11, .busy_ms = 1000,
                };
}

static void begin_deadline(int64_t async_depth) {
        struct device_facts facts;

        begin(SCHEDULER_MQ_DEADLINE);
        facts = controller_find_device(c, DEV)->facts;
        facts.values[TUNABLE_MQ_DEADLINE_ASYNC_DEPTH].present = facts.values[TUNABLE_MQ_DEADLINE_ASYNC_DEPTH].numeric = true;
        facts.values[TUNABLE_MQ_DEADLINE_ASYNC_DEPTH].number = async_depth;
        controller_set_device(c, &facts, &policy);
}

TEST(under_mq_deadline_few_writes_stand_in_the_drive_while_a_program_starts) {
        begin_deadline(48);
        step(0);
        CHECK_INT(plan.n, 0); /* no process writes */
        write_beside(90);
        step(0);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH);
        CHECK_INT(plan.changes[0].law, LAW_STARTUP_GUARD);
        CHECK_STR(plan.changes[0].value, "1");
        CHECK_STR(told(plan.changes[0].reason), "gedit starts, beside 94 MB/s that are written; 1 of these at a time instead of 48 until it runs");
        begin_deadline(48);
        write_beside(90);
        policy.startup_guard.write_depth = 0; /* the policy says no */
        step(0);
        CHECK_INT(plan.n, 0);
        begin_deadline(1); /* the user's own choice */
        write_beside(90);
        step(0);
        CHECK_INT(plan.n, 0);
        begin_deadline(48);
        write_beside(90);
        in.hold = HOLD_THROUGHPUT;
        step(0);
        CHECK_INT(plan.n, 0);
        begin_deadline(48);
        write_beside(90);
        in.n_verdicts = 0; /* nothing starts */
        step(0);
        CHECK_INT(plan.n, 0);
}

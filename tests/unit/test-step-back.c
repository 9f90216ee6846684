/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law step-back, and the controller's processes: which should step back, for how long, and what comes of each receipt. */
#include <errno.h>

#include "law.h"
#include "test.h"
#include "told.h"

#define DEV DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)
#define BE_7 IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)

static struct policy policy;
static struct controller *c;
static struct snapshot snapshot;
static struct verdict verdicts[200];
static struct controller_input in;
static struct plan plan;

static void add_drive(uint32_t dev, enum scheduler scheduler) {
        const struct device_facts facts = { .dev = dev, .name = "sda", .class = DEVICE_CLASS_HDD, .scheduler = scheduler };

        controller_set_device(c, &facts, &policy);
}

static void begin(enum scheduler scheduler) {
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.step_back.enabled = true;
        controller_free(c);
        c = controller_new();
        add_drive(DEV, scheduler);
        snapshot = (struct snapshot) { .presence = PRESENCE_SOMEBODY };
        in = (struct controller_input) { .now = 100 * NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = verdicts };
}

static struct subject process(int32_t tgid) {
        return (struct subject) { .tgid = tgid, .start_ticks = (uint64_t) tgid * 10, .name = "tar" };
}

static void add_bulk(uint32_t dev, int32_t tgid) {
        verdicts[in.n_verdicts++] = (struct verdict) {
                .kind = VERDICT_BULK, .dev = dev, .subject = process(tgid), .since = 90 * NSEC_PER_SEC, .sentence = "tar has moved 210 MB",
        };
}

static void step(nsec_t after) {
        in.now += after;
        controller_step(c, &in, &plan);
}

static void commit(size_t i, enum receipt_result result) {
        struct receipt r = { .id = plan.priorities[i].id, .dev = plan.priorities[i].dev, .tunable = _TUNABLE_INVALID,
                             .process = plan.priorities[i].process, .law = plan.priorities[i].law, .result = result, .t = in.now };

        controller_commit(c, &r);
}

static const struct controller_process *find(int32_t tgid) {
        const struct subject s = process(tgid);

        return controller_find_process(c, &s);
}

/* 4711 has stepped back. */
static bool step_back(void) {
        add_bulk(DEV, 4711);
        step(0);
        if (plan.n_priorities != 1)
                return false;
        commit(0, RECEIPT_APPLIED);
        return true;
}

TEST(each_scheduler_has_the_priority_that_it_looks_at) {
        CHECK_INT(law_step_back_priority(SCHEDULER_BFQ), BE_7);
        CHECK_INT(law_step_back_priority(SCHEDULER_CFQ), BE_7);
        CHECK_INT(law_step_back_priority(SCHEDULER_MQ_DEADLINE), IO_PRIORITY(IO_CLASS_IDLE, 3));
        CHECK_INT(law_step_back_priority(SCHEDULER_KYBER), IO_PRIORITY_NONE);
        CHECK_INT(law_step_back_priority(SCHEDULER_NONE), IO_PRIORITY_NONE);
        CHECK_INT(law_step_back_priority(SCHEDULER_OTHER), IO_PRIORITY_NONE);
}

TEST(a_bulk_process_steps_back_and_the_reason_has_the_numbers) {
        begin(SCHEDULER_BFQ);
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n, 0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_SET);
        CHECK_INT(plan.priorities[0].process.tgid, 4711);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        CHECK_INT(plan.priorities[0].law, LAW_STEP_BACK);
        CHECK_STR(told(plan.priorities[0].reason),
                  "tar has moved 210 MB; while a user is at the machine it steps back to BE/7, and bfq serves others first");
        CHECK(!plan.priorities[0].advice);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0); /* under way */
        CHECK_INT(find(4711)->held, false);
}

TEST(the_drive_says_which_processes_have_stepped_back) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        CHECK_INT(controller_find_device(c, DEV)->state, DEVICE_STATE_HOLDING);
        CHECK(strstr(told(controller_find_device(c, DEV)->reason), "step-back: tar has moved 210 MB"));
        add_bulk(DEV, 4712);
        step(0);
        commit(0, RECEIPT_APPLIED);
        CHECK(strstr(told(controller_find_device(c, DEV)->reason), "step-back: 2 processes have stepped back, among them tar (4711): tar has"));
        in.n_verdicts = 0;
        step(NSEC_PER_SEC);
        CHECK_INT(controller_find_device(c, DEV)->state, DEVICE_STATE_REVERTING);
}

TEST(no_process_steps_back_where_the_scheduler_looks_at_no_priority_or_the_policy_says_no) {
        begin(SCHEDULER_KYBER);
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
        begin(SCHEDULER_BFQ);
        policy.step_back.enabled = false;
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(where_no_user_is_there_no_process_steps_back_unless_a_hold_asks_for_it) {
        begin(SCHEDULER_BFQ);
        snapshot.presence = PRESENCE_NOBODY;
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
        in.hold = HOLD_INTERACTIVE;
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        begin(SCHEDULER_BFQ);
        snapshot.presence = PRESENCE_UNKNOWN; /* without logind it is not known */
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
}

static void add_verdict(enum verdict_kind kind, uint32_t dev, int32_t tgid) {
        add_bulk(dev, tgid);
        verdicts[in.n_verdicts - 1].kind = kind;
}

TEST(a_process_that_starts_or_plays_never_steps_back_whichever_drive_shows_it) {
        static const enum verdict_kind kinds[] = { VERDICT_STARTUP, VERDICT_SOFT_RT };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                begin(SCHEDULER_BFQ);
                add_bulk(DEV, 4711);
                add_bulk(DEV, 4712);
                add_verdict(kinds[i], OTHER, 4711);
                step(0);
                CHECK_INT(plan.n_priorities, 1);
                CHECK_INT(plan.priorities[0].process.tgid, 4712);
        }
}

TEST(a_process_that_begins_to_play_gets_it_back_at_once) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        add_verdict(VERDICT_SOFT_RT, DEV, 4711);
        step(NSEC_PER_SEC / 4);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

TEST(where_no_user_is_there_a_start_or_a_victim_on_the_drive_waits_all_the_same) {
        static const enum verdict_kind kinds[] = { VERDICT_STARTUP, VERDICT_VICTIM };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                begin(SCHEDULER_BFQ);
                snapshot.presence = PRESENCE_NOBODY;
                add_bulk(DEV, 4711);
                add_verdict(kinds[i], OTHER, 4799);
                step(0);
                CHECK_INT(plan.n_priorities, 0);
                add_verdict(kinds[i], DEV, 4800);
                step(0);
                CHECK_INT(plan.n_priorities, 1);
        }
}

TEST(other_verdicts_and_drives_as_a_whole_are_no_process) {
        begin(SCHEDULER_BFQ);
        add_bulk(DEV, 4711);
        verdicts[0].kind = VERDICT_SHARED;
        add_bulk(DEV, 0);
        add_bulk(OTHER, 4713); /* a drive that is not known */
        step(0);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(after_waits_until_a_process_was_bulk_for_so_long) {
        begin(SCHEDULER_BFQ);
        policy.step_back.after_us = 12000000;
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
        step(2 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
}

TEST(what_no_law_wants_any_more_comes_back_after_the_hold) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        in.n_verdicts = 0;
        step(NSEC_PER_SEC);
        step(4 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_STR(told(plan.priorities[0].reason), "no reason for step-back any more since 5 s: the original comes back");
        commit(0, RECEIPT_RESTORED);
        CHECK_INT(controller_find_device(c, DEV)->state, DEVICE_STATE_OBSERVING);
}

TEST(when_no_user_is_there_any_more_it_comes_back) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        snapshot.presence = PRESENCE_NOBODY;
        step(NSEC_PER_SEC);
        step(6 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

TEST(a_hold_on_throughput_gives_it_back_at_once_and_a_pause_changes_nothing) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        in.hold = HOLD_PAUSE;
        in.n_verdicts = 0;
        step(20 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        in.hold = HOLD_THROUGHPUT;
        add_bulk(DEV, 4711);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

/* The pause doubles with each return, 10 s at first, up to 16 times that. */
TEST(a_process_that_is_bulk_on_and_off_is_followed_more_and_more_slowly) {
        nsec_t last = 0;

        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        for (unsigned i = 0; i < 7; i++) {
                nsec_t pause = 0;
                in.n_verdicts = 0;
                step(NSEC_PER_SEC);
                step(5 * NSEC_PER_SEC);
                CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
                commit(0, RECEIPT_RESTORED);
                add_bulk(DEV, 4711);
                for (step(0); plan.n_priorities == 0; step(NSEC_PER_SEC))
                        pause += NSEC_PER_SEC;
                commit(0, RECEIPT_APPLIED);
                CHECK_INT(pause / NSEC_PER_SEC, MIN(10u << i, 160u));
                CHECK(pause >= last);
                last = pause;
        }
}

TEST(a_refusal_is_asked_about_again_later_and_a_foreign_priority_never) {
        begin(SCHEDULER_BFQ);
        add_bulk(DEV, 4711);
        step(0);
        commit(0, RECEIPT_REFUSED);
        step(4 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        commit(0, RECEIPT_FOREIGN);
        CHECK_INT(find(4711)->owner, OWNER_FOREIGN);
        step(1000 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        controller_forgive(c, 0); /* the mode was set */
        step(0);
        CHECK_INT(plan.n_priorities, 1);
}

/* A cp that was killed took 20 s to end, and was asked to step back in each plan until then. */
TEST(a_process_that_has_ended_is_asked_no_more_however_long_it_is_told_of) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        commit(0, RECEIPT_GONE);
        for (unsigned i = 0; i < 30; i++) {
                step(NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 0);
        }
        CHECK(!find(4711)->held);
        controller_retry(c, 0);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(a_reused_number_is_another_process) {
        begin(SCHEDULER_BFQ);
        add_bulk(DEV, 4711);
        step(0);
        commit(0, RECEIPT_FOREIGN);
        verdicts[0].subject.start_ticks++;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].process.start_ticks, 47111);
}

TEST(another_scheduler_begins_with_the_return) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        add_drive(DEV, SCHEDULER_MQ_DEADLINE);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 2); /* and what it wants follows at once */
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].action, CHANGE_SET);
        CHECK_INT(plan.priorities[1].priority, IO_PRIORITY(IO_CLASS_IDLE, 3));
        commit(0, RECEIPT_RESTORED);
        commit(1, RECEIPT_REFUSED);
        CHECK_INT(c->processes[0].owner, OWNER_KERNEL);
        CHECK(!c->processes[0].held);
}

TEST(two_drives_that_want_it_change_it_once) {
        begin(SCHEDULER_BFQ);
        add_drive(OTHER, SCHEDULER_MQ_DEADLINE);
        add_bulk(DEV, 4711);
        add_bulk(OTHER, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        commit(0, RECEIPT_APPLIED);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(a_process_that_goes_on_to_another_drive_steps_back_as_that_one_wants) {
        begin(SCHEDULER_MQ_DEADLINE);
        add_drive(OTHER, SCHEDULER_BFQ);
        CHECK(step_back());
        CHECK_INT(find(4711)->wanted, LAW_STEP_BACK_IDLE);
        in.n_verdicts = 0;
        add_bulk(OTHER, 4711); /* and no longer on DEV */
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 2);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].priority, BE_7); /* at once */
        commit(0, RECEIPT_RESTORED);
        commit(1, RECEIPT_APPLIED);
        CHECK_INT(find(4711)->owner, OWNER_BRIO);
        CHECK_INT(find(4711)->dev, OTHER);

        begin(SCHEDULER_BFQ); /* where both want the same nothing is written */
        add_drive(OTHER, SCHEDULER_BFQ);
        CHECK(step_back());
        in.n_verdicts = 0;
        add_bulk(OTHER, 4711);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK_INT(find(4711)->dev, OTHER);
}

TEST(the_idle_class_is_not_for_a_process_that_also_uses_a_drive_where_levels_count) {
        begin(SCHEDULER_MQ_DEADLINE);
        add_drive(OTHER, SCHEDULER_BFQ);
        snapshot.n_devices = 2;
        snapshot.devices[0] = (struct device_view){ .dev = DEV, .settings = { .known = true, .honours_class = true, .scheduler = "mq-deadline" } };
        snapshot.devices[1] = (struct device_view){ .dev = OTHER, .settings = { .known = true, .honours_class = true, .honours_level = true, .scheduler = "bfq" } };
        snapshot.n_processes = 1;
        snapshot.processes[0] = (struct process_view){ .tgid = 4711, .start_ticks = 47110, .dev = DEV, .other_devs = { OTHER } };
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        CHECK(strstr(told(plan.priorities[0].reason), "it steps back to BE/7 on a drive that it also uses, under bfq"));
        commit(0, RECEIPT_APPLIED);
        snapshot.processes[0].other_devs[0] = 0; /* it uses that one no longer */
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 2);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].priority, LAW_STEP_BACK_IDLE);
}

/* A film whose reader is known as a stream, or that waits for the drive so much that it cannot show its rhythm. */
static void play(bool starved) {
        if (!starved) {
                verdicts[in.n_verdicts++] = (struct verdict){ .kind = VERDICT_SOFT_RT, .dev = DEV, .subject = process(4713), .sentence = "a film" };
                return;
        }
        snapshot.n_streams = 1;
        snapshot.streams[0] = (struct stream_view){ .state = STREAM_NEAR_MISS, .dev = DEV, .tgid = 4713, .start_ticks = 47130,
                                                    .figures = { .flaw = RHYTHM_STARVES } };
}

TEST(beside_a_stream_under_cfq_a_bulk_process_is_served_last_of_all_and_gets_its_level_back_after_it) {
        for (int starved = 0; starved < 2; starved++) {
                begin(SCHEDULER_CFQ);
                CHECK(step_back());
                CHECK_INT(find(4711)->wanted, BE_7);
                play(starved);
                step(10 * NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 2);
                CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
                CHECK_INT(plan.priorities[1].priority, LAW_STEP_BACK_IDLE); /* and not the film's */
                CHECK_INT(plan.priorities[1].process.tgid, 4711);
                CHECK(strstr(told(plan.priorities[1].reason), "it steps back to idle, and cfq serves others first"));
                commit(0, RECEIPT_RESTORED);
                commit(1, RECEIPT_APPLIED);
                in.n_verdicts = 1;
                snapshot.n_streams = 0;
                step(10 * NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 2);
                CHECK_INT(plan.priorities[1].priority, BE_7);
        }
}

TEST(beside_a_stream_under_bfq_or_on_another_drive_a_bulk_process_keeps_its_level) {
        begin(SCHEDULER_BFQ);
        add_bulk(DEV, 4711);
        play(false);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].priority, BE_7);

        begin(SCHEDULER_CFQ);
        add_drive(OTHER, SCHEDULER_CFQ);
        add_bulk(OTHER, 4711);
        play(false);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].priority, BE_7);
}

TEST(a_film_under_cfq_that_is_bulk_by_its_rate_never_steps_back_for_itself) {
        begin(SCHEDULER_CFQ);
        add_bulk(DEV, 4713);
        add_bulk(DEV, 4711);
        play(false);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].process.tgid, 4711);
}

TEST(advice_is_given_once_and_carried_out_when_asked) {
        const struct subject tar = process(4711);

        begin(SCHEDULER_BFQ);
        in.mode = MODE_ADVISE;
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK(plan.priorities[0].advice);
        commit(0, RECEIPT_ADVISED);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK(find(4711)->advice_known);
        CHECK_STR(told(controller_find_device(c, DEV)->reason), "The mode is advise: 1 setting would be changed");
        CHECK_INT(controller_apply_process(c, &tar, &plan), 0);
        CHECK(!plan.priorities[0].advice);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        commit(0, RECEIPT_APPLIED);
        CHECK(find(4711)->held);
        CHECK_INT(controller_apply_process(c, &tar, &plan), -ENOENT);
}

TEST(undone_is_left_alone_until_the_mode_is_set) {
        const struct subject tar = process(4711);

        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        CHECK_INT(controller_undo_process(c, &tar, &plan), 0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        commit(0, RECEIPT_RESTORED);
        CHECK_INT(controller_undo_process(c, &tar, &plan), -ENOENT);
        step(1000 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        controller_forgive(c, 0);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
}

TEST(a_restore_plans_all_and_what_fails_is_tried_again_when_asked) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        controller_plan_restore(c, OTHER, false, NULL, "test", &plan);
        CHECK_INT(plan.n_priorities, 0);
        controller_plan_restore(c, DEV, false, NULL, "test", &plan);
        CHECK_INT(plan.n_priorities, 1);
        commit(0, RECEIPT_FAILED);
        controller_plan_restore(c, 0, false, NULL, "test", &plan);
        CHECK_INT(plan.n_priorities, 0); /* ends */
        CHECK(find(4711)->held);
        controller_retry(c, 0);
        controller_plan_restore(c, 0, false, NULL, "test", &plan);
        CHECK_INT(plan.n_priorities, 1);
        commit(0, RECEIPT_RESTORED);
        controller_plan_restore(c, 0, false, NULL, "test", &plan);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(a_drive_that_is_gone_keeps_no_process_back) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        controller_remove_device(c, DEV);
        in.n_verdicts = 0;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
}

TEST(the_table_has_a_bound_that_is_counted_and_old_entries_make_room) {
        begin(SCHEDULER_BFQ);
        for (int32_t i = 0; i < 150; i++)
                add_bulk(DEV, 1000 + i);
        step(0);
        CHECK_INT(plan.n_priorities, PLAN_PRIORITIES_MAX);
        for (size_t i = 0; i < plan.n_priorities; i++)
                commit(i, RECEIPT_APPLIED);
        step(NSEC_PER_SEC);
        for (size_t i = 0; i < plan.n_priorities; i++)
                commit(i, RECEIPT_APPLIED);
        CHECK_INT(c->processes_refused, 2 * (150 - CONTROLLER_PROCESSES_MAX));
        begin(SCHEDULER_BFQ);
        for (int32_t i = 0; i < CONTROLLER_PROCESSES_MAX; i++) {
                in.n_verdicts = 0;
                add_bulk(DEV, 1000 + i);
                step(NSEC_PER_SEC);
                commit(0, RECEIPT_FOREIGN);
        }
        in.n_verdicts = 0;
        add_bulk(DEV, 5000);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK(!find(1000)); /* of no interest for longest */
        CHECK(find(1001));
}

TEST(priorities_read_as_people_write_them) {
        char text[IO_PRIORITY_TEXT_MAX];

        CHECK_STR(io_priority_format(0, text, sizeof(text)), "none");
        CHECK_STR(io_priority_format(4, text, sizeof(text)), "none"); /* as kernels before 5.15 tell it */
        CHECK_STR(io_priority_format(BE_7, text, sizeof(text)), "BE/7");
        CHECK_STR(io_priority_format(BE_7 | 3 << 3, text, sizeof(text)), "BE/7"); /* with a hint for the drive */
        CHECK_STR(io_priority_format(IO_PRIORITY(IO_CLASS_REALTIME, 0), text, sizeof(text)), "RT/0");
        CHECK_STR(io_priority_format(IO_PRIORITY(IO_CLASS_IDLE, 3), text, sizeof(text)), "idle");
        CHECK_STR(io_priority_format(IO_PRIORITY(5, 0), text, sizeof(text)), "40960");
        CHECK(io_priority_same(0, 4));
        CHECK(!io_priority_same(BE_7, BE_7 | 3 << 3));
}

static void add_process(int32_t tgid, const char *name) {
        struct process_view *p = &snapshot.processes[snapshot.n_processes++];

        *p = (struct process_view) { .tgid = tgid, .start_ticks = (uint64_t) tgid * 10, .dev = DEV, .uid = PROCESS_UID_UNKNOWN, .last_io = in.now };
        memcpy(p->name, name, strlen(name));
}

static void rule(const char *program, enum program_rule r) {
        CHECK_INT(policy_programs_set(&policy.step_back.programs, program, r, (struct policy_source) { .line = 1 }), 0);
}

TEST(a_program_with_the_rule_never_does_not_step_back_and_others_do) {
        begin(SCHEDULER_BFQ);
        rule("tar", PROGRAM_NEVER);
        add_bulk(DEV, 4711);
        add_bulk(DEV, 4712);
        memcpy(verdicts[1].subject.name, "cp", 3);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].process.tgid, 4712);
}

TEST(a_program_that_is_never_to_be_slowed_down_from_now_on_gets_its_priority_back_at_once_with_the_reason) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        rule("tar", PROGRAM_NEVER);
        step(NSEC_PER_SEC / 4);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_STR(told(plan.priorities[0].reason), "its program has a rule never to be slowed down");
}

TEST(a_program_with_the_rule_always_steps_back_at_once_however_little_it_moves) {
        begin(SCHEDULER_BFQ);
        rule("updatedb", PROGRAM_ALWAYS);
        add_process(4711, "updatedb");
        add_process(4712, "tar");
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].process.tgid, 4711);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        CHECK_INT(plan.priorities[0].law, LAW_STEP_BACK);
        CHECK_STR(told(plan.priorities[0].reason),
                  "updatedb has a rule to wait for others; while a user is at the machine it steps back to BE/7, and bfq serves others first");
        commit(0, RECEIPT_APPLIED);
        step(20 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0); /* as long as the rule stands */
        rule("updatedb", PROGRAM_UNRULED);
        step(NSEC_PER_SEC);
        step(5 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        commit(0, RECEIPT_RESTORED);
        rule("updatedb", PROGRAM_ALWAYS);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1); /* without a pause: a person wants it */
}

TEST(a_program_with_the_rule_always_stays_back_between_what_it_reads_until_a_minute_was_quiet) {
        begin(SCHEDULER_BFQ);
        rule("updatedb", PROGRAM_ALWAYS);
        add_process(4711, "updatedb");
        step(0);
        commit(0, RECEIPT_APPLIED);
        for (int i = 0; i < 60; i++) {
                step(NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 0);
        }
        for (int i = 0; i < 10 && plan.n_priorities == 0; i++)
                step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        commit(0, RECEIPT_RESTORED);
        snapshot.processes[0].last_io = in.now;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1); /* at once, without a pause */
        CHECK_INT(plan.priorities[0].action, CHANGE_SET);
}

TEST(a_bulk_process_of_a_program_with_the_rule_always_has_that_reason) {
        struct controller_stepped_back s;

        begin(SCHEDULER_BFQ);
        rule("tar", PROGRAM_ALWAYS);
        add_bulk(DEV, 4711);
        snapshot.processes[snapshot.n_processes++] = (struct process_view) { .tgid = 4711, .start_ticks = verdicts[0].subject.start_ticks, .name = "tar",
                                                                             .dev = DEV, .last_io = in.now };
        step(0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK(strstr(told(plan.priorities[0].reason), "tar has a rule to wait for others"));
        commit(0, RECEIPT_APPLIED);
        step(NSEC_PER_SEC);
        controller_describe_processes(c, DEV, &s);
        CHECK(strstr(told(s.laws[0].reason), "tar has a rule to wait for others"));
}

TEST(the_rule_always_takes_nothing_from_what_is_never_touched) {
        begin(SCHEDULER_BFQ);
        rule("mpv", PROGRAM_ALWAYS);
        add_process(4711, "mpv");
        add_verdict(VERDICT_SOFT_RT, DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
        in.n_verdicts = 0;
        snapshot.processes[0].in_start = true;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        snapshot.processes[0].in_start = false;
        in.hold = HOLD_THROUGHPUT;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        in.hold = HOLD_NONE;
        snapshot.presence = PRESENCE_NOBODY;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        snapshot.presence = PRESENCE_SOMEBODY;
        snapshot.processes[0].dev = OTHER;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        snapshot.processes[0].dev = DEV;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 1);
}

/* A user asks for 4711; NULL, or why not. */
static const char *lower(void) {
        const char *why = NULL;

        return controller_lower_process(c, &in, 4711, &plan, &why) == 0 ? NULL : why ? told(why) : "";
}

TEST(a_process_that_a_user_asked_for_steps_back_at_once_and_stays_so_whatever_it_does) {
        begin(SCHEDULER_BFQ);
        add_process(4711, "cp");
        snapshot.presence = PRESENCE_NOBODY;
        CHECK(!lower());
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_SET);
        CHECK_INT(plan.priorities[0].priority, BE_7);
        CHECK_STR(told(plan.priorities[0].reason), "a user asked that cp (4711) waits for others; it steps back to BE/7, and bfq serves others first");
        commit(0, RECEIPT_APPLIED);
        snapshot.n_processes = 0;
        in.hold = HOLD_THROUGHPUT;
        for (int i = 0; i < 100; i++) {
                step(NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 0);
        }
        controller_plan_restore(c, 0, false, NULL, "briod ends", &plan);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        commit(0, RECEIPT_RESTORED);
        step(10 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
}

TEST(a_bulk_process_that_a_user_asked_for_stays_back_when_it_is_bulk_no_longer) {
        begin(SCHEDULER_BFQ);
        CHECK(step_back());
        snapshot.processes[snapshot.n_processes++] = (struct process_view) { .tgid = 4711, .start_ticks = 47110, .name = "tar", .dev = DEV };
        CHECK(!lower());
        CHECK_INT(plan.n_priorities, 2); /* it has already: now for that reason */
        CHECK_INT(plan.priorities[0].action, CHANGE_RESTORE);
        CHECK_INT(plan.priorities[1].action, CHANGE_SET);
        commit(0, RECEIPT_RESTORED);
        commit(1, RECEIPT_APPLIED);
        in.n_verdicts = 0;
        for (int i = 0; i < 20; i++) {
                step(NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 0);
        }
        CHECK(strstr(told(find(4711)->reason), "a user asked that tar (4711) waits"));
}

TEST(one_that_a_user_asked_for_is_let_go_by_undo_and_may_be_asked_for_again) {
        const struct subject s = process(4711);

        begin(SCHEDULER_BFQ);
        add_process(4711, "tar");
        CHECK(!lower());
        commit(0, RECEIPT_APPLIED);
        CHECK_INT(controller_undo_process(c, &s, &plan), 0);
        commit(0, RECEIPT_RESTORED);
        step(10 * NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK(!lower());
        CHECK_INT(plan.n_priorities, 1);
}

TEST(one_that_a_user_asked_for_gets_what_the_scheduler_of_each_drive_needs) {
        begin(SCHEDULER_BFQ);
        add_drive(OTHER, SCHEDULER_MQ_DEADLINE);
        add_process(4711, "tar");
        CHECK(!lower());
        commit(0, RECEIPT_APPLIED);
        snapshot.processes[0].dev = OTHER;
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 2);
        CHECK_INT(plan.priorities[1].priority, IO_PRIORITY(IO_CLASS_IDLE, 3));
        commit(0, RECEIPT_RESTORED);
        commit(1, RECEIPT_APPLIED);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 0);
        CHECK(find(4711)->asked);
}

TEST(one_that_a_user_asked_for_makes_more_room_for_a_start_and_stays_back_after_it) {
        begin(SCHEDULER_BFQ);
        policy.startup_guard.enabled = true;
        add_process(4711, "tar");
        CHECK(!lower());
        commit(0, RECEIPT_APPLIED);
        ((struct controller_process *) find(4711))->law = LAW_STARTUP_GUARD; /* as its wish leaves it */
        ((struct controller_process *) find(4711))->wanted = IO_PRIORITY(IO_CLASS_IDLE, 3);
        step(NSEC_PER_SEC);
        CHECK_INT(plan.n_priorities, 2);
        CHECK_INT(plan.priorities[1].priority, BE_7);
        CHECK_INT(plan.priorities[1].law, LAW_STEP_BACK);
}

TEST(a_users_asking_takes_nothing_from_what_never_steps_back_and_says_why) {
        begin(SCHEDULER_BFQ);
        CHECK_STR(lower(), ""); /* not there */
        add_process(4711, "mpv");
        in.mode = MODE_OFF;
        CHECK_STR(lower(), "The mode is off");
        in.mode = MODE_ADVISE;
        in.hold = HOLD_PAUSE;
        CHECK_STR(lower(), "A hold asks for a pause");
        in.hold = HOLD_NONE;
        add_verdict(VERDICT_SOFT_RT, DEV, 4711);
        CHECK_STR(lower(), "it starts or plays something: a user waits for it");
        in.n_verdicts = 0;
        rule("mpv", PROGRAM_NEVER);
        CHECK_STR(lower(), "its program has a rule never to be slowed down");
        rule("mpv", PROGRAM_UNRULED);
        policy.step_back.enabled = false;
        CHECK_STR(lower(), "no policy of its drive lets processes step back");
        policy.step_back.enabled = true;
        snapshot.processes[0].dev = OTHER;
        CHECK_STR(lower(), "no policy of its drive lets processes step back");
        add_drive(OTHER, SCHEDULER_KYBER);
        CHECK_STR(lower(), "the scheduler of its drive looks at no priority");
        snapshot.processes[0].dev = DEV;
        CHECK(!lower()); /* written in advise, too: it was asked for */
        CHECK(!plan.priorities[0].advice);
}

TEST(one_that_a_user_asked_for_and_that_is_refused_or_given_back_is_not_asked_for_any_more) {
        for (int i = 0; i < 2; i++) {
                begin(SCHEDULER_BFQ);
                add_process(4711, "tar");
                CHECK(!lower());
                commit(0, i ? RECEIPT_APPLIED : RECEIPT_REFUSED);
                if (i) { /* it came to the foreground of its terminal */
                        struct receipt r = { .dev = DEV, .process = process(4711), .law = LAW_RESTORE, .result = RECEIPT_RESTORED, .t = in.now };
                        controller_commit(c, &r);
                }
                step(10 * NSEC_PER_SEC);
                CHECK_INT(plan.n_priorities, 0);
        }
}

TEST(what_a_policy_says_of_a_program_is_stronger_than_what_was_set_beside_it) {
        static struct policy_programs kept;

        begin(SCHEDULER_BFQ);
        kept = (struct policy_programs) { .n = 0 };
        policy.step_back.kept = &kept;
        CHECK_INT(policy_programs_set(&kept, "tar", PROGRAM_NEVER, (struct policy_source) { 0 }), 0);
        add_bulk(DEV, 4711);
        step(0);
        CHECK_INT(plan.n_priorities, 0);
        rule("tar", PROGRAM_ALWAYS);
        step(0);
        CHECK_INT(plan.n_priorities, 1);
}

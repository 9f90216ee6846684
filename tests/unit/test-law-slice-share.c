/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law slice-share beside a stream that goes first: readers keep their turns. */
#include "facts.h"
#include "law.h"
#include "policy.h"
#include "test.h"
#include "told.h"

#define DRIVE 1
#define PLAYER 4711

static struct policy policy;
static struct controller_device device;
static struct snapshot snapshot;
static struct controller_input input;
static struct verdict shared;
static struct law_wish wishes[LAW_WISHES_MAX];

/* Ten readers of a disk under bfq, on which a player may go first. */
static void make_drive(void) {
        policy_init(&policy, "test", "test.conf");
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4, .floor_us = 60000 };
        policy.stream_guard.enabled = true;
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = SCHEDULER_BFQ, .rotational = true } };
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 124);
        snapshot = (struct snapshot){ .now = 100 * NSEC_PER_SEC, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = DRIVE, .readers = 10 };
        shared = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", 10, 3, "" } }, .sentence = "10 processes share the drive" };
        input = (struct controller_input){ .now = snapshot.now, .snapshot = &snapshot, .verdicts = &shared, .n_verdicts = 1 };
}

/* It reads 128 KiB every 125 ms. */
static struct stream_view *add_player(enum stream_state state) {
        struct stream_view *s = &snapshot.streams[snapshot.n_streams++];

        *s = (struct stream_view){ .state = state, .dev = DRIVE, .tgid = PLAYER, .start_ticks = 7, .name = "mpv",
                                   .figures = { .bytes_per_s = 1048576, .period_us = 125000, .regularity_permille = 1000 } };
        snapshot.processes[snapshot.n_processes++] = (struct process_view){ .tgid = PLAYER, .start_ticks = 7, .dev = DRIVE, .requests = { .told = true } };
        return s;
}

static void hold_short_turns(void) {
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 60);
        device.tunables[TUNABLE_BFQ_TIMEOUT_SYNC] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_SLICE_SHARE, .original_known = true, .original = 124, .wanted = 60 };
}

/* What the law wants timeout_sync to be; -1: nothing. */
static int64_t hear(void) {
        wishes[0] = (struct law_wish){ 0 };
        return law_slice_share(&(struct law_input){ .d = &device, .in = &input, .view = &snapshot.devices[0], .v = &shared, .n = 1 }, wishes) == 1 ? wishes[0].value : -1;
}

TEST(readers_keep_their_turns_beside_a_stream_that_goes_first) {
        make_drive();
        CHECK_INT(hear(), 60);
        CHECK(!wishes[0].spares);
        add_player(STREAM_IS);
        CHECK_INT(hear(), 124);
        CHECK(wishes[0].spares && !wishes[0].at_once && !wishes[0].costs_throughput);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1.0 MB/s in a rhythm of 125 ms (100 % regular); bfq serves it out of turn, so that shorter turns gain nothing: "
                                      "timeout_sync = base 124");
}

TEST(turns_that_were_short_before_a_stream_came_are_given_back_at_once) {
        make_drive();
        hold_short_turns();
        add_player(STREAM_IS);
        CHECK_INT(hear(), 124);
        CHECK(wishes[0].at_once);
}

TEST(a_process_that_has_lacked_only_time_to_be_a_stream_for_a_second_has_turns_left_alone_for_it) {
        struct stream_view *s;

        make_drive();
        s = add_player(STREAM_NEAR_MISS);
        s->figures.flaw = RHYTHM_TOO_SHORT;
        s->figures.value = 1000000;
        CHECK_INT(hear(), 124);
        s->figures.value = 999999;
        CHECK_INT(hear(), 60);
        s->figures.value = 1000000;
        for (enum rhythm_flaw f = RHYTHM_TOO_FEW; f < RHYTHM_TOO_SHORT; f++) {
                s->figures.flaw = f;
                CHECK_INT(hear(), 60);
        }
}

TEST(beside_a_stream_that_does_not_go_first_turns_are_shared) {
        struct stream_view *s;

        make_drive();
        s = add_player(STREAM_IS);
        snapshot.processes[0].requests.served_permille = 501; /* it would take too much */
        CHECK_INT(hear(), 60);
        snapshot.processes[0].requests.served_permille = 0;
        policy.stream_guard.enabled = false;
        CHECK_INT(hear(), 60);
        policy.stream_guard.enabled = true;
        s->writes = true; /* what a recorder writes waits for no turn of a reader's */
        CHECK_INT(hear(), 60);
        s->writes = false;
        s->dev = DRIVE + 1;
        CHECK_INT(hear(), 60);
        s->dev = DRIVE;
        CHECK_INT(hear(), 124);
}

TEST(what_a_start_was_given_is_not_taken_back_for_a_stream) {
        make_drive();
        add_player(STREAM_IS);
        hold_short_turns();
        device.tunables[TUNABLE_BFQ_TIMEOUT_SYNC].law = LAW_STARTUP_GUARD;
        CHECK_INT(hear(), 124);
        CHECK(!wishes[0].at_once);
}

static struct plan plan;
static struct controller *c;

static void step(unsigned seconds) {
        input.now = snapshot.now = 100 * NSEC_PER_SEC + seconds * NSEC_PER_SEC;
        controller_step(c, &input, &plan);
        for (size_t i = 0; i < plan.n; i++) {
                const struct setting_change *change = &plan.changes[i];
                bool set = change->action == CHANGE_SET;
                struct receipt r = { .id = change->id, .dev = DRIVE, .tunable = change->tunable, .law = change->law, .t = input.now };
                r.result = set ? RECEIPT_APPLIED : RECEIPT_RESTORED;
                snprintf(r.old, sizeof(r.old), "%s", set ? "124" : "60");
                snprintf(r.wanted, sizeof(r.wanted), "%s", change->value);
                snprintf(r.observed, sizeof(r.observed), "%s", change->value);
                controller_commit(c, &r);
        }
}

/* Films and songs follow each other. */
TEST(between_two_streams_the_readers_turns_stay_as_they_are) {
        make_drive();
        policy.trial.enabled = false;
        c = controller_new();
        CHECK(c);
        CHECK_INT(controller_set_device(c, &device.facts, &policy), 0);
        step(0);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "60");
        add_player(STREAM_IS);
        step(1);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].action, CHANGE_RESTORE);
        CHECK_STR(plan.changes[0].value, "124");
        for (unsigned s = 2; s < 40; s++) {
                snapshot.n_streams = s < 30; /* it ends after the 29th second */
                step(s);
                if (plan.n > 0)
                        break;
                CHECK(s < 29 + policy.hold_us / USEC_PER_SEC);
        }
        CHECK_INT(input.now, 134 * NSEC_PER_SEC);
        CHECK_INT(plan.n, 1);
        CHECK_STR(plan.changes[0].value, "60");
        c = controller_free(c);
}

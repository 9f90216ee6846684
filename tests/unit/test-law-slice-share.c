/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law slice-share beside a stream: which readers gain by shorter turns. */
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

/* Ten readers of a disk under bfq, which raises the player. */
static void make_drive(void) {
        policy_init(&policy, "test", "test.conf");
        policy.slice_share = (struct policy_slice_share){ .enabled = true, .min_readers = 4, .floor_us = 60000 };
        device = (struct controller_device){ .used = true, .policy = &policy, .facts = { .dev = DRIVE, .scheduler = SCHEDULER_BFQ, .rotational = true } };
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 124);
        snapshot = (struct snapshot){ .now = 100 * NSEC_PER_SEC, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = DRIVE, .readers = 10, .settings = { .turns = true, .low_latency = true } };
        shared = (struct verdict){ .kind = VERDICT_SHARED, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", 10, 3, "" } }, .sentence = "10 processes share the drive" };
        input = (struct controller_input){ .now = snapshot.now, .snapshot = &snapshot, .verdicts = &shared, .n_verdicts = 1 };
}

/* It reads 128 KiB every 125 ms, and waits for no longer than wait_us for that. */
static struct stream_view *add_player(enum stream_state state, uint32_t wait_us) {
        struct stream_view *s = &snapshot.streams[snapshot.n_streams++];
        struct process_view *p = &snapshot.processes[snapshot.n_processes++];

        *s = (struct stream_view){ .state = state, .dev = DRIVE, .tgid = PLAYER, .start_ticks = 7, .name = "mpv", .since = 90 * NSEC_PER_SEC,
                                   .figures = { .bytes_per_s = 1048576, .period_us = 125000, .regularity_permille = 1000 } };
        *p = (struct process_view){ .tgid = PLAYER, .start_ticks = 7, .dev = DRIVE, .requests = { .told = true } };
        p->requests.latencies.wait[REQUEST_READ] = (struct latency_view){ .requests = 32, .longest_us = wait_us };
        return s;
}

static void hold_short_turns(nsec_t written) {
        facts_set(&device.facts, TUNABLE_BFQ_TIMEOUT_SYNC, 60);
        device.tunables[TUNABLE_BFQ_TIMEOUT_SYNC] =
                (struct controller_tunable){ .owner = OWNER_BRIO, .law = LAW_SLICE_SHARE, .original_known = true, .original = 124, .wanted = 60, .written = written };
}

/* What the law wants timeout_sync to be; -1: nothing. */
static int64_t hear(void) {
        wishes[0] = (struct law_wish){ 0 };
        return law_slice_share(&(struct law_input){ .d = &device, .in = &input, .view = &snapshot.devices[0], .v = &shared, .n = 1 }, wishes) == 1 ? wishes[0].value : -1;
}

TEST(readers_keep_their_turns_beside_a_stream_that_bfq_serves_well) {
        make_drive();
        CHECK_INT(hear(), 60);
        CHECK(!wishes[0].spares);
        add_player(STREAM_IS, 89000);
        CHECK_INT(hear(), 124);
        CHECK(wishes[0].spares && !wishes[0].at_once && !wishes[0].costs_throughput);
        CHECK_STR(told(wishes[0].sentence), "mpv (4711) reads 1.0 MB/s in a rhythm of 125 ms (100 % regular); bfq serves it out of turn, so that shorter turns gain nothing: "
                                      "timeout_sync = base 124");
        snapshot.n_processes = 0; /* what it waits is not told */
        CHECK_INT(hear(), 124);
}

TEST(turns_that_were_short_before_a_stream_came_are_given_back_at_once) {
        make_drive();
        hold_short_turns(80 * NSEC_PER_SEC);
        add_player(STREAM_IS, 2000000); /* with them, so that it says nothing of what it would wait without */
        CHECK_INT(hear(), 124);
        CHECK(wishes[0].at_once);
}

TEST(a_process_that_lacks_only_time_to_be_a_stream_has_turns_left_alone_for_it) {
        struct stream_view *s;

        make_drive();
        s = add_player(STREAM_NEAR_MISS, 2000000);
        s->figures.flaw = RHYTHM_TOO_SHORT;
        CHECK_INT(hear(), 124);
        for (enum rhythm_flaw f = RHYTHM_TOO_FEW; f < RHYTHM_TOO_SHORT; f++) {
                s->figures.flaw = f;
                CHECK_INT(hear(), 60);
        }
}

TEST(a_stream_that_waits_for_longer_than_its_period_and_a_round_of_short_turns_gains_by_them) {
        struct stream_view *s;

        make_drive();
        s = add_player(STREAM_IS, 600000); /* ten turns of 60 ms */
        CHECK_INT(hear(), 124);
        snapshot.processes[0].requests.latencies.wait[REQUEST_READ].longest_us++;
        CHECK_INT(hear(), 60);
        CHECK(wishes[0].costs_throughput && !wishes[0].spares && !wishes[0].at_once);
        s->figures.period_us = 700000;
        CHECK_INT(hear(), 124);
        s->figures.period_us = 125000;
        snapshot.processes[0].requests.latencies.wait[REQUEST_READ].longest_us = 89000;
        hold_short_turns(95 * NSEC_PER_SEC); /* because of it, and they serve it well */
        CHECK_INT(hear(), 60);
}

TEST(one_of_two_streams_that_waits_is_enough) {
        make_drive();
        add_player(STREAM_IS, 89000);
        add_player(STREAM_IS, 700000);
        snapshot.streams[1].tgid = snapshot.processes[1].tgid = PLAYER + 1;
        CHECK_INT(hear(), 60);
}

TEST(where_bfq_raises_no_stream_or_none_reads_there_turns_are_shared) {
        struct stream_view *s;

        make_drive();
        s = add_player(STREAM_IS, 89000);
        snapshot.devices[0].settings.low_latency = false;
        CHECK_INT(hear(), 60);
        snapshot.devices[0].settings = (struct drive_settings){ .low_latency = true };
        CHECK_INT(hear(), 60);
        snapshot.devices[0].settings.turns = true;
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
        add_player(STREAM_IS, 89000);
        hold_short_turns(80 * NSEC_PER_SEC);
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
        add_player(STREAM_IS, 89000)->since = 101 * NSEC_PER_SEC;
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "replay.h"
#include "test.h"

#define DEV DEV_NUMBER(8, 0)
#define READERS 150
#define SECOND NSEC_PER_SEC
#define DRIVE "name=sda\ndevice=8:0\nclass=hdd\nrotational=1\nqueue_depth=1\nscheduler=%s\nschedulers=none,mq-deadline,bfq\n"

/* What was told: the last of each kind, and how many of them. */
static struct {
        unsigned n[REPLAY_STREAM_SUMMARY + 1];
        nsec_t t[REPLAY_STREAM_SUMMARY + 1];
        enum tunable_id tunable;
        char first_old[TUNABLE_VALUE_MAX], first_new[TUNABLE_VALUE_MAX], last_new[TUNABLE_VALUE_MAX], policy[POLICY_NAME_MAX];
} told;

static void take_note(void *userdata, const struct replay_note *note) {
        (void) userdata;
        told.t[note->kind] = note->t;
        told.n[note->kind]++;
        if (note->kind == REPLAY_DRIVE)
                snprintf(told.policy, sizeof(told.policy), "%s", note->policy ? note->policy->name : "none");
        if (note->kind != REPLAY_CHANGE || note->change->tunable != told.tunable)
                return;
        if (!*told.first_new) {
                snprintf(told.first_old, sizeof(told.first_old), "%s", note->old);
                snprintf(told.first_new, sizeof(told.first_new), "%s", note->change->value);
        }
        snprintf(told.last_new, sizeof(told.last_new), "%s", note->change->value);
}

static struct policy policy;
static struct replay *replay;

static void begin(enum tunable_id tunable) {
        memset(&told, 0, sizeof(told));
        told.tunable = tunable;
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit.enabled = true;
        replay = replay_new(&policy, 1, take_note, NULL);
}

static void drive(const char *scheduler) {
        char text[512];

        snprintf(text, sizeof(text), DRIVE, scheduler);
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_DRIVE, .text = text });
}

static void event(struct event e) {
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_EVENT, .t = e.t, .event = e });
}

static void tick(nsec_t t, enum hold hold) {
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_TICK, .t = t, .hold = (uint8_t) hold });
}

/* A look at a drive, a quarter of a second after the last one: with so many readers, or idle. */
static void look(nsec_t t, unsigned readers, enum hold hold) {
        event((struct event){ .t = t, .kind = EVENT_DEVICE_STAT, .dev = DEV,
                .device_stat = { .span_us = 250000, .reads = readers, .read_sectors = 8 * readers, .read_ms = 100 * readers, .inflight = readers } });
        for (unsigned i = 0; i < readers; i++)
                event((struct event){ .t = t, .kind = EVENT_PROCESS_IO, .dev = DEV, .tgid = 100 + (int) i,
                        .process_io = { .start_ticks = 1, .span_us = 250000, .read_bytes = 4096 } });
        tick(t, hold);
}

static void load(nsec_t from, nsec_t to, unsigned readers, enum hold hold) {
        for (nsec_t t = from; t < to; t += SECOND / 4)
                look(t, readers, hold);
}

TEST(a_load_is_found_set_for_and_let_go_of) {
        struct replay_summary s;

        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        drive("bfq"); /* its settings are not told: the kernel's */
        CHECK_STR(told.policy, "test");
        load(100 * SECOND, 103 * SECOND, 0, HOLD_NONE);
        CHECK_INT(told.n[REPLAY_VERDICT_BEGINS], 0);
        load(103 * SECOND, 106 * SECOND, READERS, HOLD_NONE);
        CHECK(told.n[REPLAY_VERDICT_BEGINS] >= 1);
        CHECK(told.t[REPLAY_VERDICT_BEGINS] >= 3 * SECOND && told.t[REPLAY_VERDICT_BEGINS] < 4 * SECOND); /* since the first event */
        CHECK_STR(told.first_old, "8000");
        CHECK(strcmp(told.first_new, "8000") != 0);
        load(106 * SECOND, 130 * SECOND, 0, HOLD_NONE);
        CHECK_INT(told.n[REPLAY_VERDICT_ENDS], told.n[REPLAY_VERDICT_BEGINS]);
        CHECK_STR(told.last_new, "8000");
        replay_summarize(replay, &s);
        CHECK_INT(s.span, 30 * SECOND - SECOND / 4);
        CHECK_INT(s.ticks, 120);
        CHECK_INT(s.verdicts, told.n[REPLAY_VERDICT_BEGINS]);
        CHECK_INT(s.changes, told.n[REPLAY_CHANGE]);
        CHECK_INT(s.lost_events, 0);
        replay = replay_free(replay);
}

/* Without what the daemon remembered, a replay would set what the daemon left alone. */
TEST(what_the_daemon_remembered_of_such_drives_decides_in_a_replay_too) {
        static const char outcome[] = "device=8:0\nscheduler=bfq\nlaw=idle-limit\nworkload=many-sync\nresult=worse\nmeasure=mean read\nleft_usec=3600000000\n"
                                      "change=slice_idle_us 8000 → 2000 µs\nbefore=80000\nafter=300000\nsamples_before=24\nsamples_after=12\n"
                                      "confidence_permille=999\nreverts=1\n";

        for (unsigned remembered = 0; remembered < 2; remembered++) {
                begin(TUNABLE_BFQ_SLICE_IDLE_US);
                policy.trial.enabled = true;
                drive("bfq");
                if (remembered)
                        replay_take(replay, &(struct recording_item){ .kind = RECORDING_OUTCOME, .t = 100 * SECOND, .text = outcome });
                load(100 * SECOND, 106 * SECOND, READERS, HOLD_NONE);
                CHECK_INT(told.n[REPLAY_CHANGE] == 0, remembered);
                replay = replay_free(replay);
        }
}

/* A request that is told, one that is lost, and processes that /proc shows. */
static void replay_requests(bool proc_only, struct replay_summary *ret) {
        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        if (proc_only)
                replay_set_proc_only(replay);
        drive("bfq");
        event((struct event){ .t = 100 * SECOND, .kind = EVENT_WATCH, .dev = DEV, .watch = { .on = true, .rotational = true } });
        event((struct event){ .t = 100 * SECOND, .kind = EVENT_REQUEST_COMPLETE, .dev = DEV, .request = { .sector = 8, .sectors = 8 } });
        event((struct event){ .t = 100 * SECOND, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .dev = DEV, .lost = { .count = 1 } });
        look(101 * SECOND, READERS, HOLD_NONE);
        replay_summarize(replay, ret);
        replay = replay_free(replay);
}

TEST(from_proc_alone_single_requests_are_passed_over_and_processes_are_not) {
        struct replay_summary s;

        replay_requests(false, &s);
        CHECK_INT(s.model.requests_unmatched, 1);
        CHECK_INT(s.lost_events, 1);
        CHECK(told.n[REPLAY_VERDICT_BEGINS] >= 1);
        replay_requests(true, &s);
        CHECK_INT(s.model.requests_unmatched, 0);
        CHECK_INT(s.lost_events, 0);
        CHECK(told.n[REPLAY_VERDICT_BEGINS] >= 1);
}

TEST(a_recorded_pause_is_kept) {
        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        drive("bfq");
        load(100 * SECOND, 103 * SECOND, READERS, HOLD_PAUSE);
        CHECK(told.n[REPLAY_VERDICT_BEGINS] >= 1);
        CHECK_INT(told.n[REPLAY_CHANGE], 0);
        load(103 * SECOND, 104 * SECOND, READERS, HOLD_NONE);
        CHECK(told.n[REPLAY_CHANGE] > 0);
        replay = replay_free(replay);
}

TEST(a_sentence_that_moves_is_told_once_a_second) {
        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        drive("bfq");
        for (unsigned i = 0; i < 40; i++)
                look(100 * SECOND + i * SECOND / 4, READERS + i, HOLD_NONE);
        CHECK(told.n[REPLAY_VERDICT_CHANGES] > 0);
        CHECK(told.n[REPLAY_VERDICT_CHANGES] <= 10 * told.n[REPLAY_VERDICT_BEGINS]);
        replay = replay_free(replay);
}

TEST(a_scheduler_that_is_switched_to_has_the_settings_of_the_kernel) {
        begin(TUNABLE_QUEUE_SCHEDULER);
        policy.n_schedulers = 1;
        policy.schedulers[0] = SCHEDULER_BFQ;
        policy.switch_quiet_us = 1000000;
        drive("mq-deadline");
        load(100 * SECOND, 105 * SECOND, 0, HOLD_NONE);
        CHECK_STR(told.first_old, "mq-deadline");
        CHECK_STR(told.first_new, "bfq");
        told.tunable = TUNABLE_BFQ_SLICE_IDLE_US;
        *told.first_new = '\0';
        drive("mq-deadline"); /* recorded without Brio: what was set here stands */
        load(105 * SECOND, 108 * SECOND, READERS, HOLD_NONE);
        CHECK_STR(told.first_old, "8000");
        replay = replay_free(replay);
}

TEST(a_drive_without_a_policy_is_only_watched) {
        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        policy.classes = 0;
        drive("bfq");
        CHECK_STR(told.policy, "none");
        load(100 * SECOND, 103 * SECOND, READERS, HOLD_NONE);
        CHECK(told.n[REPLAY_VERDICT_BEGINS] >= 1);
        CHECK_INT(told.n[REPLAY_CHANGE], 0);
        replay = replay_free(replay);
}

TEST(a_drive_that_is_gone_ends_its_verdicts) {
        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        drive("bfq");
        load(100 * SECOND, 103 * SECOND, READERS, HOLD_NONE);
        event((struct event){ .t = 103 * SECOND, .kind = EVENT_DEVICE_GONE, .dev = DEV });
        tick(103 * SECOND, HOLD_NONE);
        CHECK_INT(told.n[REPLAY_VERDICT_ENDS], told.n[REPLAY_VERDICT_BEGINS]);
        drive("bfq");
        CHECK_INT(told.n[REPLAY_DRIVE], 2);
        replay = replay_free(replay);
}

TEST(what_makes_no_sense_is_counted) {
        struct replay_summary s;

        begin(TUNABLE_BFQ_SLICE_IDLE_US);
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_DRIVE, .text = "nonsense\n" });
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_ENVIRONMENT, .text = "" });
        event((struct event){ .t = 5, .kind = EVENT_LOST, .lost.count = 17 });
        event((struct event){ .t = 5, .kind = EVENT_PROCESS_IO });
        replay_take(replay, &(struct recording_item){ .kind = RECORDING_TICK, .t = 6, .hold = 200 });
        replay_summarize(replay, &s);
        CHECK_INT(s.drives_refused, 1);
        CHECK_INT(s.lost_events, 17);
        CHECK_INT(s.model.invalid, 1);
        CHECK_INT(s.ticks, 1);
        replay = replay_free(replay);
}

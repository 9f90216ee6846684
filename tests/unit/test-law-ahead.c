/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law idle-limit while the drive is quiet, and as the first load comes: what it sets, and when that goes back. */
#include "controller.h"
#include "facts.h"
#include "test.h"
#include "str.h"
#include "told.h"

#define DRIVE 0x800000u
#define SEC NSEC_PER_SEC
#define IDLE TUNABLE_BFQ_SLICE_IDLE_US
#define LOOK_S 0.25

static struct controller *c;
static struct policy policy;
static struct snapshot snapshot;
static struct verdict verdict;
static struct controller_input in;
static struct plan plan;
static unsigned writes;

static void use_drive(enum tunable_id id, enum scheduler scheduler, int64_t base) {
        struct device_facts facts = { .dev = DRIVE, .name = "sda", .class = DEVICE_CLASS_HDD, .scheduler = scheduler, .rotational = true, .queue_depth = 32 };

        facts_set(&facts, TUNABLE_QUEUE_SCHEDULER, scheduler);
        facts_set(&facts, id, base);
        if (controller_set_device(c, &facts, &policy) < 0)
                abort();
}

static void setup(void) {
        c = controller_new();
        writes = 0;
        policy_init(&policy, "hdd", "hdd.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.idle_limit = (struct policy_idle_limit){ .enabled = true, .group_slice_us = 300000, .min_readers = 8, .shortest_wait_us = 8000, .ahead = true };
        use_drive(IDLE, SCHEDULER_BFQ, 8000);
        snapshot = (struct snapshot){ .n_devices = 1, .devices = { { .dev = DRIVE } } };
        in = (struct controller_input){ .now = 1000 * SEC, .mode = MODE_AUTO, .snapshot = &snapshot, .verdicts = &verdict };
}

static void teardown(void) {
        c = controller_free(c);
}

static void step(double seconds) {
        in.now += (nsec_t) (seconds * NSEC_PER_SEC);
        snapshot.now = in.now;
        controller_step(c, &in, &plan);
        for (size_t i = 0; i < plan.n; i++) {
                const struct setting_change *change = &plan.changes[i];
                struct receipt r = { .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .t = in.now,
                                     .result = change->action == CHANGE_RESTORE ? RECEIPT_RESTORED : RECEIPT_APPLIED };
                str_copy(r.wanted, sizeof(r.wanted), change->value);
                str_copy(r.observed, sizeof(r.observed), change->value);
                writes += change->action == CHANGE_SET;
                controller_commit(c, &r);
        }
}

static void rest(double seconds) {
        snapshot.devices[0].busy_since = 0;
        snapshot.devices[0].idle_since = in.now;
        in.n_verdicts = 0;
        step(seconds);
}

static void use(void) {
        snapshot.devices[0].busy_since = in.now;
        snapshot.devices[0].idle_since = 0;
}

static void find(enum verdict_kind kind, int64_t readers) {
        verdict = (struct verdict){ .kind = kind, .dev = DRIVE, .n_evidence = 1, .evidence = { { "readers", readers, 16, "" } }, .sentence = "they read" };
        in.n_verdicts = 1;
}

static bool stands(void) {
        const struct controller_tunable *t = &controller_find_device(c, DRIVE)->tunables[IDLE];

        return t->owner == OWNER_BRIO && t->law == LAW_IDLE_LIMIT && t->wanted == 0;
}

TEST(on_a_quiet_drive_there_is_no_wait) {
        setup();
        rest(1.9);
        CHECK_INT(plan.n, 0);
        rest(2);
        CHECK_INT(plan.n, 1);
        CHECK_INT(plan.changes[0].law, LAW_IDLE_LIMIT);
        CHECK_STR(plan.changes[0].value, "0");
        CHECK(strstr(told(plan.changes[0].reason), "the drive is quiet"));
        rest(600);
        CHECK(stands());
        CHECK_INT(writes, 1);
        teardown();
}

TEST(a_crowd_that_comes_to_a_quiet_drive_finds_no_wait) {
        setup();
        rest(2);
        use();
        for (double s = 0; s < 0.9; s += LOOK_S) { /* it is not known yet */
                step(LOOK_S);
                CHECK(stands());
        }
        find(VERDICT_MANY_SYNC, 200);
        for (double s = 0; s < 60; s += LOOK_S)
                step(LOOK_S);
        CHECK(stands());
        CHECK_INT(writes, 1);
        teardown();
}

TEST(a_second_after_a_load_that_is_no_crowd_began_the_wait_is_back) {
        setup();
        rest(2);
        use();
        find(VERDICT_SHARED, 10);
        for (double s = 0; s < 0.9; s += LOOK_S)
                step(LOOK_S);
        CHECK(stands());
        step(LOOK_S); /* no law wants it */
        step(LOOK_S);
        CHECK(!stands());
        for (double s = 0; s < 60; s += LOOK_S) {
                step(LOOK_S);
                CHECK_INT(plan.n, 0);
        }
        teardown();
}

TEST(at_the_next_look_a_start_and_a_stream_have_the_wait_back) {
        static const enum verdict_kind kinds[] = { VERDICT_STARTUP, VERDICT_SOFT_RT };

        for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
                setup();
                rest(2);
                CHECK(stands());
                use();
                find(kinds[i], 0);
                step(0.02);
                step(0.02);
                CHECK(!stands());
                rest(1);
                CHECK(!stands());
                rest(2);
                CHECK(stands());
                teardown();
        }
}

TEST(a_hold_on_throughput_makes_no_start_wait_longer_for_the_wait) {
        setup();
        in.hold = HOLD_THROUGHPUT;
        rest(2);
        CHECK(stands());
        use();
        find(VERDICT_STARTUP, 0);
        step(0.02);
        step(0.02);
        CHECK(!stands());
        teardown();
}

TEST(half_of_the_changes_of_an_hour_are_left_for_loads) {
        setup();
        policy.changes_per_hour = 10;
        for (unsigned i = 0; i < 20; i++) {
                rest(2);
                use();
                step(2);
                step(LOOK_S);
        }
        CHECK_INT(writes, 5);
        find(VERDICT_MANY_SYNC, 200);
        step(LOOK_S);
        CHECK(stands());
        CHECK_INT(writes, 6);
        teardown();
}

TEST(nothing_is_set_ahead_where_the_policy_says_so_or_the_wait_is_short_by_choice) {
        setup();
        policy.idle_limit.ahead = false;
        rest(10);
        CHECK_INT(writes, 0);
        policy.idle_limit.ahead = true;
        use_drive(IDLE, SCHEDULER_BFQ, 2000); /* below ShortestWait */
        rest(10);
        CHECK_INT(writes, 0);
        use_drive(TUNABLE_MQ_DEADLINE_READ_EXPIRE, SCHEDULER_MQ_DEADLINE, 500); /* no wait at all */
        rest(10);
        CHECK_INT(writes, 0);
        use_drive(TUNABLE_CFQ_SLICE_IDLE, SCHEDULER_CFQ, 8); /* in milliseconds, as before Linux 4.8 */
        rest(10);
        CHECK_INT(writes, 1);
        CHECK_INT(plan.changes[0].tunable, TUNABLE_CFQ_SLICE_IDLE);
        teardown();
}

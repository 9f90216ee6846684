/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law startup-guard: the starts that are left to bfq, which serves them first by itself. */
#include "detect.h"
#include "law.h"
#include "test.h"

#define DEV DEV_NUMBER(8, 0)
#define OTHER DEV_NUMBER(8, 16)
#define MIB (UINT64_C(1) << 20)

static struct policy policy;
static struct controller *c;
static struct snapshot snapshot;
static struct verdict verdicts[2];
static struct controller_input in;
static struct plan plan;

static void add_process(int32_t tgid) {
        snapshot.processes[snapshot.n_processes++] = (struct process_view){ .tgid = tgid, .start_ticks = (uint64_t) tgid, .name = "tar", .dev = DEV,
                                                                            .read_bytes_per_s = 6 * MIB,
                                                                            .moved = { { .bytes = 30 * MIB, .active_s = 5 } } };
}

/* A solid-state drive under bfq, and a start that began just now, beside two readers of the usual weight. */
static void begin_on_flash(uint32_t queue_depth) {
        struct device_facts facts = { .dev = DEV, .name = "sda", .class = DEVICE_CLASS_SSD, .queue_depth = queue_depth, .scheduler = SCHEDULER_BFQ };

        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_SSD;
        policy.startup_guard.enabled = true;
        controller_free(c);
        c = controller_new();
        controller_set_device(c, &facts, &policy);
        snapshot = (struct snapshot){ .presence = PRESENCE_NOBODY, .n_devices = 1 };
        snapshot.devices[0] = (struct device_view){ .dev = DEV, .utilisation_permille = 1000, .read_bytes_per_s = 60 * MIB,
                                                    .settings = { .low_latency = true, .slice_idle_us = 8000 } };
        in = (struct controller_input){ .now = 100 * NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = verdicts, .n_verdicts = 1 };
        verdicts[0] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DEV, .subject = { .tgid = 500, .start_ticks = 1, .name = "gedit" } };
        verdict_add(&verdicts[0], "latency", 40 * (int64_t) USEC_PER_MSEC, 0, "us");
        verdict_add(&verdicts[0], "processes", 1, 0, "");
        add_process(10);
        add_process(11);
}

static size_t wanted(void) {
        controller_step(c, &in, &plan);
        return plan.n_priorities;
}

static void check_left_to_bfq(bool expected) {
        CHECK_INT(wanted(), expected ? 0 : 2);
        CHECK(law_startup_guard_leaves(c, &c->devices[0], &in) == expected);
}

TEST(where_bfq_waits_for_no_other_process_a_start_that_it_raises_is_left_to_it) {
        begin_on_flash(32);
        check_left_to_bfq(true);
        begin_on_flash(0); /* not told: most take several */
        check_left_to_bfq(true);
        begin_on_flash(1); /* there it waits for each reader in turn, as on a disk */
        check_left_to_bfq(false);
        begin_on_flash(32);
        snapshot.devices[0].settings.slice_idle_us = 0; /* for no reader at all */
        check_left_to_bfq(false);
}

TEST(a_start_that_bfq_does_not_raise_is_guarded_on_any_drive) {
        begin_on_flash(32);
        snapshot.devices[0].settings.low_latency = false;
        check_left_to_bfq(false);
        begin_on_flash(32);
        verdicts[0].n_evidence = 0;
        verdict_add(&verdicts[0], "processes", 7, 0, "");
        check_left_to_bfq(true);
        verdicts[0].n_evidence = 0;
        verdict_add(&verdicts[0], "processes", 8, 0, ""); /* a large burst */
        check_left_to_bfq(false);
}

TEST(nor_is_one_left_that_takes_or_reads_more_than_bfq_raises_it_for) {
        static const struct {
                int64_t latency_ms;
                int64_t read_bytes;
                uint32_t raise_ms;
                bool left;
        } cases[] = {
                { 2999, 0, 0, true },
                { 3000, 0, 0, false },
                { 3000, 0, 3748, true }, /* as far as the drive is known */
                { 3748, 0, 3748, false },
                { 500, 120000 * 512 - 1, 0, true },
                { 500, 120000 * 512, 0, false },
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                begin_on_flash(32);
                snapshot.devices[0].requests.raise_ms = cases[i].raise_ms;
                verdicts[0].n_evidence = 0;
                verdict_add(&verdicts[0], "latency", cases[i].latency_ms * (int64_t) USEC_PER_MSEC, 0, "us");
                verdict_add(&verdicts[0], "read", cases[i].read_bytes, 0, "bytes");
                check_left_to_bfq(cases[i].left);
        }
}

TEST(nor_is_one_beside_much_that_is_written) {
        begin_on_flash(32);
        snapshot.devices[0].writing[0] = (struct writing_second){ .span_us = 1000000, .writes = 2, .write_sectors = 2047, .busy_ms = 10 };
        check_left_to_bfq(true);
        snapshot.devices[0].writing[0].write_sectors = 2048; /* MinRate */
        check_left_to_bfq(false);
}

TEST(of_two_starts_the_one_that_is_not_raised_decides) {
        begin_on_flash(32);
        verdicts[1] = (struct verdict){ .kind = VERDICT_STARTUP, .dev = DEV, .subject = { .tgid = 501, .start_ticks = 2, .name = "make" } };
        verdict_add(&verdicts[1], "processes", 40, 0, "");
        in.n_verdicts = 2;
        check_left_to_bfq(false);
        verdicts[1].dev = OTHER;
        check_left_to_bfq(true);
}

/* bfq takes a process that begins to read for a start, too, and of two that it raises serves neither first. */
TEST(beside_a_process_that_began_so_lately_that_bfq_may_raise_it_a_start_is_guarded) {
        static const struct {
                struct moved read, written;
                uint32_t raise_ms;
                bool left;
        } cases[] = {
                { { 30 * MIB, 3 }, { 0 }, 0, false }, /* RAISE_MIN_MS, and the first of the seconds was not whole */
                { { 30 * MIB, 4 }, { 0 }, 0, true },
                { { 30 * MIB, 4 }, { 0 }, 3748, false },
                { { 30 * MIB, 5 }, { 0 }, 3748, true },
                { { 30 * MIB, 1 }, { 28 * MIB, 1 }, 0, false },
                { { 30 * MIB, 1 }, { 29 * MIB, 1 }, 0, true }, /* so much ends it, too: 120000 sectors */
        };

        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
                begin_on_flash(32);
                snapshot.devices[0].requests.raise_ms = cases[i].raise_ms;
                snapshot.processes[1].moved[REQUEST_READ] = cases[i].read;
                snapshot.processes[1].moved[REQUEST_WRITE] = cases[i].written;
                check_left_to_bfq(cases[i].left);
        }
}

/* Among several weights or classes bfq waits for all but the lightest anyway. */
TEST(beside_processes_of_several_weights_a_start_is_guarded) {
        begin_on_flash(32);
        snapshot.processes[0].io_class = snapshot.processes[1].io_class = IO_CLASS_BEST_EFFORT;
        snapshot.processes[0].io_level = snapshot.processes[1].io_level = 7; /* both have stepped back */
        check_left_to_bfq(true);
        snapshot.processes[1].io_class = IO_CLASS_NONE;
        check_left_to_bfq(false);
        begin_on_flash(32);
        snapshot.processes[1].io_class = IO_CLASS_BEST_EFFORT;
        snapshot.processes[1].io_level = IO_LEVEL_USUAL; /* what "none" stands for */
        check_left_to_bfq(true);
        snapshot.processes[1].io_class = IO_CLASS_IDLE;
        check_left_to_bfq(false);
        begin_on_flash(32);
        snapshot.processes[1].io_weight = 200;
        check_left_to_bfq(false);
        begin_on_flash(32);
        snapshot.processes[1].io_weight = 200;
        snapshot.processes[1].read_bytes_per_s = 1; /* one that moves next to nothing counts for nothing */
        check_left_to_bfq(true);
}

TEST(while_bfq_serves_a_start_by_itself_no_process_steps_back_as_bulk_either) {
        begin_on_flash(32);
        policy.step_back.enabled = true;
        snapshot.presence = PRESENCE_SOMEBODY;
        verdicts[1] = (struct verdict){ .kind = VERDICT_BULK, .dev = DEV, .subject = { .tgid = 10, .start_ticks = 10, .name = "tar" } };
        in.n_verdicts = 2;
        check_left_to_bfq(true);
        verdicts[0] = verdicts[1]; /* the start is over */
        in.n_verdicts = 1;
        CHECK_INT(wanted(), 1);
        CHECK_INT(plan.priorities[0].law, LAW_STEP_BACK);
}

/* What it has set itself Brio knows before the process is looked at again. */
TEST(beside_one_of_two_that_has_just_stepped_back_a_start_is_guarded) {
        struct verdict start;
        struct receipt r;

        begin_on_flash(32);
        start = verdicts[0];
        policy.step_back.enabled = true;
        snapshot.presence = PRESENCE_SOMEBODY;
        verdicts[0] = (struct verdict){ .kind = VERDICT_BULK, .dev = DEV, .subject = { .tgid = 10, .start_ticks = 10, .name = "tar" } };
        CHECK_INT(wanted(), 1);
        r = (struct receipt){ .id = plan.priorities[0].id, .dev = DEV, .tunable = _TUNABLE_INVALID, .process = plan.priorities[0].process,
                              .law = LAW_STEP_BACK, .result = RECEIPT_APPLIED, .t = in.now };
        controller_commit(c, &r);
        verdicts[1] = start;
        in.n_verdicts = 2;
        CHECK(!law_startup_guard_leaves(c, &c->devices[0], &in));
        CHECK_INT(snapshot.processes[0].io_class, IO_CLASS_NONE);
        snapshot.n_processes = 1; /* it alone */
        CHECK(law_startup_guard_leaves(c, &c->devices[0], &in));
}

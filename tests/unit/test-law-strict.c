/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strict_guarantees and processes of the idle class: bfq would wait for each of their requests, so Brio never has both on one drive. */
#include "facts.h"
#include "law.h"
#include "str.h"
#include "test.h"

#define BE_7 IO_PRIORITY(IO_CLASS_BEST_EFFORT, 7)
#define STRICT TUNABLE_BFQ_STRICT_GUARANTEES
#define MIB (UINT64_C(1) << 20)
#define TICK (250 * NSEC_PER_MSEC)
#define DRIVES 3
#define PROCESSES 6
#define BULK 100 /* the first process's number */

static struct policy policy;
static struct controller *c;
static struct snapshot snapshot;
static struct verdict verdicts[DRIVES * (2 + PROCESSES)];
static struct controller_input in;
static struct plan plan;
static struct {
        enum scheduler scheduler;
        int64_t strict;
        bool starts, plays;
} drives[DRIVES];
static uint16_t priorities[PROCESSES]; /* as they stand */
static unsigned idle_sets, strict_sets, level_sets;

static void write_much(struct device_view *v) {
        v->read_bytes_per_s = v->write_bytes_per_s = 60 * MIB;
        v->utilisation_permille = 1000;
        v->moved[REQUEST_READ].bytes = v->moved[REQUEST_WRITE].bytes = 400 * MIB;
        for (unsigned i = 0; i < WRITING_SECONDS; i++)
                v->writing[i] = (struct writing_second){ .span_us = 1000000, .reads = 4, .read_sectors = 2048, .writes = 96, .write_sectors = 195312, .busy_ms = 1000 };
}

static void set_drive(unsigned i) {
        struct device_facts facts = { .dev = i + 1, .class = DEVICE_CLASS_HDD, .rotational = true, .scheduler = drives[i].scheduler };

        snprintf(facts.name, sizeof(facts.name), "sd%c", 'a' + (int) i);
        facts_set(&facts, TUNABLE_QUEUE_NR_REQUESTS, 64);
        if (drives[i].scheduler == SCHEDULER_BFQ)
                facts_set(&facts, STRICT, drives[i].strict);
        controller_set_device(c, &facts, &policy);
}

static void begin(void) {
        policy_init(&policy, "test", "test.conf");
        policy.classes = 1u << DEVICE_CLASS_HDD;
        policy.startup_guard.enabled = policy.stream_guard.enabled = policy.step_back.enabled = true;
        policy.step_back.pause_us = policy.hold_us = policy.dwell_us = 1000000;
        policy.changes_per_hour = UINT32_MAX;
        c = controller_free(c);
        c = controller_new();
        snapshot = (struct snapshot){ .presence = PRESENCE_SOMEBODY, .n_devices = DRIVES };
        in = (struct controller_input){ .now = 100 * NSEC_PER_SEC, .snapshot = &snapshot, .verdicts = verdicts };
        for (unsigned i = 0; i < DRIVES; i++) {
                drives[i].scheduler = i < 2 ? SCHEDULER_BFQ : SCHEDULER_MQ_DEADLINE;
                drives[i].strict = 0;
                drives[i].starts = drives[i].plays = false;
                snapshot.devices[i] = (struct device_view){ .dev = i + 1, .readers = 1 };
                snapshot.devices[i].settings.honours_level = i < 2;
                snapshot.devices[i].settings.scheduler = scheduler_to_string(drives[i].scheduler);
                write_much(&snapshot.devices[i]);
                set_drive(i);
        }
        snapshot.n_processes = 0;
}

static struct process_view *add_process(void) {
        unsigned i = (unsigned) snapshot.n_processes++;
        struct process_view *p = &snapshot.processes[i];

        *p = (struct process_view){ .tgid = (int32_t) (BULK + i), .start_ticks = 1, .name = "cp", .dev = 1, .uid = 1000, .read_bytes_per_s = 50 * MIB };
        priorities[i] = IO_PRIORITY_NONE;
        return p;
}

static void add_verdict(enum verdict_kind kind, uint32_t dev, int32_t tgid) {
        verdicts[in.n_verdicts] = (struct verdict){ .kind = kind, .dev = dev, .subject = { .tgid = tgid, .start_ticks = 1, .name = "process" } };
        snprintf(verdicts[in.n_verdicts].sentence, sizeof(verdicts[0].sentence), "a process does something");
        in.n_verdicts++;
}

static void see(void) {
        in.n_verdicts = 0;
        for (unsigned i = 0; i < DRIVES; i++) {
                if (drives[i].starts)
                        add_verdict(VERDICT_STARTUP, i + 1, (int32_t) (500 + i));
                if (drives[i].plays)
                        add_verdict(VERDICT_SOFT_RT, i + 1, (int32_t) (600 + i));
                for (size_t k = 0; k < snapshot.n_processes; k++)
                        if (snapshot.processes[k].dev == i + 1)
                                add_verdict(VERDICT_BULK, i + 1, snapshot.processes[k].tgid);
        }
        for (size_t k = 0; k < snapshot.n_processes; k++) {
                snapshot.processes[k].io_class = (uint8_t) (priorities[k] >> IO_PRIORITY_CLASS_SHIFT);
                snapshot.processes[k].io_level = priorities[k] & 7;
        }
}

static bool is_idle(uint16_t priority) {
        return priority >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_IDLE;
}

/* Whether a process of the idle class uses it, as things stand. */
static bool has_idle(uint32_t dev) {
        for (size_t k = 0; k < snapshot.n_processes; k++)
                if (process_view_uses(&snapshot.processes[k], dev) && is_idle(priorities[k]))
                        return true;
        return false;
}

/* What the plan writes, as the daemon does: priorities first. Of so many the kernel refuses one. */
static void perform(uint64_t *random, unsigned fails_one_in) {
        for (size_t i = 0; i < plan.n_priorities; i++) {
                const struct priority_change *p = &plan.priorities[i];
                struct receipt r = { .id = p->id, .dev = p->dev, .tunable = _TUNABLE_INVALID, .process = p->process, .law = p->law, .t = in.now };
                bool fails = fails_one_in && test_random(random) % fails_one_in == 0, sets = p->action == CHANGE_SET;
                if (!fails)
                        priorities[p->process.tgid - BULK] = sets ? p->priority : IO_PRIORITY_NONE;
                r.result = fails ? (sets ? RECEIPT_REFUSED : RECEIPT_FAILED) : sets ? RECEIPT_APPLIED : RECEIPT_RESTORED;
                idle_sets += !fails && sets && is_idle(p->priority);
                level_sets += !fails && sets && p->priority == BE_7;
                controller_commit(c, &r);
        }
        for (size_t i = 0; i < plan.n; i++) {
                const struct setting_change *s = &plan.changes[i];
                struct receipt r = { .id = s->id, .dev = s->dev, .tunable = s->tunable, .law = s->law, .t = in.now,
                                     .result = s->action == CHANGE_SET ? RECEIPT_APPLIED : RECEIPT_RESTORED };
                snprintf(r.old, sizeof(r.old), "%s", s->from);
                snprintf(r.wanted, sizeof(r.wanted), "%s", s->value);
                snprintf(r.observed, sizeof(r.observed), "%s", s->value);
                if (s->tunable == STRICT) {
                        drives[s->dev - 1].strict = streq(s->value, "1");
                        strict_sets += drives[s->dev - 1].strict;
                }
                controller_commit(c, &r);
        }
}

static void look(uint64_t *random, unsigned fails_one_in) {
        in.now += TICK;
        see();
        controller_step(c, &in, &plan);
        perform(random, fails_one_in);
}

/* Programs start and end, players come and go, processes go from drive to drive, people write strict_guarantees and use ionice. */
static void stir(uint64_t *random) {
        unsigned drive = (unsigned) (test_random(random) % DRIVES);
        struct process_view *p = &snapshot.processes[test_random(random) % PROCESSES];

        switch (test_random(random) % 12) {
        case 0:
                drives[drive].starts = !drives[drive].starts;
                break;
        case 1:
                drives[drive].plays = !drives[drive].plays;
                break;
        case 2:
                p->dev = drive + 1;
                break;
        case 3:
                p->other_devs[test_random(random) % OTHER_DRIVES_MAX] = (uint32_t) (test_random(random) % (DRIVES + 1));
                break;
        case 5:
                if (test_random(random) % 8 == 0 && !controller_find_process(c, &(struct subject){ .tgid = p->tgid, .start_ticks = 1 }))
                        priorities[p - snapshot.processes] = test_random(random) % 2 ? IO_PRIORITY(IO_CLASS_IDLE, 7) : IO_PRIORITY_NONE;
                break;
        default:
                break;
        }
}

TEST(whatever_happens_a_drive_that_serves_one_request_at_a_time_has_no_process_of_the_idle_class) {
        uint64_t random = test_seed();

        idle_sets = strict_sets = level_sets = 0;
        for (unsigned round = 0; round < 40; round++) {
                begin();
                for (unsigned i = 0; i < PROCESSES; i++)
                        add_process()->dev = 1 + i % DRIVES;
                for (unsigned tick = 0; tick < 2000; tick++) {
                        stir(&random);
                        look(&random, 0);
                        for (unsigned i = 0; i < DRIVES; i++) {
                                if (drives[i].strict && has_idle(i + 1))
                                        printf("# round %u, tick %u, drive %u\n", round, tick, i);
                                CHECK(!drives[i].strict || !has_idle(i + 1));
                        }
                }
        }
        CHECK(idle_sets > 100);
        CHECK(strict_sets > 100);
        CHECK(level_sets > 100);
}

/* What no longer can be written may leave both for a while, yet Brio never adds the one where it has left the other. */
TEST(whatever_fails_no_process_gets_the_idle_class_where_strict_guarantees_stands) {
        uint64_t random = test_seed();

        for (unsigned round = 0; round < 20; round++) {
                begin();
                for (unsigned i = 0; i < PROCESSES; i++)
                        add_process()->dev = 1 + i % DRIVES;
                for (unsigned tick = 0; tick < 2000; tick++) {
                        int64_t strict[DRIVES];
                        stir(&random);
                        for (unsigned i = 0; i < DRIVES; i++)
                                strict[i] = drives[i].strict;
                        look(&random, 8);
                        for (size_t k = 0; k < plan.n_priorities; k++)
                                for (unsigned i = 0; i < DRIVES; i++)
                                        CHECK(!strict[i] || plan.priorities[k].action != CHANGE_SET || !is_idle(plan.priorities[k].priority) ||
                                              !process_view_uses(&snapshot.processes[plan.priorities[k].process.tgid - BULK], i + 1));
                }
        }
}

TEST(where_a_person_has_set_strict_guarantees_bulk_makes_room_at_level_7_for_a_start) {
        begin();
        drives[0].strict = 1;
        set_drive(0);
        drives[0].starts = true;
        add_process();
        look(NULL, 0);
        CHECK_INT(plan.n_priorities, 1);
        CHECK_INT(plan.priorities[0].law, LAW_STARTUP_GUARD);
        CHECK_INT(plan.priorities[0].priority, BE_7);
}

TEST(beside_a_guarded_stream_bulk_makes_room_at_level_7_for_what_starts_and_the_drive_serves_one_request_at_a_time) {
        begin();
        drives[0].plays = true;
        add_process();
        look(NULL, 0);
        CHECK_INT(drives[0].strict, 1);
        drives[0].starts = true;
        look(NULL, 0);
        CHECK_INT(priorities[0], BE_7);
        CHECK_INT(drives[0].strict, 1);
}

TEST(where_a_person_puts_a_process_into_the_idle_class_one_at_a_time_ends_at_once) {
        begin();
        policy.step_back.enabled = false; /* one that has stepped back is told as a foreign priority first */
        drives[0].plays = true;
        add_process();
        look(NULL, 0);
        CHECK_INT(drives[0].strict, 1);
        priorities[0] = IO_PRIORITY(IO_CLASS_IDLE, 7);
        look(NULL, 0);
        CHECK_INT(drives[0].strict, 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <sched.h>
#include <unistd.h>

#include "drive-workers.h"
#include "event.h"
#include "mock-drive.h"
#include "queue-dump.h"
#include "str.h"
#include "test.h"

#define PATIENCE_NS (30 * NSEC_PER_MSEC) /* of a worker that has only to begin */
#define LONG_NS (60 * NSEC_PER_SEC)

/* Two drives with all kinds of settings of ours, left by a run that was killed. */
struct rig {
        struct mock_drive drives[2];
        char state[600], originals[640];
        char *before[2];
        struct actuator *a;
        unsigned silent; /* how often a drive was given up */
        char drive[ACTUATOR_NAME_MAX];
        unsigned receipts;
};

static const char *const names[] = { "sdb", "sdc" };

static void open_actuator(struct rig *rig) {
        struct journal *j;
        unsigned damaged;

        if (journal_open(rig->state, "boot-1", &j, &damaged) < 0 || damaged > 0 || !(rig->a = actuator_new(rig->drives[0].root, j)))
                abort();
}

static void set(struct rig *rig, uint32_t dev, enum tunable_id id, const char *value) {
        struct setting_change change = { .id = 1, .dev = dev, .action = CHANGE_SET, .tunable = id, .law = LAW_IDLE_LIMIT };
        struct receipt r;

        str_copy(change.value, sizeof(change.value), value);
        actuator_apply(rig->a, &change, 1, &r);
        if (r.result != RECEIPT_APPLIED)
                abort();
}

static void set_up(struct rig *rig) {
        static unsigned count;
        char root[480];

        memset(rig, 0, sizeof(*rig));
        mock_plan_set(NULL);
        snprintf(root, sizeof(root), "%.400s/rig-%u", test_tmpdir(), count++);
        snprintf(rig->state, sizeof(rig->state), "%s/state", root);
        snprintf(rig->originals, sizeof(rig->originals), "%s/originals", rig->state);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                mock_drive_new(&rig->drives[i], root, names[i], "mq-deadline", 250);
                mock_drive_write(&rig->drives[i], "nr_requests", "64");
                mock_drive_write(&rig->drives[i], "iosched/fifo_batch", "8");
                rig->before[i] = queue_dump(rig->drives[i].queue);
        }
        open_actuator(rig);
        for (uint32_t i = 0; i < ARRAY_SIZE(names); i++) {
                uint32_t dev = DEV_NUMBER(8, 16 * (i + 1));
                if (actuator_add_device(rig->a, dev, names[i]) < 0)
                        abort();
                set(rig, dev, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
                set(rig, dev, TUNABLE_QUEUE_SCHEDULER, "bfq");
                set(rig, dev, TUNABLE_BFQ_TIMEOUT_SYNC, "61");
        }
        rig->a = actuator_free(rig->a);
        open_actuator(rig);
}

static void tear_down(struct rig *rig) {
        mock_plan_set(NULL);
        rig->a = actuator_free(rig->a);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++)
                free(rig->before[i]);
}

static bool is_untouched(const struct rig *rig, size_t i) {
        _cleanup_free_ char *now = queue_dump(rig->drives[i].queue);

        return streq(now, rig->before[i]);
}

static void on_answer(void *userdata, const char *name _unused_, const struct drive_job *job _unused_, const struct drive_answer *answer) {
        struct rig *rig = userdata;

        rig->receipts += answer->kind == DRIVE_ANSWER_RECEIPT;
}

static void on_silence(void *userdata, const char *name, bool silent) {
        struct rig *rig = userdata;

        rig->silent += silent;
        str_copy(rig->drive, sizeof(rig->drive), name);
}

static void on_idle(void *userdata _unused_) {
}

static size_t recover(struct rig *rig, nsec_t patience) {
        struct drive_workers_config config = { .actuator = rig->a, .answer = on_answer, .silent = on_silence, .idle = on_idle, .userdata = rig,
                                               .patience = patience, .patience_max = LONG_NS };
        struct drive_workers *workers = drive_workers_new(&config);
        size_t restored;

        rig->silent = rig->receipts = 0;
        restored = drive_workers_recover(workers, 1, "a test");
        drive_workers_free(workers);
        return restored;
}

TEST(each_drive_has_its_settings_back_from_a_worker_of_its_own) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig);
        CHECK(recover(&rig, LONG_NS) > 0);
        CHECK_INT(rig.receipts, 2); /* of the schedulers: all else comes with them */
        CHECK_INT(rig.silent, 0);
        CHECK(is_untouched(&rig, 0) && is_untouched(&rig, 1));
        CHECK_INT(actuator_held(rig.a), 0);
        CHECK(access(rig.originals, F_OK) < 0);
}

TEST(a_drive_that_stops_at_any_step_costs_only_itself_and_the_next_start_puts_it_back) {
        nsec_t patience = PATIENCE_NS;
        unsigned stops = 0;

        for (unsigned at = 1;; at++) {
                _cleanup_(tear_down) struct rig rig;
                set_up(&rig);
                mock_plan_set(&(struct mock_plan) { .fault = MOCK_FREEZE, .step = at, .drive = &rig.drives[0] });
                recover(&rig, patience);
                if (rig.silent == 2) { /* the machine is busy */
                        patience *= 2;
                        at--;
                        continue;
                }
                if (!is_untouched(&rig, 1))
                        test_fail(__FILE__, __LINE__, "step %u: the other drive is not as it was", at);
                if (rig.silent == 0)
                        break;
                stops++;
                CHECK_INT(rig.silent, 1);
                CHECK_STR(rig.drive, "sdb");
                CHECK(actuator_held(rig.a) > 0);
                mock_plan_set(NULL);
                rig.a = actuator_free(rig.a);
                open_actuator(&rig);
                recover(&rig, LONG_NS);
                if (!is_untouched(&rig, 0) || actuator_held(rig.a) > 0)
                        test_fail(__FILE__, __LINE__, "step %u: the drive is not as it was", at);
        }
        printf("# %u steps\n", stops);
        CHECK(stops > 20);
}

static void ask(struct drive_workers *workers, enum change_action action, enum tunable_id id, const char *value) {
        struct drive_job job = { .request = { .kind = DRIVE_REQUEST_APPLY, .now = 1 } };

        job.request.change = (struct setting_change){ .id = 1, .dev = DEV_NUMBER(8, 16), .action = action, .tunable = id, .law = LAW_IDLE_LIMIT };
        str_copy(job.request.change.value, sizeof(job.request.change.value), value);
        CHECK_INT(drive_workers_ask(workers, names[0], &job), 0);
}

/* All kinds of changes, of a drive that had none of ours. */
static void live_a_day(struct rig *rig, nsec_t patience) {
        struct drive_workers_config config = { .actuator = rig->a, .answer = on_answer, .silent = on_silence, .idle = on_idle, .userdata = rig,
                                               .patience = patience };
        struct drive_workers *workers = drive_workers_new(&config);

        rig->silent = rig->receipts = 0;
        CHECK_INT(actuator_add_device(rig->a, DEV_NUMBER(8, 16), names[0]), 0);
        CHECK_INT(drive_workers_add(workers, names[0], DEV_NUMBER(8, 16)), 0);
        ask(workers, CHANGE_SET, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
        ask(workers, CHANGE_SET, TUNABLE_QUEUE_SCHEDULER, "bfq");
        ask(workers, CHANGE_SET, TUNABLE_QUEUE_NR_REQUESTS, "100");
        ask(workers, CHANGE_SET, TUNABLE_BFQ_TIMEOUT_SYNC, "61");
        ask(workers, CHANGE_RESTORE, TUNABLE_QUEUE_SCHEDULER, "");
        ask(workers, CHANGE_RESTORE, TUNABLE_QUEUE_NR_REQUESTS, "");
        drive_workers_wait(workers, NULL, LONG_NS);
        CHECK_INT(drive_workers_is_silent(workers, names[0]), rig->silent > 0);
        CHECK_INT(drive_workers_count_changes(workers, names[0], true), 0);
        drive_workers_free(workers);
}

TEST(a_first_change_that_is_underway_as_the_daemon_ends_is_put_back) {
        _cleanup_(tear_down) struct rig rig;
        struct drive_workers_config config = { .answer = on_answer, .silent = on_silence, .idle = on_idle };
        struct drive_workers *workers;

        set_up(&rig);
        recover(&rig, LONG_NS);
        config.actuator = rig.a;
        config.userdata = &rig;
        config.patience = config.patience_max = LONG_NS;
        workers = drive_workers_new(&config);
        rig.receipts = 0;
        CHECK_INT(actuator_add_device(rig.a, DEV_NUMBER(8, 16), names[0]), 0);
        CHECK_INT(drive_workers_add(workers, names[0], DEV_NUMBER(8, 16)), 0);
        drive_workers_wait(workers, NULL, LONG_NS);
        ask(workers, CHANGE_SET, TUNABLE_QUEUE_READ_AHEAD_KB, "1024");
        ask(workers, CHANGE_SET, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
        CHECK_INT(actuator_held(rig.a), 0); /* nothing was heard of it yet */
        drive_workers_recover(workers, 1, "a test");
        CHECK_INT(rig.receipts, 2); /* of the first change, and of its undoing */
        CHECK(is_untouched(&rig, 0));
        CHECK_INT(actuator_held(rig.a), 0);
        drive_workers_free(workers);
}

TEST(a_plan_that_stops_at_any_step_is_put_back_by_the_next_start) {
        unsigned stops = 0;

        for (unsigned at = 1;; at++) {
                _cleanup_(tear_down) struct rig rig;
                set_up(&rig);
                recover(&rig, LONG_NS);
                mock_plan_set(&(struct mock_plan) { .fault = MOCK_FREEZE, .step = at });
                live_a_day(&rig, PATIENCE_NS);
                if (rig.silent == 0)
                        break;
                stops++;
                mock_plan_set(NULL);
                rig.a = actuator_free(rig.a);
                open_actuator(&rig);
                recover(&rig, LONG_NS);
                if (!is_untouched(&rig, 0) || actuator_held(rig.a) > 0)
                        test_fail(__FILE__, __LINE__, "step %u: the drive is not as it was", at);
        }
        printf("# %u steps\n", stops);
        CHECK(stops > 40);
}

TEST(a_worker_whose_process_dies_has_another_and_what_it_did_has_failed) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig);
        recover(&rig, LONG_NS);
        mock_plan_set(&(struct mock_plan) { .fault = MOCK_KILL, .step = 60, .drive = &rig.drives[0] });
        live_a_day(&rig, LONG_NS);
        CHECK_INT(rig.receipts, 6);
        CHECK_INT(rig.silent, 0);
        mock_plan_set(NULL);
        recover(&rig, LONG_NS);
        CHECK(is_untouched(&rig, 0));
        CHECK_INT(actuator_held(rig.a), 0);
}

#define YIELDS 500 /* by far more than a worker needs to begin */

/* With one processor for both, the worker has none while it is looked at. */
TEST(a_worker_that_waits_for_a_processor_or_has_answered_is_not_silent) {
        _cleanup_(tear_down) struct rig rig;
        struct drive_workers_config config = { .actuator = NULL, .answer = on_answer, .silent = on_silence, .idle = on_idle, .patience = 1 };
        struct drive_workers *workers;
        cpu_set_t before, one;

        set_up(&rig);
        config.actuator = rig.a;
        config.userdata = &rig;
        workers = drive_workers_new(&config);
        CHECK_INT(sched_getaffinity(0, sizeof(before), &before), 0);
        CPU_ZERO(&one);
        CPU_SET((size_t) sched_getcpu(), &one);
        CHECK_INT(sched_setaffinity(0, sizeof(one), &one), 0);
        CHECK_INT(drive_workers_add(workers, names[0], DEV_NUMBER(8, 16)), 0);
        for (unsigned i = 0; i < YIELDS; i++) {
                drive_workers_check(workers);
                CHECK_INT(rig.silent, 0);
                sched_yield();
        }
        CHECK(drive_workers_is_busy(workers, names[0]));
        drive_workers_wait(workers, NULL, LONG_NS);
        CHECK(!drive_workers_is_busy(workers, names[0]));
        CHECK_INT(rig.silent, 0);
        CHECK_INT(sched_setaffinity(0, sizeof(before), &before), 0);
        drive_workers_free(workers);
}

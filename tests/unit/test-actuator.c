/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "actuator-all.h"
#include "actuator.h"
#include "event.h"
#include "mock-drive.h"
#include "queue-dump.h"
#include "str.h"
#include "test.h"

#define BOOT "boot-1"
#define DEV DEV_NUMBER(8, 16)

struct rig {
        struct mock_drive drive;
        char state[600], originals[640];
        char *before; /* all settings at the start */
        struct actuator *a;
};

static void open_actuator(struct rig *rig) {
        struct journal *j;
        unsigned damaged;

        if (journal_open(rig->state, BOOT, &j, &damaged) < 0 || damaged > 0 || !(rig->a = actuator_new(rig->drive.root, j)))
                abort();
}

/* A drive with settings that are not the kernel's defaults, and an actuator for it. */
static void set_up(struct rig *rig, const char *scheduler, int hz) {
        static unsigned count;
        char root[480];

        memset(rig, 0, sizeof(*rig));
        mock_plan_set(NULL);
        snprintf(root, sizeof(root), "%.400s/rig-%u", test_tmpdir(), count++);
        mock_drive_new(&rig->drive, root, "sdb", scheduler, hz);
        snprintf(rig->state, sizeof(rig->state), "%s/state", root);
        snprintf(rig->originals, sizeof(rig->originals), "%s/originals", rig->state);
        mock_drive_write(&rig->drive, "nr_requests", "64");
        mock_drive_write(&rig->drive, "read_ahead_kb", "512");
        if (streq(scheduler, "mq-deadline")) {
                mock_drive_write(&rig->drive, "iosched/async_depth", "48");
                mock_drive_write(&rig->drive, "iosched/fifo_batch", "8");
                mock_drive_write(&rig->drive, "iosched/read_expire", "251");
                mock_drive_write(&rig->drive, "iosched/writes_starved", "-1");
        }
        rig->before = queue_dump(rig->drive.queue);
        open_actuator(rig);
        if (actuator_add_device(rig->a, DEV, "sdb") < 0)
                abort();
}

static void tear_down(struct rig *rig) {
        mock_plan_set(NULL);
        rig->a = actuator_free(rig->a);
        free(rig->before);
}

static struct receipt apply(struct rig *rig, enum change_action action, enum tunable_id id, const char *value) {
        static uint64_t last_id;
        struct setting_change change = { .id = ++last_id, .dev = DEV, .action = action, .tunable = id, .law = LAW_IDLE_LIMIT };
        struct receipt r;

        if (value)
                str_copy(change.value, sizeof(change.value), value);
        actuator_apply(rig->a, &change, 1, &r);
        return r;
}

static struct receipt set(struct rig *rig, enum tunable_id id, const char *value) {
        return apply(rig, CHANGE_SET, id, value);
}

static struct receipt restore(struct rig *rig, enum tunable_id id) {
        return apply(rig, CHANGE_RESTORE, id, NULL);
}

static bool is_untouched(const struct rig *rig) {
        return queue_is_untouched(rig->drive.queue, rig->before);
}

static bool journal_is_empty(const struct rig *rig) {
        return access(rig->originals, F_OK) < 0;
}

static size_t recover(struct rig *rig, actuator_report_fn report, void *userdata) {
        rig->a = actuator_free(rig->a);
        open_actuator(rig);
        return actuator_recover_all(rig->a, 1, report, userdata);
}

TEST(a_setting_is_recorded_written_read_back_and_restored) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "bfq", 250);
        r = set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600");
        CHECK_INT(r.result, RECEIPT_APPLIED);
        CHECK_INT(r.law, LAW_IDLE_LIMIT);
        CHECK_INT(r.dev, DEV);
        CHECK(r.id != 0);
        CHECK_STR(r.old, "8000");
        CHECK_STR(r.wanted, "600");
        CHECK_STR(r.observed, "600");
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle"), "0");
        CHECK_STR(actuator_original(rig.a, DEV, TUNABLE_BFQ_SLICE_IDLE_US), "8000");
        CHECK(!actuator_original(rig.a, DEV, TUNABLE_BFQ_TIMEOUT_SYNC));
        CHECK(!actuator_original(rig.a, 1, TUNABLE_BFQ_SLICE_IDLE_US));
        r = set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "300");
        CHECK_INT(r.result, RECEIPT_APPLIED);
        CHECK_STR(r.old, "600");
        CHECK_STR(actuator_original(rig.a, DEV, TUNABLE_BFQ_SLICE_IDLE_US), "8000");
        CHECK(!journal_is_empty(&rig));
        r = restore(&rig, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_STR(r.wanted, "8000");
        CHECK_STR(r.observed, "8000");
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

TEST(jiffies_come_back_exactly_whatever_hz_is) {
        static const int rates[] = { 100, 250, 300, 1000 };

        for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r;
                set_up(&rig, "bfq", rates[i]);
                mock_drive_write(&rig.drive, "iosched/timeout_sync", "125");
                free(rig.before);
                rig.before = queue_dump(rig.drive.queue);
                r = set(&rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61");
                CHECK_INT(r.result, RECEIPT_APPLIED);
                CHECK_INT(restore(&rig, TUNABLE_BFQ_TIMEOUT_SYNC).result, RECEIPT_RESTORED);
                CHECK(is_untouched(&rig));
        }
}

TEST(a_switch_and_back_leaves_every_byte_as_it_was) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_WRITES_STARVED, "5").result, RECEIPT_APPLIED);
        r = set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
        CHECK_INT(r.result, RECEIPT_APPLIED);
        CHECK_STR(r.old, "mq-deadline");
        CHECK_STR(mock_drive_read(&rig.drive, "nr_requests"), "256");
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_READ_AHEAD_KB, "130").result, RECEIPT_APPLIED);
        CHECK_STR(actuator_original(rig.a, DEV, TUNABLE_QUEUE_NR_REQUESTS), "64");
        CHECK_INT(actuator_check_all(rig.a, 1, &r, 1), 0);
        r = restore(&rig, TUNABLE_QUEUE_SCHEDULER);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_INT(r.error, 0);
        CHECK_STR(r.observed, "mq-deadline");
        CHECK_INT(restore(&rig, TUNABLE_BFQ_SLICE_IDLE_US).result, RECEIPT_RESTORED); /* went with bfq */
        CHECK_INT(restore(&rig, TUNABLE_MQ_DEADLINE_WRITES_STARVED).result, RECEIPT_RESTORED);
        CHECK_STR(mock_drive_read(&rig.drive, "read_ahead_kb"), "128"); /* no part of the switch */
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_READ_AHEAD_KB).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

/* What the switch back has put back, or taken away, was restored by it. */
TEST(what_went_with_a_switch_says_what_was_restored) {
        struct setting_change change = { .id = 1000, .dev = DEV, .action = CHANGE_RESTORE, .tunable = TUNABLE_QUEUE_NR_REQUESTS, .from = "32" };
        struct receipt r;
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "32").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
        actuator_apply(rig.a, &change, 1, &r);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_STR(r.old, "32");
        CHECK_STR(r.wanted, "64");
        CHECK_STR(r.observed, "64");
        change.tunable = TUNABLE_BFQ_SLICE_IDLE_US;
        str_copy(change.from, sizeof(change.from), "600");
        actuator_apply(rig.a, &change, 1, &r);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_STR(r.old, "600");
        CHECK_STR(r.wanted, "");
}

TEST(a_switch_by_way_of_a_third_scheduler_goes_back_to_the_first) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_TIMEOUT_SYNC, "60").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "kyber").result, RECEIPT_APPLIED);
        CHECK(!actuator_original(rig.a, DEV, TUNABLE_BFQ_TIMEOUT_SYNC));
        CHECK_INT(set(&rig, TUNABLE_KYBER_READ_LAT_NSEC, "1000000").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "mq-deadline").result, RECEIPT_APPLIED);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

TEST(companions_set_or_restored_while_switched_still_come_back) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "32").result, RECEIPT_APPLIED);
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_NR_REQUESTS).result, RECEIPT_RESTORED);
        CHECK_STR(mock_drive_read(&rig.drive, "nr_requests"), "64");
        CHECK_INT(restore(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH).result, RECEIPT_RESTORED); /* waits for the switch back */
        CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1").result, RECEIPT_GONE);
        CHECK_INT(actuator_check_all(rig.a, 1, &r, 1), 0);
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

TEST(choosing_the_active_scheduler_makes_nothing_ours) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK(journal_is_empty(&rig));
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
}

TEST(a_foreign_value_is_noticed_at_the_next_look_and_left_alone) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r[4];

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61").result, RECEIPT_APPLIED);
        CHECK_INT(actuator_check_all(rig.a, 5, r, ARRAY_SIZE(r)), 0);
        mock_drive_write(&rig.drive, "iosched/slice_idle", "2"); /* through the other twin */
        CHECK_INT(actuator_check_all(rig.a, 5, r, ARRAY_SIZE(r)), 1);
        CHECK_INT(r[0].result, RECEIPT_FOREIGN);
        CHECK_INT(r[0].tunable, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(r[0].id, 0);
        CHECK_INT(r[0].t, 5);
        CHECK_STR(r[0].old, "600");
        CHECK_STR(r[0].observed, "2000");
        CHECK_INT(actuator_check_all(rig.a, 5, r, ARRAY_SIZE(r)), 0);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_SLICE_IDLE_US).result, RECEIPT_RESTORED);
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle_us"), "2000");
        CHECK_INT(restore(&rig, TUNABLE_BFQ_TIMEOUT_SYNC).result, RECEIPT_RESTORED);
        CHECK(journal_is_empty(&rig));
}

TEST(a_foreign_value_stops_a_write_and_a_restore) {
        for (int action = CHANGE_SET; action <= CHANGE_RESTORE; action++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r;
                set_up(&rig, "bfq", 250);
                CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
                mock_drive_write(&rig.drive, "iosched/slice_idle_us", "1234");
                r = apply(&rig, (enum change_action) action, TUNABLE_BFQ_SLICE_IDLE_US, "300");
                CHECK_INT(r.result, RECEIPT_FOREIGN);
                CHECK_STR(r.observed, "1234");
                CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle_us"), "1234");
                CHECK(journal_is_empty(&rig));
        }
}

TEST(a_foreign_queue_setting_survives_our_switch_back) {
        for (int noticed = 0; noticed < 2; noticed++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r;
                set_up(&rig, "mq-deadline", 250);
                CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
                mock_drive_write(&rig.drive, "nr_requests", "99");
                if (noticed) {
                        CHECK_INT(actuator_check_all(rig.a, 1, &r, 1), 1);
                        CHECK_INT(r.tunable, TUNABLE_QUEUE_NR_REQUESTS);
                        CHECK_INT(r.result, RECEIPT_FOREIGN);
                }
                CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
                CHECK_STR(mock_drive_read(&rig.drive, "nr_requests"), "99");
                CHECK_STR(mock_drive_read(&rig.drive, "iosched/fifo_batch"), "8");
                CHECK(journal_is_empty(&rig));
        }
}

/* It was called another program's choice, and left alone for good. */
TEST(what_a_foreign_switch_has_reset_is_no_users_choice) {
        for (int noticed = 0; noticed < 2; noticed++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r[4];

                set_up(&rig, "bfq", 250);
                CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "1024").result, RECEIPT_APPLIED);
                mock_drive_write(&rig.drive, "scheduler", "kyber");
                mock_drive_write(&rig.drive, "nr_requests", "256");
                if (noticed) {
                        CHECK_INT(actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r)), 1);
                        CHECK_INT(r[0].tunable, TUNABLE_QUEUE_NR_REQUESTS);
                        CHECK_INT(r[0].result, RECEIPT_GONE);
                } else
                        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "8").result, RECEIPT_GONE);
                CHECK(journal_is_empty(&rig));
                CHECK_STR(mock_drive_read(&rig.drive, "nr_requests"), "256");
        }
}

TEST(a_foreign_scheduler_ends_all_that_hung_on_ours) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r[8];

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_drive_write(&rig.drive, "scheduler", "kyber");
        CHECK_INT(actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r)), 2);
        CHECK_INT(r[0].tunable, TUNABLE_QUEUE_SCHEDULER);
        CHECK_INT(r[0].result, RECEIPT_FOREIGN);
        CHECK_STR(r[0].observed, "kyber");
        CHECK_INT(r[1].tunable, TUNABLE_BFQ_SLICE_IDLE_US);
        CHECK_INT(r[1].result, RECEIPT_GONE);
        CHECK(journal_is_empty(&rig));
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
        CHECK_STR(mock_drive_read(&rig.drive, "scheduler"), "none mq-deadline [kyber] bfq ");
}

TEST(an_error_of_a_write_is_reported_and_nothing_becomes_ours) {
        static const int errors[] = { -EINVAL, -EACCES, -EROFS, -EBUSY, -EIO, -ENOENT, -ENODEV };

        for (size_t i = 0; i < ARRAY_SIZE(errors); i++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r;
                bool gone = errors[i] == -ENOENT || errors[i] == -ENODEV;
                set_up(&rig, "mq-deadline", 250);
                mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_FAILS, .tunable = TUNABLE_MQ_DEADLINE_FIFO_BATCH, .error = errors[i] });
                r = set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
                CHECK_INT(r.result, gone ? RECEIPT_GONE : RECEIPT_FAILED);
                CHECK_INT(r.error, errors[i]);
                mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_FAILS, .tunable = TUNABLE_QUEUE_SCHEDULER, .error = errors[i] });
                r = set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
                CHECK_INT(r.result, gone ? RECEIPT_GONE : RECEIPT_FAILED);
                CHECK_INT(r.error, errors[i]);
                mock_plan_set(NULL);
                CHECK(is_untouched(&rig));
                CHECK(journal_is_empty(&rig));
        }
}

TEST(what_the_kernel_does_not_take_is_a_failure_and_undone) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "bfq", 250);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_IGNORED, .tunable = TUNABLE_BFQ_SLICE_IDLE_US });
        r = set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600");
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -EIO);
        CHECK_STR(r.observed, "8000");
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_OTHER, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .value = "77", .times = 1 });
        r = set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600");
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -EIO);
        CHECK_STR(r.observed, "77");
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
        /* with a value of ours in place, that one comes back, and stays ours */
        mock_plan_set(NULL);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_OTHER, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .value = "77", .times = 1 });
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "300").result, RECEIPT_FAILED);
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle_us"), "600");
        CHECK_INT(actuator_check_all(rig.a, 1, &r, 1), 0);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_SLICE_IDLE_US).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
}

TEST(a_failed_switch_that_fell_back_to_none_is_undone) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "mq-deadline", 250);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_SWITCH_TO_NONE, .tunable = TUNABLE_QUEUE_SCHEDULER, .error = -ENOMEM, .times = 1 });
        r = set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -ENOMEM);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
        /* and where it stays at none, the next start tries again */
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_SWITCH_TO_NONE, .tunable = TUNABLE_QUEUE_SCHEDULER, .error = -ENOMEM });
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_FAILED);
        CHECK_STR(mock_drive_read(&rig.drive, "scheduler"), "[none] mq-deadline kyber bfq ");
        mock_plan_set(NULL);
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

TEST(a_restore_that_fails_is_kept_for_the_next_start) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_READ_AHEAD_KB, "128").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_FAILS, .tunable = TUNABLE_QUEUE_READ_AHEAD_KB, .error = -EROFS });
        r = restore(&rig, TUNABLE_QUEUE_READ_AHEAD_KB);
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK_INT(r.error, -EROFS);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_FAILS, .tunable = TUNABLE_QUEUE_NR_REQUESTS, .error = -EROFS });
        r = restore(&rig, TUNABLE_QUEUE_SCHEDULER);
        CHECK_INT(r.result, RECEIPT_RESTORED);
        CHECK_INT(r.error, -EROFS); /* of the companion */
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/fifo_batch"), "8");
        mock_plan_set(NULL);
        CHECK_INT(recover(&rig, NULL, NULL), 2);
        CHECK(is_untouched(&rig)); /* nr_requests came after async_depth this time, which it resets */
        CHECK(journal_is_empty(&rig));
}

TEST(side_effects_of_a_write_are_undone) {
        _cleanup_(tear_down) struct rig rig, other;
        struct receipt r;

        set_up(&other, "bfq", 250);
        other.a = actuator_free(other.a);
        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "100").result, RECEIPT_APPLIED);
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/async_depth"), "48");
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_NR_REQUESTS).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        open_actuator(&other);
        CHECK_INT(actuator_add_device(other.a, DEV, "sdb"), 0);
        CHECK_INT(set(&other, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(set(&other, TUNABLE_BFQ_STRICT_GUARANTEES, "1").result, RECEIPT_APPLIED);
        CHECK_INT(actuator_check_all(other.a, 1, &r, 1), 0);
        CHECK_INT(restore(&other, TUNABLE_BFQ_STRICT_GUARANTEES).result, RECEIPT_RESTORED);
        CHECK_INT(restore(&other, TUNABLE_BFQ_SLICE_IDLE_US).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&other));
}

TEST(without_a_journal_nothing_is_written) {
        _cleanup_(tear_down) struct rig rig;
        char lock[700];
        struct receipt r;

        set_up(&rig, "mq-deadline", 250);
        snprintf(lock, sizeof(lock), "%s/lock", rig.state);
        CHECK(unlink(lock) == 0 && rmdir(rig.state) == 0);
        r = set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
        CHECK_INT(r.result, RECEIPT_FAILED); /* the drive is not gone: the journal's directory is */
        CHECK_INT(r.error, -ENOENT);
        r = set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
        CHECK_INT(r.result, RECEIPT_FAILED);
        CHECK(is_untouched(&rig));
}

TEST(a_coarse_twin_is_set_and_restored_through_the_finer) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r;

        set_up(&rig, "cfq", 250);
        mock_drive_write(&rig.drive, "iosched/slice_sync_us", "1500");
        free(rig.before);
        rig.before = queue_dump(rig.drive.queue);
        r = set(&rig, TUNABLE_CFQ_SLICE_SYNC, "3");
        CHECK_INT(r.result, RECEIPT_APPLIED);
        CHECK_INT(r.tunable, TUNABLE_CFQ_SLICE_SYNC_US);
        CHECK_STR(r.observed, "3000");
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_sync"), "3");
        CHECK(!actuator_original(rig.a, DEV, TUNABLE_CFQ_SLICE_SYNC));
        CHECK_INT(restore(&rig, TUNABLE_CFQ_SLICE_SYNC).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK_INT(set(&rig, TUNABLE_CFQ_SLICE_SYNC, "9223372036854775807").error, -ERANGE);
        CHECK_INT(set(&rig, TUNABLE_CFQ_SLICE_SYNC, "junk").error, -EINVAL);
        CHECK(is_untouched(&rig));
}

TEST(what_cannot_be_put_back_is_not_touched) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_WBT_LAT_USEC, "2000").error, -EOPNOTSUPP);
        test_write_file(rig.drive.queue, "iosched/brand_new", "1\n");
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").error, -EOPNOTSUPP);
        CHECK_STR(mock_drive_read(&rig.drive, "scheduler"), "none [mq-deadline] kyber bfq ");
        CHECK_STR(mock_drive_read(&rig.drive, "wbt_lat_usec"), "75000");
        CHECK(journal_is_empty(&rig));
}

TEST(what_was_computed_from_another_value_is_not_written) {
        _cleanup_(tear_down) struct rig rig;
        struct setting_change change = { .id = 3, .dev = DEV, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .value = "600", .from = "7000" };
        struct receipt r;

        set_up(&rig, "bfq", 250);
        for (change.advice = false;; change.advice = true) {
                actuator_apply(rig.a, &change, 1, &r);
                CHECK_INT(r.result, RECEIPT_STALE);
                CHECK_STR(r.observed, "8000");
                if (change.advice)
                        break;
        }
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
        str_copy(change.from, sizeof(change.from), "8000");
        change.advice = false;
        actuator_apply(rig.a, &change, 1, &r);
        CHECK_INT(r.result, RECEIPT_APPLIED);
        str_copy(change.value, sizeof(change.value), "500"); /* ours now: what it was computed from no longer matters */
        actuator_apply(rig.a, &change, 1, &r);
        CHECK_INT(r.result, RECEIPT_APPLIED);
}

TEST(advice_unknown_drives_and_empty_values_write_nothing) {
        _cleanup_(tear_down) struct rig rig;
        struct setting_change change = { .id = 3, .dev = DEV, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .value = "600", .advice = true };
        struct receipt r;

        set_up(&rig, "bfq", 250);
        actuator_apply(rig.a, &change, 7, &r);
        CHECK_INT(r.result, RECEIPT_ADVISED);
        CHECK_STR(r.old, "8000");
        change.advice = false;
        change.dev = DEV + 1;
        actuator_apply(rig.a, &change, 7, &r);
        CHECK_INT(r.result, RECEIPT_GONE);
        CHECK_INT(r.error, -ENODEV);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "").error, -EINVAL);
        CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1").result, RECEIPT_GONE);
        CHECK_INT(set(&rig, TUNABLE_CFQ_SLICE_IDLE_US, "1").result, RECEIPT_GONE); /* bfq has a file of that name */
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "nonsense").error, -EINVAL);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

TEST(a_known_drive_stays_held_and_a_replugged_one_starts_afresh) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(actuator_add_device(rig.a, DEV, "sdb"), 0);
        CHECK(actuator_original(rig.a, DEV, TUNABLE_BFQ_SLICE_IDLE_US));
        mock_drive_unplug(&rig.drive);
        CHECK_INT(actuator_add_device(rig.a, DEV, "sdb"), -ENODEV);
        mock_drive_new(&rig.drive, rig.drive.root, "sdb", "bfq", 250);
        CHECK_INT(actuator_add_device(rig.a, DEV, "sdb"), 0);
        CHECK(!actuator_original(rig.a, DEV, TUNABLE_BFQ_SLICE_IDLE_US));
        CHECK(journal_is_empty(&rig));
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        actuator_remove_device(rig.a, DEV);
        CHECK(journal_is_empty(&rig));
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_GONE);
}

TEST(the_number_of_drives_is_bounded) {
        _cleanup_(tear_down) struct rig rig;
        struct mock_drive other;

        set_up(&rig, "bfq", 250);
        for (uint32_t i = 1; i <= 64; i++) {
                char name[16];
                snprintf(name, sizeof(name), "sdx%u", i);
                mock_drive_new(&other, rig.drive.root, name, "none", 250);
                CHECK_INT(actuator_add_device(rig.a, DEV + i, name), i < 64 ? 0 : -ENOSPC);
        }
}

/* All that the daemon does with a drive: settings, a switch, settings under the new scheduler, and back. */
static void live_a_day(struct rig *rig) {
        set(rig, TUNABLE_QUEUE_NR_REQUESTS, "100"); /* which resets async_depth, an odd one, */
        set(rig, TUNABLE_QUEUE_NR_REQUESTS, "64");
        restore(rig, TUNABLE_QUEUE_NR_REQUESTS);    /* and so does this */
        set(rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
        set(rig, TUNABLE_QUEUE_READ_AHEAD_KB, "256");
        set(rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
        set(rig, TUNABLE_BFQ_SLICE_IDLE_US, "600");
        set(rig, TUNABLE_BFQ_STRICT_GUARANTEES, "1"); /* which raises slice_idle */
        set(rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61");
        set(rig, TUNABLE_QUEUE_NR_REQUESTS, "32");
        set(rig, TUNABLE_BFQ_SLICE_IDLE_US, "300");
        restore(rig, TUNABLE_BFQ_TIMEOUT_SYNC);
        restore(rig, TUNABLE_QUEUE_SCHEDULER);
        set(rig, TUNABLE_MQ_DEADLINE_READ_EXPIRE, "100");
        restore(rig, TUNABLE_MQ_DEADLINE_READ_EXPIRE);
        restore(rig, TUNABLE_QUEUE_READ_AHEAD_KB);
}

static unsigned steps_of_a_day(void) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline", 250);
        live_a_day(&rig);
        return is_untouched(&rig) && journal_is_empty(&rig) ? mock_steps() : 0;
}

TEST(a_kill_before_any_step_is_recovered_from) {
        unsigned last = steps_of_a_day();

        printf("# %u steps\n", last);
        CHECK(last > 80);
        for (unsigned at = 1; at <= last; at++) {
                _cleanup_(tear_down) struct rig rig;
                int status;
                pid_t child;
                set_up(&rig, "mq-deadline", 250);
                rig.a = actuator_free(rig.a); /* the lock is the child's */
                child = fork();
                if (child == 0) {
                        open_actuator(&rig);
                        if (actuator_add_device(rig.a, DEV, "sdb") < 0)
                                abort();
                        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_KILL, .step = at });
                        live_a_day(&rig);
                        _exit(0);
                }
                CHECK(waitpid(child, &status, 0) == child);
                CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
                recover(&rig, NULL, NULL);
                if (!is_untouched(&rig) || !journal_is_empty(&rig))
                        test_fail(__FILE__, __LINE__, "killed before step %u", at);
        }
}

TEST(a_kill_of_the_recovery_itself_is_recovered_from) {
        for (unsigned at = 1, over = 0; !over; at++) {
                _cleanup_(tear_down) struct rig rig;
                int status;
                pid_t child;
                set_up(&rig, "mq-deadline", 250);
                CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1").result, RECEIPT_APPLIED);
                CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
                CHECK_INT(set(&rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61").result, RECEIPT_APPLIED);
                rig.a = actuator_free(rig.a);
                child = fork();
                if (child == 0) {
                        open_actuator(&rig);
                        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_KILL, .step = at });
                        actuator_recover_all(rig.a, 1, NULL, NULL);
                        _exit(0);
                }
                CHECK(waitpid(child, &status, 0) == child);
                over = WIFEXITED(status);
                recover(&rig, NULL, NULL);
                if (!is_untouched(&rig) || !journal_is_empty(&rig))
                        test_fail(__FILE__, __LINE__, "killed before step %u", at);
                CHECK(at < 1000);
        }
}

TEST(a_drive_that_vanishes_before_any_step_leaves_no_trace) {
        unsigned last = steps_of_a_day();

        CHECK(last > 80);
        for (unsigned at = 1; at <= last; at++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt r[8];
                set_up(&rig, "mq-deadline", 250);
                mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_UNPLUG, .step = at, .drive = &rig.drive });
                live_a_day(&rig);
                r[0] = set(&rig, TUNABLE_QUEUE_READ_AHEAD_KB, "256");
                CHECK_INT(r[0].result, RECEIPT_GONE);
                for (size_t n = actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r)); n-- > 0;)
                        CHECK_INT(r[n].result, RECEIPT_GONE);
                actuator_remove_device(rig.a, DEV);
                CHECK(journal_is_empty(&rig));
        }
}

struct seen_report {
        unsigned n;
        struct receipt last;
        char device[32];
};

static void take_report(void *userdata, const char *device, const struct receipt *r) {
        struct seen_report *s = userdata;

        s->n++;
        s->last = *r;
        str_copy(s->device, sizeof(s->device), device);
}

TEST(a_recovery_leaves_foreign_values_alone_and_says_so) {
        _cleanup_(tear_down) struct rig rig;
        struct seen_report seen = {};

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_drive_write(&rig.drive, "iosched/slice_idle_us", "1234");
        CHECK_INT(recover(&rig, take_report, &seen), 0);
        CHECK_INT(seen.n, 1);
        CHECK_STR(seen.device, "sdb");
        CHECK_INT(seen.last.result, RECEIPT_FOREIGN);
        CHECK_INT(seen.last.dev, DEV);
        CHECK_STR(seen.last.observed, "1234");
        CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle_us"), "1234");
        CHECK(journal_is_empty(&rig));
}

TEST(a_recovery_leaves_a_foreign_scheduler_alone) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline", 250);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_drive_write(&rig.drive, "scheduler", "kyber");
        CHECK_INT(recover(&rig, NULL, NULL), 0);
        CHECK_STR(mock_drive_read(&rig.drive, "scheduler"), "none mq-deadline [kyber] bfq ");
        CHECK_STR(mock_drive_read(&rig.drive, "nr_requests"), "256");
        CHECK(journal_is_empty(&rig));
}

/* A loop device with another file behind it keeps the settings of the one before. */
TEST(another_drive_under_the_name_is_restored_only_from_a_value_of_ours) {
        static const char *const values[][2] = { { "300", "8000" }, { "600", "600" }, { "1234", "1234" }, { "8000", "8000" } };

        for (size_t i = 0; i < ARRAY_SIZE(values); i++) {
                _cleanup_(tear_down) struct rig rig;
                set_up(&rig, "bfq", 250);
                CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
                CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "300").result, RECEIPT_APPLIED);
                test_write_file(rig.drive.dir, "diskseq", "8\n");
                mock_drive_write(&rig.drive, "iosched/slice_idle_us", values[i][0]);
                CHECK_INT(recover(&rig, NULL, NULL), i == 0);
                CHECK_STR(mock_drive_read(&rig.drive, "iosched/slice_idle_us"), values[i][1]);
                CHECK(journal_is_empty(&rig));
        }
}

TEST(a_recovery_without_the_drive_forgets_it) {
        _cleanup_(tear_down) struct rig rig;
        struct seen_report seen = {};

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_drive_unplug(&rig.drive);
        CHECK_INT(recover(&rig, take_report, &seen), 0);
        CHECK_INT(seen.n, 1);
        CHECK_INT(seen.last.result, RECEIPT_GONE);
        CHECK(journal_is_empty(&rig));
}

TEST(a_recovery_that_cannot_write_keeps_its_entries) {
        _cleanup_(tear_down) struct rig rig;
        struct seen_report seen = {};

        set_up(&rig, "bfq", 250);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        mock_plan_set(&(struct mock_plan) {
                        .fault = MOCK_WRITE_FAILS, .tunable = TUNABLE_BFQ_SLICE_IDLE_US, .error = -EROFS });
        CHECK_INT(recover(&rig, take_report, &seen), 0);
        CHECK_INT(seen.last.result, RECEIPT_FAILED);
        CHECK_INT(seen.last.error, -EROFS);
        mock_plan_set(NULL);
        CHECK_INT(recover(&rig, take_report, &seen), 1);
        CHECK_INT(seen.last.result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK(journal_is_empty(&rig));
}

/* The last writer before we let go decides: the original where only we wrote, else the other's value. */
TEST(random_writers_always_win_and_the_rest_comes_back) {
        static const enum tunable_id ids[] = { TUNABLE_BFQ_SLICE_IDLE_US, TUNABLE_BFQ_TIMEOUT_SYNC, TUNABLE_BFQ_MAX_BUDGET,
                                               TUNABLE_BFQ_BACK_SEEK_MAX, TUNABLE_QUEUE_NR_REQUESTS };
        uint64_t state = test_seed();

        for (unsigned round = 0; round < 100; round++) {
                _cleanup_(tear_down) struct rig rig;
                char expected[ARRAY_SIZE(ids)][TUNABLE_VALUE_MAX], path[64], value[32];
                set_up(&rig, "bfq", 250);
                for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
                        str_copy(expected[i], sizeof(expected[i]), test_read_file(rig.drive.dir, tunable_path(ids[i], path, sizeof(path))));
                for (unsigned n = 0; n < 40; n++) {
                        size_t i = test_random(&state) % ARRAY_SIZE(ids);
                        const char *file = tunable_path(ids[i], path, sizeof(path)) + strlen("queue/");
                        struct receipt r[8];
                        snprintf(value, sizeof(value), "%u", (unsigned) (test_random(&state) % 1000));
                        switch (test_random(&state) % 5) {
                        case 0:
                                /* Not a value that we write: two writers of one value cannot be told apart. */
                                snprintf(value, sizeof(value), "%u", 2000 + (unsigned) (test_random(&state) % 1000));
                                mock_drive_write(&rig.drive, file, value);
                                str_copy(expected[i], sizeof(expected[i]), mock_drive_read(&rig.drive, file));
                                /* Between two looks our own write may follow, and would see it; a restore would, too. */
                                actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r));
                                break;
                        case 1:
                                restore(&rig, ids[i]);
                                CHECK_STR(mock_drive_read(&rig.drive, file), expected[i]);
                                break;
                        case 2:
                                recover(&rig, NULL, NULL);
                                CHECK_INT(actuator_add_device(rig.a, DEV, "sdb"), 0);
                                break;
                        default:
                                set(&rig, ids[i], value);
                        }
                }
                recover(&rig, NULL, NULL);
                for (size_t i = 0; i < ARRAY_SIZE(ids); i++)
                        CHECK_STR(test_read_file(rig.drive.dir, tunable_path(ids[i], path, sizeof(path))), expected[i]);
                CHECK(journal_is_empty(&rig));
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The actuator and the table against the running kernel, on a loop device of our own. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#include "actuator-all.h"
#include "actuator.h"
#include "fdio.h"
#include "loop-drive.h"
#include "queue-dump.h"
#include "str.h"
#include "sysfs.h"
#include "test.h"

#define BOOT "boot-1"
#define KILLS 40
#define LONGEST_LIFE_US 150000 /* a switch there and back takes about 100 ms */

struct rig {
        struct loop_drive drive;
        struct actuator *a;
        char state[PATH_MAX / 2], originals[PATH_MAX];
        char *before;
};

static const char *const offered[] = { "none", "mq-deadline", "kyber", "bfq" };

static bool offers(const struct loop_drive *d, const char *scheduler) {
        _cleanup_close_ int fd = sysfs_open_device("", d->name);
        struct device_facts facts = {};

        return fd >= 0 && sysfs_read_facts(fd, &facts) == 0 && facts.schedulers & 1u << scheduler_from_string(scheduler);
}

static void open_actuator(struct rig *rig) {
        struct journal *j;
        unsigned damaged;
        int r = journal_open(rig->state, BOOT, &j, &damaged);

        if (r < 0 || damaged > 0 || !(rig->a = actuator_new("", j))) {
                fprintf(stderr, "journal: %s\n", strerror(-r));
                abort();
        }
}

static void tear_down(struct rig *rig) {
        rig->a = actuator_free(rig->a);
        loop_drive_done(&rig->drive);
        free(rig->before);
}

/* Ends the test as skipped where there is nothing to test on; then there is nothing to tear down, either. */
static void set_up(struct rig *rig, const char *scheduler) {
        static unsigned count;
        int r;

        memset(rig, 0, sizeof(*rig));
        rig->drive.fd = -1;
        if (geteuid() != 0)
                test_skip("loop devices need root");
        r = loop_drive_new(&rig->drive, test_tmpdir());
        if (r == -ENOENT || r == -EPERM || r == -EACCES)
                test_skip("no loop devices here");
        if (r < 0) {
                fprintf(stderr, "loop device: %s\n", strerror(-r));
                exit(99);
        }
        if (!offers(&rig->drive, "bfq") || !offers(&rig->drive, scheduler)) {
                loop_drive_done(&rig->drive);
                test_skip("the kernel has no bfq");
        }
        snprintf(rig->state, sizeof(rig->state), "%.1000s/state-%u", test_tmpdir(), count++);
        snprintf(rig->originals, sizeof(rig->originals), "%s/originals", rig->state);
        loop_drive_set(&rig->drive, "scheduler", scheduler);
        loop_drive_set(&rig->drive, "nr_requests", streq(scheduler, "none") ? "100" : "64");
        if (streq(scheduler, "mq-deadline")) {
                loop_drive_set(&rig->drive, "iosched/async_depth", "48");
                loop_drive_set(&rig->drive, "iosched/fifo_batch", "8");
                loop_drive_set(&rig->drive, "iosched/read_expire", "251");
                loop_drive_set(&rig->drive, "iosched/writes_starved", "-1");
                loop_drive_set(&rig->drive, "iosched/prio_aging_expire", "4321");
        } else if (streq(scheduler, "kyber")) {
                loop_drive_set(&rig->drive, "iosched/read_lat_nsec", "1234567");
        } else if (streq(scheduler, "bfq")) {
                loop_drive_set(&rig->drive, "iosched/slice_idle_us", "7777");
                loop_drive_set(&rig->drive, "iosched/timeout_sync", "111");
        }
        rig->before = queue_dump(rig->drive.queue);
}

static void begin(struct rig *rig) {
        open_actuator(rig);
        if (actuator_add_device(rig->a, rig->drive.dev, rig->drive.name) < 0)
                abort();
}

static bool is_untouched(const struct rig *rig) {
        return queue_is_untouched(rig->drive.queue, rig->before);
}

static struct receipt apply(struct rig *rig, enum change_action action, enum tunable_id id, const char *value) {
        struct setting_change change = { .id = 1, .dev = rig->drive.dev, .action = action, .tunable = id };
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

/* Writes the value and holds what the kernel gives back against the table. */
static void check_value(int fd, enum tunable_id id, int64_t value) {
        char text[TUNABLE_VALUE_MAX], observed[TUNABLE_VALUE_MAX] = "";
        int r;

        snprintf(text, sizeof(text), "%" PRId64, value);
        r = sysfs_write_tunable(fd, id, text);
        if (r == 0)
                r = sysfs_read_tunable(fd, id, observed, sizeof(observed));
        if (r < 0 || !tunable_equivalent(id, text, observed))
                test_fail(__FILE__, __LINE__, "%s: wrote %s, read \"%s\" (%d)", tunable_get(id)->name, text, observed, r);
}

static bool has_range_of_its_own(enum tunable_id id) {
        return id == TUNABLE_QUEUE_SCHEDULER || id == TUNABLE_QUEUE_WBT_LAT_USEC || id == TUNABLE_QUEUE_NR_REQUESTS ||
               id == TUNABLE_QUEUE_MAX_SECTORS_KB || id == TUNABLE_QUEUE_READ_AHEAD_KB;
}

TEST(this_kernel_takes_every_value_in_the_range_of_every_row) {
        _cleanup_(tear_down) struct rig rig;
        _cleanup_close_ int fd = -1;
        unsigned rows = 0;

        set_up(&rig, "none");
        fd = sysfs_open_device("", rig.drive.name);
        for (size_t s = 0; s < ARRAY_SIZE(offered); s++) {
                loop_drive_set(&rig.drive, "scheduler", offered[s]);
                CHECK_INT(sysfs_check_iosched(fd, scheduler_from_string(offered[s])), 0);
                for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                        const struct tunable *t = tunable_get(id);
                        if (has_range_of_its_own(id) || t->scheduler != scheduler_from_string(offered[s]))
                                continue;
                        for (int64_t v = t->min; v < t->max && v < t->min + 20; v++)
                                check_value(fd, id, v);
                        for (int64_t v = 125; v <= t->max / 3; v *= 3)
                                check_value(fd, id, v);
                        check_value(fd, id, t->max);
                        rows++;
                }
        }
        CHECK(rows >= 18);
        for (int64_t v = 0; v < 300; v += 7)
                check_value(fd, TUNABLE_QUEUE_READ_AHEAD_KB, v);
        for (int64_t v = 0; v <= 5; v++) {
                check_value(fd, TUNABLE_QUEUE_NOMERGES, v);
                check_value(fd, TUNABLE_QUEUE_RQ_AFFINITY, v);
                check_value(fd, TUNABLE_QUEUE_NR_REQUESTS, v);
        }
        check_value(fd, TUNABLE_QUEUE_NOMERGES, 0);
        check_value(fd, TUNABLE_QUEUE_RQ_AFFINITY, 1);
}

TEST(bfq_settings_come_back_byte_for_byte) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "bfq");
        begin(&rig);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_LOW_LATENCY, "0").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_BFQ_STRICT_GUARANTEES, "1").result, RECEIPT_APPLIED);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_READ_AHEAD_KB, "130").result, RECEIPT_APPLIED);
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_READ_AHEAD_KB).result, RECEIPT_RESTORED);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_STRICT_GUARANTEES).result, RECEIPT_RESTORED);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_LOW_LATENCY).result, RECEIPT_RESTORED);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_TIMEOUT_SYNC).result, RECEIPT_RESTORED);
        CHECK_INT(restore(&rig, TUNABLE_BFQ_SLICE_IDLE_US).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
        CHECK(access(rig.originals, F_OK) < 0);
}

TEST(a_depth_set_and_restored_does_not_reset_the_other) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "mq-deadline");
        begin(&rig);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "100").result, RECEIPT_APPLIED);
        CHECK_STR(test_read_file(rig.drive.queue, "iosched/async_depth"), "48");
        CHECK_INT(restore(&rig, TUNABLE_QUEUE_NR_REQUESTS).result, RECEIPT_RESTORED);
        CHECK(is_untouched(&rig));
}

TEST(a_switch_to_bfq_and_back_leaves_every_byte_as_it_was) {
        for (size_t s = 0; s < ARRAY_SIZE(offered) - 1; s++) {
                _cleanup_(tear_down) struct rig rig;
                struct receipt foreign;
                set_up(&rig, offered[s]);
                begin(&rig);
                if (streq(offered[s], "mq-deadline"))
                        CHECK_INT(set(&rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1").result, RECEIPT_APPLIED);
                CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "bfq").result, RECEIPT_APPLIED);
                CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
                CHECK_INT(actuator_check_all(rig.a, 1, &foreign, 1), 0);
                CHECK_STR(test_read_file(rig.drive.queue, "iosched/slice_idle_us"), "600");
                CHECK_INT(restore(&rig, TUNABLE_QUEUE_SCHEDULER).result, RECEIPT_RESTORED);
                CHECK(is_untouched(&rig));
                CHECK(access(rig.originals, F_OK) < 0);
        }
}

TEST(a_foreign_write_is_seen_and_stays) {
        _cleanup_(tear_down) struct rig rig;
        struct receipt r[4];

        set_up(&rig, "bfq");
        begin(&rig);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_APPLIED);
        loop_drive_set(&rig.drive, "iosched/slice_idle", "3");
        CHECK_INT(actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r)), 1);
        CHECK_INT(r[0].result, RECEIPT_FOREIGN);
        CHECK_STR(r[0].observed, "3000");
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "kyber").result, RECEIPT_APPLIED);
        loop_drive_set(&rig.drive, "scheduler", "none");
        CHECK_INT(actuator_check_all(rig.a, 1, r, ARRAY_SIZE(r)), 1);
        CHECK_INT(r[0].tunable, TUNABLE_QUEUE_SCHEDULER);
        CHECK_STR(r[0].observed, "none");
        CHECK(access(rig.originals, F_OK) < 0);
}

TEST(a_refused_write_is_a_failure) {
        _cleanup_(tear_down) struct rig rig;

        set_up(&rig, "none");
        begin(&rig);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_NR_REQUESTS, "4294967295").error, -EINVAL);
        CHECK_INT(set(&rig, TUNABLE_QUEUE_SCHEDULER, "cfq").error, -EINVAL);
        CHECK_INT(set(&rig, TUNABLE_BFQ_SLICE_IDLE_US, "600").result, RECEIPT_GONE);
        CHECK(is_untouched(&rig));
        CHECK(access(rig.originals, F_OK) < 0);
}

static void live(struct rig *rig) {
        set(rig, TUNABLE_MQ_DEADLINE_FIFO_BATCH, "1");
        set(rig, TUNABLE_QUEUE_READ_AHEAD_KB, "256");
        set(rig, TUNABLE_QUEUE_SCHEDULER, "bfq");
        set(rig, TUNABLE_BFQ_SLICE_IDLE_US, "600");
        set(rig, TUNABLE_BFQ_TIMEOUT_SYNC, "61");
        set(rig, TUNABLE_QUEUE_NR_REQUESTS, "32");
        restore(rig, TUNABLE_QUEUE_SCHEDULER);
        restore(rig, TUNABLE_QUEUE_READ_AHEAD_KB);
}

static pid_t start_life(struct rig *rig) {
        pid_t child = fork();

        if (child == 0) {
                begin(rig);
                for (;;)
                        live(rig);
        }
        return child;
}

TEST(a_killed_process_leaves_nothing_that_the_next_does_not_restore) {
        static const char *const starts[] = { "mq-deadline", "bfq" };
        uint64_t state = test_seed();
        size_t restored = 0;

        for (unsigned i = 0; i < KILLS; i++) {
                static struct rig rig; /* one drive for all the kills of a scheduler */
                struct timespec life = { .tv_nsec = (long) (test_random(&state) % LONGEST_LIFE_US) * 1000 };
                pid_t child;
                if (i % (KILLS / 2) == 0)
                        set_up(&rig, starts[i / (KILLS / 2)]);
                child = start_life(&rig);
                nanosleep(&life, NULL);
                if (kill(child, SIGKILL) < 0 || waitpid(child, NULL, 0) != child)
                        abort();
                open_actuator(&rig);
                restored += actuator_recover_all(rig.a, 1, NULL, NULL);
                rig.a = actuator_free(rig.a);
                if (!is_untouched(&rig) || access(rig.originals, F_OK) == 0)
                        test_fail(__FILE__, __LINE__, "kill %u after %ld us", i, life.tv_nsec / 1000);
                if (i % (KILLS / 2) == KILLS / 2 - 1)
                        tear_down(&rig);
        }
        printf("# %d kills, %zu settings restored\n", KILLS, restored);
        CHECK(restored > KILLS / 4);
}

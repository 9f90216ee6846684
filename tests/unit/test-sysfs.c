/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

#include "sysfs.h"
#include "test.h"

/* /proc/self/attr-like files fail in read(2) or write(2) with errors that plain files do not know. */
#define READ_FAILS "/proc/self/mem"          /* EIO at offset 0 */
#define WRITE_FAILS "/proc/self/oom_score_adj" /* EINVAL for what is no number in range */

static const char *const bfq_drive[][2] = {
        { "dev", "8:0\n" },
        { "diskseq", "12\n" },
        { "device/queue_depth", "31\n" },
        { "queue/scheduler", "none mq-deadline kyber [bfq] \n" },
        { "queue/nr_requests", "64\n" },
        { "queue/rotational", "1\n" },
        { "queue/read_ahead_kb", "128\n" },
        { "queue/iosched/slice_idle", "8\n" },
        { "queue/iosched/slice_idle_us", "8000\n" },
        { "queue/iosched/timeout_sync", "124\n" },
        { "queue/iosched/low_latency", "1\n" },
};

/* Builds a drive and returns the root above it. */
static const char *make_drive(const char *name) {
        static char root[PATH_MAX / 4];
        static unsigned count;
        char dir[PATH_MAX / 2];

        snprintf(root, sizeof(root), "%s/root-%u", test_tmpdir(), count++);
        snprintf(dir, sizeof(dir), "%s/sys/block/%s", root, name);
        for (size_t i = 0; i < ARRAY_SIZE(bfq_drive); i++)
                test_write_file(dir, bfq_drive[i][0], bfq_drive[i][1]);
        return root;
}

static void replace_by_link(const char *root, const char *file, const char *target) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/sys/block/sda/%s", root, file);
        unlink(path);
        if (symlink(target, path) < 0)
                abort();
}

TEST(a_drive_is_opened_by_its_name_alone) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");

        CHECK(fd >= 0);
        CHECK_INT(sysfs_open_device(root, "sdb"), -ENODEV);
        CHECK_INT(sysfs_open_device(root, ""), -EINVAL);
        CHECK_INT(sysfs_open_device(root, ".."), -EINVAL);
        CHECK_INT(sysfs_open_device(root, "sda/queue"), -EINVAL);
}

TEST(values_are_read_and_written_without_their_newline) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        unsigned long long diskseq;
        char text[TUNABLE_VALUE_MAX];

        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_QUEUE_SCHEDULER, text, sizeof(text)), 0);
        CHECK_STR(text, "bfq");
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_SLICE_IDLE_US, text, sizeof(text)), 0);
        CHECK_STR(text, "8000");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_BFQ_SLICE_IDLE_US, "600"), 0);
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_SLICE_IDLE_US, text, sizeof(text)), 0);
        CHECK_STR(text, "600");
        CHECK_STR(test_read_file(root, "sys/block/sda/queue/iosched/slice_idle_us"), "600");
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_SLICE_IDLE_US, text, 3), -EFBIG);
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_MAX_BUDGET, text, sizeof(text)), -ENOENT);
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_BFQ_MAX_BUDGET, "1"), -ENOENT);
        CHECK_INT(sysfs_read_diskseq(fd, &diskseq), 0);
        CHECK_INT(diskseq, 12);
}

TEST(a_recorded_machine_keeps_its_list_of_schedulers) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");

        test_write_file(root, "sys/block/sda/queue/scheduler", "none [mq-deadline] kyber bfq \n");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, "bfq"), 0);
        CHECK_STR(test_read_file(root, "sys/block/sda/queue/scheduler"), "none mq-deadline kyber [bfq] ");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, "none"), 0);
        CHECK_STR(test_read_file(root, "sys/block/sda/queue/scheduler"), "[none] mq-deadline kyber bfq ");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, "deadline"), -EINVAL);
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, "mq-deadline"), 0);
        CHECK_STR(test_read_file(root, "sys/block/sda/queue/scheduler"), "none [mq-deadline] kyber bfq ");
}

TEST(a_scheduler_of_a_recorded_machine_brings_the_settings_that_wait_for_it) {
        static const char *const names[] = { "mq-deadline", "none", "bfq" }; /* for none nothing waits: what is there stays */
        _cleanup_close_ int fd = -1;
        char text[TUNABLE_VALUE_MAX];

        test_write_file(test_tmpdir(), "sys/block/sdw/queue/scheduler", "none mq-deadline [bfq]\n");
        test_write_file(test_tmpdir(), "sys/block/sdw/queue/iosched/slice_idle", "7\n");
        test_write_file(test_tmpdir(), "sys/block/sdw/queue/iosched.mq-deadline/fifo_batch", "16\n");
        fd = sysfs_open_device(test_tmpdir(), "sdw");
        CHECK(fd >= 0);
        for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
                CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_SCHEDULER, names[i]), 0);
                CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_SLICE_IDLE, text, sizeof(text)), i == 2 ? 0 : -ENOENT);
                CHECK_INT(sysfs_read_tunable(fd, TUNABLE_MQ_DEADLINE_FIFO_BATCH, text, sizeof(text)), i == 2 ? -ENOENT : 0);
        }
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_BFQ_SLICE_IDLE, text, sizeof(text)), 0);
        CHECK_STR(text, "7");
}

TEST(facts_hold_what_is_there) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        struct device_facts facts = { .dev = 5, .name = "kept" };

        CHECK_INT(sysfs_read_facts(fd, &facts), 0);
        CHECK_INT(facts.dev, 5);
        CHECK_STR(facts.name, "kept");
        CHECK_INT(facts.scheduler, SCHEDULER_BFQ);
        CHECK_INT(facts.schedulers, 1 << SCHEDULER_NONE | 1 << SCHEDULER_MQ_DEADLINE | 1 << SCHEDULER_KYBER | 1 << SCHEDULER_BFQ);
        CHECK(facts.rotational);
        CHECK_INT(facts.queue_depth, 31);
        CHECK(facts.values[TUNABLE_QUEUE_SCHEDULER].numeric);
        CHECK_INT(facts.values[TUNABLE_QUEUE_SCHEDULER].number, SCHEDULER_BFQ);
        CHECK(facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present);
        CHECK_INT(facts.values[TUNABLE_BFQ_SLICE_IDLE_US].number, 8000);
        CHECK(!facts.values[TUNABLE_CFQ_SLICE_IDLE_US].present); /* the same file, of another scheduler */
        CHECK(!facts.values[TUNABLE_BFQ_MAX_BUDGET].present);
        CHECK(!facts.values[TUNABLE_QUEUE_WBT_LAT_USEC].present);
}

TEST(a_drive_without_a_choice_reads_none) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        struct device_facts facts = {};

        test_write_file(root, "sys/block/sda/queue/scheduler", "none\n");
        CHECK_INT(sysfs_read_facts(fd, &facts), 0);
        CHECK_INT(facts.scheduler, SCHEDULER_NONE);
        CHECK_INT(facts.schedulers, 1 << SCHEDULER_NONE);
        CHECK(!facts.values[TUNABLE_BFQ_SLICE_IDLE_US].present);
        replace_by_link(root, "queue/scheduler", "missing");
        CHECK_INT(sysfs_read_facts(fd, &facts), 0);
        CHECK_INT(facts.scheduler, SCHEDULER_NONE);
        CHECK_INT(facts.schedulers, 0);
        CHECK(!facts.values[TUNABLE_QUEUE_SCHEDULER].present);
}

TEST(unknown_schedulers_and_odd_texts_are_no_values) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        struct device_facts facts = {};

        test_write_file(root, "sys/block/sda/queue/scheduler", "noop [deadline] cfq \n");
        test_write_file(root, "sys/block/sda/queue/nr_requests", "many\n");
        test_write_file(root, "sys/block/sda/queue/rotational", "");
        CHECK_INT(sysfs_read_facts(fd, &facts), 0);
        CHECK_INT(facts.scheduler, SCHEDULER_OTHER);
        CHECK_INT(facts.schedulers, 1 << SCHEDULER_OTHER | 1 << SCHEDULER_CFQ);
        CHECK(facts.values[TUNABLE_QUEUE_NR_REQUESTS].present && !facts.values[TUNABLE_QUEUE_NR_REQUESTS].numeric);
        CHECK(!facts.rotational);
}

TEST(a_file_that_fails_to_read_is_not_present) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        struct device_facts facts = {};
        char text[TUNABLE_VALUE_MAX];

        replace_by_link(root, "queue/wbt_lat_usec", READ_FAILS);
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_QUEUE_WBT_LAT_USEC, text, sizeof(text)), -EIO);
        replace_by_link(root, "queue/nr_requests", "/proc/self");
        CHECK_INT(sysfs_read_tunable(fd, TUNABLE_QUEUE_NR_REQUESTS, text, sizeof(text)), -EISDIR);
        CHECK_INT(sysfs_read_facts(fd, &facts), 0);
        CHECK(!facts.values[TUNABLE_QUEUE_WBT_LAT_USEC].present);
        CHECK(!facts.values[TUNABLE_QUEUE_NR_REQUESTS].present);
}

TEST(the_error_of_a_write_is_passed_on) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");

        replace_by_link(root, "queue/nr_requests", WRITE_FAILS);
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_NR_REQUESTS, "junk"), -EINVAL);
        replace_by_link(root, "queue/nr_requests", "/dev/full");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_NR_REQUESTS, "1"), -ENOSPC);
        replace_by_link(root, "queue/nr_requests", "/proc/self");
        CHECK_INT(sysfs_write_tunable(fd, TUNABLE_QUEUE_NR_REQUESTS, "1"), -EISDIR);
}

TEST(without_a_queue_there_are_no_facts) {
        const char *root = make_drive("sda");
        struct device_facts facts = {};
        char path[PATH_MAX / 2];
        _cleanup_close_ int fd = -1;

        snprintf(path, sizeof(path), "%s/sys/block/empty", root);
        CHECK(mkdir(path, 0755) == 0);
        fd = sysfs_open_device(root, "empty");
        CHECK_INT(sysfs_read_facts(fd, &facts), -ENOENT);
}

TEST(a_scheduler_with_unknown_settings_is_told) {
        const char *root = make_drive("sda");
        _cleanup_close_ int fd = sysfs_open_device(root, "sda");
        _cleanup_close_ int none = -1;

        CHECK_INT(sysfs_check_iosched(fd, SCHEDULER_BFQ), 0);
        CHECK_INT(sysfs_check_iosched(fd, SCHEDULER_MQ_DEADLINE), -EOPNOTSUPP);
        test_write_file(root, "sys/block/sda/queue/iosched/brand_new", "1\n");
        CHECK_INT(sysfs_check_iosched(fd, SCHEDULER_BFQ), -EOPNOTSUPP);
        test_write_file(root, "sys/block/sdb/queue/scheduler", "[none]\n");
        none = sysfs_open_device(root, "sdb");
        CHECK_INT(sysfs_check_iosched(none, SCHEDULER_NONE), 0);
}

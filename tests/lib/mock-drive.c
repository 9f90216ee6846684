/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <signal.h>
#include <sys/stat.h>

#include "mock-drive.h"
#include "str.h"
#include "sysfs.h"
#include "test.h"

struct default_value {
        enum tunable_id id;
        const char *value;
};

static const struct default_value queue_defaults[] = {
        { TUNABLE_QUEUE_NR_REQUESTS, "256" }, { TUNABLE_QUEUE_READ_AHEAD_KB, "128" },   { TUNABLE_QUEUE_MAX_SECTORS_KB, "1280" },
        { TUNABLE_QUEUE_RQ_AFFINITY, "1" },   { TUNABLE_QUEUE_NOMERGES, "0" },          { TUNABLE_QUEUE_ADD_RANDOM, "1" },
        { TUNABLE_QUEUE_WBT_LAT_USEC, "75000" },
};

static const struct default_value iosched_defaults[] = {
        { TUNABLE_BFQ_SLICE_IDLE, "8" },
        { TUNABLE_BFQ_SLICE_IDLE_US, "8000" },
        { TUNABLE_BFQ_LOW_LATENCY, "1" },
        { TUNABLE_BFQ_MAX_BUDGET, "0" },
        { TUNABLE_BFQ_TIMEOUT_SYNC, "124" },
        { TUNABLE_BFQ_STRICT_GUARANTEES, "0" },
        { TUNABLE_BFQ_FIFO_EXPIRE_SYNC, "125" },
        { TUNABLE_BFQ_FIFO_EXPIRE_ASYNC, "250" },
        { TUNABLE_BFQ_BACK_SEEK_MAX, "16384" },
        { TUNABLE_BFQ_BACK_SEEK_PENALTY, "2" },
        { TUNABLE_CFQ_SLICE_IDLE, "8" },
        { TUNABLE_CFQ_SLICE_IDLE_US, "8000" },
        { TUNABLE_CFQ_SLICE_SYNC, "100" },
        { TUNABLE_CFQ_SLICE_SYNC_US, "100000" },
        { TUNABLE_CFQ_LOW_LATENCY, "1" },
        { TUNABLE_CFQ_QUANTUM, "8" },
        { TUNABLE_MQ_DEADLINE_READ_EXPIRE, "500" },
        { TUNABLE_MQ_DEADLINE_WRITE_EXPIRE, "5000" },
        { TUNABLE_MQ_DEADLINE_FIFO_BATCH, "16" },
        { TUNABLE_MQ_DEADLINE_WRITES_STARVED, "2" },
        { TUNABLE_MQ_DEADLINE_FRONT_MERGES, "1" },
        { TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, "256" },
        { TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE, "10000" },
        { TUNABLE_KYBER_READ_LAT_NSEC, "2000000" },
        { TUNABLE_KYBER_WRITE_LAT_NSEC, "10000000" },
};

static int jiffies_hz = 250;
static struct mock_plan plan;
static unsigned steps, faults;
static pid_t planner;

int __real_sysfs_read_tunable(int device_fd, enum tunable_id id, char *ret, size_t size);
int __wrap_sysfs_read_tunable(int device_fd, enum tunable_id id, char *ret, size_t size);
int __wrap_sysfs_write_tunable(int device_fd, enum tunable_id id, const char *value);
int __real_fdio_write_all(int fd, const void *buf, size_t size);
int __wrap_fdio_write_all(int fd, const void *buf, size_t size);
int __wrap_fsync(int fd);

void mock_plan_set(const struct mock_plan *p) {
        plan = p ? *p : (struct mock_plan) { .fault = MOCK_NOTHING };
        steps = faults = 0;
        planner = getpid();
}

unsigned mock_steps(void) {
        return steps;
}

static bool is_of_drive(int device_fd) {
        struct stat a, b;

        return !plan.drive || (device_fd >= 0 && fstat(device_fd, &a) == 0 && stat(plan.drive->dir, &b) == 0 && a.st_ino == b.st_ino);
}

static void step_of(int device_fd) {
        if ((plan.fault == MOCK_FREEZE && getpid() == planner) || ((plan.fault == MOCK_FREEZE || plan.fault == MOCK_KILL) && !is_of_drive(device_fd)))
                return;
        if (++steps != plan.step)
                return;
        if (plan.fault == MOCK_KILL)
                raise(SIGKILL);
        while (plan.fault == MOCK_FREEZE)
                pause();
        if (plan.fault == MOCK_UNPLUG)
                mock_drive_unplug(plan.drive);
}

static bool strikes(enum mock_fault fault, enum tunable_id id) {
        return plan.fault == fault && plan.tunable == id && (plan.times == 0 || faults++ < plan.times);
}

static void put(int dirfd, enum tunable_id id, const char *value) {
        char path[64];
        _cleanup_close_ int fd = openat(dirfd, tunable_path(id, path, sizeof(path)), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

        if (fd < 0 || dprintf(fd, "%s\n", value) < 0)
                abort();
}

static void put_number(int dirfd, enum tunable_id id, int64_t value) {
        char text[32];

        snprintf(text, sizeof(text), "%" PRId64, value);
        put(dirfd, id, text);
}

static bool is_there(int dirfd, enum tunable_id id) {
        char path[64];

        return faccessat(dirfd, tunable_path(id, path, sizeof(path)), F_OK, 0) == 0;
}

static enum scheduler active_scheduler(int dirfd) {
        char word[TUNABLE_VALUE_MAX];

        return __real_sysfs_read_tunable(dirfd, TUNABLE_QUEUE_SCHEDULER, word, sizeof(word)) < 0 ? SCHEDULER_NONE
                                                                                                : scheduler_from_string(word);
}

static void fill_iosched(int dirfd, enum scheduler s) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                char path[64];
                if (tunable_get(id)->scheduler != SCHEDULER_ANY)
                        unlinkat(dirfd, tunable_path(id, path, sizeof(path)), 0);
        }
        for (size_t i = 0; i < ARRAY_SIZE(iosched_defaults); i++)
                if (tunable_get(iosched_defaults[i].id)->scheduler == s)
                        put(dirfd, iosched_defaults[i].id, iosched_defaults[i].value);
}

static void select_scheduler(int dirfd, enum scheduler s) {
        static const char *const old[] = { "noop", "deadline", "cfq", NULL };
        static const char *const multiqueue[] = { "none", "mq-deadline", "kyber", "bfq", NULL };
        char list[128] = "";

        for (const char *const *name = s == SCHEDULER_CFQ ? old : multiqueue; *name; name++)
                str_append(list, sizeof(list), scheduler_from_string(*name) == s ? "[%s] " : "%s ", *name);
        put(dirfd, TUNABLE_QUEUE_SCHEDULER, list);
        put(dirfd, TUNABLE_QUEUE_NR_REQUESTS, s == SCHEDULER_NONE ? "128" : "256");
        put(dirfd, TUNABLE_QUEUE_WBT_LAT_USEC, s == SCHEDULER_BFQ || s == SCHEDULER_CFQ ? "0" : "75000");
        fill_iosched(dirfd, s);
}

static int switch_scheduler(int dirfd, const char *value) {
        enum scheduler s = scheduler_from_string(value);

        if (strikes(MOCK_SWITCH_TO_NONE, TUNABLE_QUEUE_SCHEDULER)) {
                select_scheduler(dirfd, SCHEDULER_NONE);
                return plan.error;
        }
        if (s == SCHEDULER_OTHER || (s == SCHEDULER_CFQ) != (active_scheduler(dirfd) == SCHEDULER_CFQ))
                return -EINVAL;
        if (s != active_scheduler(dirfd))
                select_scheduler(dirfd, s);
        return 0;
}

static int64_t kept_value(const struct tunable *t, int64_t value) {
        value = CLAMP(value, t->min, t->max);
        if (t->type == TUNABLE_PAGES)
                return value / 4 * 4;
        if (t->type != TUNABLE_JIFFIES)
                return value;
        value = (value * jiffies_hz + 999) / 1000;
        return (value * 1000 + jiffies_hz - 1) / jiffies_hz;
}

static int kernel_writes(int dirfd, enum tunable_id id, const char *value) {
        const struct tunable *t = tunable_get(id);
        int64_t number;

        if (id == TUNABLE_QUEUE_SCHEDULER)
                return switch_scheduler(dirfd, value);
        if (str_parse_i64(value, &number) < 0)
                return -EINVAL;
        number = kept_value(t, number);
        put_number(dirfd, id, number);
        if (t->twin != _TUNABLE_INVALID && is_there(dirfd, t->twin))
                put_number(dirfd, t->twin, tunable_is_primary(id) ? number / 1000 : number * 1000);
        if (id == TUNABLE_QUEUE_NR_REQUESTS && is_there(dirfd, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH))
                put_number(dirfd, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, number);
        if (id == TUNABLE_BFQ_STRICT_GUARANTEES && number == 1) {
                put(dirfd, TUNABLE_BFQ_SLICE_IDLE_US, "8000");
                put(dirfd, TUNABLE_BFQ_SLICE_IDLE, "8");
        }
        return 0;
}

int __wrap_sysfs_write_tunable(int device_fd, enum tunable_id id, const char *value) {
        step_of(device_fd);
        if (strikes(MOCK_WRITE_FAILS, id))
                return plan.error;
        if (strikes(MOCK_WRITE_IGNORED, id))
                return 0;
        if (!is_there(device_fd, id))
                return -ENOENT;
        return kernel_writes(device_fd, id, strikes(MOCK_WRITE_OTHER, id) ? plan.value : value);
}

int __wrap_sysfs_read_tunable(int device_fd, enum tunable_id id, char *ret, size_t size) {
        step_of(device_fd);
        if (strikes(MOCK_READ_FAILS, id))
                return plan.error;
        return __real_sysfs_read_tunable(device_fd, id, ret, size);
}

int __wrap_fdio_write_all(int fd, const void *buf, size_t size) {
        step_of(-1);
        return __real_fdio_write_all(fd, buf, size);
}

int __wrap_fsync(int fd) {
        struct stat st;

        step_of(-1);
        return fstat(fd, &st); /* no test looks behind a power loss, and a loaded disk would take minutes */
}

static int open_drive(const struct mock_drive *d) {
        int fd = open(d->dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        if (fd < 0)
                abort();
        return fd;
}

void mock_drive_new(struct mock_drive *ret, const char *root, const char *name, const char *scheduler, int hz) {
        _cleanup_close_ int fd = -1;

        jiffies_hz = hz;
        if (root != ret->root)
                str_copy(ret->root, sizeof(ret->root), root);
        if (*ret->root == '\0')
                abort(); /* that would be the machine's own drives */
        snprintf(ret->dir, sizeof(ret->dir), "%s/sys/block/%s", ret->root, name);
        snprintf(ret->queue, sizeof(ret->queue), "%s/queue", ret->dir);
        test_write_file(ret->dir, "queue/iosched/marker", "");
        test_write_file(ret->dir, "dev", "8:16\n");
        test_write_file(ret->dir, "diskseq", "7\n");
        test_write_file(ret->dir, "queue/rotational", "1\n");
        fd = open_drive(ret);
        unlinkat(fd, "queue/iosched/marker", 0);
        for (size_t i = 0; i < ARRAY_SIZE(queue_defaults); i++)
                put(fd, queue_defaults[i].id, queue_defaults[i].value);
        select_scheduler(fd, scheduler_from_string(scheduler));
}

void mock_drive_write(const struct mock_drive *d, const char *file, const char *value) {
        _cleanup_close_ int fd = open_drive(d);
        bool iosched = strncmp(file, "iosched/", 8) == 0;
        enum tunable_id id = tunable_find(iosched ? active_scheduler(fd) : SCHEDULER_ANY, iosched ? file + 8 : file);

        if (id == _TUNABLE_INVALID || kernel_writes(fd, id, value) < 0)
                abort();
}

const char *mock_drive_read(const struct mock_drive *d, const char *file) {
        return test_read_file(d->queue, file);
}

void mock_drive_unplug(const struct mock_drive *d) {
        char *const roots[] = { (char *) d->dir, NULL };
        FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);

        if (!walk)
                abort();
        for (FTSENT *entry; (entry = fts_read(walk));)
                if (entry->fts_info != FTS_D)
                        remove(entry->fts_path);
        fts_close(walk);
}

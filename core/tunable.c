/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "str.h"
#include "tunable.h"

#define NO_TWIN _TUNABLE_INVALID
#define LOST TUNABLE_LOST_ON_SWITCH

/* bfq keeps slice_idle as 32 bits of nanoseconds: what is above wraps around, silently. */
#define BFQ_IDLE_MAX_US (UINT32_MAX / 1000)
#define BFQ_IDLE_MAX_MS (UINT32_MAX / 1000000)
/* wbt keeps microseconds as 64 bits of nanoseconds: what is above wraps around, silently. */
#define WBT_MAX_US (INT64_MAX / 1000)
/* Milliseconds are kept as an int of jiffies and shown as an int again: the last few would be shown negative. */
#define JIFFIES_MAX_MS (INT_MAX - 10)
#define PAGE_MIN_KIB 4 /* of every architecture that has drives to tune */

static const char twin_moves[] = "its twin in the other unit moves with it";

static const struct tunable table[_TUNABLE_MAX] = {
        [TUNABLE_QUEUE_SCHEDULER] = { SCHEDULER_ANY, "scheduler", "", TUNABLE_NAME, OVERFLOW_EINVAL,
                TUNABLE_FREEZES | TUNABLE_RESETS_OTHERS, 0, 0, NO_TWIN, "which scheduler orders the requests",
                "resets nr_requests and all of iosched/; bfq and cfq disable write-back throttling while they are active" },
        [TUNABLE_QUEUE_NR_REQUESTS] = { SCHEDULER_ANY, "nr_requests", "requests", TUNABLE_UINT, OVERFLOW_CLAMP,
                TUNABLE_FREEZES | TUNABLE_RESETS_OTHERS | LOST, 4, UINT32_MAX, NO_TWIN,
                "more requests may wait in the scheduler: better merging, longer queues",
                "mq-deadline puts async_depth back to it; more than the tags of a drive without a scheduler: EINVAL" },
        [TUNABLE_QUEUE_ASYNC_DEPTH] = { SCHEDULER_ANY, "async_depth", "requests", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                1, UINT32_MAX, NO_TWIN, "more requests for anything but synchronous reads", NULL },
        [TUNABLE_QUEUE_READ_AHEAD_KB] = { SCHEDULER_ANY, "read_ahead_kb", "KiB", TUNABLE_PAGES, OVERFLOW_EINVAL, 0,
                0, UINT32_MAX, NO_TWIN, "reads further ahead of a sequential reader; 0: never", NULL },
        [TUNABLE_QUEUE_MAX_SECTORS_KB] = { SCHEDULER_ANY, "max_sectors_kb", "KiB", TUNABLE_UINT, OVERFLOW_EINVAL,
                TUNABLE_FREEZES, PAGE_MIN_KIB, UINT32_MAX, NO_TWIN, "larger requests: throughput for the tail of the latency",
                "recent kernels cut it to max_hw_sectors_kb, older ones fail; 0 is the default on recent kernels" },
        [TUNABLE_QUEUE_RQ_AFFINITY] = { SCHEDULER_ANY, "rq_affinity", "", TUNABLE_UINT, OVERFLOW_IGNORED, 0, 0, 2, NO_TWIN,
                "completes where it was submitted: 0 anywhere, 1 the same group of CPUs, 2 the same CPU", NULL },
        [TUNABLE_QUEUE_NOMERGES] = { SCHEDULER_ANY, "nomerges", "", TUNABLE_UINT, OVERFLOW_ONE, 0, 0, 2, NO_TWIN,
                "merges less: 0 as possible, 1 only with the last request, 2 never", NULL },
        [TUNABLE_QUEUE_ADD_RANDOM] = { SCHEDULER_ANY, "add_random", "", TUNABLE_BOOL, OVERFLOW_CLAMP, 0, 0, 1, NO_TWIN,
                "feeds completions to the kernel's entropy pool", NULL },
        [TUNABLE_QUEUE_WBT_LAT_USEC] = { SCHEDULER_ANY, "wbt_lat_usec", "us", TUNABLE_INT, OVERFLOW_EINVAL,
                TUNABLE_FREEZES | TUNABLE_INEXACT, -1, WBT_MAX_US, NO_TWIN,
                "tolerates a higher read latency before background writes are throttled; 0 off, -1 the kernel's default",
                "any write ends the automatic state for good: from then on bfq no longer turns it off" },

        [TUNABLE_BFQ_SLICE_IDLE] = { SCHEDULER_BFQ, "slice_idle", "ms", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                0, BFQ_IDLE_MAX_MS, TUNABLE_BFQ_SLICE_IDLE_US, "waits longer for the next request of the process in turn", twin_moves },
        [TUNABLE_BFQ_SLICE_IDLE_US] = { SCHEDULER_BFQ, "slice_idle_us", "us", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                0, BFQ_IDLE_MAX_US, TUNABLE_BFQ_SLICE_IDLE, "waits longer for the next request of the process in turn", twin_moves },
        [TUNABLE_BFQ_LOW_LATENCY] = { SCHEDULER_BFQ, "low_latency", "", TUNABLE_BOOL, OVERFLOW_CLAMP, LOST, 0, 1, NO_TWIN,
                "favours applications that start and soft real-time streams", "0 ends all favours under way; 1 favours only what starts later" },
        [TUNABLE_BFQ_MAX_BUDGET] = { SCHEDULER_BFQ, "max_budget", "sectors", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                0, INT_MAX, NO_TWIN, "serves more at a turn: sequential throughput for latency; 0: measured by the kernel", NULL },
        [TUNABLE_BFQ_TIMEOUT_SYNC] = { SCHEDULER_BFQ, "timeout_sync", "ms", TUNABLE_JIFFIES, OVERFLOW_CLAMP, LOST,
                1, JIFFIES_MAX_MS, NO_TWIN, "longer turns, of synchronous and asynchronous processes alike", "the automatic budget is computed from it" },
        [TUNABLE_BFQ_STRICT_GUARANTEES] = { SCHEDULER_BFQ, "strict_guarantees", "", TUNABLE_BOOL, OVERFLOW_CLAMP,
                LOST | TUNABLE_RESETS_OTHERS, 0, 1, NO_TWIN, "one request in the drive at a time: exact shares, little throughput",
                "raises slice_idle to 8 ms at least, and 0 does not lower it again" },
        [TUNABLE_BFQ_FIFO_EXPIRE_SYNC] = { SCHEDULER_BFQ, "fifo_expire_sync", "ms", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                1, INT_MAX, NO_TWIN, "lets a synchronous request wait longer before its age counts", NULL },
        [TUNABLE_BFQ_FIFO_EXPIRE_ASYNC] = { SCHEDULER_BFQ, "fifo_expire_async", "ms", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                1, INT_MAX, NO_TWIN, "lets an asynchronous request wait longer before its age counts", NULL },
        [TUNABLE_BFQ_BACK_SEEK_MAX] = { SCHEDULER_BFQ, "back_seek_max", "KiB", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                0, INT_MAX, NO_TWIN, "seeks further backwards", NULL },
        [TUNABLE_BFQ_BACK_SEEK_PENALTY] = { SCHEDULER_BFQ, "back_seek_penalty", "", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                1, INT_MAX, NO_TWIN, "counts a backward seek as this many times the distance", NULL },

        [TUNABLE_CFQ_SLICE_IDLE] = { SCHEDULER_CFQ, "slice_idle", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                0, UINT32_MAX, TUNABLE_CFQ_SLICE_IDLE_US, "waits longer for the next request of the process in turn", twin_moves },
        [TUNABLE_CFQ_SLICE_IDLE_US] = { SCHEDULER_CFQ, "slice_idle_us", "us", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                0, UINT32_MAX, TUNABLE_CFQ_SLICE_IDLE, "waits longer for the next request of the process in turn", twin_moves },
        [TUNABLE_CFQ_GROUP_IDLE] = { SCHEDULER_CFQ, "group_idle", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                0, UINT32_MAX, TUNABLE_CFQ_GROUP_IDLE_US, "waits longer for the next request of a group's last process", twin_moves },
        [TUNABLE_CFQ_GROUP_IDLE_US] = { SCHEDULER_CFQ, "group_idle_us", "us", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                0, UINT32_MAX, TUNABLE_CFQ_GROUP_IDLE, "waits longer for the next request of a group's last process", twin_moves },
        [TUNABLE_CFQ_SLICE_SYNC] = { SCHEDULER_CFQ, "slice_sync", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_SLICE_SYNC_US, "longer turns of synchronous processes", twin_moves },
        [TUNABLE_CFQ_SLICE_SYNC_US] = { SCHEDULER_CFQ, "slice_sync_us", "us", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_SLICE_SYNC, "longer turns of synchronous processes", twin_moves },
        [TUNABLE_CFQ_SLICE_ASYNC] = { SCHEDULER_CFQ, "slice_async", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_SLICE_ASYNC_US, "longer turns of asynchronous writes", twin_moves },
        [TUNABLE_CFQ_SLICE_ASYNC_US] = { SCHEDULER_CFQ, "slice_async_us", "us", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_SLICE_ASYNC, "longer turns of asynchronous writes", twin_moves },
        [TUNABLE_CFQ_SLICE_ASYNC_RQ] = { SCHEDULER_CFQ, "slice_async_rq", "requests", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, NO_TWIN, "more asynchronous requests in a turn", NULL },
        [TUNABLE_CFQ_LOW_LATENCY] = { SCHEDULER_CFQ, "low_latency", "", TUNABLE_BOOL, OVERFLOW_WRAP, LOST, 0, 1, NO_TWIN,
                "shortens turns so that all fit into target_latency", NULL },
        [TUNABLE_CFQ_TARGET_LATENCY] = { SCHEDULER_CFQ, "target_latency", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_TARGET_LATENCY_US, "a longer round of turns under low_latency", twin_moves },
        [TUNABLE_CFQ_TARGET_LATENCY_US] = { SCHEDULER_CFQ, "target_latency_us", "us", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, TUNABLE_CFQ_TARGET_LATENCY, "a longer round of turns under low_latency", twin_moves },
        [TUNABLE_CFQ_QUANTUM] = { SCHEDULER_CFQ, "quantum", "requests", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, NO_TWIN, "more requests of one process in the drive", NULL },
        [TUNABLE_CFQ_FIFO_EXPIRE_SYNC] = { SCHEDULER_CFQ, "fifo_expire_sync", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, NO_TWIN, "lets a synchronous request wait longer before its age counts", NULL },
        [TUNABLE_CFQ_FIFO_EXPIRE_ASYNC] = { SCHEDULER_CFQ, "fifo_expire_async", "ms", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, NO_TWIN, "lets an asynchronous request wait longer before its age counts", NULL },
        [TUNABLE_CFQ_BACK_SEEK_MAX] = { SCHEDULER_CFQ, "back_seek_max", "KiB", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                0, UINT32_MAX, NO_TWIN, "seeks further backwards", NULL },
        [TUNABLE_CFQ_BACK_SEEK_PENALTY] = { SCHEDULER_CFQ, "back_seek_penalty", "", TUNABLE_UINT, OVERFLOW_WRAP, LOST,
                1, UINT32_MAX, NO_TWIN, "counts a backward seek as this many times the distance", NULL },

        [TUNABLE_MQ_DEADLINE_READ_EXPIRE] = { SCHEDULER_MQ_DEADLINE, "read_expire", "ms", TUNABLE_JIFFIES, OVERFLOW_CLAMP, LOST,
                0, JIFFIES_MAX_MS, NO_TWIN, "lets a read wait longer before it is served out of order", NULL },
        [TUNABLE_MQ_DEADLINE_WRITE_EXPIRE] = { SCHEDULER_MQ_DEADLINE, "write_expire", "ms", TUNABLE_JIFFIES, OVERFLOW_CLAMP, LOST,
                0, JIFFIES_MAX_MS, NO_TWIN, "lets a write wait longer before it is served out of order", NULL },
        [TUNABLE_MQ_DEADLINE_FIFO_BATCH] = { SCHEDULER_MQ_DEADLINE, "fifo_batch", "requests", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                0, INT_MAX, NO_TWIN, "longer runs in the order of the drive: throughput for latency", NULL },
        [TUNABLE_MQ_DEADLINE_WRITES_STARVED] = { SCHEDULER_MQ_DEADLINE, "writes_starved", "batches", TUNABLE_INT, OVERFLOW_CLAMP, LOST,
                INT_MIN, INT_MAX, NO_TWIN, "serves more batches of reads before one of writes", NULL },
        [TUNABLE_MQ_DEADLINE_FRONT_MERGES] = { SCHEDULER_MQ_DEADLINE, "front_merges", "", TUNABLE_BOOL, OVERFLOW_CLAMP, LOST,
                0, 1, NO_TWIN, "looks for a request to extend at its front, too", NULL },
        [TUNABLE_MQ_DEADLINE_ASYNC_DEPTH] = { SCHEDULER_MQ_DEADLINE, "async_depth", "requests", TUNABLE_UINT, OVERFLOW_CLAMP, LOST,
                1, INT_MAX, NO_TWIN, "more requests for anything but synchronous reads", NULL },
        [TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE] = { SCHEDULER_MQ_DEADLINE, "prio_aging_expire", "ms", TUNABLE_JIFFIES, OVERFLOW_CLAMP,
                LOST, 0, JIFFIES_MAX_MS, NO_TWIN, "lets lower I/O priority classes wait longer", NULL },

        [TUNABLE_KYBER_READ_LAT_NSEC] = { SCHEDULER_KYBER, "read_lat_nsec", "ns", TUNABLE_UINT, OVERFLOW_EINVAL, LOST,
                0, INT64_MAX, NO_TWIN, "tolerates slower reads before the other kinds are throttled", NULL },
        [TUNABLE_KYBER_WRITE_LAT_NSEC] = { SCHEDULER_KYBER, "write_lat_nsec", "ns", TUNABLE_UINT, OVERFLOW_EINVAL, LOST,
                0, INT64_MAX, NO_TWIN, "tolerates slower writes before the other kinds are throttled", NULL },
};

static const char *const schedulers[_SCHEDULER_MAX] = {
        [SCHEDULER_NONE] = "none",   [SCHEDULER_MQ_DEADLINE] = "mq-deadline", [SCHEDULER_BFQ] = "bfq",
        [SCHEDULER_KYBER] = "kyber", [SCHEDULER_CFQ] = "cfq",
};

const char *scheduler_to_string(enum scheduler s) {
        return schedulers[s];
}

enum scheduler scheduler_from_string(const char *name) {
        for (enum scheduler s = 0; s < _SCHEDULER_MAX; s++)
                if (schedulers[s] && streq(schedulers[s], name))
                        return s;
        return SCHEDULER_OTHER;
}

const struct tunable *tunable_get(enum tunable_id id) {
        return &table[id];
}

enum tunable_id tunable_find(enum scheduler scheduler, const char *name) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                if (table[id].scheduler == scheduler && streq(table[id].name, name))
                        return id;
        return _TUNABLE_INVALID;
}

char *tunable_path(enum tunable_id id, char *buf, size_t size) {
        snprintf(buf, size, "queue/%s%s", table[id].scheduler == SCHEDULER_ANY ? "" : "iosched/", table[id].name);
        return buf;
}

bool tunable_is_primary(enum tunable_id id) {
        return table[id].twin == NO_TWIN || streq(table[id].unit, "us");
}

int tunable_parse(enum tunable_id id, const char *text, int64_t *ret) {
        return table[id].type == TUNABLE_NAME ? -EINVAL : str_parse_i64(text, ret);
}

char *tunable_format(enum tunable_id id, int64_t value, char *buf, size_t size) {
        const char *name = id == TUNABLE_QUEUE_SCHEDULER ? scheduler_to_string((enum scheduler) value) : NULL;

        if (name)
                str_copy(buf, size, name);
        else
                snprintf(buf, size, "%" PRIi64, value);
        return buf;
}

int tunable_active_word(const char *text, char *ret, size_t size) {
        const char *start = strchr(text, '[');
        size_t length;

        if (start) {
                start++;
                length = strcspn(start, "] \n");
                if (start[length] != ']')
                        return -EINVAL;
        } else {
                start = text;
                length = strcspn(start, " \n");
                if (start[length + strspn(start + length, " \n")] != '\0')
                        return -EINVAL; /* a list in which nothing is active */
        }
        if (length == 0 || length >= size)
                return -EINVAL;
        memcpy(ret, start, length);
        ret[length] = '\0';
        return 0;
}

/* What a write of milliseconds reads back as: rounded up to jiffies, and those to milliseconds (down, in old kernels).
 * Which HZ the kernel has is not told to user space. */
static bool jiffies_equivalent(int64_t written, int64_t observed) {
        static const int64_t rates_hz[] = { 100, 250, 300, 1000 }; /* kernel/Kconfig.hz */
        const int64_t ms_per_s = 1000;

        for (size_t i = 0; i < ARRAY_SIZE(rates_hz); i++) {
                int64_t hz = rates_hz[i];
                int64_t jiffies = (written * hz + ms_per_s - 1) / ms_per_s;
                int64_t low = jiffies * ms_per_s / hz;
                int64_t high = (jiffies * ms_per_s + hz - 1) / hz;
                if (observed == low || observed == high)
                        return true;
        }
        return false;
}

static bool pages_equivalent(int64_t written, int64_t observed) {
        static const int64_t pages_kib[] = { 4, 16, 64 };

        for (size_t i = 0; i < ARRAY_SIZE(pages_kib); i++)
                if (observed == written / pages_kib[i] * pages_kib[i])
                        return true;
        return false;
}

/* simple_strtoul() into an unsigned int: digits up to the first other character, modulo the width. */
static int64_t parse_wrapping(const char *s) {
        uint32_t value = 0;

        for (; *s >= '0' && *s <= '9'; s++)
                value = value * 10 + (uint32_t) (*s - '0');
        return value;
}

/* The number that the kernel takes for what was written. Returns 0, or -EINVAL where the write would not succeed. */
static int taken_value(const struct tunable *t, const char *written, const char *observed, int64_t *ret) {
        bool inside;
        int64_t value;

        if (t->overflow == OVERFLOW_WRAP) {
                value = parse_wrapping(written);
                *ret = CLAMP(value, t->min, t->max);
                return 0;
        }
        if (str_parse_i64(written, &value) < 0)
                return -EINVAL;
        inside = value >= t->min && value <= t->max;
        switch (t->overflow) {
        case OVERFLOW_CLAMP:
                value = CLAMP(value, t->min, t->max);
                break;
        case OVERFLOW_EINVAL:
                if (!inside)
                        return -EINVAL;
                break;
        case OVERFLOW_IGNORED:
                if (!inside && (str_parse_i64(observed, &value) < 0))
                        return -EINVAL;
                break;
        case OVERFLOW_ONE:
                value = inside ? value : 1;
                break;
        case OVERFLOW_WRAP: /* above */
                break;
        }
        *ret = value;
        return 0;
}

bool tunable_equivalent(enum tunable_id id, const char *written, const char *observed) {
        const struct tunable *t = &table[id];
        int64_t taken, seen;

        if (t->type == TUNABLE_NAME)
                return streq(written, observed);
        if (taken_value(t, written, observed, &taken) < 0 || str_parse_i64(observed, &seen) < 0)
                return false;
        switch (t->type) {
        case TUNABLE_JIFFIES:
                return jiffies_equivalent(taken, seen);
        case TUNABLE_PAGES:
                return pages_equivalent(taken, seen);
        case TUNABLE_INT:
                /* wbt: -1 stands for a default that depends on the drive */
                return taken == seen || (id == TUNABLE_QUEUE_WBT_LAT_USEC && taken == -1 && seen > 0);
        case TUNABLE_BOOL:
        case TUNABLE_UINT:
        case TUNABLE_NAME:
        case _TUNABLE_TYPE_MAX:
                break;
        }
        return taken == seen;
}

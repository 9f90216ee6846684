/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every knob of the block layer that Brio knows, one row each in tunable.c, which the policy parser, the laws, the actuator, the bus and the
 * docs read. What a write of one changes of another is in daemon/actuator-write.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TUNABLE_VALUE_MAX 64 /* bytes of a value's text with its NUL */

/* Which scheduler must be active for the file to be there. */
enum scheduler {
        SCHEDULER_ANY, /* the queue directory itself */
        SCHEDULER_NONE,
        SCHEDULER_MQ_DEADLINE,
        SCHEDULER_BFQ,
        SCHEDULER_KYBER,
        SCHEDULER_CFQ,
        SCHEDULER_OTHER, /* known to the kernel, not to us: never chosen, never tuned */
        _SCHEDULER_MAX,
};

/* "mq-deadline", ...; NULL for SCHEDULER_ANY and SCHEDULER_OTHER. */
const char *scheduler_to_string(enum scheduler s);
/* SCHEDULER_OTHER for a name that is not known. "deadline" is OTHER: the legacy one has other knobs' semantics. */
enum scheduler scheduler_from_string(const char *name);

/* How the kernel reads and keeps the value. */
enum tunable_type {
        TUNABLE_BOOL,
        TUNABLE_UINT,    /* kept as written */
        TUNABLE_INT,     /* may be negative */
        TUNABLE_JIFFIES, /* milliseconds outside, jiffies inside: reads back up to one jiffy off */
        TUNABLE_PAGES,   /* KiB, rounded down to pages */
        TUNABLE_NAME,    /* a word out of a list with the active one in brackets */
        _TUNABLE_TYPE_MAX,
};

/* What the kernel does with a number outside its range. */
enum tunable_overflow {
        OVERFLOW_CLAMP,  /* the write "succeeds" with the nearest bound */
        OVERFLOW_EINVAL, /* the write fails */
        OVERFLOW_WRAP,   /* cfq: simple_strtoul into an unsigned int; junk is 0; then clamped */
        OVERFLOW_IGNORED,/* the write "succeeds" and changes nothing */
        OVERFLOW_ONE,    /* the write "succeeds" as 1 */
};

enum tunable_flags {
        TUNABLE_FREEZES = 1 << 0,       /* the write freezes or quiesces the queue: tens of milliseconds */
        TUNABLE_LOST_ON_SWITCH = 1 << 1,/* a change of the scheduler puts the kernel's default back */
        TUNABLE_INEXACT = 1 << 2,       /* cannot be restored exactly: touched only where a policy demands it */
        TUNABLE_RESETS_OTHERS = 1 << 3, /* writing it changes other rows, named in side_effects */
};

/* Rows of the table; a name and a scheduler together are the identity. Kept in the table's order. */
enum tunable_id {
        TUNABLE_QUEUE_SCHEDULER,
        TUNABLE_QUEUE_NR_REQUESTS,
        TUNABLE_QUEUE_ASYNC_DEPTH,
        TUNABLE_QUEUE_READ_AHEAD_KB,
        TUNABLE_QUEUE_MAX_SECTORS_KB,
        TUNABLE_QUEUE_RQ_AFFINITY,
        TUNABLE_QUEUE_NOMERGES,
        TUNABLE_QUEUE_ADD_RANDOM,
        TUNABLE_QUEUE_WBT_LAT_USEC,
        TUNABLE_BFQ_SLICE_IDLE,
        TUNABLE_BFQ_SLICE_IDLE_US,
        TUNABLE_BFQ_LOW_LATENCY,
        TUNABLE_BFQ_MAX_BUDGET,
        TUNABLE_BFQ_TIMEOUT_SYNC,
        TUNABLE_BFQ_STRICT_GUARANTEES,
        TUNABLE_BFQ_FIFO_EXPIRE_SYNC,
        TUNABLE_BFQ_FIFO_EXPIRE_ASYNC,
        TUNABLE_BFQ_BACK_SEEK_MAX,
        TUNABLE_BFQ_BACK_SEEK_PENALTY,
        TUNABLE_CFQ_SLICE_IDLE,
        TUNABLE_CFQ_SLICE_IDLE_US,
        TUNABLE_CFQ_GROUP_IDLE,
        TUNABLE_CFQ_GROUP_IDLE_US,
        TUNABLE_CFQ_SLICE_SYNC,
        TUNABLE_CFQ_SLICE_SYNC_US,
        TUNABLE_CFQ_SLICE_ASYNC,
        TUNABLE_CFQ_SLICE_ASYNC_US,
        TUNABLE_CFQ_SLICE_ASYNC_RQ,
        TUNABLE_CFQ_LOW_LATENCY,
        TUNABLE_CFQ_TARGET_LATENCY,
        TUNABLE_CFQ_TARGET_LATENCY_US,
        TUNABLE_CFQ_QUANTUM,
        TUNABLE_CFQ_FIFO_EXPIRE_SYNC,
        TUNABLE_CFQ_FIFO_EXPIRE_ASYNC,
        TUNABLE_CFQ_BACK_SEEK_MAX,
        TUNABLE_CFQ_BACK_SEEK_PENALTY,
        TUNABLE_MQ_DEADLINE_READ_EXPIRE,
        TUNABLE_MQ_DEADLINE_WRITE_EXPIRE,
        TUNABLE_MQ_DEADLINE_FIFO_BATCH,
        TUNABLE_MQ_DEADLINE_WRITES_STARVED,
        TUNABLE_MQ_DEADLINE_FRONT_MERGES,
        TUNABLE_MQ_DEADLINE_ASYNC_DEPTH,
        TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE,
        TUNABLE_KYBER_READ_LAT_NSEC,
        TUNABLE_KYBER_WRITE_LAT_NSEC,
        _TUNABLE_MAX,
        _TUNABLE_INVALID = -1,
};

struct tunable {
        enum scheduler scheduler;  /* SCHEDULER_ANY: in queue/, else in queue/iosched/ */
        const char *name;          /* the file's name */
        const char *unit;          /* "us", "ms", "requests", ... ; "" for counts without one */
        enum tunable_type type;
        enum tunable_overflow overflow;
        unsigned flags;            /* enum tunable_flags */
        int64_t min, max;          /* what the kernel takes */
        enum tunable_id twin;      /* the same variable in another unit; _TUNABLE_INVALID: none. The finer of two is
                                    * the one to save and restore: the coarser truncates when read. */
        const char *effect;        /* one phrase: what more of it does */
        const char *side_effects;  /* NULL: none */
};

/* The row; id must be valid. */
const struct tunable *tunable_get(enum tunable_id id);

/* The row of a file name under a scheduler (SCHEDULER_ANY finds queue/ files). _TUNABLE_INVALID: none. */
enum tunable_id tunable_find(enum scheduler scheduler, const char *name);

/* Path below the drive's sysfs directory: "queue/nr_requests" or "queue/iosched/slice_idle_us". Returns buf. */
char *tunable_path(enum tunable_id id, char *buf, size_t size);

/* True if it is the one of its twins to save, set and restore (also true without a twin). */
bool tunable_is_primary(enum tunable_id id);

/* Reads the text of the file. For TUNABLE_NAME the active word is not a number: -EINVAL.
 * Returns 0, -EINVAL or -ERANGE. */
int tunable_parse(enum tunable_id id, const char *text, int64_t *ret);

/* The text of a value as a write takes it: the number, for the scheduler its name (the number where it has none). Returns buf. */
char *tunable_format(enum tunable_id id, int64_t value, char *buf, size_t size);

/* The active word in "mq-deadline kyber [bfq] none" or of a file without brackets ("none").
 * Returns 0, or -EINVAL where there is none or it does not fit. */
int tunable_active_word(const char *text, char *ret, size_t size);

/* True if the kernel would give back `observed` after `written`: clamping, one jiffy (4 ms at HZ=250, at most 10 ms
 * at HZ=100), rounding to pages, wrap of cfq. For TUNABLE_NAME both are the bare word. */
bool tunable_equivalent(enum tunable_id id, const char *written, const char *observed);

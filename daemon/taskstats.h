/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long processes waited for block I/O, from the kernel's delay accounting through generic netlink (family "TASKSTATS",
 * include/uapi/linux/taskstats.h). Since Linux 5.14 it is off unless it was switched on; briod says so, and never switches it on. Before, it is on, unless
 * the kernel was built or begun without. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "source.h"
#include "units.h"

struct task_stats_reply {
        int error;    /* errno with which the kernel refused, and the rest is 0 */
        int32_t id;   /* of the process that was asked about; the rest is of all its threads, also those that ended */
        uint64_t runs;     /* times that it got a CPU; before Linux 5.14 0 where delays are not accounted (include/linux/delayacct.h, delayacct_add_tsk()) */
        uint64_t waits;    /* times that it waited for block I/O; 0 also where its waiting is not accounted */
        uint64_t wait_ns;  /* ... and how long in all */
        /* How long it waited until memory was freed, moved together (since Linux 5.17), swapped in, or read again after it had been freed too soon (thrashing,
         * since 4.20). For the last two it waits for a drive, and they are in wait_ns, too. */
        uint64_t memory_ns;
};

/* Reads one datagram from the kernel. Returns 1 and fills ret, 0 for a message of another family or command, -EBADMSG for what is too
 * short or contradicts itself, -EPROTONOSUPPORT for a layout that is older than all that are known. */
int task_stats_parse(const void *data, size_t size, uint16_t family, struct task_stats_reply *ret);

/* The same of the answer to which number the family has: returns it, or -EBADMSG, or the error with which the kernel refused. */
int task_stats_parse_family(const void *data, size_t size);

/* From totals of waiting, and whether the process was seen waiting at the end of the span, how long it waited within the span. A wait
 * is in the total only when it has ended, so one that lasts counts as it goes on, and is taken off the total later. */
struct wait_account {
        bool known;        /* the base below is there */
        uint64_t wait_ns;  /* base of the next difference */
        uint64_t ahead_ns; /* counted while it lasted */
};
uint64_t wait_account_add(struct wait_account *a, uint64_t wait_ns, bool waiting, nsec_t span);

struct task_stats;

/* Returns 0 also where it cannot be asked (probe says so), or -ENOMEM. root: as of a recorded machine, "" for the running one. */
int task_stats_new(const char *root, struct task_stats **ret);
struct task_stats *task_stats_free(struct task_stats *t);

/* Looks whether the kernel accounts delays now. Cheap; once a second or less is enough. */
void task_stats_look(struct task_stats *t);

/* Whether asking has a point. */
bool task_stats_works(const struct task_stats *t);

/* Asks about a process. Returns 0; -ENODATA where its waiting is not accounted, which is so of those that began before it was
 * switched on; -ESRCH; -errno. Some ten microseconds, and more with many threads. */
int task_stats_get_process(struct task_stats *t, int32_t tgid, struct task_stats_reply *ret);

/* Whether delays are accounted: by the kernel's switch as it was read ("0" or "1"; NULL: it has none, as before Linux 5.14), and by what the kernel said of ourselves. */
enum delay_accounting { DELAYS_NOT_ACCOUNTED, DELAYS_ACCOUNTED, DELAYS_ALWAYS_ACCOUNTED, DELAYS_UNKNOWN_TO_KERNEL };
enum delay_accounting task_stats_accounting(const char *state, const struct task_stats_reply *ours);

void task_stats_probe(const struct task_stats *t, struct source_info *ret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose thread is it: from the thread number in a trace to the process, through /proc, with a cache. A thread's number may be used
 * again, so what is known of one is believed for a few seconds only. */
#pragma once

#include <stdint.h>

#include "source.h"

#define TASK_BELIEVED_NS (5 * NSEC_PER_SEC)

/* Each reads two files of /proc, 20 us or so: a program with thousands of threads must not hold up the daemon's other work. */
#define TASK_LOOKUPS_MAX 256

/* One thread a place, and a later one takes it: looking one up again is cheap enough. A power of two. */
#define TASK_PLACES 4096

struct task_table;

/* The sink hears of each process by EVENT_PROCESS_NAME before its number is returned for the first time. NULL without memory. */
struct task_table *task_table_new(struct event_sink sink);
struct task_table *task_table_free(struct task_table *t);

/* The process of a thread. 0: a kernel thread, or one that ended before it was looked up. -EBUSY: TASK_LOOKUPS_MAX were looked up
 * since task_table_renew(), and this one is not known. */
int32_t task_table_find(struct task_table *t, int32_t tid, nsec_t now);
void task_table_renew(struct task_table *t);

/* The same for one thread, from a file of /proc and without a table: kernel threads, too. 0: it is gone. */
int32_t task_leader(int32_t tid);

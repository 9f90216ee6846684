/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A tracing instance of our own, through libtracefs: its buffers, events and filters are apart from the user's tracing, which
 * is never touched. Its name says whose it is, so that one left by a briod that was killed is known. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "trace-record.h"

/* Why there can be none. */
enum trace_obstacle {
        TRACE_POSSIBLE,
        TRACE_NOT_MOUNTED,
        TRACE_NO_EVENTS,   /* this kernel has no block events */
        TRACE_FORBIDDEN,   /* not root, a read-only mount, or locked down */
};

enum trace_obstacle trace_instance_obstacle(void);

struct trace_instance;

/* Makes the instance, switched off. purpose: tells it from others of this daemon. buffer_kb: of each CPU. Returns 0, -ENODEV where an obstacle is in the
 * way, or another -errno. */
int trace_instance_new(const char *purpose, unsigned buffer_kb, struct trace_instance **ret);

/* How this kernel lays out its block events. Returns 0; -ENODEV where they are not as needed; or -ENOMEM. */
int trace_instance_read_formats(struct trace_instance *i, struct trace_formats *ret);

/* The kernel's description of a page of the buffer, and of an event, which are the caller's. NULL: there is none, or no memory. */
char *trace_instance_read_header(void);
char *trace_instance_read_format(struct trace_instance *i, const char *system, const char *event);

/* Removes it from the kernel. */
struct trace_instance *trace_instance_free(struct trace_instance *i);

/* Filters by device number, and switches on. queue: for what is asked for (drives and their partitions), others: for what
 * happens to it (drives). No drives: switches off. Returns 0 or -errno. */
int trace_instance_watch(struct trace_instance *i, const uint32_t *queue, size_t n_queue, const uint32_t *others, size_t n_others);

/* Switches on, with these events of a thread, and of whatever it begets from now on; again for another one. The kernel forgets a thread that ends. Returns
 * 0 or -errno. */
struct trace_event {
        const char *system, *name;
};
int trace_instance_follow(struct trace_instance *i, const struct trace_event *events, size_t n, int32_t tid);

/* Opens a CPU's raw pages, not blocking. Returns the descriptor; -ENOENT where there is no such CPU; or -errno. */
int trace_instance_open_cpu(struct trace_instance *i, unsigned cpu);

/* How many records of that CPU the kernel has thrown away so far. */
uint64_t trace_instance_lost(struct trace_instance *i, unsigned cpu);

/* Removes the instances of daemons that are no more. Returns their number. */
size_t trace_instance_clean_up(void);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel keeps a buffer of records for each CPU, each in order by itself. Here they become events in the order of their times:
 * what is younger than TRACE_SETTLE_NS waits for the next look, so an event comes out of order only if its record took longer than
 * that to be written; those are counted. */
#pragma once

#include "source.h"
#include "task-table.h"
#include "trace-record.h"
#include "units.h"

#define TRACE_SETTLE_NS NSEC_PER_MSEC
#define TRACE_INTERVAL_NS (50 * NSEC_PER_MSEC) /* between two looks */

/* Taken in a look at most: the rest waits for the next, so that a flood of records does not keep the daemon from its other work. */
#define TRACE_LOOK_BYTES (4u << 20)
#define TRACE_AGAIN_NS NSEC_PER_MSEC

/* One buffer's next record. */
struct trace_lane {
        struct trace_lane *next;
        bool pending; /* there is one, at time t */
        nsec_t t;
        struct trace_record record;
};

struct trace_merge {
        struct event_sink sink;
        struct task_table *tasks;
        struct trace_lane *lanes;
        nsec_t look; /* its time */
        nsec_t last; /* of the events told */
        uint64_t told, late;
        uint64_t not_looked_up; /* told as of no process: their threads were too many for one look */
};

/* A lane stays where it is until it is removed. */
void trace_merge_add(struct trace_merge *m, struct trace_lane *lane);
void trace_merge_remove(struct trace_merge *m, struct trace_lane *lane);

/* The lane with the earliest record, if that is settled now; else NULL. now is the same throughout a look. */
struct trace_lane *trace_merge_next(struct trace_merge *m, nsec_t now);

/* Tells its record as an event of that drive (0: of none, so it is not told), after which it is pending no longer. */
void trace_merge_tell(struct trace_merge *m, struct trace_lane *lane, uint32_t drive);

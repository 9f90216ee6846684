/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One drive that is traced: its trace in the kernel, and the records of its CPUs as lanes of a merge. */
#pragma once

#include "blktrace-session.h"
#include "blktrace-stream.h"
#include "trace-merge.h"

struct blktrace_drive;

struct blktrace_cpu {
        struct blktrace_drive *drive;
        int fd;   /* -1: there is no such CPU, or not yet */
        bool dry; /* there was no more in this look */
        struct trace_lane lane;
        struct blktrace_stream stream;
};

struct blktrace_drive {
        struct blktrace_place place;
        size_t n_cpus;
        struct blktrace_cpu *cpus;
        uint64_t dropped;   /* the kernel says so */
        uint64_t told_lost; /* of what it or the sequence numbers say */
};

/* One look at the buffers: no more than TRACE_LOOK_BYTES. */
struct blktrace_look {
        nsec_t now;
        size_t bytes; /* so far */
};

/* Begins a trace. -ENOMEM, or as blktrace_session_begin() and blktrace_session_open_cpu() have it; then nothing is left. */
int blktrace_drive_begin(const struct blktrace_place *place, struct blktrace_state *state, struct trace_merge *merge,
                         struct blktrace_drive **ret);
/* Ends it, and frees. */
struct blktrace_drive *blktrace_drive_end(struct blktrace_drive *d, struct blktrace_state *state, struct trace_merge *merge);

/* Sees to it that the CPU's next record is pending, if there is one. Returns whether records before it are missing. */
bool blktrace_cpu_advance(struct blktrace_cpu *c, struct blktrace_look *look);

/* What need not be done in each look: reads the kernel's count of losses, opens CPUs that came meanwhile. */
void blktrace_drive_check(struct blktrace_drive *d, struct trace_merge *merge);

/* How many records were lost since this was asked last: a gap in a sequence shows it where it happened, the kernel's count also
 * what no record has followed yet. */
uint64_t blktrace_drive_take_lost(struct blktrace_drive *d);

uint64_t blktrace_drive_malformed(const struct blktrace_drive *d);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A trace of blktrace in the kernel: one at a time for a drive, of whatever program. It is set up by ioctls on the drive's node, and
 * read from the relay files in debugfs, a CPU each. */
#pragma once

#include <sys/types.h>

#include "blktrace-state.h"

enum blktrace_obstacle {
        BLKTRACE_POSSIBLE,
        BLKTRACE_NOT_MOUNTED, /* debugfs */
        BLKTRACE_NOT_BUILT,   /* the kernel has no blktrace */
        BLKTRACE_FORBIDDEN,
        BLKTRACE_LOCKED_DOWN, /* debugfs gives nothing that could be written or mapped, and relay files can be mapped */
        BLKTRACE_NO_NODES,    /* /dev has no drives: briod runs with devices of its own */
};

/* What can be said without making a trace. */
enum blktrace_obstacle blktrace_obstacle(void);

/* What it is, and what would remove it; NULL for BLKTRACE_POSSIBLE. */
const char *blktrace_obstacle_to_sentence(enum blktrace_obstacle o);

/* Where a drive is found. */
struct blktrace_place {
        char name[32];
        uint32_t dev;
};

/* -ENODEV: there is no such drive (any more). */
int blktrace_place_find(uint32_t dev, struct blktrace_place *ret);

/* Makes a trace with n buffers of that many bytes for each CPU, and begins it; version 2 of the records where the kernel has them.
 * Notes it in the state before and after; a trace of ours that a killed briod has left makes room. Returns 0; -EBUSY: another program
 * traces the drive; -ENXIO: its node cannot be opened; or -errno. Then nothing is left. */
int blktrace_session_begin(const struct blktrace_place *place, uint32_t buffer_bytes, uint32_t n, struct blktrace_state *state);

/* Ends and removes it, if it is the one of the state. What was recorded is gone, unless its files are open. */
void blktrace_session_end(const struct blktrace_place *place, struct blktrace_state *state);

/* Opens a CPU's records, not blocking. Returns the descriptor; -ENOENT where there is no such CPU; -EPERM under lockdown; or -errno. */
int blktrace_session_open_cpu(const struct blktrace_place *place, unsigned cpu);

/* How many records the kernel had no room for, of all CPUs together, so far. */
uint64_t blktrace_session_dropped(const struct blktrace_place *place);

/* Removes the traces of the state, which killed briods have left. Returns their number. Those that are not there any more are
 * forgotten; what cannot be said or done now, without debugfs or the drive's node, is left to the next run. */
size_t blktrace_session_clean_up(struct blktrace_state *state);

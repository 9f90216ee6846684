/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What children did that have ended. To /proc/PID/io it is their parent's as well, from the moment at which that has waited for them
 * (kernel/exit.c wait_task_zombie()); where it was counted for the child already, it must not be counted again. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define REAPED_MAX 64 /* children, waited for or not; with more those that ended first are forgotten */
/* A parent that has not waited after so long will not: the kernel reaps the children of those that ignore SIGCHLD itself, and leaves
 * out what they did. */
#define REAPED_WAIT_NS (2 * NSEC_PER_SEC)

struct reaped_child {
        int32_t parent; /* 0: free */
        nsec_t t;       /* its end */
        uint64_t read_bytes, write_bytes;
};

struct reaped {
        size_t next;
        struct reaped_child children[REAPED_MAX];
};

/* A child ended for which so much was counted. */
void reaped_expect(struct reaped *r, int32_t parent, nsec_t t, uint64_t read_bytes, uint64_t write_bytes);

/* A process's counters moved on by so much: what of it was children's is taken away. */
void reaped_take(struct reaped *r, int32_t parent, nsec_t now, uint64_t *read_bytes, uint64_t *write_bytes);

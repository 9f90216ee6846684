/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The I/O priorities of all threads of a process. proc_fd: from priority_process_open(). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PRIORITY_THREADS_MAX 4096 /* of one process; one with more is left alone */

struct priority_survey {
        size_t n;        /* threads that were there; of those without a priority only such as are not ending */
        size_t written;  /* that have the priority asked about */
        size_t none;     /* that have none */
        int other;       /* a priority that another one has, or -1 */
};

/* How many threads have that priority. Returns 0, -ESRCH where the process has ended, or -errno. */
int priority_threads_survey(int proc_fd, uint16_t priority, struct priority_survey *ret);

/* Each thread that has `from` gets `to`, again and again until none is born with it any more. Others are not touched. Returns how many got
 * it, -ESRCH where the process has ended, -E2BIG, -EIO where the kernel takes it and does nothing, or the -errno of the first
 * that could not get it (the others did). */
int priority_threads_write(int proc_fd, uint16_t from, uint16_t to);

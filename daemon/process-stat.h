/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/PID/stat, and that of a thread below task/: all that is needed of it here, at once, without a library's tables. */
#pragma once

#include <stdint.h>

#include "event.h"

#define PROCESS_FLAG_EXITING 0x00000004u
#define PROCESS_FLAG_KERNEL_THREAD 0x00200000u

struct process_stat {
        int32_t tgid, parent, job, session; /* tgid: of a thread its own number */
        int32_t terminal;                   /* the number of the controlling one; 0: none */
        int32_t foreground;                 /* the terminal's foreground process group; -1: none */
        uint32_t flags;                     /* PF_* of include/linux/sched.h: PROCESS_FLAG_* */
        int32_t nice;
        char state;
        uint64_t threads;
        uint64_t faults;    /* that had to be read, of all its threads */
        uint64_t cpu_ticks; /* user and system, of all its threads */
        uint64_t start_ticks;
        char name[EVENT_NAME_MAX]; /* text, whatever bytes the process gave itself */
};

/* The text of the file, which is changed. Returns 0 or -EINVAL. */
int process_stat_parse(char *text, struct process_stat *ret);

/* Returns 0, -EINVAL, or -errno: it is gone. */
int process_stat_read(const char *root, int32_t tgid, struct process_stat *ret);

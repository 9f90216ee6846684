/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/PID/stat, of a process that starts: more of it than a scan of all needs, and at once, without a library's tables. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "units.h"

struct process_stat {
        int32_t parent, job, session;
        bool terminal; /* it has a controlling one */
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

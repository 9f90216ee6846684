/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /proc says of a process whose I/O priority is to be changed. */
#pragma once

#include <stdint.h>

#include "process-stat.h"

/* Opens /proc/PID: what is read below the descriptor is this process's or fails, whichever process gets its number. Returns it, or -errno. */
int priority_process_open(int32_t tgid);

/* Returns 0, -ESRCH where it has ended, or -errno. */
int priority_process_read(int proc_fd, struct process_stat *ret);

/* As open and read, of a process with that start. -ESRCH: it has ended, or its number is another's. */
int priority_process_find(int32_t tgid, uint64_t start_ticks, struct process_stat *ret, int *ret_proc_fd);

/* The checksum of its control group's path; 0 for the root, which every process may be in, and where it is not known. */
uint32_t priority_process_cgroup_sum(int proc_fd);

/* Now, on the clock of start_ticks. */
uint64_t priority_now_ticks(void);
uint64_t priority_ticks_per_s(void);

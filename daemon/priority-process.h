/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What /proc says of a process whose I/O priority is to be changed. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct priority_process {
        int32_t tgid, parent, group, session;
        int32_t terminal;         /* its number; 0: none */
        int32_t foreground;       /* the terminal's foreground process group; -1: none */
        uint32_t flags;           /* PF_*: priority_is_kernel_thread() */
        int32_t nice;
        uint64_t start_ticks;
};

/* The text of /proc/PID/stat, which it changes. Returns 0 or -EINVAL. */
int priority_process_parse(char *text, struct priority_process *ret);

/* Opens /proc/PID: what is read below the descriptor is this process's or fails, whichever process gets its number. Returns it, or -errno. */
int priority_process_open(int32_t tgid);

/* Returns 0, -ESRCH where it has ended, or -errno. */
int priority_process_read(int proc_fd, struct priority_process *ret);

/* As open and read, of a process with that start. -ESRCH: it has ended, or its number is another's. */
int priority_process_find(int32_t tgid, uint64_t start_ticks, struct priority_process *ret, int *ret_proc_fd);

bool priority_is_kernel_thread(const struct priority_process *p);

/* It is on its way out, or waits for its parent to notice: it has no I/O priority any more, and takes none. */
bool priority_is_ending(const struct priority_process *p);

/* Its control group's path where systemd keeps its units: "/user.slice/...". Returns 0 or -errno. */
int priority_process_cgroup(int proc_fd, char *ret, size_t size);

/* The checksum of that path; 0 for the root, which every process may be in, and where it is not known. */
uint32_t priority_process_cgroup_sum(int proc_fd);

/* Now, on the clock of start_ticks. */
uint64_t priority_now_ticks(void);
uint64_t priority_ticks_per_s(void);

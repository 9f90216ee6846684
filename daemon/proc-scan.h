/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the counters of processes: of the running machine's (process-sweep.h has them read by another process), or those in the tree below
 * a root prefix. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

struct proc_counters {
        int32_t tgid, parent;
        uint64_t start_ticks; /* since boot, in ticks of sysconf(_SC_CLK_TCK) */
        uint64_t read_bytes, write_bytes; /* 0 also where /proc/PID/io may not be read */
        uint64_t called_bytes; /* that it asked for by read(2) and its like, of files, pipes and sockets; 0 as above */
        uint64_t faults;      /* that had to be read: of what it has mapped */
        bool kernel_thread;
        bool waiting; /* state D of its first thread */
        bool runnable; /* state R */
        char name[EVENT_NAME_MAX]; /* text, whatever bytes the process gave itself */
};

typedef void (*proc_scan_fn)(void *userdata, const struct proc_counters *c);

struct proc_scan;

/* root "": the running machine. Returns 0 or -ENOMEM. */
int proc_scan_new(const char *root, struct proc_scan **ret);
struct proc_scan *proc_scan_free(struct proc_scan *s);

/* Calls fn for every process, or for those of tgids that are there. One that vanishes while it is read is left out.
 * Returns 0, or -errno where /proc itself cannot be read. */
int proc_scan_all(struct proc_scan *s, proc_scan_fn fn, void *userdata);
int proc_scan_some(struct proc_scan *s, const int32_t *tgids, size_t n, proc_scan_fn fn, void *userdata);

/* "12 (a) b) S 1 ..." of /proc/PID/stat: all but the bytes. Returns 0 or -EINVAL. */
int proc_parse_stat(char *text, struct proc_counters *ret);

/* rchar, read_bytes and write_bytes of /proc/PID/io; a missing one is 0. Returns 0, -EINVAL or -ERANGE. */
int proc_parse_io(char *text, struct proc_counters *ret);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose a process is and what priority its I/O has: looked up when a caller asks, since neither is needed to tune. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "fdio.h"

struct process_facts {
        uint32_t uid;      /* effective; PROCESS_UID_UNKNOWN */
        int io_class;      /* enum io_class of its first thread, or IO_CLASS_UNKNOWN */
        uint32_t io_level; /* within realtime and best-effort; else 0 */
};

/* The first number behind that key of /proc/PID/status, of a process or a thread: "Uid", "Tgid". Returns 0 or -errno. */
int process_status_number(const char *root, int32_t pid, const char *key, uint64_t *ret);

/* Whether a process of this machine runs, or waits for a processor and for nothing else. What is read for it nothing holds up. */
bool process_is_runnable(int32_t tgid);

/* Reads a /proc/PID/cgroup. The control group in which systemd has its units, "/user.slice/...": of v2, or where that is the root of
 * v1's name=systemd. "": neither, or the process is gone. */
const char *process_cgroup_read(int dir_fd, const char *path, char buf[static ATTRIBUTE_MAX]);

/* The real user: the one that started it, whatever rights its program has. root: of the /proc. PROCESS_UID_UNKNOWN: it is gone. */
uint32_t process_facts_user(const char *root, int32_t tgid);

/* Of the running machine. One that is gone has none. */
void process_facts_get(int32_t tgid, struct process_facts *ret);

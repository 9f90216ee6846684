/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose a process is and what priority its I/O has: looked up when somebody asks, since neither is needed to tune. */
#pragma once

#include <stdint.h>

/* As the kernel numbers them (ioprio_set(2)). */
enum io_class { IO_CLASS_NONE, IO_CLASS_REALTIME, IO_CLASS_BEST_EFFORT, IO_CLASS_IDLE, _IO_CLASS_MAX };
#define IO_CLASS_UNKNOWN (-1)
#define IO_LEVELS 8 /* 0 is the highest */

/* What ioprio_get(2) returned. Returns the class and its level, or IO_CLASS_UNKNOWN for a negative or senseless one. */
int io_class_from_priority(long priority, uint32_t *ret_level);

/* "none" (the kernel takes it from the niceness), "realtime", "best-effort", "idle"; "" for IO_CLASS_UNKNOWN. */
const char *io_class_to_string(int io_class);

#define PROCESS_UID_UNKNOWN UINT32_MAX /* as the kernel has it: no user's number */

struct process_facts {
        uint32_t uid;      /* effective; PROCESS_UID_UNKNOWN */
        int io_class;      /* enum io_class of its first thread, or IO_CLASS_UNKNOWN */
        uint32_t io_level; /* within realtime and best-effort; else 0 */
};

/* Of the running machine. One that is gone has none. */
void process_facts_get(int32_t tgid, struct process_facts *ret);

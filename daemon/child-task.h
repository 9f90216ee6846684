/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Work that may have to wait for a drive, in a process of its own. That may read what root owns or every user may read, and no more. Of the
 * daemon's descriptors it has those named. What it says is taken when it has ended. One that hangs is killed in time, and counts until the kernel lets it end. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#define CHILD_TASKS_MAX 20
#define CHILD_TASK_SECONDS 60 /* a drive that others keep busy may take half of that to write a list */
#define CHILD_TASK_SAYS_MAX (4u << 20) /* bytes; of what is more, nothing that comes after it is taken */

struct child_tasks;
struct child_task;

struct child_work {
        /* In the child, before it gives up the daemon's rights; its time is its own affair (alarm(2)). NULL: nothing. */
        void (*before)(void *userdata);
        /* In the child, which ends with it. fd: what is written there is said. */
        void (*run)(void *userdata, int fd);
        /* In the daemon, when it has ended; said: what it said, size bytes. Not after child_task_drop(). */
        void (*done)(void *userdata, const char *said, size_t size);
        void *userdata;
        int keep_fd;       /* beside that; -1: none */
        uint16_t priority; /* I/O priority; IO_PRIORITY_NONE: the daemon's */
        unsigned seconds;  /* for which it may run: it is killed after that, and has said what it had by then; 0: CHILD_TASK_SECONDS */
};

/* Returns 0 or -ENOMEM. */
int child_tasks_new(sd_event *event, struct child_tasks **ret);
/* Kills those that are left: they are done, and have said nothing. */
struct child_tasks *child_tasks_free(struct child_tasks *t);

/* Returns 0, -EBUSY with CHILD_TASKS_MAX, which the caller counts, or -errno. */
int child_task_start(struct child_tasks *t, const struct child_work *work, struct child_task **ret);

int32_t child_task_pid(const struct child_task *task);

/* What it has said so far, which is borrowed until it ends or is dropped. Returns its size. */
size_t child_task_said(struct child_task *task, const char **ret);

/* Kills it; nothing more is heard of it. NULL is fine. Returns NULL. */
struct child_task *child_task_drop(struct child_task *task);

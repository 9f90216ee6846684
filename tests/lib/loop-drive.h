/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A loop device of our own, for tests on the real kernel. It lets go of its file when the last process that has it open
 * ends, however it ends. */
#pragma once

#include <stdint.h>

struct loop_drive {
        int fd;
        char name[32];      /* "loop7" */
        char queue[64];     /* "/sys/block/loop7/queue" */
        uint32_t dev;
        char scheduler[64], nr_requests[64], read_ahead_kb[64]; /* as they were: the kernel keeps them for the next user */
};

/* Takes a free one and puts a sparse file in dir behind it. Returns 0, -EPERM/-EACCES without the right, -ENOENT without
 * loop devices, -errno. */
int loop_drive_new(struct loop_drive *ret, const char *dir);
void loop_drive_done(struct loop_drive *d); /* puts its settings back and detaches it */

/* Writes a setting below queue/; aborts where the kernel refuses. */
void loop_drive_set(const struct loop_drive *d, const char *file, const char *value);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One drive's directory under /sys/block, below an optional root prefix (a recorded machine). */
#pragma once

#include <stddef.h>

#include "controller.h"
#include "tunable.h"

/* Opens ROOT/sys/block/NAME. Returns a descriptor for the other calls, or -errno (-ENODEV: no such drive). root "" is /. */
int sysfs_open_device(const char *root, const char *name);

/* Reads a tunable's text as sysfs shows it; for TUNABLE_NAME the active word alone. Returns 0 or -errno. */
int sysfs_read_tunable(int device_fd, enum tunable_id id, char *ret, size_t size);

/* Writes the text and a newline in one write(2). In a recorded machine, where the files are plain, the file of a choice
 * keeps its list, and what is not in it is -EINVAL, as with the kernel; where there is queue/iosched.NAME for the scheduler, it becomes
 * queue/iosched, and that of the other waits in its place. Returns 0 or -errno. */
int sysfs_write_tunable(int device_fd, enum tunable_id id, const char *value);

/* Reads the schedulers that the kernel offers and every tunable of the table that is there and can be read. Fills the
 * facts' scheduler, schedulers (0: no file), rotational, queue_depth and values (the scheduler's is its enum scheduler);
 * leaves dev, name and class alone. Returns 0, or -errno where there is no queue directory. */
int sysfs_read_facts(int device_fd, struct device_facts *facts);

/* Identity of the drive behind the name: diskseq (5.15+) or, without it, 0. Returns 0 or -errno. */
int sysfs_read_diskseq(int device_fd, unsigned long long *ret);

/* 0 if the table knows every file of the active scheduler, so that all of it can be put back after a switch;
 * -EOPNOTSUPP where not, or -errno. */
int sysfs_check_iosched(int device_fd, enum scheduler scheduler);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive's directory of plain files with the manners of the kernel behind it: link with --wrap for sysfs_read_tunable,
 * sysfs_write_tunable, fdio_write_all and fsync, and writes clamp, round to jiffies, move twins, reset what a switch
 * resets, and fail or kill the process where a test says so. */
#pragma once

#include <stdbool.h>

#include "tunable.h"

struct mock_drive {
        char root[512]; /* for actuator_new() */
        char dir[640];  /* ROOT/sys/block/NAME */
        char queue[768];
};

/* Builds ROOT/sys/block/NAME with the scheduler active and every file at the kernel's default. hz: of its jiffies. */
void mock_drive_new(struct mock_drive *ret, const char *root, const char *name, const char *scheduler, int hz);

/* As another program would: with the kernel's manners, past the actuator. */
void mock_drive_write(const struct mock_drive *d, const char *file, const char *value);
const char *mock_drive_read(const struct mock_drive *d, const char *file);

/* Takes the drive away, as a cable would. */
void mock_drive_unplug(const struct mock_drive *d);

enum mock_fault {
        MOCK_NOTHING,
        MOCK_WRITE_FAILS,    /* with .error; only of .tunable */
        MOCK_WRITE_IGNORED,  /* "succeeds", and nothing changes; only of .tunable */
        MOCK_WRITE_OTHER,    /* "succeeds", and .value stands there; only of .tunable */
        MOCK_READ_FAILS,     /* with .error; only of .tunable */
        MOCK_SWITCH_TO_NONE, /* a switch of the scheduler fails with .error and leaves "none" active */
        MOCK_UNPLUG,         /* before the .step-th step */
        MOCK_KILL,           /* the process, before the .step-th step; only steps at .drive count, where there is one */
        MOCK_FREEZE,         /* before the .step-th step: a child that was forked later waits until it is killed; steps as above */
};

/* What goes wrong from now on. Steps are reads and writes of tunables, writes to the journal, and its fsyncs. */
struct mock_plan {
        enum mock_fault fault;
        enum tunable_id tunable;
        int error;          /* negative errno */
        unsigned times;     /* how often; 0: always */
        const char *value;
        unsigned step;      /* from 1 */
        const struct mock_drive *drive;
};

void mock_plan_set(const struct mock_plan *plan); /* NULL: nothing, and the count of steps starts anew */
unsigned mock_steps(void);

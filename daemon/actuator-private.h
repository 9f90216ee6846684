/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by actuator.c (one tunable), actuator-switch.c (the scheduler and what it resets) and actuator-recover.c. */
#pragma once

#include "actuator.h"
#include "snapshot.h"

struct actuator_device {
        uint32_t dev;
        char name[32];
        int fd;                                     /* of its directory in sysfs */
        unsigned long long diskseq;
        /* Of those in the journal: the text that stood after our write; "": not known. */
        char seen[_TUNABLE_MAX][TUNABLE_VALUE_MAX];
        enum scheduler under[_TUNABLE_MAX]; /* active when that was seen */
};

struct actuator {
        char *root;
        struct journal *journal;
        size_t n_devices;
        struct actuator_device *devices[SNAPSHOT_DEVICES_MAX];
        /* In which tunables are restored: the scheduler, what resets others, the rest, last what cannot be exact. */
        enum tunable_id order[_TUNABLE_MAX];
};

/* Opens the drive. Returns 0, -ENOMEM, -ENAMETOOLONG, or as sysfs_open_device() or sysfs_read_diskseq(). */
int actuator_device_new(const char *root, uint32_t dev, const char *name, struct actuator_device **ret);
struct actuator_device *actuator_device_free(struct actuator_device *d);
DEFINE_TRIVIAL_CLEANUP_FUNC(struct actuator_device *, actuator_device_free)

struct actuator_device *actuator_find_device(const struct actuator *a, const char *name); /* or NULL */
/* Closes all others, and forgets nothing of them. */
void actuator_keep_device(struct actuator *a, const char *name);
/* Compares every tunable that we hold there with what we last saw. Fills ret with one RECEIPT_FOREIGN (or _GONE) each and lets go of them.
 * Returns the number, at most max. A few preads: meant for every tick. */
size_t actuator_check_device(struct actuator *a, struct actuator_device *d, nsec_t now, struct receipt *ret, size_t max);

/* True for an error that means that there is nothing left to restore: the drive or the file went away. */
bool actuator_error_is_gone(int error);

const struct journal_entry *actuator_entry(const struct actuator *a, const struct actuator_device *d, enum tunable_id id);
void actuator_let_go(struct actuator *a, struct actuator_device *d, enum tunable_id id);

/* The one of its twins that this drive has and that is to be recorded. */
enum tunable_id actuator_primary(const struct actuator_device *d, enum tunable_id id);

/* Reads a tunable; -ENOENT where it belongs to a scheduler that is not active. Returns 0 or -errno. */
int actuator_read(const struct actuator_device *d, enum tunable_id id, char ret[static TUNABLE_VALUE_MAX]);

/* Whether what stands there is from us, for a tunable in the journal. */
bool actuator_is_ours(const struct actuator_device *d, const struct journal_entry *e, const char *current);

/* Writes, undoes what the write did to other tunables, which are in the journal meanwhile, and reads back. Returns 0; -EIO where the kernel
 * took something else; -errno. ret_observed is what stands there afterwards, "" where that cannot be read. */
int actuator_write(struct actuator *a, const struct actuator_device *d, enum tunable_id id, const char *value,
                   char ret_observed[static TUNABLE_VALUE_MAX]);

/* Puts the original of a tunable in the journal back over current; the entry stays. Returns as actuator_write(). */
int actuator_put_back(struct actuator *a, struct actuator_device *d, enum tunable_id id, const char *current,
                      char ret_observed[static TUNABLE_VALUE_MAX]);

/* Fills in how it ended: success where error is 0, else FAILED or GONE. */
void actuator_conclude(struct receipt *r, enum receipt_result success, int error);

/* The journal refused, so nothing was written. */
void actuator_conclude_unwritten(struct receipt *r, const char *current, int error);

/* The scheduler's own set and restore (actuator-switch.c). current: the active one. */
void actuator_set_scheduler(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r);
void actuator_restore_scheduler(struct actuator *a, struct actuator_device *d, const char *current, struct receipt *r);

/* Lets go of what was recorded for switching back, as there will be none: another program chose the scheduler. */
void actuator_drop_companions(struct actuator *a, struct actuator_device *d);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The record of originals in STATE_DIR/originals: on disk with fsync before the first write to a tunable, so that
 * exit, crash, SIGKILL and power loss all end with what was there before Brio came.
 *
 * Plain text, append-only while in use, one record a line with a checksum; a line that is cut short or damaged
 * is skipped and reported: its write had not been made yet. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "macro.h"
#include "tunable.h"

struct journal_entry {
        char device[32];
        unsigned long long diskseq;         /* 0: not known */
        enum tunable_id tunable;
        char scheduler[16];                 /* active when the original was read: iosched/ tunables are its own */
        char original[TUNABLE_VALUE_MAX];
        char written[TUNABLE_VALUE_MAX];    /* what we wrote last, or were about to; "" : nothing yet */
        char before[TUNABLE_VALUE_MAX];     /* what stood before that write: a crash may have come in between */
};

/* A process whose I/O priority was changed. All of its threads had the same before: others are not touched. */
struct journal_priority {
        int32_t tgid;
        uint64_t start_ticks;       /* with tgid its identity */
        int32_t session;            /* its children have it, too, and so are known when it has gone; 0: not known */
        uint32_t cgroup;            /* checksum of its control group's path; 0: the root, which tells nothing */
        uint64_t since_ticks;       /* when, on the clock of start_ticks: what is older is no child of it that inherited */
        uint16_t original, written; /* as ioprio_set(2) has them */
};

struct journal;

/* Takes the lock on DIR and reads what an earlier run left. Creates DIR. boot_id tells a reboot: then sysfs is fresh and
 * the old entries are void. Returns 0; -EBUSY where another briod holds DIR; -errno.
 * ret_damaged: lines that were skipped; those of another boot do not count. */
int journal_open(const char *dir, const char *boot_id, struct journal **ret, unsigned *ret_damaged);
struct journal *journal_close(struct journal *j); /* keeps the file */
DEFINE_TRIVIAL_CLEANUP_FUNC(struct journal *, journal_close)

size_t journal_count(const struct journal *j);
const struct journal_entry *journal_get(const struct journal *j, size_t i);
const struct journal_entry *journal_find(const struct journal *j, const char *device, enum tunable_id tunable);

/* Records that value is about to be written over before. The first time for a tunable, before is the original too, and
 * it is on disk (fsync of file and directory) when this returns 0; what a tunable of ours is set to later is known
 * to the kernel alone, which outlives this process. -ENOSPC, -EROFS, ...: then the write must not be made. */
int journal_record(struct journal *j, const char *device, unsigned long long diskseq, enum tunable_id tunable,
                   const char *scheduler, const char *before, const char *value);

/* As journal_record(), for many at once: on disk only after journal_sync(). value "": not to be written, but about to
 * change by itself (a switch of the scheduler). */
int journal_note(struct journal *j, const char *device, unsigned long long diskseq, enum tunable_id tunable,
                 const char *scheduler, const char *before, const char *value);
int journal_sync(struct journal *j);

/* The tunable is no longer ours (restored, or a foreign writer's). The last one removes the file. Returns 0 or -errno. */
int journal_forget(struct journal *j, const char *device, enum tunable_id tunable);
void journal_forget_device(struct journal *j, const char *device);

#define JOURNAL_PRIORITIES_MAX 256

/* Records that a process's priority is about to be written; once for each process, and on disk only after journal_sync(), which
 * it need not be: a power loss ends the process, too. Returns 0, -EEXIST, -ENOSPC with JOURNAL_PRIORITIES_MAX, -ENOMEM, or -errno. */
int journal_note_priority(struct journal *j, const struct journal_priority *e);

/* All of its threads have back what they had, or are another program's. Returns 0 or -errno. */
int journal_forget_priority(struct journal *j, int32_t tgid, uint64_t start_ticks);

size_t journal_count_priorities(const struct journal *j);
const struct journal_priority *journal_get_priority(const struct journal *j, size_t i);

/* In a worker process, right after fork(2): what it notes and forgets goes to the process that keeps the file, as a line each; NULL: the
 * file could not be synced. The worker itself syncs, and keeps neither the file nor the lock. pass_on returns 0 or -errno, as if it had written. */
typedef int (*journal_pass_on_fn)(void *userdata, const char *line, size_t length);
void journal_become_worker(struct journal *j, journal_pass_on_fn pass_on, void *userdata);
/* Waits until no worker of an earlier run writes to the device any more, and makes a later one wait for this process. */
void journal_claim_device(struct journal *j, const char *device);
int journal_directory(const struct journal *j); /* its descriptor, borrowed */

/* What a worker has passed on. Returns 0 or -errno, for its pass_on. */
int journal_take_passed(struct journal *j, const char *line, size_t length);

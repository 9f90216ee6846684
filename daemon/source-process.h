/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes do I/O, from /proc (with a root prefix: from the tree), as EVENT_PROCESS_*;
 * and how long they wait, where the kernel accounts that (taskstats.h).
 * An exec is told (EVENT_PROCESS_EXEC) where a terminal's user or a launcher is behind it, or it is of a process that starts; of those
 * that start, their forks and deaths, too.
 * /proc does not say on which drive: that is inferred from what a process has open (and marked so).
 * A process is named (EVENT_PROCESS_NAME) before its first I/O, before its first after 10 s without, and when its name
 * changes; only one that was named is told to exit. */
#pragma once

#include <stdbool.h>
#include <systemd/sd-event.h>

#include "source.h"
#include "units.h"

struct source_process;

/* The whole drive of a device number of a file (a file system's st_dev, a block device's st_rdev); 0: none of ours. */
typedef uint32_t (*resolve_drive_fn)(void *userdata, uint32_t dev);

/* Called once a burst of new processes begins (BURST_PROCESSES within BURST_GAP of each other), and each second while it goes on, so that the daemon
 * can look at once instead of at its next tick. */
typedef void (*process_burst_fn)(void *userdata);

/* When a drive had I/O. */
struct drive_activity {
        uint32_t dev;
        nsec_t last; /* that was seen of it; 0: none yet */
};
/* Whether a process belongs to a start that is under way (core/startup.h). */
typedef bool (*process_starting_fn)(void *userdata, int32_t tgid);

/* Whether what this user starts counts as the start of an application. */
typedef bool (*process_may_start_fn)(void *userdata, uint32_t uid, nsec_t now);

/* The end of a sample or a look that was under way: 0 or -errno. */
typedef void (*process_done_fn)(void *userdata, int error);

struct source_process_config {
        const char *root; /* "": the running machine */
        struct event_sink sink;
        resolve_drive_fn resolve;
        process_burst_fn burst; /* may be NULL */
        process_starting_fn starting; /* NULL: execs are not told */
        process_may_start_fn may_start; /* NULL: what each user starts counts */
        process_done_fn sampled, looked; /* may be NULL */
        void *userdata; /* of the functions */
};

/* Returns 0, -ENOMEM, or -errno of the event loop. */
int source_process_new(const struct source_process_config *config, sd_event *event, struct source_process **ret);
struct source_process *source_process_free(struct source_process *s);

/* Scans: the first call sets the base of every process (those born in the last 2 s start at zero, so that their reads are
 * seen at once); later calls look at processes with I/O in the last 10 s and at new ones, and at all
 * the others every 5 to 30 s, for 1 % of a CPU at most. drives: at most SNAPSHOT_DEVICES_MAX, all that there are, for the attribution: what a process did since it
 * was looked at last, it did on drives that had I/O since then. Returns 1 where it is under way and `sampled` will be called, which is of the running
 * machine; one at a time. 0: done; -errno: /proc cannot be read, or the reader was held up lately. */
int source_process_sample(struct source_process *s, nsec_t now, const struct drive_activity *drives, size_t n_drives);

/* What all drives of ours have read until now (source_disk_read_bytes()), before each sample: what a process read beyond that it read
 * elsewhere, in a loop device on memory or in a file system that is none of ours. Without it nothing is taken for such. */
void source_process_note_reads(struct source_process *s, nsec_t now, uint64_t bytes);

/* Looks at processes that start, so many at most: what each did since it was looked at last, as EVENT_PROCESS_WORK, and what application it is
 * once that is known. One that is gone is told to exit. Some 40 us each. Returns true where it is under way and `looked` will be called. */
#define PROCESS_LOOKS_MAX 256
bool source_process_look(struct source_process *s, nsec_t now, const int32_t *tgids, size_t n);

/* Takes the births, execs and deaths that have come, so that they need no wake-up of their own: each tick, whatever the level. */
void source_process_follow(struct source_process *s);

/* Whether births, execs and deaths are wanted at once (level 1 and up), or a few times a second will do where they have no end. */
void source_process_hurry(struct source_process *s, bool hurry);

/* Back to attention level 0: forgets the bases; births and deaths are still followed. */
void source_process_rest(struct source_process *s);

/* Its probe says three things: of the processes (/proc), of the proc connector, and of delay accounting. */
extern const struct source_ops source_process_ops;

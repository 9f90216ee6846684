/* SPDX-License-Identifier: GPL-3.0-or-later */
/* On which drive a process does its I/O. /proc does not say; it says what the process has open. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "exec-entry.h"
#include "source-process.h"

#define PROCESS_DRIVES_MAX 8   /* drives of ours that one process has files open on */
#define PROCESS_FILES_MAX 256  /* descriptors looked at: those of the lowest numbers are a fair sample */

enum file_access {
        FILE_READ = 1 << 0,
        FILE_WRITE = 1 << 1,
        FILE_NODE = 1 << 2, /* the block device itself: what a disk tool or a virtual machine works on */
        FILE_HOME = 1 << 3, /* its program, or its working directory */
        FILE_PROGRAM = 1 << 4, /* its program, and so most of its libraries */
};

/* What was found open, and how: a log that is only written explains no reads, and one that is empty no writes. All zero: not looked at yet. */
struct process_drives {
        nsec_t t;        /* when; 0: never */
        uint8_t foreign; /* FILE_READ, FILE_WRITE: to files on block devices that are no drives of ours; both where its home is on one, and FILE_PROGRAM */
        uint8_t n;
        uint8_t access[PROCESS_DRIVES_MAX]; /* enum file_access */
        uint32_t devs[PROCESS_DRIVES_MAX];
        uint16_t holds;  /* EVENT_HOLDS_SOUND, EVENT_HOLDS_VIDEO: what it has open that is no drive's */
};

struct drive_finder;

/* Returns 0 or -ENOMEM. */
int drive_finder_new(const char *root, resolve_drive_fn resolve, void *userdata, struct drive_finder **ret);
struct drive_finder *drive_finder_free(struct drive_finder *f);

/* Looks at the process's open files, its program and its working directory. One that is gone, or may not be looked at, has none. */
void drive_finder_look(struct drive_finder *f, int32_t tgid, nsec_t now, struct process_drives *ret);

/* The drive that its program lies on; 0 where that is none of ours, or not known. */
uint32_t drive_finder_find_program(struct drive_finder *f, int32_t tgid, nsec_t now);

/* The same of the program that it is about to run, from as much of the way to it as is known without reading: a mount point is. */
uint32_t drive_finder_find_entry(struct drive_finder *f, int32_t tgid, const struct exec_entry *entry, nsec_t now);

/* How often PROCESS_FILES_MAX, PROCESS_DRIVES_MAX or SOUND_CLIENTS_MAX was reached. */
uint64_t drive_finder_bounds_hit(const struct drive_finder *f);

/* Whether what it has read through mappings may be of a drive with its program and its libraries, though it has files open on another one that
 * was busy: that cannot be told. Of a drive that is none of ours it is not known whether it was busy. */
bool process_drives_doubt_mapped(const struct process_drives *d, const uint32_t *busy, size_t n_busy);

struct drive_share {
        uint32_t dev; /* 0: not known */
        uint32_t read_bytes, write_bytes; /* saturating */
};

#define DRIVE_SHARES_MAX (PROCESS_DRIVES_MAX + 1)

/* Distributes what a process read and wrote in an interval. busy: the drives with I/O in it.
 *  - Among the drives it has open for reading (writing), the busy ones did it: in equal parts, since nothing tells more.
 *    Where it has the node of one open, the files on the others are its logs and its program.
 *  - What is written waits in memory while its drive is idle: where none is busy and one is open, that one.
 *  - Else the work lies elsewhere: mapped files, files closed meanwhile. Where exactly one drive is busy, it is that one if the
 *    process has its home there, or nothing open for reading (writing) at all, on our drives or on others. Else 0: a wrong drive
 *    is worse than none.
 * Returns the number of shares, each with bytes. */
size_t process_drives_share(const struct process_drives *d, const uint32_t *busy, size_t n_busy, uint64_t read_bytes,
                            uint64_t write_bytes, struct drive_share ret[DRIVE_SHARES_MAX]);

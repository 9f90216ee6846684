/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which traces of blktrace are ours, in STATE_DIR/blktrace. A trace goes on when the process that began it is killed, and nothing in
 * the kernel tells it from one that another program has begun since. So the inode and the time of one of its files are kept: the
 * kernel gives both anew to each trace. Of one that was made and not noted yet the moment is known, and where it ends (blktrace-session.c).
 *
 * Nothing is synced to disk: no trace outlives the kernel, and a reboot shows in the boot id. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

#define BLKTRACE_STATE_FILE "blktrace"
#define BLKTRACE_STATE_DIR_MAX 4000 /* with the file's name it is a path */
#define BLKTRACE_DRIVES_MAX 16 /* traced at a time: each has buffers in the kernel */

struct blktrace_mark {
        char name[32];  /* the kernel's, of the drive */
        uint64_t inode; /* of the trace's files; 0: it is about to be made */
        nsec_t made;    /* CLOCK_REALTIME: when the files were, or, before that, when this was noted */
};

struct blktrace_state {
        char dir[BLKTRACE_STATE_DIR_MAX], boot_id[64];
        size_t n;
        struct blktrace_mark marks[BLKTRACE_DRIVES_MAX];
};

/* Reads what an earlier run left; what cannot be read, is damaged or of another boot is none. -ENAMETOOLONG: dir. */
int blktrace_state_open(struct blktrace_state *s, const char *dir, const char *boot_id);

const struct blktrace_mark *blktrace_state_find(const struct blktrace_state *s, const char *name);

/* Adds it or puts it in place of that drive's former one. The file says so when this returns 0; -ENOSPC, or -errno: it is as it was. */
int blktrace_state_note(struct blktrace_state *s, const struct blktrace_mark *mark);

/* The trace is no more. The last one removes the file. */
int blktrace_state_forget(struct blktrace_state *s, const char *name);

/* Whether the trace with these files is the one that was noted. */
bool blktrace_mark_is(const struct blktrace_mark *mark, uint64_t inode, nsec_t made);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The kernel's "blk" tracer, which is where bfq says what it decides: one for the whole machine, in the tracing that belongs to its
 * user. So it is taken only while that rests: no tracer is chosen, no event is on, and the buffer is empty. Afterwards that is so
 * again. What was taken is noted in STATE_DIR/bfq-log before, so that what a killed briod has left is put back, too; a drive's trace
 * that blktrace(8) has begun, meanwhile or at the same moment, is left alone.
 *
 * It works where the kernel is locked down, since it is read as text, and nothing of it could be mapped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define BFQ_SESSION_STATE_FILE "bfq-log"
#define BFQ_SESSION_DRIVES_MAX 16
#define BFQ_SESSION_NAME_MAX 32

enum bfq_obstacle {
        BFQ_SESSION_POSSIBLE,
        BFQ_SESSION_NOT_MOUNTED, /* no tracefs */
        BFQ_SESSION_NOT_BUILT,   /* the kernel has no blk tracer */
        BFQ_SESSION_FORBIDDEN,   /* not root, or a unit that may not write there */
        BFQ_SESSION_IN_USE,      /* another program traces */
};

/* Where the kernel's files are: other places in tests. */
struct bfq_session_places {
        const char *tracing;   /* /sys/kernel/tracing */
        const char *block;     /* /sys/block */
        const char *debug;     /* /sys/kernel/debug/block: whose a trace is */
        const char *state_dir; /* whose lock is held (journal_open()) */
        const char *boot_id;
};

enum bfq_obstacle bfq_session_obstacle(const struct bfq_session_places *p);

/* What it is, and what would remove it; NULL for BFQ_SESSION_POSSIBLE. */
const char *bfq_obstacle_to_sentence(enum bfq_obstacle o);

/* Has bfq tell of these drives. Returns the descriptor that its lines are read from, not blocking, which the caller owns; -EBUSY: an
 * obstacle came up, or another program traces one of the drives; -EINVAL: too many drives, or a name that is none; or -errno. Then nothing
 * is left. */
int bfq_session_begin(const struct bfq_session_places *p, const char *const *names, size_t n);

/* Ends what the state says, if there is anything: of this run, or left by a killed one. What another program has made of the tracer
 * meanwhile stays. While a reader of its lines keeps the tracer from being put back, the state stays, too. Returns whether there was something. */
bool bfq_session_end(const struct bfq_session_places *p);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Streams from tick to tick: which began, which ended, and what they were. Bounded; plain data, all zero at the start. */
#pragma once

#include "snapshot.h"

#define STREAM_LOG_MAX (2 * SNAPSHOT_STREAMS_MAX) /* those that a snapshot has, and as many that have ended */

struct stream_entry {
        struct stream_view view; /* as it was seen last; tgid 0: free */
        nsec_t seen;             /* when that was */
        nsec_t started;          /* it became a stream; 0: it never was one */
        nsec_t ended;            /* and was one no longer; 0: it is not so */
        bool here;               /* the last snapshot had it */
};

struct stream_log {
        uint64_t dropped; /* that have ended, for want of room */
        struct stream_entry entries[STREAM_LOG_MAX];
};

enum stream_change { STREAM_STARTED, STREAM_ENDED };
typedef void (*stream_change_fn)(void *userdata, enum stream_change change, const struct stream_entry *e);

/* Takes note of a snapshot and tells what changed. Near misses that are gone are kept as long as their room is not needed. */
void stream_log_follow(struct stream_log *l, const struct snapshot *s, stream_change_fn fn, void *userdata);

/* What it is as of the last snapshot: "stream", "candidate", "near-miss" or "ended". NULL: nothing any more. */
const char *stream_entry_state(const struct stream_entry *e);

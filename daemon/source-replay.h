/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A recording as a source: hands out what is in it when its time has come, by the clock of today. */
#pragma once

#include "recording.h"
#include "source.h"

struct source_replay;

/* Returns 0, -ENOMEM, -errno where the file cannot be read, or what recording_read() says of one that is no recording. */
int source_replay_new(const char *path, struct source_replay **ret);
struct source_replay *source_replay_free(struct source_replay *s);

/* The next item whose time has come. The first is due at the first call; the others as long after it as they were when they were
 * recorded, and with that time in them; texts at once. Returns 1; 0: none is due, or it is over. */
int source_replay_take(struct source_replay *s, nsec_t now, struct recording_item *ret);

/* When the next is due; UINT64_MAX: never, it is over. */
nsec_t source_replay_due(struct source_replay *s);

/* How it ended, for the log: "", or what is wrong with the file. */
const char *source_replay_complaint(struct source_replay *s);

extern const struct source_ops source_replay_ops;

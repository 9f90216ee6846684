/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the machine's memory stands with what is to be written, from /proc/vmstat, as EVENT_MEMORY. Read while much is written only: it is a
 * few hundred lines, which the kernel adds up for each reader. */
#pragma once

#include "source.h"

#define MEMORY_INTERVAL_NS NSEC_PER_SEC

struct source_memory;

/* root "": the running machine. NULL without memory. */
struct source_memory *source_memory_new(const char *root, struct event_sink sink);
struct source_memory *source_memory_free(struct source_memory *s);

/* Reads it, unless the last time is less than MEMORY_INTERVAL_NS ago. What happened since is told where that is no longer ago than three of
 * these. Returns 0 or -errno. */
int source_memory_sample(struct source_memory *s, nsec_t now);

extern const struct source_ops source_memory_ops;

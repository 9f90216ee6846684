/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up but typical stream of events, the same for the same seed: many processes that read and write on several drives, with
 * merges, splits, processes that begin and end, and records that were lost. */
#pragma once

#include <stddef.h>

#include "event.h"

#define STREAM_DRIVES_MAX 64
#define STREAM_PROCESSES_MAX 16384

/* Three records a request at 100 000 requests a second. */
#define STREAM_EVENT_NS (10 * NSEC_PER_USEC / 3)

struct stream;

/* NULL without memory. processes and drives: from 1 to the limits above. */
struct stream *stream_new(uint64_t seed, size_t processes, size_t drives);
struct stream *stream_free(struct stream *s);

/* The events that every source begins with: each drive is watched, each process has a name. Returns their number, at most
 * STREAM_DRIVES_MAX + STREAM_PROCESSES_MAX. */
size_t stream_begin(struct stream *s, struct event *ret);

/* The next n. */
void stream_fill(struct stream *s, struct event *ret, size_t n);

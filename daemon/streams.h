/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sample streams: pipes through which readers get one struct brio_sample a drive and interval. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "event.h"
#include "snapshot.h"

#define STREAMS_MAX 16
#define STREAMS_PER_USER_MAX 4
/* A reader that has not read for so long has its stream closed, and its place is free again. */
#define STREAM_FULL_NS (30 * NSEC_PER_SEC)
#define STREAM_INTERVAL_MIN_MS 100
#define STREAM_INTERVAL_MAX_MS 10000

struct streams;

struct streams *streams_new(void); /* NULL without memory */
struct streams *streams_free(struct streams *s);

/* Opens one for a user. Returns the reading end (the caller's), -EINVAL for an interval out of range, -ENOSPC with STREAMS_MAX, -EDQUOT with
 * STREAMS_PER_USER_MAX of this user's, or -errno. */
int streams_open(struct streams *s, uid_t uid, uint32_t interval_ms, nsec_t now);

/* Every EVENT_DEVICE_STAT passes here too: each stream sums up over its own interval. */
void streams_feed(struct streams *s, const struct event *e);

/* Sends what is due; a stream whose reader left, or has not read for STREAM_FULL_NS, is closed. name gives a drive's name (NULL: leave it out). */
typedef const char *(*stream_name_fn)(void *userdata, uint32_t dev);
void streams_send(struct streams *s, nsec_t now, const struct snapshot *snapshot, stream_name_fn name, void *userdata);

/* The shortest interval that was asked for, or 0 without streams. */
nsec_t streams_interval(const struct streams *s);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recordings under way: pipes through which readers get all that the sources tell, as core/recording.h has it. A reader that is
 * too slow loses whole blocks, and the recording says how many events. Nothing here waits, and nothing is allocated per event. */
#pragma once

#include "controller.h"
#include "recording.h"

#define RECORDERS_MAX 4
/* Room for the second that a reader may be away: 20 000 requests a second are about 1 MB. */
#define RECORDER_PIPE_BYTES (1 << 20)

struct recorders;

struct recorders *recorders_new(void); /* NULL without memory */
struct recorders *recorders_free(struct recorders *r);

/* Opens one, for these drives or, with n 0, for all. Its beginning, with the environment's text, is in the pipe already. Returns
 * the reading end (the caller's), -ENOSPC with RECORDERS_MAX, -E2BIG for more than SNAPSHOT_DEVICES_MAX drives, or -errno. */
int recorders_open(struct recorders *r, const uint32_t *devs, size_t n, const char *environment, nsec_t now);

/* Whether any is open; whether any was opened for this drive by name; for any drive by name. */
bool recorders_active(const struct recorders *r);
bool recorders_watch(const struct recorders *r, uint32_t dev);
bool recorders_watch_any(const struct recorders *r);

/* Every event passes here, too. */
void recorders_feed(struct recorders *r, const struct event *e);

/* The same for recordings alone that were opened since the last tick: what the others know already. */
void recorders_feed_new(struct recorders *r, const struct event *e);

/* A drive's settings, or what became of them; told where that is new. With a drive that is told for the first time: what trials on such drives had found. */
void recorders_tell_drive(struct recorders *r, const struct controller_device *d, const struct outcomes *o, nsec_t now);

/* Before each decision: what there is goes to the readers. One whose reader left is closed. */
void recorders_tick(struct recorders *r, nsec_t now, enum hold hold);

/* Events that slow readers lost, ever. */
uint64_t recorders_lost(const struct recorders *r);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An emulated drive without its clock: requests go in with the time at which they came, and come out with the time
 * at which the modelled drive has finished them. Pure: the caller owns the clock, the data and the requests, so
 * tests run hours of drive time in milliseconds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "units.h"

/* Device time is nsec_t on whatever clock the caller has: CLOCK_MONOTONIC in brio-drive, a counter in tests. */
#define DRIVE_NEVER UINT64_MAX

/* The longest command queue that a model may have; NCQ has 32. */
#define DRIVE_QUEUE_MAX 256

struct drive_request {
        uint64_t offset;   /* bytes */
        uint64_t length;   /* bytes */
        bool write;
        bool flush;      /* of the write cache; it has no data */
        nsec_t arrival;
        nsec_t done;     /* set by the model */
        void *owner;       /* the caller's */
        struct drive_request *next; /* the engine's */
};

/* What each kind of drive implements. `queue` holds the n requests that the drive knows of at `now`, oldest first.
 * start() puts one of them to work: it sets its `done` and returns its index; or returns -1 where the drive can
 * start nothing now: it is asked again after the next arrival or completion, and at `wake`, where it sets that to a time to come. */
struct drive_model {
        int (*start)(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n);
        nsec_t wake;
        size_t queue_depth; /* how many commands the drive takes at once, 1..DRIVE_QUEUE_MAX */
        bool write_cache;   /* without one the drive is never asked to flush */
};

struct drive_engine {
        struct drive_model *model;
        struct drive_request *waiting, **waiting_tail; /* beyond the drive's queue, in order of arrival */
        struct drive_request *active;                  /* being served, in order of completion */
        struct drive_request *queue[DRIVE_QUEUE_MAX];
        size_t n_queue, n_active;
        nsec_t now; /* of the last event: a model's clock never goes back */
};

void drive_engine_init(struct drive_engine *e, struct drive_model *m);

/* Hands r to the drive. Calls must come in order of r->arrival; one from before what the engine has already lived through
 * counts as coming now. r stays the caller's and must live until drive_engine_complete() returns it. */
void drive_engine_submit(struct drive_engine *e, struct drive_request *r);

/* When something will happen next; DRIVE_NEVER while the drive has no work. */
nsec_t drive_engine_next(const struct drive_engine *e);

/* Lives on until the next completion that is not after `now` and returns that request, or NULL once there is none.
 * The drive reacts at the exact time of each event, however late the call. */
struct drive_request *drive_engine_complete(struct drive_engine *e, nsec_t now);

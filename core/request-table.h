/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The requests under way, matched from their events. The unit is what a process asked for (a bio), not what the kernel made
 * of it: of several merged into one request each has its own wait, and one that was split is done when its end is done.
 *
 * The events say where on the drive, not which request: an issue or a completion of sectors [a, b) is that of what was
 * queued there, piece by piece from a on. So merges at either end and partial completions need no events of their own.
 * Bounded, allocates nothing, the same for the same events. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

#define REQUEST_SLOTS 8192 /* a power of two */
/* Under way at a time, of all drives; what is left is for parts, and keeps probes short. */
#define REQUESTS_MAX (REQUEST_SLOTS / 4 * 3)

/* One that is not completed within this was lost, with its events: no drive takes so long, and what the table held for ever
 * would match a later request at the same place. */
#define REQUEST_AGE_NS (60 * NSEC_PER_SEC)

struct request {
        uint64_t sector;  /* of what is not completed yet */
        uint32_t dev;     /* 0: free */
        uint32_t sectors; /* not completed yet; never 0 */
        uint32_t asked;   /* sectors in all, for the one that counts; 0: a piece that was split off the front of another */
        uint32_t owner;   /* what the caller knows it by; 0: none. Of a free one: the next that is free */
        nsec_t queued;    /* 0: not seen */
        nsec_t issued;    /* 0: not yet */
        uint8_t op;       /* enum request_op */
        bool yields;      /* its process lets others go first, as it asked for it */
};

/* What happened to one of them; r is valid during the call alone, and may not be used to change the table. */
enum request_step {
        REQUEST_ISSUED, /* to the drive */
        REQUEST_REQUEUED,
        REQUEST_DONE,   /* all of it; r->sectors is what the last completion had of it */
        REQUEST_LOST,   /* given up: too old, or its drive is no longer looked at */
        _REQUEST_STEP_MAX,
};
typedef void (*request_step_fn)(void *userdata, enum request_step step, const struct request *r, nsec_t t);

/* A hash of places over a pool that gives what was freed last first: the few that are under way lie close together. */
struct request_table {
        size_t n, used; /* places below `used` were in use before; of them those that are free form a list */
        uint16_t free;  /* place + 1 of the list's first; 0: none */
        uint64_t refused;   /* the table was full */
        uint64_t unmatched; /* completions of something that was not queued */
        uint64_t aged;
        uint16_t slots[REQUEST_SLOTS]; /* place + 1; 0: free */
        struct request places[REQUEST_SLOTS];
};

_Static_assert(REQUEST_SLOTS < UINT16_MAX, "places are 16 bits");

/* The five events. sectors 0 (a flush) is none of the table's business: nothing happens. A queue returns whether it is known
 * from now on, so that one of the steps will tell its end. */
bool request_table_queue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e, uint32_t owner, bool yields);
void request_table_split(struct request_table *t, uint32_t dev, const struct event_request *e);
void request_table_issue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                         request_step_fn fn, void *userdata);
void request_table_requeue(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                           request_step_fn fn, void *userdata);
void request_table_complete(struct request_table *t, nsec_t now, uint32_t dev, const struct event_request *e,
                            request_step_fn fn, void *userdata);

/* Gives up those that are older than REQUEST_AGE_NS. */
void request_table_expire(struct request_table *t, nsec_t now, request_step_fn fn, void *userdata);

/* Gives up all of one drive; dev 0: of every drive. */
void request_table_forget(struct request_table *t, nsec_t now, uint32_t dev, request_step_fn fn, void *userdata);

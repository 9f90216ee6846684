/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What every source of events has in common. A source knows nothing of detectors; it calls the sink. */
#pragma once

#include <stddef.h>

#include "event.h"

typedef void (*event_sink_fn)(void *userdata, const struct event *e);

struct event_sink {
        event_sink_fn fn;
        void *userdata;
};

enum source_state {
        SOURCE_WORKS,
        SOURCE_REDUCED,     /* works with less: detail says what is missing and what would enable it */
        SOURCE_UNAVAILABLE, /* detail says why and what would enable it */
        SOURCE_UNNEEDED,    /* the same, but a better one works, or none is wanted */
};

const char *source_state_to_string(enum source_state s); /* "works", "reduced", "unavailable", "unneeded" */

#define SOURCE_DETAIL_MAX 256

/* For `brioctl probe` and the Sources property. */
struct source_info {
        const char *name;
        enum source_state state;
        char detail[SOURCE_DETAIL_MAX];
};

/* What it took to be told, since the source began. */
struct source_cost {
        uint64_t wakeups, events, bytes;
        nsec_t active_ns; /* the time over which that was */
};

struct source_drive {
        uint32_t dev;
        bool rotational;
        bool summed; /* it does too much to be told request by request: in sums of what each process does (EVENT_SUMMED) */
};

#define SOURCE_INFOS_MAX 3 /* a source of several parts says how each works */

/* The same for every source; what is particular to one, its own header has. Where a function is NULL, the source has no need of it. */
struct source_ops {
        /* Says how well it works. Returns how many of ret it filled, at most SOURCE_INFOS_MAX. */
        size_t (*probe)(void *source, struct source_info *ret);
        /* Begins to tell of a drive; NULL: it tells of all. Returns 0 (also when it was begun before) or -errno. */
        int (*start)(void *source, const struct source_drive *drive, nsec_t now);
        /* Ends it; a drive that was not begun is fine. */
        void (*stop)(void *source, uint32_t dev, nsec_t now);
        /* Events that were lost; NULL: it loses none, or its probe says what it could not follow. */
        uint64_t (*drops)(void *source);
        void (*cost)(void *source, struct source_cost *ret); /* NULL: a system call or two a tick */
};

struct source {
        const struct source_ops *ops;
        void *self;
};

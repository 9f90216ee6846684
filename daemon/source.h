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
};

const char *source_state_to_string(enum source_state s); /* "works", "reduced", "unavailable" */

#define SOURCE_DETAIL_MAX 256

/* For `brioctl probe` and the Sources property. */
struct source_info {
        const char *name;
        enum source_state state;
        char detail[SOURCE_DETAIL_MAX];
};

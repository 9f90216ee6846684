/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Many processes that begin one after the other, as bfq sees it (block/bfq-iosched.c
 * bfq_handle_burst()): a login, a browser, a compilation. Pure. */
#pragma once

#include <stdbool.h>

#include "units.h"

#define BURST_PROCESSES 8                     /* bfq_large_burst_thresh */
#define BURST_GAP_NS (180 * NSEC_PER_MSEC)    /* bfq_burst_interval */
#define BURST_QUIET_NS (1 * NSEC_PER_SEC)     /* between two reports: the daemon looks that often anyway */

struct process_burst {
        unsigned size; /* processes so far, up to BURST_PROCESSES */
        nsec_t last;   /* birth of the last one */
        bool reported; /* ever */
        nsec_t report; /* when */
};

/* Takes a birth. Returns true if with it a burst is there, or goes on, and none was reported in BURST_QUIET_NS. One that goes on is reported again:
 * a compilation may be under way for minutes when something else begins, and hundreds of processes take seconds to be born. */
bool process_burst_note(struct process_burst *b, nsec_t birth);

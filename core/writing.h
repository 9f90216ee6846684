/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a drive did in each of its last seconds, with how the machine's memory stood: what is found of reads and writes in each
 * other's way is found in several seconds of the last few, not in one sample. Plain data, all zero at the start. */
#pragma once

#include <stdbool.h>

#include "event.h"

#define WRITING_SECONDS 5
#define WRITING_CLOSE_US 950000u /* four samples of a quarter of a second, whose lengths differ a little */

struct writing_second {
        uint32_t span_us;          /* 0: there is none */
        uint32_t reads, read_sectors, read_ms;
        uint32_t writes, write_sectors, merges; /* merges: writes that were merged into others */
        uint32_t busy_ms, queue_ms;
        bool merges_known, memory_known;
        uint32_t stalls, scans;    /* of the whole machine: tasks that had to free memory themselves, pages that they looked at for it */
        uint32_t dirty_permille;   /* of what may be dirty before writers are slowed down */
};

struct memory_state {
        nsec_t t; /* 0: not known */
        uint32_t dirty_kib, limit_kib;
        uint64_t stalls, scans; /* so far */
};
#define MEMORY_FRESH_NS (3 * NSEC_PER_SEC) /* what was told longer ago says nothing about now */

void memory_feed(struct memory_state *m, const struct event *e);

struct writing {
        struct writing_second running, seconds[WRITING_SECONDS];
        uint32_t n;                /* ever closed */
        uint64_t stalls, scans;    /* as they were when the last one was closed */
        uint32_t alone_us;         /* what a read takes while next to nothing is written; 0: not known */
};

void writing_feed_merges(struct writing *w, const struct event *e);
/* An EVENT_DEVICE_STAT; closes the second that is over with it. */
void writing_feed(struct writing *w, const struct event *e, const struct memory_state *m);

/* The mean time of a read; 0: none was done. */
uint32_t writing_read_us(const struct writing_second *s);
/* The part of the sectors moved that were written. */
uint32_t writing_permille(const struct writing_second *s);

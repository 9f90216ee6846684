/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rotating drive: seek curve, rotation, read-ahead into its cache, and command queueing that serves the request
 * with the shortest positioning time first (SPTF), as NCQ drives do, but for those that have waited for too long.
 *
 *   seek(d)  = seek_min + (seek_max - seek_min) * sqrt(d / capacity), 0 on the same track
 *              (the square-root law of Ruemmler & Wilkes, "An introduction to disk drive modeling", 1994, without
 *              its linear tail, which these short strokes hardly reach)
 *   rotation = the time until the target sector passes under the head after the seek
 *   transfer = length / media rate
 *
 * One cylinder is one track here, and a byte's angle follows from its offset alone, so that a sequential transfer
 * never waits: what head and track switches cost is in the media rate, which data sheets give as sustained. The write
 * cache is off: a write is done when it is on the platter. */
#pragma once

#include "engine.h"

struct hdd_params {
        uint64_t capacity_bytes;   /* the full stroke spans them */
        nsec_t turn_ns;          /* one revolution */
        nsec_t seek_min_ns;      /* to the next track */
        nsec_t seek_max_ns;      /* over the full stroke */
        nsec_t write_settle_ns;  /* what a write's seek takes longer than a read's */
        nsec_t longest_wait_ns;  /* a request that has waited for longer is next, wherever it is; 0: it waits on */
        nsec_t overhead_ns;      /* from a command's arrival until the drive acts on it */
        uint64_t media_rate;       /* bytes a second from the platter */
        uint64_t link_rate;        /* bytes a second from the cache to the host */
        uint64_t read_ahead_bytes; /* how far it reads on after a read, and what it keeps; 0: not at all */
        size_t queue_depth;
};

struct hdd {
        struct drive_model model; /* first: the engine's handle */
        struct hdd_params params;
        uint64_t track_bytes;
        nsec_t phase;      /* where the platter stood at time 0 */
        nsec_t free_at;    /* when the arm has finished what it does */
        /* The platter passed under the head up to `front` at `front_at`; from there the drive reads on until it has
         * `ahead_end`. The cache then holds cached_from..front, of that the last read_ahead_bytes. */
        uint64_t cached_from, front, ahead_end;
        nsec_t front_at;
        bool reading_ahead;
};

/* The seed places the platter at time 0. Returns 0, or -EINVAL where params make no drive. */
int hdd_init(struct hdd *h, const struct hdd_params *p, uint64_t seed);

/* Each is a part of one service time, exposed for tests. */
nsec_t hdd_seek_ns(const struct hdd *h, uint64_t from, uint64_t to);
nsec_t hdd_rotation_ns(const struct hdd *h, nsec_t at, uint64_t to);

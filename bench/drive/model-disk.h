/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A rotating drive as desktops have them, with what model-hdd.h leaves out: it has a capacity apart from the served file's size, zones
 * (disk-geometry.h), a write cache and several segments of what was read (disk-cache.h), and it may be shingled (disk-smr.h).
 *
 *   reads    shortest positioning time first, but for those that have waited for too long; from memory at once, whatever the arm does.
 *            After each the drive reads on until it has something else to do; for one that goes on where another ended, a little more.
 *   writes   are done once they are in the write cache; while it is full they wait for room.
 *   arm      destages what is written while no read waits, after a short idleness. While writes wait, or the cache is half full, reads
 *            and destages take turns, or whatever is nearest is done, as the firmware likes. Of the destages near the head, that
 *            with the shortest positioning time comes first.
 *   flush    SATA's FLUSH CACHE is no queued command: it begins once all that came before it is done, nothing else is done meanwhile, and it
 *            ends when everything is on the platter. A write with FUA is for the kernel a write and a flush: the loop driver, as libata
 *            by default, has no FUA. */
#pragma once

#include "disk-cache.h"
#include "disk-geometry.h"
#include "disk-smr.h"
#include "engine.h"

struct disk_params {
        struct disk_geometry_params geometry;
        struct smr_params smr;
        nsec_t write_settle_ns;   /* what a write's seek takes longer than a read's */
        nsec_t longest_wait_ns;   /* a read that has waited for longer is next, wherever it is; 0: it waits on */
        nsec_t overhead_ns;       /* from a command's arrival until the drive acts on it */
        nsec_t destage_after_ns;  /* the last read */
        uint64_t link_rate;       /* bytes a second from the cache to the host */
        uint64_t read_ahead_bytes; /* how far it reads on while it has nothing else to do */
        uint64_t read_ahead_least_bytes; /* after a read that goes on where another ended, whatever waits */
        uint64_t segment_bytes;
        size_t segments;
        size_t destages_per_read; /* while writes wait; 0: what has the shortest positioning time is next, until a read has waited too long */
        uint64_t write_cache_bytes;
        size_t queue_depth;
};

struct disk {
        struct drive_model model; /* first: the engine's handle */
        struct disk_params params;
        struct disk_geometry geometry;
        struct disk_cache cache;
        struct smr smr;
        nsec_t free_at;      /* when the arm has finished what it does */
        nsec_t link_free_at;
        nsec_t last_done;    /* of what the host has asked for */
        nsec_t held_until;   /* a flush lasts until then */
        nsec_t quiet_since;  /* the last read */
        nsec_t lived_until;  /* what it did by itself is known until then, and the host was last heard of */
        uint64_t busy_bytes; /* that the arm is writing until free_at */
        /* The platter passed under the head up to `head` at `head_at`; while it reads on, it does so into this segment, until ahead_end. */
        uint64_t head, ahead_end;
        nsec_t head_at;
        size_t reading; /* DISK_NONE: it does not */
        size_t destages_due; /* before the next read */
};

/* The seed places the platter at time 0. Returns 0, or -EINVAL where params make no drive. */
int disk_init(struct disk *d, const struct disk_params *p, uint64_t seed);

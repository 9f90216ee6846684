/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the bytes of a disk lie. Zones from the outer edge to the inner one have as many tracks each; a track of an inner zone holds
 * less, and so passes its bytes at a lower rate. The arm's way is counted in tracks. */
#pragma once

#include "units.h"

#define DISK_ZONES 16

struct disk_geometry_params {
        uint64_t capacity_bytes; /* of the whole drive, whatever part of it is served */
        uint64_t outer_rate, inner_rate; /* bytes a second */
        nsec_t turn_ns, seek_min_ns, seek_max_ns;
};

struct disk_geometry {
        struct disk_geometry_params params;
        nsec_t phase; /* where the platter stood at time 0 */
        uint64_t tracks; /* of a zone */
        struct {
                uint64_t first_byte, track_bytes;
        } zones[DISK_ZONES];
};

/* Returns 0, or -EINVAL where params make no disk. */
int disk_geometry_init(struct disk_geometry *g, const struct disk_geometry_params *p, uint64_t seed);

/* 0 on the same track. */
nsec_t disk_seek_ns(const struct disk_geometry *g, uint64_t from, uint64_t to);

/* Until the byte passes under the head. */
nsec_t disk_rotation_ns(const struct disk_geometry *g, nsec_t at, uint64_t to);

/* Of what lies from `offset` on, at the rate of its zone. */
nsec_t disk_media_ns(const struct disk_geometry *g, uint64_t offset, uint64_t bytes);

/* How many bytes from `offset` on pass under the head. */
uint64_t disk_media_bytes(const struct disk_geometry *g, uint64_t offset, nsec_t time);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "disk-geometry.h"

#include <errno.h>

#include "macro.h"
#include "parts.h"

/* A target that the head has just missed by less than this counts as reached: the length of a servo wedge's guard. It keeps rounding
 * from costing whole turns. */
#define ANGLE_SLACK_NS 2000
/* A track holds whole ones of these. */
#define PHYSICAL_SECTOR_BYTES 4096

static size_t zone_of(const struct disk_geometry *g, uint64_t offset) {
        size_t z = DISK_ZONES - 1;

        while (z > 0 && offset < g->zones[z].first_byte)
                z--;
        return z;
}

static uint64_t track_of(const struct disk_geometry *g, uint64_t offset) {
        size_t z = zone_of(g, offset);

        return z * g->tracks + (offset - g->zones[z].first_byte) / g->zones[z].track_bytes;
}

nsec_t disk_seek_ns(const struct disk_geometry *g, uint64_t from, uint64_t to) {
        uint64_t a = track_of(g, from), b = track_of(g, to);

        if (a == b)
                return 0;
        return drive_seek_ns(g->params.seek_min_ns, g->params.seek_max_ns, a > b ? a - b : b - a, g->tracks * DISK_ZONES);
}

nsec_t disk_media_ns(const struct disk_geometry *g, uint64_t offset, uint64_t bytes) {
        uint64_t track = g->zones[zone_of(g, offset)].track_bytes;

        return bytes / track * g->params.turn_ns + bytes % track * g->params.turn_ns / track;
}

uint64_t disk_media_bytes(const struct disk_geometry *g, uint64_t offset, nsec_t time) {
        uint64_t track = g->zones[zone_of(g, offset)].track_bytes;

        return time / g->params.turn_ns * track + time % g->params.turn_ns * track / g->params.turn_ns;
}

nsec_t disk_rotation_ns(const struct disk_geometry *g, nsec_t at, uint64_t to) {
        size_t z = zone_of(g, to);
        nsec_t turn = g->params.turn_ns, target = disk_media_ns(g, to, (to - g->zones[z].first_byte) % g->zones[z].track_bytes);
        nsec_t wait = (target + turn - (at + g->phase) % turn) % turn;

        return wait > turn - ANGLE_SLACK_NS ? 0 : wait;
}

int disk_geometry_init(struct disk_geometry *g, const struct disk_geometry_params *p, uint64_t seed) {
        uint64_t cylinder = 0, next = 0;

        if (p->capacity_bytes == 0 || p->turn_ns == 0 || p->inner_rate == 0 || p->outer_rate < p->inner_rate || p->seek_max_ns < p->seek_min_ns)
                return -EINVAL;
        *g = (struct disk_geometry) { .params = *p, .phase = seed % p->turn_ns };
        for (size_t z = 0; z < DISK_ZONES; z++) {
                uint64_t rate = p->outer_rate - (p->outer_rate - p->inner_rate) * z / (DISK_ZONES - 1);

                g->zones[z].track_bytes = rate * p->turn_ns / NSEC_PER_SEC / PHYSICAL_SECTOR_BYTES * PHYSICAL_SECTOR_BYTES;
                if (g->zones[z].track_bytes == 0)
                        return -EINVAL;
                cylinder += g->zones[z].track_bytes;
        }
        g->tracks = p->capacity_bytes / cylinder + 1;
        for (size_t z = 0; z < DISK_ZONES; z++) {
                g->zones[z].first_byte = next;
                next += g->tracks * g->zones[z].track_bytes;
        }
        return 0;
}

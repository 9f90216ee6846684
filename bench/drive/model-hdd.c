/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-hdd.h"

#include <errno.h>

#include "macro.h"
#include "parts.h"

/* A target that the head has just missed by less than this counts as reached: the length of a servo wedge's guard.
 * It keeps rounding from costing whole turns. */
#define ANGLE_SLACK_NS 2000

nsec_t hdd_seek_ns(const struct hdd *h, uint64_t from, uint64_t to) {
        const struct hdd_params *p = &h->params;
        uint64_t distance = from > to ? from - to : to - from;

        if (from / h->track_bytes == to / h->track_bytes)
                return 0;
        return drive_seek_ns(p->seek_min_ns, p->seek_max_ns, distance, p->capacity_bytes);
}

nsec_t hdd_rotation_ns(const struct hdd *h, nsec_t at, uint64_t to) {
        nsec_t turn = h->params.turn_ns;
        nsec_t target = (nsec_t) ((double) (to % h->track_bytes) / (double) h->track_bytes * (double) turn);
        nsec_t wait = (target + turn - (at + h->phase) % turn) % turn;

        return wait > turn - ANGLE_SLACK_NS ? 0 : wait;
}

/* How far the drive has read by itself. */
static uint64_t front_at(const struct hdd *h, nsec_t at) {
        uint64_t front = h->front;

        if (h->reading_ahead && at > h->front_at)
                front += (uint64_t) ((double) (at - h->front_at) / (double) NSEC_PER_SEC * (double) h->params.media_rate);
        return MIN(front, MAX(h->ahead_end, h->front));
}

/* The cache serves a read that begins in what its segment holds or is just being filled with. */
static bool is_cache_hit(const struct hdd *h, nsec_t at, const struct drive_request *r) {
        uint64_t front = front_at(h, at), segment = h->params.read_ahead_bytes;

        return h->reading_ahead && !r->write && r->offset >= h->cached_from && r->offset <= front &&
               front - r->offset <= segment;
}

static nsec_t positioning_ns(const struct hdd *h, nsec_t at, const struct drive_request *r) {
        nsec_t seek;

        if (is_cache_hit(h, at, r))
                return 0;
        seek = hdd_seek_ns(h, front_at(h, at), r->offset);
        if (r->write && seek > 0)
                seek += h->params.write_settle_ns;
        return seek + hdd_rotation_ns(h, at + seek, r->offset);
}

static nsec_t serve_from_cache(struct hdd *h, nsec_t at, const struct drive_request *r) {
        const struct hdd_params *p = &h->params;
        uint64_t end = r->offset + r->length, front = front_at(h, at);
        nsec_t link_done = at + drive_transfer_ns(r->length, p->link_rate);

        /* Reading ahead had stopped at its limit: to go on, the platter must come round again. */
        if (front >= h->ahead_end) {
                h->front_at = at + hdd_rotation_ns(h, at, front);
                h->front = front;
        }
        h->ahead_end = MAX(h->ahead_end, end + p->read_ahead_bytes);
        if (end <= front)
                return link_done;
        h->front_at += drive_transfer_ns(end - h->front, p->media_rate);
        h->front = end;
        return MAX(link_done, h->front_at);
}

static nsec_t serve_from_platter(struct hdd *h, nsec_t at, const struct drive_request *r) {
        uint64_t end = r->offset + r->length;
        nsec_t done = at + positioning_ns(h, at, r) + drive_transfer_ns(r->length, h->params.media_rate);

        h->cached_from = r->offset;
        h->front = end;
        h->front_at = done;
        h->reading_ahead = !r->write && h->params.read_ahead_bytes > 0;
        h->ahead_end = end + (h->reading_ahead ? h->params.read_ahead_bytes : 0);
        return done;
}

static bool is_overdue(const struct hdd *h, nsec_t at, const struct drive_request *r) {
        return h->params.longest_wait_ns > 0 && at >= r->arrival && at - r->arrival > h->params.longest_wait_ns;
}

/* The oldest that is overdue, else shortest positioning time first; of equals, the oldest. */
static size_t pick(const struct hdd *h, nsec_t at, struct drive_request *const *queue, size_t n) {
        nsec_t best_ns = DRIVE_NEVER;
        size_t best = 0;

        if (is_overdue(h, at, queue[0]))
                return 0;
        for (size_t i = 0; i < n; i++) {
                nsec_t ns = positioning_ns(h, at, queue[i]);

                if (ns < best_ns) {
                        best_ns = ns;
                        best = i;
                }
        }
        return best;
}

static int hdd_start(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n) {
        struct hdd *h = container_of(m, struct hdd, model);
        struct drive_request *r;
        nsec_t at;
        size_t index;

        if (now < h->free_at)
                return -1;
        index = pick(h, now, queue, n);
        r = queue[index];
        /* Decoding overlaps with the work before it, so only a command that finds the drive idle pays for it. */
        at = MAX(now, r->arrival + h->params.overhead_ns);
        h->free_at = is_cache_hit(h, at, r) ? serve_from_cache(h, at, r) : serve_from_platter(h, at, r);
        r->done = h->free_at;
        return (int) index;
}

int hdd_init(struct hdd *h, const struct hdd_params *p, uint64_t seed) {
        if (p->capacity_bytes == 0 || p->turn_ns == 0 || p->media_rate == 0 || p->link_rate == 0 ||
            p->seek_max_ns < p->seek_min_ns || p->queue_depth == 0 || p->queue_depth > DRIVE_QUEUE_MAX)
                return -EINVAL;
        *h = (struct hdd) {
                .model = { .start = hdd_start, .queue_depth = p->queue_depth },
                .params = *p,
                .track_bytes = (uint64_t) ((double) p->media_rate * (double) p->turn_ns / (double) NSEC_PER_SEC),
                .phase = seed % p->turn_ns,
        };
        return h->track_bytes > 0 ? 0 : -EINVAL;
}

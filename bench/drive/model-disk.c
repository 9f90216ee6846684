/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model-disk.h"

#include <errno.h>

#include "macro.h"
#include "parts.h"

/* What is destaged in one go at most, while reads may wait. */
#define DESTAGE_BYTES (UINT64_C(1) << 20)
/* On each side of the head, those whose positioning times are compared. */
#define DESTAGE_NEIGHBOURS 16
/* The pieces that go to the media cache in one go. */
#define LOGGED_AT_ONCE 64

/* How far the drive has read by itself. */
static void catch_up(struct disk *d, nsec_t at) {
        uint64_t bytes;

        if (d->reading == DISK_NONE || at <= d->head_at || d->head >= d->ahead_end)
                return;
        bytes = MIN(disk_media_bytes(&d->geometry, d->head, at - d->head_at), d->ahead_end - d->head);
        d->head_at += disk_media_ns(&d->geometry, d->head, bytes);
        d->head += bytes;
        disk_cache_grow(&d->cache, d->reading, d->head);
}

static void leave(struct disk *d, nsec_t at) {
        catch_up(d, at);
        d->reading = DISK_NONE;
}

static nsec_t positioning_ns(const struct disk *d, nsec_t at, uint64_t to, bool write) {
        nsec_t seek = disk_seek_ns(&d->geometry, d->head, to);

        if (write && seek > 0)
                seek += d->params.write_settle_ns;
        return seek + disk_rotation_ns(&d->geometry, at + seek, to);
}

static nsec_t over_link(struct disk *d, nsec_t at, uint64_t bytes) {
        d->link_free_at = MAX(d->link_free_at, at) + drive_transfer_ns(bytes, d->params.link_rate);
        return d->link_free_at;
}

/* Decoding overlaps with the work before it, so only a command that finds the drive idle pays for it. */
static nsec_t begin_of(const struct disk *d, nsec_t now, const struct drive_request *r) {
        return MAX(now, r->arrival + d->params.overhead_ns);
}

static void finish(struct disk *d, struct drive_request *r, nsec_t done) {
        r->done = done;
        d->last_done = MAX(d->last_done, done);
}

/* ---- Reads ---- */

/* What a read still needs from the platter, and how long until it is under the head. */
struct way {
        size_t segment; /* that holds the beginning; DISK_NONE */
        uint64_t from;
        nsec_t wait;
        bool moving; /* the head just passes there */
};

static struct way way_to(struct disk *d, nsec_t at, const struct drive_request *r) {
        struct way w = { .segment = disk_cache_find(&d->cache, r->offset), .from = r->offset };

        if (w.segment != DISK_NONE)
                w.from = MIN(d->cache.segments[w.segment].end, r->offset + r->length);
        w.moving = w.segment != DISK_NONE && w.segment == d->reading && d->head < d->ahead_end;
        if (!w.moving)
                w.wait = positioning_ns(d, at, w.from, false);
        return w;
}

static bool is_overdue(const struct disk *d, nsec_t now, const struct drive_request *r) {
        return d->params.longest_wait_ns > 0 && nsec_sub(now, r->arrival) > d->params.longest_wait_ns;
}

/* What goes on where another one ends comes after that: else a reader in order with several requests would be served backwards. */
static bool goes_on(struct drive_request *const *queue, size_t n, const struct drive_request *r) {
        for (size_t i = 0; i < n; i++)
                if (!queue[i]->write && queue[i]->offset + queue[i]->length == r->offset)
                        return true;
        return false;
}

/* It waits for the link alone. */
static bool is_in_memory(const struct way *w, const struct drive_request *r) {
        return w->from == r->offset + r->length;
}

/* The oldest read that is overdue, else that with the shortest positioning time; n where the platter is needed for none. *ret_ns: that time, 0 of an
 * overdue one. */
static size_t pick_read(struct disk *d, nsec_t now, struct drive_request *const *queue, size_t n, nsec_t *ret_ns) {
        nsec_t best_ns = DRIVE_NEVER;
        size_t best = n;

        *ret_ns = 0;
        for (size_t i = 0; i < n; i++) {
                struct way w;

                if (queue[i]->write)
                        continue;
                w = way_to(d, now, queue[i]);
                if (is_in_memory(&w, queue[i]))
                        continue;
                if (is_overdue(d, now, queue[i]))
                        return i;
                if (goes_on(queue, n, queue[i]))
                        continue;
                if (w.wait < best_ns) {
                        best_ns = w.wait;
                        best = i;
                }
        }
        *ret_ns = best_ns;
        return best;
}

static void read_from_platter(struct disk *d, nsec_t now, struct drive_request *r) {
        const struct disk_params *p = &d->params;
        uint64_t end = r->offset + r->length;
        nsec_t at = begin_of(d, now, r), done, link_done;
        struct way w;

        w = way_to(d, at, r);
        done = w.moving ? MAX(at, d->head_at + disk_media_ns(&d->geometry, d->head, end - d->head))
                        : at + w.wait + disk_media_ns(&d->geometry, w.from, end - w.from);
        if (!w.moving)
                leave(d, at);
        d->free_at = done;
        if (w.segment != DISK_NONE)
                d->free_at += disk_media_ns(&d->geometry, end, p->read_ahead_least_bytes);
        else
                w.segment = disk_cache_take(&d->cache, r->offset);
        disk_cache_grow(&d->cache, w.segment, end);
        d->head = end;
        d->head_at = done;
        d->reading = w.segment;
        d->ahead_end = MAX(w.moving ? d->ahead_end : 0, end + p->read_ahead_bytes);
        d->busy_bytes = 0;
        d->quiet_since = d->free_at;
        link_done = over_link(d, at, r->length);
        finish(d, r, MAX(done, link_done));
}

/* Once it has been asked for something that it read by itself, it reads on from there. */
static void read_on(struct disk *d, nsec_t at, uint64_t end) {
        if (d->head >= d->ahead_end && end + d->params.read_ahead_bytes > d->ahead_end)
                d->head_at = at + disk_rotation_ns(&d->geometry, at, d->head);
        d->ahead_end = MAX(d->ahead_end, end + d->params.read_ahead_bytes);
}

static bool read_from_memory(struct disk *d, nsec_t now, struct drive_request *r) {
        uint64_t end = r->offset + r->length;
        size_t segment;

        if (!disk_cache_has_dirty(&d->cache, r->offset, end)) {
                segment = disk_cache_find(&d->cache, r->offset);
                if (segment == DISK_NONE || end > d->cache.segments[segment].end)
                        return false;
                if (segment == d->reading)
                        read_on(d, now, end);
        }
        finish(d, r, over_link(d, begin_of(d, now, r), r->length));
        return true;
}

/* ---- Writes ---- */

static bool write_to_memory(struct disk *d, nsec_t now, struct drive_request *r) {
        if (!disk_cache_fits(&d->cache, now < d->free_at ? d->busy_bytes : 0, r->length))
                return false;
        disk_cache_write(&d->cache, r->offset, r->offset + r->length);
        if (d->reading != DISK_NONE && d->cache.segments[d->reading].end == 0)
                d->reading = DISK_NONE;
        finish(d, r, over_link(d, begin_of(d, now, r), r->length));
        return true;
}

static size_t pick_dirty(const struct disk *d, nsec_t at, nsec_t *ret_ns) {
        const struct disk_cache *c = &d->cache;
        size_t middle = disk_cache_first(c, d->head), first = middle - MIN(middle, DESTAGE_NEIGHBOURS);
        size_t best = first;
        nsec_t best_ns = DRIVE_NEVER;

        for (size_t i = first; i < MIN(c->n_dirty, middle + DESTAGE_NEIGHBOURS); i++) {
                nsec_t ns = positioning_ns(d, at, c->dirty[i].from, true);

                if (ns < best_ns) {
                        best_ns = ns;
                        best = i;
                }
        }
        *ret_ns = best_ns;
        return best;
}

/* The arm writes to a place; the bytes' room in memory is free once it has. */
static void write_at(struct disk *d, nsec_t at, uint64_t to, uint64_t bytes) {
        d->free_at = at + positioning_ns(d, at, to, true) + disk_media_ns(&d->geometry, to, bytes);
        d->head = to + bytes;
        d->head_at = d->free_at;
        d->busy_bytes = bytes;
}

static void clean_band(struct disk *d, nsec_t at) {
        d->head = smr_clean(&d->smr);
        d->free_at = d->head_at = at + d->smr.params.clean_ns;
        d->busy_bytes = 0;
}

/* Several pieces, as a log takes them. */
static void write_to_log(struct disk *d, nsec_t at, size_t extent) {
        uint64_t to = d->smr.log, bytes = 0;

        for (size_t i = 0; i < LOGGED_AT_ONCE && extent < d->cache.n_dirty; i++) {
                const struct disk_extent *e = &d->cache.dirty[extent];
                uint64_t n = MIN(e->end - e->from, DESTAGE_BYTES - bytes);

                if (n == 0 || (bytes > 0 && smr_is_full(&d->smr, n)))
                        break;
                smr_put(&d->smr, e->from, n);
                disk_cache_clean(&d->cache, extent, n);
                bytes += n;
        }
        write_at(d, at, to, bytes);
}

static void destage(struct disk *d, nsec_t at) {
        size_t extent;
        uint64_t from, bytes;
        nsec_t ns;

        leave(d, at);
        extent = pick_dirty(d, at, &ns);
        from = d->cache.dirty[extent].from;
        bytes = MIN(d->cache.dirty[extent].end - from, DESTAGE_BYTES);
        if (d->smr.params.band_bytes > 0)
                bytes = MIN(bytes, d->smr.params.band_bytes - from % d->smr.params.band_bytes);
        if (d->smr.params.band_bytes > 0 && !smr_is_in_order(&d->smr, from, bytes)) {
                if (smr_is_full(&d->smr, bytes))
                        clean_band(d, at);
                else
                        write_to_log(d, at, extent);
                return;
        }
        disk_cache_clean(&d->cache, extent, bytes);
        write_at(d, at, from, bytes);
}

static bool is_half_full(const struct disk *d) {
        return d->cache.dirty_bytes >= d->params.write_cache_bytes / 2 || d->cache.n_dirty >= DISK_DIRTY_MAX / 2;
}

/* What the arm did by itself before now, while no request waited for it. */
static void live(struct disk *d, nsec_t now) {
        for (;;) {
                nsec_t at = MAX(d->free_at, d->lived_until);
                bool dirty = d->cache.n_dirty > 0;

                if (dirty && !is_half_full(d))
                        at = MAX(at, d->quiet_since + d->params.destage_after_ns);
                if (!dirty)
                        at = MAX(at, d->lived_until + d->smr.params.clean_after_ns);
                if (at >= now || (!dirty && d->smr.n_bands == 0))
                        break;
                if (dirty)
                        destage(d, at);
                else {
                        leave(d, at);
                        clean_band(d, at);
                }
        }
        d->lived_until = now;
}

static void flush(struct disk *d, nsec_t now, struct drive_request *r) {
        d->free_at = MAX(MAX(d->free_at, d->last_done), begin_of(d, now, r));
        while (d->cache.n_dirty > 0)
                destage(d, d->free_at);
        d->held_until = d->free_at;
        finish(d, r, d->free_at);
}

/* ---- The queue ---- */

/* Of what came before a flush, what memory alone can serve, reads first; n where nothing is. One at a time goes over the link. */
static size_t serve_from_memory(struct disk *d, nsec_t now, struct drive_request *const *queue, size_t n) {
        catch_up(d, now);
        if (now < d->link_free_at)
                return n;
        for (size_t i = 0; i < n; i++)
                if (!queue[i]->write && read_from_memory(d, now, queue[i]))
                        return i;
        for (size_t i = 0; i < n; i++)
                if (queue[i]->write && write_to_memory(d, now, queue[i]))
                        return i;
        return n;
}

/* When the arm or the link can do more. */
static nsec_t next_chance(const struct disk *d, nsec_t now) {
        nsec_t arm = d->free_at > now ? d->free_at : DRIVE_NEVER, link = d->link_free_at > now ? d->link_free_at : DRIVE_NEVER;

        return MIN(arm, link);
}

static bool do_writes_wait(const struct disk *d, struct drive_request *const *queue, size_t n) {
        bool wait = is_half_full(d);

        for (size_t i = 0; i < n; i++)
                wait |= queue[i]->write;
        return wait && d->cache.n_dirty > 0;
}

/* Whether a destage comes before a read that is read_ns away. */
static bool is_turn_of_destage(const struct disk *d, nsec_t now, nsec_t read_ns) {
        nsec_t destage_ns;

        if (d->params.destages_per_read > 0)
                return d->destages_due > 0;
        (void) pick_dirty(d, now, &destage_ns);
        return destage_ns < read_ns;
}

/* Gives the arm something to do. Returns the read that it serves; n where it serves none. */
static size_t use_arm(struct disk *d, nsec_t now, struct drive_request *const *queue, size_t n) {
        nsec_t read_ns;
        size_t read = pick_read(d, now, queue, n, &read_ns);

        if (read < n && !(do_writes_wait(d, queue, n) && is_turn_of_destage(d, now, read_ns))) {
                read_from_platter(d, now, queue[read]);
                d->destages_due = d->params.destages_per_read;
                return read;
        }
        if (d->cache.n_dirty > 0) {
                destage(d, now);
                d->destages_due -= d->destages_due > 0;
        }
        return n;
}

static size_t before_flush(struct drive_request *const *queue, size_t n) {
        for (size_t i = 0; i < n; i++)
                if (queue[i]->flush)
                        return i;
        return n;
}

static int disk_start(struct drive_model *m, nsec_t now, struct drive_request *const *queue, size_t n) {
        struct disk *d = container_of(m, struct disk, model);
        size_t limit = before_flush(queue, n), index;

        live(d, now);
        m->wake = d->held_until;
        if (now < d->held_until)
                return -1;
        index = serve_from_memory(d, now, queue, limit);
        if (index == limit && limit == 0) {
                flush(d, now, queue[0]);
                return 0;
        }
        if (index == limit && now >= d->free_at)
                index = use_arm(d, now, queue, limit);
        m->wake = next_chance(d, now);
        return index < limit ? (int) index : -1;
}

int disk_init(struct disk *d, const struct disk_params *p, uint64_t seed) {
        int r;

        if (p->link_rate == 0 || p->queue_depth == 0 || p->queue_depth > DRIVE_QUEUE_MAX || p->segments == 0 || p->segments > DISK_SEGMENTS_MAX ||
            p->segment_bytes == 0 || p->write_cache_bytes < 2 * DESTAGE_BYTES)
                return -EINVAL;
        *d = (struct disk) {
                .model = { .start = disk_start, .queue_depth = p->queue_depth, .write_cache = true },
                .params = *p,
                .cache = { .n_segments = p->segments, .segment_bytes = p->segment_bytes, .write_bytes = p->write_cache_bytes },
                .reading = DISK_NONE,
        };
        r = disk_geometry_init(&d->geometry, &p->geometry, seed);
        return r < 0 ? r : smr_init(&d->smr, &p->smr, p->geometry.capacity_bytes);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "disk-cache.h"

#include "macro.h"

size_t disk_cache_find(struct disk_cache *c, uint64_t from) {
        for (size_t i = 0; i < c->n_segments; i++) {
                struct disk_segment *s = &c->segments[i];

                if (s->end > s->from && from >= s->from && from <= s->end) {
                        s->last_use = ++c->uses;
                        return i;
                }
        }
        return DISK_NONE;
}

size_t disk_cache_take(struct disk_cache *c, uint64_t from) {
        size_t oldest = 0;

        for (size_t i = 1; i < c->n_segments; i++)
                if (c->segments[i].last_use < c->segments[oldest].last_use)
                        oldest = i;
        c->segments[oldest] = (struct disk_segment) { .from = from, .end = from, .last_use = ++c->uses };
        return oldest;
}

void disk_cache_grow(struct disk_cache *c, size_t segment, uint64_t end) {
        struct disk_segment *s = &c->segments[segment];

        s->end = MAX(s->end, end);
        if (s->end - s->from > c->segment_bytes)
                s->from = s->end - c->segment_bytes;
}

/* The first that ends at or behind a place: those before it do not even touch what begins there. */
static size_t first_that_reaches(const struct disk_cache *c, uint64_t from) {
        size_t low = 0, high = c->n_dirty;

        while (low < high) {
                size_t middle = (low + high) / 2;

                if (c->dirty[middle].end < from)
                        low = middle + 1;
                else
                        high = middle;
        }
        return low;
}

size_t disk_cache_first(const struct disk_cache *c, uint64_t from) {
        size_t i = first_that_reaches(c, from);

        return i < c->n_dirty && c->dirty[i].from < from ? i + 1 : i;
}

bool disk_cache_has_dirty(const struct disk_cache *c, uint64_t from, uint64_t end) {
        size_t i = first_that_reaches(c, from + 1);

        return i < c->n_dirty && c->dirty[i].from <= from && c->dirty[i].end >= end;
}

bool disk_cache_fits(const struct disk_cache *c, uint64_t busy, uint64_t bytes) {
        return c->n_dirty < DISK_DIRTY_MAX && c->dirty_bytes + busy + bytes <= c->write_bytes;
}

static void forget_what_was_read(struct disk_cache *c, uint64_t from, uint64_t end) {
        for (size_t i = 0; i < c->n_segments; i++)
                if (c->segments[i].from < end && c->segments[i].end > from)
                        c->segments[i] = (struct disk_segment) { 0 };
}

void disk_cache_write(struct disk_cache *c, uint64_t from, uint64_t end) {
        size_t first = first_that_reaches(c, from), after = first;
        struct disk_extent merged = { .from = from, .end = end };

        forget_what_was_read(c, from, end);
        for (; after < c->n_dirty && c->dirty[after].from <= end; after++) {
                merged.from = MIN(merged.from, c->dirty[after].from);
                merged.end = MAX(merged.end, c->dirty[after].end);
                c->dirty_bytes -= c->dirty[after].end - c->dirty[after].from;
        }
        memmove(&c->dirty[first + 1], &c->dirty[after], (c->n_dirty - after) * sizeof(c->dirty[0]));
        c->n_dirty = c->n_dirty - (after - first) + 1;
        c->dirty[first] = merged;
        c->dirty_bytes += merged.end - merged.from;
}

void disk_cache_clean(struct disk_cache *c, size_t extent, uint64_t bytes) {
        struct disk_extent *e = &c->dirty[extent];

        c->dirty_bytes -= bytes;
        e->from += bytes;
        if (e->from < e->end)
                return;
        memmove(e, e + 1, (c->n_dirty - extent - 1) * sizeof(*e));
        c->n_dirty--;
}

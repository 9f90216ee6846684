/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a disk has in its memory: what it has read, in segments, and what it has still to write. Without time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DISK_SEGMENTS_MAX 64
/* Pieces that are still to be written, as the firmware keeps a list of them. */
#define DISK_DIRTY_MAX 1024
#define DISK_NONE SIZE_MAX

struct disk_segment {
        uint64_t from, end; /* empty where they are equal */
        uint64_t last_use;
};

struct disk_extent {
        uint64_t from, end;
};

struct disk_cache {
        size_t n_segments;
        uint64_t segment_bytes, write_bytes;
        struct disk_segment segments[DISK_SEGMENTS_MAX];
        struct disk_extent dirty[DISK_DIRTY_MAX]; /* by place; none touches another */
        size_t n_dirty;
        uint64_t dirty_bytes, uses;
};

/* The segment that holds what begins at from, or that ends just there; DISK_NONE. */
size_t disk_cache_find(struct disk_cache *c, uint64_t from);

/* The segment that was not used for longest, for what begins at from. */
size_t disk_cache_take(struct disk_cache *c, uint64_t from);

/* The segment holds what was read up to end, of that the last as its size says. */
void disk_cache_grow(struct disk_cache *c, size_t segment, uint64_t end);

/* All that is read is still to be written, and so in memory. */
bool disk_cache_has_dirty(const struct disk_cache *c, uint64_t from, uint64_t end);

/* Room for one more write, while `busy` bytes are being written. */
bool disk_cache_fits(const struct disk_cache *c, uint64_t busy, uint64_t bytes);

/* Takes a write over. What was read of its place is no longer true. */
void disk_cache_write(struct disk_cache *c, uint64_t from, uint64_t end);

/* The first dirty extent that begins at or behind a place; n_dirty where there is none. */
size_t disk_cache_first(const struct disk_cache *c, uint64_t from);

/* The beginning of a dirty extent is written. */
void disk_cache_clean(struct disk_cache *c, size_t extent, uint64_t bytes);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A drive of flash memory: SD card, USB stick, eMMC, SATA or NVMe SSD, as its parameters say.
 *
 *   channels  work side by side. A read goes to the channels that hold its pages, which are striped over them; a piece
 *             of a write goes to the channel that is free first. Each serves its work in order of arrival:
 *             a fixed time for the first access, then its share of the drive's read or write rate.
 *   link      is shared: each command takes it for the protocol's overhead and its data's time.
 *   buffer    a write is answered once what is still to be programmed fits in it. A flush waits for all of it.
 *   segments  the unit in which the flash translation layer maps writes: an erase block of a card, a page of an SSD.
 *             Only a few are open at once. To open another, the one that was not written for longest is closed, and what
 *             of it was not written is moved ("merged"). So sequential writes cost nothing more, and random ones a
 *             merge each (A. Bergmann, "Optimizing Linux with cheap flash drives", LWN, February 2011).
 *   stalls    every now and then the drive tidies up (garbage collection), and everything waits. */
#pragma once

#include "engine.h"

#define FLASH_CHANNELS_MAX 16
#define FLASH_OPEN_MAX 64

struct flash_params {
        size_t queue_depth;
        size_t channels;
        nsec_t overhead_ns;       /* of each command, on the link */
        nsec_t read_ns, write_ns; /* until a channel's first byte; for a write, of each piece */
        uint64_t read_rate;       /* bytes a second of all channels together */
        uint64_t write_rate;
        uint64_t link_rate;
        uint64_t page_bytes;
        uint64_t buffer_bytes; /* 0: a write is answered once it is programmed */
        uint64_t segment_bytes;
        size_t open_segments;
        nsec_t merge_ns; /* of a whole segment */
        nsec_t flush_ns; /* after what it waits for */
        nsec_t stall_ns; /* 0: never */
        uint64_t stall_every_bytes; /* that are written; each time by up to a half more or less */
};

struct flash_segment {
        uint64_t number, written_bytes;
        uint64_t last_use; /* 0: empty */
};

struct flash {
        struct drive_model model; /* first: the engine's handle */
        struct flash_params params;
        nsec_t free_at[FLASH_CHANNELS_MAX];
        nsec_t link_free_at;
        struct flash_segment open[FLASH_OPEN_MAX];
        uint64_t uses;
        uint64_t to_next_stall_bytes, random;
};

/* The seed says when it stalls. Returns 0, or -EINVAL where params make no drive. */
int flash_init(struct flash *f, const struct flash_params *p, uint64_t seed);

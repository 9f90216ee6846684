/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A SATA SSD of cells with three or four bits, with what model-flash.h leaves out.
 *
 *   reads    go to the channels that hold their pages. One that finds its channel programming suspends that, and so overtakes it (Wu & He,
 *            "Reducing SSD read latency via NAND flash program and erase suspension", FAST 2012); but a program that was suspended as often
 *            as it may be is ended first.
 *   writes   are done once they are in the buffer; while that is full they wait for room, and reads do not wait for them.
 *   SLC      what is written goes to cells that are used with one bit each, until these run out. While it idles the drive moves that
 *            to the others ("folds"). The fuller the drive, the fewer cells are left for this.
 *   others   then take the writes, more slowly. There small writes leave gaps in blocks, which have to be collected: what the drive then
 *            writes over what it was given is A = s / (2 (s - f)), for s the drive's cells and f what of it is filled, both of its nominal
 *            size (Agarwal & Marrow, "A closed-form expression for write amplification in NAND flash", GLOBECOM workshops 2010, solved for a
 *            drive that is not full).
 *   flush    as of model-disk.h, with what the drive writes of its own tables. */
#pragma once

#include "engine.h"

#define SSD_CHANNELS_MAX 16

struct ssd_params {
        size_t queue_depth;
        size_t channels;
        nsec_t overhead_ns;    /* of each command, on the link */
        nsec_t read_ns;        /* until a channel's first byte */
        nsec_t program_ns;     /* of one program, which a read may have to wait for */
        nsec_t suspend_ns;     /* until a program that is suspended gives way */
        nsec_t flush_ns;       /* after what it waits for */
        nsec_t fold_after_ns;  /* of idleness */
        size_t suspends;       /* that a program bears */
        uint64_t read_rate;    /* bytes a second of all channels together */
        uint64_t slc_rate, rate; /* of writes, to cells of one bit, and to the others */
        uint64_t fold_rate;
        uint64_t link_rate;
        uint64_t page_bytes;
        uint64_t buffer_bytes;
        uint64_t slc_bytes;    /* of an empty drive */
        uint64_t small_bytes;  /* writes that are shorter leave gaps */
        unsigned filled_percent, spare_percent; /* of the nominal size */
};

struct ssd_channel {
        nsec_t read_free_at, program_free_at;
        size_t suspended; /* times */
};

struct ssd {
        struct drive_model model; /* first: the engine's handle */
        struct ssd_params params;
        struct ssd_channel channels[SSD_CHANNELS_MAX];
        nsec_t link_free_at;
        nsec_t last_done;   /* of what the host has asked for */
        nsec_t held_until;  /* a flush lasts until then */
        nsec_t known_until; /* what it folded is known until then */
        uint64_t slc_bytes, slc_used_bytes;
};

/* Returns 0, or -EINVAL where params make no drive. */
int ssd_init(struct ssd *s, const struct ssd_params *p);

/* How many bytes it programs for each thousand that small writes bring. */
uint64_t ssd_written_permille(const struct ssd_params *p);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of /proc/diskstats (Documentation/admin-guide/iostats.rst, block/genhd.c diskstats_show()). Pure. */
#pragma once

#include <stdint.h>

#include "event.h"

/* Counters since the drive appeared. Only what Brio uses; the others are checked and passed over. */
struct disk_counters {
        uint64_t reads, read_sectors, writes, write_merges, write_sectors, discards;
        uint32_t read_ms, write_ms, busy_ms, queue_ms; /* the kernel cuts these to 32 bits: they wrap */
        uint32_t inflight;
};

/* Takes the device number off the front of a line, so that a drive that is not asked for costs no more than that.
 * Returns 0, -EINVAL for anything else than two numbers, -ERANGE for numbers that no drive has. */
int diskstats_take_dev(char **line, uint32_t *ret);

/* Parses what follows: the name and 11, 15 (4.18), 17 (5.5) or more fields. Cuts the text into words.
 * Returns 0, -EINVAL for fewer or for words that are no numbers, -ERANGE above 64 bits. */
int diskstats_parse(char *rest, struct disk_counters *ret);

/* What happened between two readings, all but span_us. Returns 0, or -ESTALE where a counter went backwards: another
 * drive has the number now, or its counters began anew. */
int diskstats_subtract(const struct disk_counters *now, const struct disk_counters *before, struct event_device_stat *ret);

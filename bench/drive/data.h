/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands on an emulated drive: zeros where nothing was written, which cost no memory. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* Memory is taken and given back in these; the capacity is a multiple. */
#define DRIVE_BLOCK_BYTES 4096

struct drive_data {
        char *bytes;
        uint8_t *taken; /* a bit for each block that holds more than zeros, or did */
        uint64_t capacity_bytes;
};

/* Returns 0 or a negative errno; drive_data_done() gives it back. */
int drive_data_init(struct drive_data *d, uint64_t capacity_bytes);
void drive_data_done(struct drive_data *d);

/* Ranges lie within the capacity. Zeros that are written where zeros are take no memory. */
void drive_data_write(struct drive_data *d, const char *from, uint64_t offset, uint64_t length);

/* Pieces of a range, in order, of at most max: blocks of zeros are all read from the same few pages, so that none is mapped for them. Returns how
 * many; the rest of the range is left out where it has more. They are valid until what they show is changed. */
size_t drive_data_read(const struct drive_data *d, uint64_t offset, uint64_t length, struct iovec *ret, size_t max);

/* Makes a range zeros; its whole blocks cost nothing again. */
void drive_data_zero(struct drive_data *d, uint64_t offset, uint64_t length);

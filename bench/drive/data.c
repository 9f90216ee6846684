/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "macro.h"

/* Pieces of zeros are this long at most. */
#define ZEROS_BYTES (64 * 1024)

static void *anonymous(uint64_t bytes) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        return memory == MAP_FAILED ? NULL : memory;
}

static void give_back(void *memory, uint64_t bytes) {
        if (memory)
                (void) munmap(memory, bytes);
}

static uint64_t taken_bytes(uint64_t capacity_bytes) {
        return (capacity_bytes / DRIVE_BLOCK_BYTES + 7) / 8;
}

int drive_data_init(struct drive_data *d, uint64_t capacity_bytes) {
        *d = (struct drive_data) { .bytes = anonymous(capacity_bytes), .taken = anonymous(taken_bytes(capacity_bytes)), .capacity_bytes = capacity_bytes };
        if (!d->bytes || !d->taken) {
                drive_data_done(d);
                return -ENOMEM;
        }
        /* A huge page for each 4 KiB written at random would eat the memory. */
        (void) madvise(d->bytes, capacity_bytes, MADV_NOHUGEPAGE);
        return 0;
}

void drive_data_done(struct drive_data *d) {
        give_back(d->bytes, d->capacity_bytes);
        give_back(d->taken, taken_bytes(d->capacity_bytes));
        *d = (struct drive_data) { 0 };
}

static bool is_taken(const struct drive_data *d, uint64_t block) {
        return d->taken[block / 8] & 1U << block % 8;
}

/* What of a range lies in the block that it begins in. */
static size_t first_part(uint64_t offset, uint64_t length) {
        return MIN(length, DRIVE_BLOCK_BYTES - offset % DRIVE_BLOCK_BYTES);
}

static bool is_zero(const char *bytes, size_t n) {
        return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

void drive_data_write(struct drive_data *d, const char *from, uint64_t offset, uint64_t length) {
        while (length > 0) {
                size_t n = first_part(offset, length);
                uint64_t block = offset / DRIVE_BLOCK_BYTES;

                if (is_taken(d, block) || !is_zero(from, n)) {
                        memcpy(d->bytes + offset, from, n);
                        d->taken[block / 8] |= (uint8_t) (1U << block % 8);
                }
                from += n;
                offset += n;
                length -= n;
        }
}

/* How much of a range's begin lies in blocks that are all taken, or all not. */
static uint64_t alike_bytes(const struct drive_data *d, uint64_t offset, uint64_t length) {
        bool taken = is_taken(d, offset / DRIVE_BLOCK_BYTES);
        uint64_t n = first_part(offset, length);

        while (n < length && is_taken(d, (offset + n) / DRIVE_BLOCK_BYTES) == taken)
                n += DRIVE_BLOCK_BYTES;
        return MIN(n, length);
}

size_t drive_data_read(const struct drive_data *d, uint64_t offset, uint64_t length, struct iovec *ret, size_t max) {
        static char zeros[ZEROS_BYTES];
        size_t pieces = 0;

        for (; length > 0 && pieces < max; pieces++) {
                uint64_t n = alike_bytes(d, offset, length);
                char *from = d->bytes + offset;

                if (!is_taken(d, offset / DRIVE_BLOCK_BYTES)) {
                        n = MIN(n, sizeof(zeros));
                        from = zeros;
                }
                ret[pieces] = (struct iovec) { .iov_base = from, .iov_len = n };
                offset += n;
                length -= n;
        }
        return pieces;
}

void drive_data_zero(struct drive_data *d, uint64_t offset, uint64_t length) {
        uint64_t first = (offset + DRIVE_BLOCK_BYTES - 1) / DRIVE_BLOCK_BYTES * DRIVE_BLOCK_BYTES;
        uint64_t last = (offset + length) / DRIVE_BLOCK_BYTES * DRIVE_BLOCK_BYTES;

        if (first < last)
                (void) madvise(d->bytes + first, last - first, MADV_DONTNEED);
        while (length > 0) {
                size_t n = first_part(offset, length);
                uint64_t block = offset / DRIVE_BLOCK_BYTES;

                if (n == DRIVE_BLOCK_BYTES)
                        d->taken[block / 8] &= (uint8_t) ~(1U << block % 8);
                else if (is_taken(d, block))
                        memset(d->bytes + offset, 0, n);
                offset += n;
                length -= n;
        }
}

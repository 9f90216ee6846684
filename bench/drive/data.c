/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "data.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

#include "macro.h"

int drive_data_init(struct drive_data *d, uint64_t capacity_bytes) {
        char *bytes = mmap(NULL, capacity_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

        if (bytes == MAP_FAILED)
                return -errno;
        /* A huge page for each 4 KiB written at random would eat the memory. */
        (void) madvise(bytes, capacity_bytes, MADV_NOHUGEPAGE);
        *d = (struct drive_data) { .bytes = bytes, .capacity_bytes = capacity_bytes };
        return 0;
}

void drive_data_done(struct drive_data *d) {
        if (d->bytes)
                (void) munmap(d->bytes, d->capacity_bytes);
        *d = (struct drive_data) { 0 };
}

static bool is_zero(const char *bytes, size_t n) {
        return bytes[0] == 0 && memcmp(bytes, bytes + 1, n - 1) == 0;
}

void drive_data_write(struct drive_data *d, const char *from, uint64_t offset, uint64_t length) {
        while (length > 0) {
                size_t n = MIN(length, DRIVE_BLOCK_BYTES - offset % DRIVE_BLOCK_BYTES);
                char *to = d->bytes + offset;

                /* To look at a page that nothing was written to takes none: it is the kernel's one page of zeros. */
                if (!is_zero(from, n) || !is_zero(to, n))
                        memcpy(to, from, n);
                from += n;
                offset += n;
                length -= n;
        }
}

void drive_data_zero(struct drive_data *d, uint64_t offset, uint64_t length) {
        uint64_t end = offset + length;
        uint64_t first = (offset + DRIVE_BLOCK_BYTES - 1) / DRIVE_BLOCK_BYTES * DRIVE_BLOCK_BYTES;
        uint64_t last = end / DRIVE_BLOCK_BYTES * DRIVE_BLOCK_BYTES;

        if (first >= last) {
                memset(d->bytes + offset, 0, length);
                return;
        }
        memset(d->bytes + offset, 0, first - offset);
        (void) madvise(d->bytes + first, last - first, MADV_DONTNEED);
        memset(d->bytes + last, 0, end - last);
}

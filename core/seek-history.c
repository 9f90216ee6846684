/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arithmetic.h"
#include "macro.h"
#include "seek-history.h"

bool seek_is_far(uint64_t last_end, uint64_t sector, uint32_t sectors, bool rotational) {
        uint64_t distance = sector > last_end ? sector - last_end : last_end - sector;

        return last_end && distance > SEEK_SECTORS && (rotational || sectors < SEEK_SMALL_SECTORS);
}

void seek_history_add(struct seek_history *h, uint64_t sector, uint32_t sectors, bool rotational) {
        h->bits = h->bits << 1 | seek_is_far(h->last_end, sector, sectors, rotational);
        h->last_end = sector + sectors;
        h->n = MIN(h->n + 1, (uint32_t) SEEK_REQUESTS_MAX);
}

bool seek_history_is_seeky(const struct seek_history *h) {
        return count_ones(h->bits) > SEEKY_OF_32;
}

static uint32_t known_bits(const struct seek_history *h) {
        return h->n < SEEK_REQUESTS_MAX ? h->bits & ((1u << h->n) - 1) : h->bits;
}

/* Without the first, which was compared with nothing. */
static uint32_t compared(const struct seek_history *h) {
        return h->n < SEEK_REQUESTS_MAX ? h->n - (h->n > 0) : SEEK_REQUESTS_MAX;
}

bool seek_history_is_begun(const struct seek_history *h) {
        return compared(h) >= SEEKS_SO_FAR_MIN;
}

bool seek_history_is_seeky_so_far(const struct seek_history *h) {
        return count_ones(known_bits(h)) * SEEK_REQUESTS_MAX > SEEKY_OF_32 * compared(h);
}

uint32_t seek_history_sequential_permille(const struct seek_history *h) {
        return h->n ? (h->n - count_ones(known_bits(h))) * 1000 / h->n : 0;
}

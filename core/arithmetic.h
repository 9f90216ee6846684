/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What several detectors ask of a few numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

static inline uint64_t apart(uint64_t a, uint64_t b) {
        return a > b ? a - b : b - a;
}

static inline uint32_t count_ones(uint32_t bits) {
        uint32_t n = 0;

        for (; bits; bits &= bits - 1)
                n++;
        return n;
}

/* Of an even number the upper one of the two in the middle; 0 of none. Sorts them, by insertion: they are few. */
uint32_t median(uint32_t *values, size_t n);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arithmetic.h"

uint32_t median(uint32_t *values, size_t n) {
        for (size_t i = 1; i < n; i++) {
                uint32_t value = values[i];
                size_t k = i;
                for (; k > 0 && values[k - 1] > value; k--)
                        values[k] = values[k - 1];
                values[k] = value;
        }
        return n ? values[n / 2] : 0;
}

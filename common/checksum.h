/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4) of size bytes that follow those that `before` is the sum of; 0: nothing before. */
uint32_t checksum_crc32c(uint32_t before, const void *data, size_t size);

#define CHECKSUM_DIGITS 8

/* A line of text that ends with a tab and the sum of what stands before that, in CHECKSUM_DIGITS hexadecimal digits. Takes both away, and
 * returns whether the sum is right; where it is not, or there is nothing before it, the line stays as it is. */
bool checksum_unseal(char *line, size_t length);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* CRC-32C (Castagnoli, RFC 3720 appendix B.4) of size bytes that follow those that `before` is the sum of; 0: nothing before. */
uint32_t checksum_crc32c(uint32_t before, const void *data, size_t size);

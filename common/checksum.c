/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "macro.h"

/* For the polynomial 0x82f63b78 (reflected), four bits at a time. */
static const uint32_t table[16] = {
        0x00000000, 0x105ec76f, 0x20bd8ede, 0x30e349b1, 0x417b1dbc, 0x5125dad3, 0x61c69362, 0x7198540d,
        0x82f63b78, 0x92a8fc17, 0xa24bb5a6, 0xb21572c9, 0xc38d26c4, 0xd3d3e1ab, 0xe330a81a, 0xf36e6f75,
};

uint32_t checksum_crc32c(uint32_t before, const void *data, size_t size) {
        uint32_t crc = ~before;

        for (const unsigned char *p = data; size > 0; p++, size--) {
                crc ^= *p;
                crc = crc >> 4 ^ table[crc & 15];
                crc = crc >> 4 ^ table[crc & 15];
        }
        return ~crc;
}

bool checksum_unseal(char *line, size_t length) {
        char sum[CHECKSUM_DIGITS + 1];
        size_t body;

        if (length <= CHECKSUM_DIGITS + 1 || memchr(line, '\0', length)) /* what is behind a NUL would be passed over */
                return false;
        body = length - CHECKSUM_DIGITS - 1;
        snprintf(sum, sizeof(sum), "%08x", checksum_crc32c(0, line, body));
        if (line[body] != '\t' || !streq(line + body + 1, sum))
                return false;
        line[body] = '\0';
        return true;
}

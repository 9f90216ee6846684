/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What writer and reader of recordings share. */
#pragma once

#include <endian.h>
#include <string.h>

#include "recording.h"

/* As PNG's: a transfer that takes it for text changes it. */
static const char recording_magic[8] = { '\x89', 'B', 'R', 'I', 'O', '\r', '\n', '\x1a' };

#define RECORDING_BLOCK_MARK 0x4b4c4252u /* "RBLK" */

/* Where the parts of a block's head are, in bytes. Everything is little-endian. */
enum {
        HEAD_MARK = 0,
        HEAD_LENGTH = 4, /* 16 bits: of the body */
        HEAD_KIND = 6,   /* 8 bits; the next 8 are zero */
        HEAD_N = 8,
        HEAD_CHECKSUM = 12, /* of all of the block but these 32 bits */
        HEAD_TIME = 16,
};

static inline void put_u16(uint8_t *p, uint16_t value) {
        value = htole16(value);
        memcpy(p, &value, sizeof(value));
}

static inline void put_u32(uint8_t *p, uint32_t value) {
        value = htole32(value);
        memcpy(p, &value, sizeof(value));
}

static inline void put_u64(uint8_t *p, uint64_t value) {
        value = htole64(value);
        memcpy(p, &value, sizeof(value));
}

static inline uint16_t get_u16(const uint8_t *p) {
        uint16_t value;

        memcpy(&value, p, sizeof(value));
        return le16toh(value);
}

static inline uint32_t get_u32(const uint8_t *p) {
        uint32_t value;

        memcpy(&value, p, sizeof(value));
        return le32toh(value);
}

static inline uint64_t get_u64(const uint8_t *p) {
        uint64_t value;

        memcpy(&value, p, sizeof(value));
        return le64toh(value);
}

/* Of a block with its head, as it stands in HEAD_CHECKSUM. */
uint32_t recording_checksum(const uint8_t *block, size_t size);

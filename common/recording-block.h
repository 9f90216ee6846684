/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The frame of a recording: what the file and each of its blocks begin with. docs/brio.recording.5.scd describes it; core/recording.h has what is in the blocks. */
#pragma once

#include <endian.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RECORDING_VERSION 1
#define RECORDING_MARK_BYTES 16

/* A pipe takes so much as a whole or not at all (PIPE_BUF of Linux), so that a slow reader loses whole blocks. */
#define RECORDING_BLOCK_MAX 4096
#define RECORDING_HEAD_BYTES 24
#define RECORDING_END_BYTES (RECORDING_HEAD_BYTES + 8)

enum recording_block_kind {
        RECORDING_BLOCK_ENVIRONMENT = 1, /* text: the machine, the kernel, the daemon */
        RECORDING_BLOCK_DRIVE = 2,       /* text: a drive that is there from now on, or its settings as they are from now on */
        RECORDING_BLOCK_EVENTS = 3,
        RECORDING_BLOCK_END = 4,         /* nothing is missing behind it */
        RECORDING_BLOCK_OUTCOME = 5,     /* text: what a trial on such a drive had found before */
};

/* As PNG's: a transfer that takes it for text changes it. */
#define RECORDING_MAGIC "\x89" "BRIO\r\n\x1a"
#define RECORDING_MAGIC_BYTES (sizeof(RECORDING_MAGIC) - 1)

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

/* What a file begins with. */
void recording_write_mark(uint8_t ret[static RECORDING_MARK_BYTES]);

/* The bytes of the block that begins with that head, of RECORDING_HEAD_BYTES; 0: none does. */
size_t recording_block_size(const uint8_t *head);

/* Of a block with its head, as it stands in HEAD_CHECKSUM. */
uint32_t recording_checksum(const uint8_t *block, size_t size);

/* Fills in the head of a block of n items, of size bytes with its head; its time and its body are there. */
void recording_block_frame(uint8_t *block, size_t size, enum recording_block_kind kind, uint32_t n);

/* The last block: n events and ticks stand before it. */
void recording_write_end(uint8_t ret[static RECORDING_END_BYTES], uint64_t n);

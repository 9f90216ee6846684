/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "recording-block.h"

#include "checksum.h"

void recording_write_mark(uint8_t ret[static RECORDING_MARK_BYTES]) {
        memset(ret, 0, RECORDING_MARK_BYTES);
        memcpy(ret, RECORDING_MAGIC, RECORDING_MAGIC_BYTES);
        put_u16(ret + RECORDING_MAGIC_BYTES, RECORDING_VERSION);
}

size_t recording_block_size(const uint8_t *head) {
        size_t size = (size_t) RECORDING_HEAD_BYTES + get_u16(head + HEAD_LENGTH);

        return get_u32(head + HEAD_MARK) == RECORDING_BLOCK_MARK && size <= RECORDING_BLOCK_MAX ? size : 0;
}

uint32_t recording_checksum(const uint8_t *block, size_t size) {
        uint32_t sum = checksum_crc32c(0, block, HEAD_CHECKSUM);

        return checksum_crc32c(sum, block + HEAD_TIME, size - HEAD_TIME);
}

void recording_block_frame(uint8_t *block, size_t size, enum recording_block_kind kind, uint32_t n) {
        put_u32(block + HEAD_MARK, RECORDING_BLOCK_MARK);
        put_u16(block + HEAD_LENGTH, (uint16_t) (size - RECORDING_HEAD_BYTES));
        block[HEAD_KIND] = (uint8_t) kind;
        block[HEAD_KIND + 1] = 0;
        put_u32(block + HEAD_N, n);
        put_u32(block + HEAD_CHECKSUM, recording_checksum(block, size));
}

void recording_write_end(uint8_t ret[static RECORDING_END_BYTES], uint64_t n) {
        put_u64(ret + HEAD_TIME, 0);
        put_u64(ret + RECORDING_HEAD_BYTES, n);
        recording_block_frame(ret, RECORDING_END_BYTES, RECORDING_BLOCK_END, 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Records of blktrace, byte by byte as linux/blktrace_api.h has them, for tests. */
#pragma once

#include <byteswap.h>
#include <endian.h>
#include <stdint.h>
#include <string.h>

#define BLKTRACE_DEV DEV_NUMBER(7, 1)

/* Actions as the kernel makes them, category << 16 | what (facts: BLK_TA_*). */
enum {
        BYTES_QUEUE_READ = 0x00110001,    /* QUEUE|READ */
        BYTES_QUEUE_WRITE = 0x001a0001,   /* QUEUE|SYNC|WRITE */
        BYTES_QUEUE_DISCARD = 0x20120001, /* DISCARD|QUEUE|WRITE */
        BYTES_ISSUE_READ = 0x01410007,    /* FS|ISSUE|READ */
        BYTES_ISSUE_COMMAND = 0x02410007, /* PC|ISSUE|READ */
        BYTES_REQUEUE_READ = 0x01210006,  /* FS|REQUEUE|READ */
        BYTES_COMPLETE_READ = 0x01810008, /* FS|COMPLETE|READ */
        BYTES_COMPLETE_BIO = 0x00810008,  /* COMPLETE|READ */
        BYTES_SPLIT_READ = 0x0001000d,    /* READ */
        BYTES_INSERT_READ = 0x0111000c,   /* FS|QUEUE|READ */
        BYTES_FLUSH = 0x01450007,         /* FS|ISSUE|FLUSH|READ: no sectors */
        BYTES_PROCESS = 0x04000000,
        BYTES_TIMESTAMP = 0x04000001,
        BYTES_MESSAGE_CGROUP = 0x04000102,
};

struct blktrace_bytes {
        unsigned version; /* 7 or 8 */
        uint32_t sequence;
        uint64_t t, sector;
        uint32_t bytes;
        uint64_t action;
        uint32_t tid, dev, cpu;
        uint16_t payload_length;
        const void *payload;
};

static inline size_t put(uint8_t *to, size_t at, const void *value, size_t size) {
        memcpy(to + at, value, size);
        return at + size;
}

/* Returns how many bytes it is long. */
static inline size_t blktrace_bytes_put(uint8_t *to, struct blktrace_bytes b) {
        uint32_t magic = 0x65617400u + b.version, action = (uint32_t) b.action;
        uint16_t error = 0;
        size_t n = 0;

        n = put(to, n, &magic, 4);
        n = put(to, n, &b.sequence, 4);
        n = put(to, n, &b.t, 8);
        n = put(to, n, &b.sector, 8);
        n = put(to, n, &b.bytes, 4);
        if (b.version == 8) {
                n = put(to, n, &b.tid, 4);
                n = put(to, n, &b.action, 8);
        } else {
                n = put(to, n, &action, 4);
                n = put(to, n, &b.tid, 4);
        }
        n = put(to, n, &b.dev, 4);
        n = put(to, n, &b.cpu, 4);
        n = put(to, n, &error, 2);
        n = put(to, n, &b.payload_length, 2);
        if (b.version == 8)
                n = put(to, n, (const uint8_t[12]){ 0 }, 12);
        return b.payload_length ? put(to, n, b.payload, b.payload_length) : n;
}

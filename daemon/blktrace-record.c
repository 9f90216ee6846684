/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <byteswap.h>
#include <endian.h>
#include <errno.h>
#include <string.h>

#include "blktrace-record.h"
#include "macro.h"

#define MAGIC_MASK (~(uint32_t) UINT8_MAX)

/* Where the two versions differ. */
struct layout {
        uint8_t version, header_bytes;
        uint8_t action, action_bytes, pid, device, cpu, payload_length;
};

static const struct layout layouts[] = {
        { .version = BLKTRACE_VERSION_1, .header_bytes = BLKTRACE_HEADER_MIN,
          .action = 28, .action_bytes = 4, .pid = 32, .device = 36, .cpu = 40, .payload_length = 46 },
        { .version = BLKTRACE_VERSION_2, .header_bytes = BLKTRACE_HEADER_MAX,
          .action = 32, .action_bytes = 8, .pid = 28, .device = 40, .cpu = 44, .payload_length = 50 },
};

/* In both at the same place. */
enum { AT_SEQUENCE = 4, AT_TIME = 8, AT_SECTOR = 16, AT_BYTES = 24 };

/* The low 16 bits of an action say what happened, the rest what it happened to. */
#define ACTION_CGROUP 0x100u /* the payload begins with the number of a cgroup */
#define CGROUP_BYTES 8
#define ACTION_BITS 16
enum { ACT_QUEUE = 1, ACT_REQUEUE = 6, ACT_ISSUE = 7, ACT_COMPLETE = 8, ACT_SPLIT = 13 };
enum { NOTE_PROCESS = 0, NOTE_TIMESTAMP = 1, NOTE_MESSAGE = 2 };
#define IS(category) (UINT64_C(1) << (ACTION_BITS + (category)))
#define IS_WRITE IS(1)
#define IS_READ IS(0)
#define IS_FS IS(8)       /* a request, made of bios */
#define IS_PASSED IS(9)   /* passed through to the drive: a SCSI command */
#define IS_NOTE IS(10)
#define IS_DISCARD IS(13)
/* In version 8: 16 a zone append, 17 - 21 what is done to whole zones, 22 zeroes written without data. A tracepoint's letters
 * do not show the first as a write, and none of the others moves data. */
#define IS_NO_TRANSFER (IS(23) - IS(16))

#define SECTOR_SHIFT 9

struct reader {
        const uint8_t *data;
        bool swapped;
};

static uint16_t read_u16(const struct reader *r, size_t at) {
        uint16_t v;

        memcpy(&v, r->data + at, sizeof(v));
        return r->swapped ? bswap_16(v) : v;
}

static uint32_t read_u32(const struct reader *r, size_t at) {
        uint32_t v;

        memcpy(&v, r->data + at, sizeof(v));
        return r->swapped ? bswap_32(v) : v;
}

static uint64_t read_u64(const struct reader *r, size_t at) {
        uint64_t v;

        memcpy(&v, r->data + at, sizeof(v));
        return r->swapped ? bswap_64(v) : v;
}

/* Payloads of events are big-endian whatever the machine is; those of notes are not. */
static uint64_t read_be64(const uint8_t *data) {
        uint64_t v;

        memcpy(&v, data, sizeof(v));
        return be64toh(v);
}

static enum request_op op_of(uint64_t action) {
        if (action & (IS_PASSED | IS_NO_TRANSFER))
                return _REQUEST_OP_MAX;
        if (action & IS_DISCARD)
                return REQUEST_DISCARD;
        if (action & IS_WRITE)
                return REQUEST_WRITE;
        return action & IS_READ ? REQUEST_READ : _REQUEST_OP_MAX;
}

/* _TRACE_KIND_MAX: nothing that we need. A bio's own completion is: what counts is that of its request. */
static enum trace_kind kind_of(uint64_t action) {
        switch (action & UINT16_MAX & ~ACTION_CGROUP) {
        case ACT_QUEUE:
                return TRACE_BIO_QUEUE;
        case ACT_SPLIT:
                return TRACE_SPLIT;
        case ACT_ISSUE:
                return TRACE_RQ_ISSUE;
        case ACT_REQUEUE:
                return TRACE_RQ_REQUEUE;
        case ACT_COMPLETE:
                return action & IS_FS ? TRACE_RQ_COMPLETE : _TRACE_KIND_MAX;
        default:
                return _TRACE_KIND_MAX;
        }
}

static void parse_event(const struct reader *r, uint64_t action, const uint8_t *payload, size_t length,
                        struct blktrace_record *ret) {
        enum trace_kind kind = kind_of(action);
        enum request_op op = op_of(action);
        struct event_request q = {
                .sector = read_u64(r, AT_SECTOR),
                .sectors = read_u32(r, AT_BYTES) >> SECTOR_SHIFT,
                .op = (uint8_t) op,
        };

        if (kind == _TRACE_KIND_MAX || op == _REQUEST_OP_MAX)
                return;
        if (kind == TRACE_SPLIT) { /* the payload is the sector behind its front */
                if (length < sizeof(uint64_t)) {
                        ret->kind = BLKTRACE_BROKEN;
                        return;
                }
                q.sectors = (uint32_t) (read_be64(payload) - q.sector);
        }
        if (q.sectors == 0)
                return;
        ret->kind = BLKTRACE_REQUEST;
        ret->request = (struct trace_record) { .kind = kind, .tid = ret->tid, .dev = ret->dev, .request = q };
}

static void parse_note(const struct reader *r, uint64_t action, size_t payload, size_t length, struct blktrace_record *ret) {
        switch (action & UINT16_MAX & ~ACTION_CGROUP) {
        case NOTE_PROCESS:
                ret->kind = length < sizeof(ret->name) ? BLKTRACE_BROKEN : BLKTRACE_PROCESS;
                memset(ret->name, 0, sizeof(ret->name));
                memcpy(ret->name, r->data + payload, MIN(length, sizeof(ret->name) - 1));
                return;
        case NOTE_TIMESTAMP:
                ret->kind = length < 2 * sizeof(uint32_t) ? BLKTRACE_BROKEN : BLKTRACE_TIMESTAMP;
                if (ret->kind == BLKTRACE_BROKEN)
                        return;
                ret->timestamp.seconds = read_u32(r, payload);
                ret->timestamp.nanoseconds = read_u32(r, payload + sizeof(uint32_t));
                return;
        case NOTE_MESSAGE:
                ret->kind = BLKTRACE_MESSAGE;
                ret->message = (struct blktrace_message) { (const char *) r->data + payload, length };
                return;
        default:
                return;
        }
}

/* Which layout and byte order, from the first four bytes. */
static int find_layout(const uint8_t *data, struct reader *reader, const struct layout **ret) {
        struct reader r = { .data = data };
        uint32_t magic = read_u32(&r, 0);

        r.swapped = (bswap_32(magic) & MAGIC_MASK) == BLKTRACE_MAGIC;
        magic = read_u32(&r, 0);
        if ((magic & MAGIC_MASK) != BLKTRACE_MAGIC)
                return -EBADMSG;
        for (size_t i = 0; i < ARRAY_SIZE(layouts); i++)
                if (layouts[i].version == (magic & ~MAGIC_MASK)) {
                        *reader = r;
                        *ret = &layouts[i];
                        return 0;
                }
        return -EPROTONOSUPPORT;
}

static int find_record(const uint8_t *data, size_t size, struct reader *reader, const struct layout **ret, size_t *ret_size) {
        const struct layout *l;
        int r;

        if (size < BLKTRACE_HEADER_MIN)
                return 0;
        r = find_layout(data, reader, &l);
        if (r < 0)
                return r;
        if (size < l->header_bytes)
                return 0;
        *ret = l;
        *ret_size = l->header_bytes + (size_t) read_u16(reader, l->payload_length);
        return 1;
}

int blktrace_record_size(const uint8_t *data, size_t size, size_t *ret) {
        const struct layout *l;
        struct reader reader;

        return find_record(data, size, &reader, &l, ret);
}

int blktrace_record_parse(const uint8_t *data, size_t size, struct blktrace_record *ret) {
        struct blktrace_record record;
        const struct layout *l;
        struct reader r;
        size_t payload, end;
        uint64_t action;
        int found = find_record(data, size, &r, &l, &end);

        if (found <= 0)
                return found;
        if (size < end)
                return 0;
        action = l->action_bytes == sizeof(uint64_t) ? read_u64(&r, l->action) : read_u32(&r, l->action);
        record = (struct blktrace_record) {
                .kind = BLKTRACE_OTHER,
                .note = action & IS_NOTE,
                .sequence = read_u32(&r, AT_SEQUENCE),
                .cpu = read_u32(&r, l->cpu),
                .dev = read_u32(&r, l->device),
                .tid = (int32_t) read_u32(&r, l->pid),
                .t = read_u64(&r, AT_TIME),
        };
        payload = l->header_bytes;
        if (action & ACTION_CGROUP)
                payload += MIN((size_t) CGROUP_BYTES, end - payload);
        if (record.note)
                parse_note(&r, action, payload, end - payload, &record);
        else
                parse_event(&r, action, data + payload, end - payload, &record);
        *ret = record;
        return 1;
}

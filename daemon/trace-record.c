/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "trace-record.h"

static const struct {
        const char *name;
        enum event_kind event;
} kinds[_TRACE_KIND_MAX] = {
        [TRACE_BIO_QUEUE] = { "block_bio_queue", EVENT_REQUEST_QUEUE },
        [TRACE_SPLIT] = { "block_split", EVENT_REQUEST_SPLIT },
        [TRACE_RQ_ISSUE] = { "block_rq_issue", EVENT_REQUEST_ISSUE },
        [TRACE_RQ_REQUEUE] = { "block_rq_requeue", EVENT_REQUEST_REQUEUE },
        [TRACE_RQ_COMPLETE] = { "block_rq_complete", EVENT_REQUEST_COMPLETE },
};

const char *trace_kind_to_string(enum trace_kind kind) {
        return kinds[kind].name;
}

enum event_kind trace_kind_to_event(enum trace_kind kind) {
        return kinds[kind].event;
}

static enum request_op op_of_letter(char letter) {
        switch (letter) {
        case 'R':
                return REQUEST_READ;
        case 'W':
                return REQUEST_WRITE;
        case 'D':
                return REQUEST_DISCARD;
        case 'F':
                return REQUEST_FLUSH;
        default:
                return _REQUEST_OP_MAX;
        }
}

/* A leading F is a flush before the operation, or the operation itself. */
enum request_op trace_record_op(const char *rwbs, size_t size) {
        if (size >= 2 && rwbs[0] == 'F' && op_of_letter(rwbs[1]) != _REQUEST_OP_MAX)
                return op_of_letter(rwbs[1]);
        return size >= 1 ? op_of_letter(rwbs[0]) : _REQUEST_OP_MAX;
}

static bool fits(struct trace_field f, size_t size) {
        return f.size > 0 && (size_t) f.offset + f.size <= size;
}

static uint64_t number(const uint8_t *data, struct trace_field f) {
        uint64_t wide;
        uint32_t word;
        uint16_t half;

        switch (f.size) {
        case sizeof(wide):
                memcpy(&wide, data + f.offset, sizeof(wide));
                return wide;
        case sizeof(word):
                memcpy(&word, data + f.offset, sizeof(word));
                return word;
        case sizeof(half):
                memcpy(&half, data + f.offset, sizeof(half));
                return half;
        case 1:
                return data[f.offset];
        default:
                return 0;
        }
}

bool trace_field_read(struct trace_field f, const uint8_t *data, size_t size, uint64_t *ret) {
        if (!fits(f, size))
                return false;
        *ret = number(data, f);
        return true;
}

static const struct trace_format *find_format(const struct trace_formats *f, uint64_t id, enum trace_kind *ret) {
        for (int k = 0; k < _TRACE_KIND_MAX; k++)
                if (f->formats[k].known && f->formats[k].id == id) {
                        *ret = (enum trace_kind) k;
                        return &f->formats[k];
                }
        return NULL;
}

int trace_record_parse(const struct trace_formats *f, const uint8_t *data, size_t size, struct trace_record *ret) {
        const struct trace_format *format;
        struct trace_record r;
        enum request_op op;

        if (!fits(f->id, size) || !fits(f->pid, size))
                return -EBADMSG;
        format = find_format(f, number(data, f->id), &r.kind);
        if (!format)
                return 0;
        if (!fits(format->dev, size) || !fits(format->sector, size) || !fits(format->sectors, size) || !fits(format->rwbs, size))
                return -EBADMSG;
        op = trace_record_op((const char *) data + format->rwbs.offset, format->rwbs.size);
        r.tid = (int32_t) number(data, f->pid);
        r.dev = (uint32_t) number(data, format->dev);
        r.request = (struct event_request) {
                .sector = number(data, format->sector),
                .sectors = (uint32_t) number(data, format->sectors),
                .op = (uint8_t) op,
        };
        if (r.kind == TRACE_SPLIT)
                r.request.sectors = (uint32_t) (number(data, format->sectors) - r.request.sector);
        if (op == _REQUEST_OP_MAX || op == REQUEST_FLUSH || r.request.sectors == 0)
                return 0;
        *ret = r;
        return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The block events that we trace, out of the bytes of a record. Where each field lies is told by the kernel
 * (trace-format.h): it differs between versions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event.h"

enum trace_kind {
        TRACE_BIO_QUEUE,   /* block_bio_queue: a process asks */
        TRACE_SPLIT,       /* block_split: too long for the drive */
        TRACE_RQ_ISSUE,
        TRACE_RQ_REQUEUE,
        TRACE_RQ_COMPLETE,
        _TRACE_KIND_MAX,
};

const char *trace_kind_to_string(enum trace_kind kind); /* "block_bio_queue" */
enum event_kind trace_kind_to_event(enum trace_kind kind);

struct trace_field {
        uint16_t offset, size; /* size 0: the event has no such field */
};

/* A number in the machine's own order, of 1, 2, 4 or 8 bytes. Returns false where the field is not in the size bytes of data. */
bool trace_field_read(struct trace_field f, const uint8_t *data, size_t size, uint64_t *ret);

struct trace_format {
        bool known; /* the kernel has this event */
        uint16_t id;
        struct trace_field dev, sector, rwbs;
        struct trace_field sectors; /* of a split: the sector behind its front */
};

struct trace_formats {
        size_t commit_bytes;          /* of a page's header */
        struct trace_field id, pid;   /* common to all events */
        struct trace_format formats[_TRACE_KIND_MAX];
};

struct trace_record {
        enum trace_kind kind;
        int32_t tid;  /* of the task that was current */
        uint32_t dev; /* of the event: a bio's is that of the partition */
        struct event_request request;
};

/* Returns 1; 0 for a record that is none of ours or tells of no transfer of data to or from a place; -EBADMSG where a
 * field lies outside of it. */
int trace_record_parse(const struct trace_formats *f, const uint8_t *data, size_t size, struct trace_record *ret);

/* What the kernel's letters say (blk_fill_rwbs()): [F] R|W|D|F [F] [A] [S] [M]. _REQUEST_OP_MAX: something else. */
enum request_op trace_record_op(const char *rwbs, size_t size);

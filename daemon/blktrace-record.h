/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The records of blktrace, out of their bytes: struct blk_io_trace (version 7 of linux/blktrace_api.h, 48 bytes) and struct
 * blk_io_trace2 (version 8, 64 bytes, Linux 6.19), each with its payload behind it, in this machine's byte order or the other. */
#pragma once

#include "trace-record.h"

enum blktrace_kind {
        BLKTRACE_OTHER,     /* nothing that we need: a merge, a plug, a flush, a zone's reset, a SCSI command ... */
        BLKTRACE_REQUEST,
        BLKTRACE_PROCESS,   /* a thread's name, before its first record since a trace began */
        BLKTRACE_TIMESTAMP, /* the time of day at which a trace began */
        BLKTRACE_MESSAGE,   /* text, of the scheduler or of a user */
        BLKTRACE_BROKEN,    /* what its payload should hold is not there */
        _BLKTRACE_KIND_MAX,
};

struct blktrace_message {
        const char *text; /* within the record's bytes, not terminated; the kernel sends at most 127 */
        size_t length;
};

struct blktrace_record {
        enum blktrace_kind kind;
        bool note;         /* has no place in the sequence */
        uint32_t sequence; /* of its CPU and trace, counted whether or not there was room for it */
        uint32_t cpu, dev; /* dev: of the trace, so a partition's bio has that of the drive */
        int32_t tid;       /* of the task that was current */
        nsec_t t;          /* CLOCK_MONOTONIC */
        union {
                struct trace_record request;
                char name[EVENT_NAME_MAX]; /* terminated */
                struct {
                        uint32_t seconds, nanoseconds; /* CLOCK_REALTIME at t */
                } timestamp;
                struct blktrace_message message;
        };
};

#define BLKTRACE_MAGIC 0x65617400u /* and the version in the lowest byte */
#define BLKTRACE_VERSION_1 7
#define BLKTRACE_VERSION_2 8
#define BLKTRACE_HEADER_MIN 48
#define BLKTRACE_HEADER_MAX 64

/* How long the record is that begins here, with its payload. Returns 1; 0: it takes more bytes to say; -EBADMSG: no record begins
 * here; -EPROTONOSUPPORT: one of a version that we do not know. */
int blktrace_record_size(const uint8_t *data, size_t size, size_t *ret);

/* Returns 1; 0: it goes on behind size; or an error as above. */
int blktrace_record_parse(const uint8_t *data, size_t size, struct blktrace_record *ret);

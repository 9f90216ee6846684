/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One CPU's records of one trace, from what its relay file gave. The kernel makes room for a record before it writes it, so the
 * last one that a read finds may not be there yet; what stands in its place is zeroes, or an older record. Such a one is passed
 * over, and counted as lost by the next one's sequence number. */
#pragma once

#include "blktrace-record.h"

/* Most records have 48 to 72 bytes. One that does not fit is passed over. */
#define BLKTRACE_STREAM_BYTES 4096

struct blktrace_stream {
        uint32_t cpu, dev;
        bool counting;      /* the sequence is known */
        uint32_t sequence;  /* of the last record */
        nsec_t last;        /* and its time */
        uint64_t malformed; /* times that bytes were no record of this CPU and trace */
        uint64_t lost;      /* records that are missing from the sequence */
        size_t begin, end;  /* what is not taken yet */
        bool searching;     /* for where a record begins again */
        size_t skip;        /* bytes that are still to come of one that does not fit */
        uint8_t bytes[BLKTRACE_STREAM_BYTES];
};

void blktrace_stream_init(struct blktrace_stream *s, uint32_t cpu, uint32_t dev);

/* Where the next bytes go, and for how many there is room: some, once next() has returned 0. */
uint8_t *blktrace_stream_room(struct blktrace_stream *s, size_t *ret);
void blktrace_stream_add(struct blktrace_stream *s, size_t n);

/* The next record that belongs here, in order of time; now: when its bytes were read. Returns 1, or 0 when it takes more bytes.
 * What ret points to lies in the stream, until the next call. */
int blktrace_stream_next(struct blktrace_stream *s, nsec_t now, struct blktrace_record *ret);

/* The file is empty. Since records end where it does, what is left is none. */
void blktrace_stream_dry(struct blktrace_stream *s);

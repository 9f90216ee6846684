/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "macro.h"
#include "trace-page.h"

/* The commit field: the length, and in its high bits whether records were lost before (RB_MISSED_EVENTS). */
#define COMMIT_LENGTH_MASK ((1u << 27) - 1)
#define COMMIT_LOST (1u << 31)

/* A record's first word, in the kernel's own bit-field layout: it is the same machine. */
struct record_word {
        uint32_t type : 5, delta : 27;
};

enum record_type {
        RECORD_LONG = 0,   /* the length is in the next word */
        RECORD_DATA_MAX = 28, /* up to here: the length in words */
        RECORD_PADDING = 29,
        RECORD_TIME_EXTEND = 30,
        RECORD_TIME_STAMP = 31,
};

#define DELTA_BITS 27
#define STAMP_BITS 59 /* of an absolute time; those above are the page's */

int trace_page_begin(struct trace_page *p, const void *data, size_t size, size_t commit_bytes) {
        size_t header = sizeof(uint64_t) + commit_bytes;
        uint64_t t, commit = 0;
        uint32_t narrow;

        if ((commit_bytes != sizeof(uint32_t) && commit_bytes != sizeof(uint64_t)) || size < header)
                return -EBADMSG;
        memcpy(&t, data, sizeof(t));
        if (commit_bytes == sizeof(commit))
                memcpy(&commit, (const uint8_t *) data + sizeof(t), sizeof(commit));
        else {
                memcpy(&narrow, (const uint8_t *) data + sizeof(t), sizeof(narrow));
                commit = narrow;
        }
        if ((commit & COMMIT_LENGTH_MASK) > size - header)
                return -EBADMSG;
        *p = (struct trace_page) {
                .at = (const uint8_t *) data + header,
                .end = (const uint8_t *) data + header + (commit & COMMIT_LENGTH_MASK),
                .t = t,
                .lost = commit & COMMIT_LOST,
        };
        return 0;
}

static size_t left(const struct trace_page *p) {
        return (size_t) (p->end - p->at);
}

static int broken(struct trace_page *p) {
        p->at = p->end;
        return -EBADMSG;
}

/* Takes the word at the front; the caller saw to it that it is there. */
static uint32_t take_word(struct trace_page *p) {
        uint32_t word;

        memcpy(&word, p->at, sizeof(word));
        p->at += sizeof(word);
        return word;
}

/* The 59 bits of an absolute time with the rest of the time before it (rb_fix_abs_ts()). */
static nsec_t complete_stamp(nsec_t stamp, nsec_t before) {
        nsec_t high = before >> STAMP_BITS << STAMP_BITS;

        stamp |= high;
        return high && stamp < before ? stamp + (1ULL << STAMP_BITS) : stamp;
}

static int take_time(struct trace_page *p, struct record_word w) {
        nsec_t value;

        if (left(p) < sizeof(uint32_t))
                return broken(p);
        value = ((nsec_t) take_word(p) << DELTA_BITS) + w.delta;
        p->t = w.type == RECORD_TIME_STAMP ? complete_stamp(value & ((1ULL << STAMP_BITS) - 1), p->t) : p->t + value;
        return 0;
}

/* A record's length stands before it and counts itself. Returns the bytes that follow it. */
static int take_length(struct trace_page *p, size_t *ret) {
        uint32_t length;

        if (left(p) < sizeof(length))
                return broken(p);
        length = take_word(p);
        if (length < sizeof(length) || length - sizeof(length) > left(p))
                return broken(p);
        *ret = length - sizeof(length);
        return 0;
}

/* What was discarded after it had been reserved. With delta 1 it had none of its own (ring_buffer.c check_buffer()). */
static int skip_discarded(struct trace_page *p, struct record_word w) {
        size_t length;

        if (take_length(p, &length) < 0)
                return -EBADMSG;
        p->at += length;
        if (w.delta > 1)
                p->t += w.delta;
        return 0;
}

int trace_page_next(struct trace_page *p, struct trace_data *ret) {
        while (left(p) >= sizeof(uint32_t)) {
                uint32_t word = take_word(p);
                struct record_word w;
                size_t length;

                memcpy(&w, &word, sizeof(w));
                if (w.type == RECORD_PADDING && w.delta == 0) { /* to the end of the page */
                        p->at = p->end;
                        return 0;
                }
                if (w.type >= RECORD_PADDING) {
                        if ((w.type == RECORD_PADDING ? skip_discarded(p, w) : take_time(p, w)) < 0)
                                return -EBADMSG;
                        continue;
                }
                length = w.type * sizeof(uint32_t);
                if (w.type == RECORD_LONG ? take_length(p, &length) < 0 : length > left(p))
                        return broken(p);
                p->t += w.delta;
                *ret = (struct trace_data) { .t = p->t, .data = p->at, .size = length };
                p->at += MIN((length + 3) & ~(size_t) 3, left(p));
                return 1;
        }
        return 0;
}

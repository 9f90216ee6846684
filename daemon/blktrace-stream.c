/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <string.h>

#include "blktrace-stream.h"
#include "macro.h"

/* A time that has not come yet is none, but the clock was read before the bytes were. */
#define AHEAD_MAX_NS NSEC_PER_SEC

void blktrace_stream_init(struct blktrace_stream *s, uint32_t cpu, uint32_t dev) {
        *s = (struct blktrace_stream) { .cpu = cpu, .dev = dev };
}

uint8_t *blktrace_stream_room(struct blktrace_stream *s, size_t *ret) {
        memmove(s->bytes, s->bytes + s->begin, s->end - s->begin);
        s->end -= s->begin;
        s->begin = 0;
        *ret = sizeof(s->bytes) - s->end;
        return s->bytes + s->end;
}

void blktrace_stream_add(struct blktrace_stream *s, size_t n) {
        s->end += n;
}

/* Where the next record begins: what this kernel writes is in this machine's byte order. */
static size_t find_magic(const struct blktrace_stream *s) {
        static const uint32_t magics[] = { BLKTRACE_MAGIC | BLKTRACE_VERSION_1, BLKTRACE_MAGIC | BLKTRACE_VERSION_2 };
        size_t at = s->begin;

        for (; at + sizeof(magics[0]) <= s->end; at++)
                for (size_t i = 0; i < ARRAY_SIZE(magics); i++)
                        if (memcmp(s->bytes + at, &magics[i], sizeof(magics[i])) == 0)
                                return at;
        return at;
}

static void skip(struct blktrace_stream *s) {
        size_t n = MIN(s->skip, s->end - s->begin);

        s->begin += n;
        s->skip -= n;
}

/* Notes have no sequence. What the first record follows is not known. */
static void count(struct blktrace_stream *s, const struct blktrace_record *r) {
        uint32_t missing = r->sequence - s->sequence - 1;

        if (r->note)
                return;
        if (s->counting && missing < (uint32_t) INT32_MAX)
                s->lost += missing;
        s->counting = true;
        s->sequence = r->sequence;
}

/* One that the kernel had not written yet, or only half, is not likely to have all of these right. */
static bool belongs(const struct blktrace_stream *s, nsec_t now, const struct blktrace_record *r) {
        bool in_order = r->t >= s->last && r->t <= now + AHEAD_MAX_NS;

        return in_order && r->kind != BLKTRACE_BROKEN && r->cpu == s->cpu && r->dev == s->dev;
}

/* Leaves begin at what may be a whole record. Returns whether there is one. */
static bool seek(struct blktrace_stream *s, size_t *ret_size) {
        int r;

        for (;;) {
                skip(s);
                if (s->searching)
                        s->begin = find_magic(s);
                r = blktrace_record_size(s->bytes + s->begin, s->end - s->begin, ret_size);
                if (r == 0)
                        return false;
                if (r < 0) {
                        s->malformed++;
                        s->begin++;
                        s->searching = true;
                        continue;
                }
                s->searching = false;
                if (*ret_size > sizeof(s->bytes)) {
                        s->malformed++;
                        s->skip = *ret_size;
                } else {
                        return *ret_size <= s->end - s->begin;
                }
        }
}

int blktrace_stream_next(struct blktrace_stream *s, nsec_t now, struct blktrace_record *ret) {
        struct blktrace_record r;
        size_t size;

        while (seek(s, &size)) {
                int parsed = blktrace_record_parse(s->bytes + s->begin, s->end - s->begin, &r);
                s->begin += size;
                if (parsed <= 0 || !belongs(s, now, &r)) {
                        s->malformed++;
                        continue;
                }
                count(s, &r);
                s->last = r.t;
                *ret = r;
                return 1;
        }
        return 0;
}

void blktrace_stream_dry(struct blktrace_stream *s) {
        s->malformed += s->begin < s->end;
        s->begin = s->end = s->skip = 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever a relay file of blktrace holds, in whatever pieces it is read: the records are the same, and each request is whole. */
#include <stdlib.h>

#include "blktrace-stream.h"
#include "fuzz.h"
#include "macro.h"

#define NOW (UINT64_MAX / 2)

static void check(const struct blktrace_stream *s, const struct blktrace_record *r, nsec_t before) {
        MUST(r->t >= before && r->kind < BLKTRACE_BROKEN && r->cpu == s->cpu && r->dev == s->dev);
        if (r->kind == BLKTRACE_REQUEST)
                MUST(r->request.request.sectors > 0 && r->request.request.op < REQUEST_FLUSH);
        if (r->kind == BLKTRACE_MESSAGE)
                MUST((const uint8_t *) r->message.text >= s->bytes &&
                     (const uint8_t *) r->message.text + r->message.length <= s->bytes + sizeof(s->bytes));
        if (r->kind == BLKTRACE_PROCESS)
                MUST(r->name[sizeof(r->name) - 1] == '\0');
}

/* Returns a number that two runs have in common exactly when they found the same. */
static uint64_t run(const uint8_t *data, size_t size, const struct blktrace_stream *fresh, size_t piece) {
        struct blktrace_stream s = *fresh;
        struct blktrace_record r;
        uint64_t digest = 0;
        nsec_t before = 0;

        for (size_t at = 0; at < size;) {
                size_t room, n;
                uint8_t *to = blktrace_stream_room(&s, &room);
                MUST(room > 0);
                n = MIN(MIN(room, piece), size - at);
                memcpy(to, data + at, n);
                blktrace_stream_add(&s, n);
                at += n;
                while (blktrace_stream_next(&s, NOW, &r) > 0) {
                        check(&s, &r, before);
                        before = r.t;
                        digest = digest * 31 + r.t + r.sequence + (uint64_t) r.kind;
                }
        }
        digest = digest * 31 + s.lost;
        return digest * 31 + s.malformed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static const size_t pieces[] = { 1, 7, 48, 1021 };
        struct blktrace_stream fresh;
        struct blktrace_record first;
        uint64_t whole;

        /* The CPU and the drive of the first record, so that a recording of any machine is one. */
        blktrace_stream_init(&fresh, 0, DEV_NUMBER(7, 1));
        if (blktrace_record_parse(data, size, &first) > 0)
                blktrace_stream_init(&fresh, first.cpu, first.dev);
        whole = run(data, size, &fresh, SIZE_MAX);
        MUST(run(data, size, &fresh, pieces[size % ARRAY_SIZE(pieces)]) == whole);
        return 0;
}

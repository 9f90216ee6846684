/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever the trace says for bfq: lines are read within their bytes, and the verdicts stay within their bounds. */
#include <stdlib.h>
#include <string.h>

#include "bfq-log.h"
#include "fuzz.h"

static void take_line(struct bfq_verdicts *v, const char *line, size_t size) {
        /* In memory of just its size, so that a sanitizer sees a read beyond it. */
        char *copy = malloc(size + 1);
        struct bfq_log_message m;
        const struct bfq_verdict *changed;

        MUST(copy);
        memcpy(copy + 1, line, size);
        bfq_log_parse_line(copy + 1, size, &m);
        MUST(m.kind < _BFQ_LOG_KIND_MAX);
        MUST(m.kind == BFQ_LOG_OTHER || m.kind == BFQ_LOG_LOST || m.queue.tid >= 0);
        changed = bfq_verdicts_feed(v, &m);
        MUST(!changed || (changed >= v->verdicts && changed < v->verdicts + v->n && changed->since <= changed->seen));
        MUST(v->n <= BFQ_QUEUES_MAX);
        free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct bfq_verdicts *v = calloc(1, sizeof(*v));
        const char *text = (const char *) data, *end = text + size;

        MUST(v);
        while (text < end) {
                const char *stop = memchr(text, '\n', (size_t) (end - text));
                size_t n = (size_t) ((stop ? stop : end) - text);
                take_line(v, text, n);
                text += n + (stop != NULL);
        }
        free(v);
        return 0;
}

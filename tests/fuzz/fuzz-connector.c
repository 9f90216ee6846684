/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever comes from the process connector, one message after the other, each behind a byte with its length: what is taken from it
 * makes sense, and the times in it, right or wrong, make no more reports of bursts than there can be. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "proc-connector.h"
#include "process-burst.h"

/* One that goes on is reported again when it was quiet for long enough: so many births at least, the widest gaps between them. */
#define BIRTHS_PER_REPORT ((BURST_QUIET_NS + BURST_GAP_NS - 1) / BURST_GAP_NS)

/* On the heap and exactly as long, so that a read beyond it is seen. */
static int parse(const uint8_t *data, size_t size, struct proc_change *ret) {
        uint8_t *message = malloc(size + 1);
        int r;

        MUST(message);
        memcpy(message, data, size);
        message = realloc(message, size > 0 ? size : 1);
        MUST(message);
        r = proc_connector_parse(message, size, ret);
        free(message);
        return r;
}

struct births {
        struct process_burst burst;
        size_t n, reports;
        nsec_t last;
        bool backwards; /* a time was earlier than one before it */
};

static void note(struct births *b, nsec_t t) {
        b->backwards = b->backwards || t < b->last;
        b->last = t;
        b->n++;
        b->reports += process_burst_note(&b->burst, t);
        if (b->reports == 0)
                return;
        MUST(b->n >= BURST_PROCESSES + (b->reports - 1) * (b->backwards ? 1 : BIRTHS_PER_REPORT));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct births births = { 0 };

        while (size > 0) {
                size_t length = MIN((size_t) data[0], size - 1);
                struct proc_change c;
                int r = parse(data + 1, length, &c);

                MUST(r == 0 || r == 1 || r == -EBADMSG);
                if (r > 0) {
                        MUST(c.kind == PROC_BORN || c.kind == PROC_EXEC || c.kind == PROC_DIED || c.kind == PROC_ACK);
                        MUST(c.kind == PROC_ACK || c.tgid > 0);
                        if (c.kind == PROC_BORN)
                                note(&births, c.t);
                }
                data += length + 1;
                size -= length + 1;
        }
        return 0;
}

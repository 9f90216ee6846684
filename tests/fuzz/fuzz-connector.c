/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whatever comes from the process connector, one message after the other, each behind a byte with its length: what is taken from it
 * makes sense, and the times in it, right or wrong, make no more bursts than there can be. */
#include <errno.h>
#include <stdlib.h>

#include "fuzz.h"
#include "macro.h"
#include "proc-connector.h"
#include "process-burst.h"

#define MUST(expr) ((expr) ? (void) 0 : abort())

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct process_burst burst = { 0 };
        size_t births = 0, bursts = 0;

        while (size > 0) {
                size_t length = MIN((size_t) data[0], size - 1);
                struct proc_change c;
                int r = parse(data + 1, length, &c);

                MUST(r == 0 || r == 1 || r == -EBADMSG);
                if (r > 0) {
                        MUST(c.kind == PROC_BORN || c.kind == PROC_EXEC || c.kind == PROC_DIED || c.kind == PROC_ACK);
                        MUST(c.kind == PROC_ACK || c.tgid > 0);
                        if (c.kind == PROC_BORN) {
                                births++;
                                bursts += process_burst_note(&burst, c.t);
                        }
                }
                data += length + 1;
                size -= length + 1;
        }
        MUST(bursts * BURST_PROCESSES <= births);
        return 0;
}

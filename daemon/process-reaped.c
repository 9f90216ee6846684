/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "process-reaped.h"

void reaped_expect(struct reaped *r, int32_t parent, nsec_t t, uint64_t read_bytes, uint64_t write_bytes) {
        if (parent <= 0 || (read_bytes == 0 && write_bytes == 0))
                return;
        r->children[r->next] = (struct reaped_child){ parent, t, read_bytes, write_bytes };
        r->next = (r->next + 1) % REAPED_MAX;
}

static void subtract(uint64_t *bytes, uint64_t *theirs) {
        uint64_t both = MIN(*bytes, *theirs);

        *bytes -= both;
        *theirs -= both;
}

void reaped_take(struct reaped *r, int32_t parent, nsec_t now, uint64_t *read_bytes, uint64_t *write_bytes) {
        for (size_t i = 0; i < REAPED_MAX; i++) {
                struct reaped_child *c = &r->children[i];
                if (parent <= 0 || c->parent != parent)
                        continue;
                subtract(read_bytes, &c->read_bytes);
                subtract(write_bytes, &c->write_bytes);
                if ((c->read_bytes == 0 && c->write_bytes == 0) || nsec_sub(now, c->t) > REAPED_WAIT_NS)
                        c->parent = 0;
        }
}

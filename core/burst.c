/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "burst.h"

void burst_note(struct burst *b, nsec_t t, size_t marked, bool inferred) {
        if (marked == 0)
                return;
        if (marked == QUEUE_BURST_LARGE) {
                b->n = 0;
                b->began = t;
                b->inferred = inferred;
        }
        b->n += (uint32_t) marked;
        b->last = t;
}

void burst_note_birth(struct burst *b, nsec_t t, uint32_t name, uint64_t start_ticks) {
        nsec_t born = start_ticks * BURST_TICK_NS;
        uint32_t marked[QUEUE_BURST_LARGE];

        if (born + QUEUE_BURST_GAP_NS < b->births.last)
                return;
        burst_note(b, t, queue_burst_add(&b->births, born > b->births.last ? born : b->births.last, 0, name, false, marked), true);
}

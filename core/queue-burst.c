/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "queue-burst.h"

/* The burst is over; the queue begins another, unless the drive is busy anyway. */
static void begin(struct queue_burst *b, uint64_t group, uint32_t name, bool others_busy) {
        b->large = false;
        b->group = group;
        b->size = others_busy ? 0 : 1;
        b->members[0] = name;
}

static size_t join(struct queue_burst *b, uint32_t name, uint32_t ret[static QUEUE_BURST_LARGE]) {
        if (b->large) {
                ret[0] = name;
                return 1;
        }
        b->members[b->size++] = name;
        if (b->size < QUEUE_BURST_LARGE)
                return 0;
        b->large = true;
        memcpy(ret, b->members, sizeof(b->members));
        return QUEUE_BURST_LARGE;
}

size_t queue_burst_add(struct queue_burst *b, nsec_t t, uint64_t group, uint32_t name, bool others_busy,
                       uint32_t ret[static QUEUE_BURST_LARGE]) {
        size_t n = 0;

        if (b->size == 0 && others_busy)
                return 0;
        if (!b->last || nsec_sub(t, b->last) > QUEUE_BURST_GAP_NS || group != b->group)
                begin(b, group, name, others_busy);
        else
                n = join(b, name, ret);
        b->last = t;
        return n;
}

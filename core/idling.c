/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "idling.h"
#include "macro.h"

static nsec_t end(struct idling *i, nsec_t t, uint32_t owner) {
        nsec_t idle = i->idle_since ? nsec_sub(t, i->idle_since) : 0, hole = i->hole_since ? nsec_sub(t, i->hole_since) : 0;

        i->idle_since = i->hole_since = 0;
        if (idle > 0 && idle <= IDLING_MAX_NS)
                recent_add(&i->window_ns, t, MIN(idle, SLICE_IDLE_NS));
        if (hole < HOLE_MIN_NS || hole > HOLE_MAX_NS)
                return 0;
        recent_add(&i->hole_ns, t, hole);
        if (i->served && owner == i->served)
                recent_add(&i->filled_ns, t, hole);
        return hole;
}

void idling_done(struct idling *i, nsec_t t, uint64_t issued, uint32_t reader) {
        if (reader)
                i->served = reader;
        if (issued == 0 && i->served)
                i->idle_since = t;
}

nsec_t idling_follow(struct idling *i, nsec_t t, uint64_t waiting, uint64_t issued, uint32_t owner) {
        if (issued > 0)
                return i->idle_since || i->hole_since ? end(i, t, owner) : 0;
        if (waiting == 0)
                i->hole_since = 0;
        else if (!i->hole_since)
                i->hole_since = t;
        return 0;
}

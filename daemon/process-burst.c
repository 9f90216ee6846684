/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-burst.h"

bool process_burst_note(struct process_burst *b, nsec_t birth) {
        if (b->size == 0 || nsec_sub(birth, b->last) > BURST_GAP_NS)
                b->size = 0;
        b->last = b->last > birth ? b->last : birth; /* CPUs deliver out of order */
        if (b->size < BURST_PROCESSES)
                b->size++;
        if (b->size < BURST_PROCESSES || (b->reported && nsec_sub(birth, b->report) < BURST_QUIET_NS))
                return false;
        b->reported = true;
        b->report = birth;
        return true;
}

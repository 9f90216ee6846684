/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "injection.h"
#include "macro.h"

void injection_other(struct injection *i, uint32_t most) {
        i->others += i->others < UINT32_MAX;
        i->most = most;
}

uint32_t injection_ask(struct injection *i, nsec_t t, bool counts, bool at_work) {
        uint32_t others = counts ? i->others : 0;

        i->others = 0;
        i->beside = others > 0 && at_work;
        i->measured = !at_work || (i->beside && i->alone) ? t : 0;
        return others;
}

static void follow_limit(struct injection *i, nsec_t total) {
        if (total >= i->alone * INJECTION_SLOW_PERMILLE / 1000)
                i->limit -= i->limit > 0;
        else
                i->limit += i->limit <= i->most;
}

void injection_done(struct injection *i, nsec_t queued, nsec_t t) {
        nsec_t total = nsec_sub(t, queued);

        if (!i->measured || queued != i->measured)
                return;
        i->measured = 0;
        if (i->beside) {
                follow_limit(i, total);
                i->injected = i->injected ? (7 * i->injected + total) / 8 : total;
        } else {
                i->limit = MAX(i->limit, 1u);
        }
        if (!i->beside || total < i->alone)
                i->alone = total;
}

uint32_t injection_permille(const struct injection *i) {
        return i->alone && i->injected ? (uint32_t) MIN(i->injected * 1000 / i->alone, UINT32_MAX) : 0;
}

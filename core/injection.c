/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "injection.h"
#include "macro.h"

void injection_other(struct injection *i) {
        i->others += i->others < UINT32_MAX;
}

uint32_t injection_ask(struct injection *i, nsec_t t, bool counts, bool at_work) {
        uint32_t others = counts ? i->others : 0;

        i->others = 0;
        i->beside = others > 0 && at_work;
        i->measured = !at_work || (i->beside && i->alone) ? t : 0;
        return others;
}

void injection_done(struct injection *i, nsec_t queued, nsec_t t) {
        nsec_t total = nsec_sub(t, queued);

        if (!i->measured || queued != i->measured)
                return;
        i->measured = 0;
        if (i->beside)
                i->injected = i->injected ? (7 * i->injected + total) / 8 : total;
        if (!i->beside || total < i->alone)
                i->alone = total;
}

uint32_t injection_permille(const struct injection *i) {
        return i->alone && i->injected ? (uint32_t) MIN(i->injected * 1000 / i->alone, UINT32_MAX) : 0;
}

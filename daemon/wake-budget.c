/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>

#include "macro.h"
#include "wake-budget.h"

nsec_t wake_budget_take(struct wake_budget *b, nsec_t now) {
        bool rapid = b->last_wake > 0 && nsec_sub(now, b->last_wake) < WAKE_LOT_NS;
        nsec_t next = rapid ? now + WAKE_LOT_NS : now;

        b->last_wake = now;
        b->spent_until = MAX(b->spent_until, now) + WAKE_PERIOD_NS;
        return MAX(next, nsec_sub(b->spent_until, (b->spare ? b->spare : WAKE_SPARE) * WAKE_PERIOD_NS));
}

nsec_t wake_budget_full(nsec_t now, nsec_t span, size_t n, size_t room) {
        nsec_t quarter = n > 0 ? span / n * (room / 4) : WAKE_PERIOD_NS;

        return now + MAX(quarter, WAKE_LOT_NS);
}

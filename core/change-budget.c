/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "change-budget.h"
#include "macro.h"

#define MINUTE_NS (60 * NSEC_PER_SEC)

uint32_t change_budget_used(const struct change_budget *b, nsec_t now) {
        uint64_t minute = now / MINUTE_NS;
        uint32_t sum = 0;

        for (uint64_t i = 0; i < CHANGE_BUDGET_MINUTES && i <= b->minute; i++)
                if (minute < b->minute - i + CHANGE_BUDGET_MINUTES)
                        sum += b->counts[(b->minute - i) % CHANGE_BUDGET_MINUTES];
        return sum;
}

bool change_budget_take(struct change_budget *b, nsec_t now, uint32_t limit) {
        uint64_t minute = now / MINUTE_NS;

        if (change_budget_used(b, now) >= limit)
                return false;
        if (minute > b->minute) {
                for (uint64_t i = 0; i < MIN(minute - b->minute, (uint64_t) CHANGE_BUDGET_MINUTES); i++)
                        b->counts[(minute - i) % CHANGE_BUDGET_MINUTES] = 0;
                b->minute = minute;
        }
        b->counts[b->minute % CHANGE_BUDGET_MINUTES]++;
        return true;
}

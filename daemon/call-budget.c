/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call-budget.h"
#include "macro.h"

#define PERIOD_NS (NSEC_PER_SEC / CALLS_PER_SECOND)

bool call_budget_take(struct call_budget *b, uid_t uid, unsigned calls, nsec_t now) {
        size_t slot = CALL_USERS_MAX;
        nsec_t spent_until;

        for (size_t i = 0; i < CALL_USERS_MAX; i++) {
                bool spends = b->users[i].spent_until > now;
                if (spends && b->users[i].uid == uid) {
                        slot = i;
                        break;
                }
                if (!spends)
                        slot = i; /* an entry whose budget is whole again is as good as none */
        }
        if (slot == CALL_USERS_MAX)
                return false;
        spent_until = MAX(b->users[slot].spent_until, now) + calls * PERIOD_NS;
        if (spent_until - now > CALLS_AT_ONCE * PERIOD_NS)
                return false;
        b->users[slot].uid = uid;
        b->users[slot].spent_until = spent_until;
        return true;
}

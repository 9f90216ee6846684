/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "user-budget.h"

bool user_budget_take(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now) {
        size_t slot = BUDGET_USERS_MAX;
        nsec_t spent_until;

        for (size_t i = 0; i < BUDGET_USERS_MAX; i++) {
                bool spends = b->users[i].spent_until > now;
                if (spends && b->users[i].uid == uid) {
                        slot = i;
                        break;
                }
                if (!spends)
                        slot = i; /* an entry whose budget is whole again is as good as none */
        }
        if (slot == BUDGET_USERS_MAX)
                return false;
        spent_until = MAX(b->users[slot].spent_until, now) + n * rate->period;
        if (spent_until - now > rate->at_once * rate->period)
                return false;
        b->users[slot].uid = uid;
        b->users[slot].spent_until = spent_until;
        return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "user-budget.h"

/* Where that user is counted, or can be. BUDGET_USERS_MAX: nowhere. */
static size_t find_slot(const struct user_budget *b, uid_t uid, nsec_t now) {
        size_t slot = BUDGET_USERS_MAX;

        for (size_t i = 0; i < BUDGET_USERS_MAX; i++) {
                bool spends = b->users[i].spent_until > now;
                if (spends && b->users[i].uid == uid)
                        return i;
                if (!spends)
                        slot = i; /* an entry whose budget is whole again is as good as none */
        }
        return slot;
}

unsigned user_budget_left(const struct user_budget *b, const struct user_rate *rate, uid_t uid, nsec_t now) {
        size_t slot = find_slot(b, uid, now);
        nsec_t whole = rate->at_once * rate->period;

        return slot == BUDGET_USERS_MAX ? 0 : (unsigned) ((whole - MIN(nsec_sub(b->users[slot].spent_until, now), whole)) / rate->period);
}

bool user_budget_take(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now) {
        if (n > user_budget_left(b, rate, uid, now))
                return false;
        user_budget_charge(b, rate, uid, n, now);
        return true;
}

void user_budget_charge(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now) {
        size_t slot = find_slot(b, uid, now);

        if (slot == BUDGET_USERS_MAX)
                return;
        b->users[slot].spent_until = MAX(b->users[slot].spent_until, now) + n * rate->period;
        b->users[slot].uid = uid;
}

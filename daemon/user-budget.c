/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "user-budget.h"

/* Where that user is counted, or the one that has spent least and makes room: with many users of the machine one could lock out all others else. */
static size_t find_slot(const struct user_budget *b, uid_t uid) {
        size_t slot = 0;

        for (size_t i = 0; i < BUDGET_USERS_MAX; i++) {
                if (b->users[i].uid == uid)
                        return i;
                if (b->users[i].spent_until < b->users[slot].spent_until)
                        slot = i;
        }
        return slot;
}

static nsec_t spent_until(const struct user_budget *b, uid_t uid, size_t slot) {
        return b->users[slot].uid == uid ? b->users[slot].spent_until : 0;
}

unsigned user_budget_left(const struct user_budget *b, const struct user_rate *rate, uid_t uid, nsec_t now) {
        nsec_t whole = rate->at_once * rate->period, spent = nsec_sub(spent_until(b, uid, find_slot(b, uid)), now);

        return (unsigned) ((whole - MIN(spent, whole)) / rate->period);
}

bool user_budget_take(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now) {
        if (n > user_budget_left(b, rate, uid, now))
                return false;
        user_budget_charge(b, rate, uid, n, now);
        return true;
}

void user_budget_charge(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now) {
        size_t slot = find_slot(b, uid);

        b->users[slot].spent_until = MAX(spent_until(b, uid, slot), now) + n * rate->period;
        b->users[slot].uid = uid;
}

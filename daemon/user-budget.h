/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How often each user may do something: so often at once, and then at a steady rate (GCRA, ITU-T I.371, which is a token bucket). Pure. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "units.h"

/* Users that are counted at a time: of more, those that have spent most. */
#define BUDGET_USERS_MAX 64

struct user_rate {
        nsec_t period; /* in which one more may be done */
        unsigned at_once;
};

struct user_budget {
        struct {
                uid_t uid;
                nsec_t spent_until; /* each time moves it a period on; in the past: the user has the whole budget */
        } users[BUDGET_USERS_MAX];
};

/* Charges a user with n times. Returns false where the user has spent the budget; then nothing is charged. */
bool user_budget_take(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now);

/* How many times are left to that user. */
unsigned user_budget_left(const struct user_budget *b, const struct user_rate *rate, uid_t uid, nsec_t now);

/* As user_budget_take(), for what was done already: it may leave the user in debt, and nothing can be taken until that is paid. */
void user_budget_charge(struct user_budget *b, const struct user_rate *rate, uid_t uid, unsigned n, nsec_t now);

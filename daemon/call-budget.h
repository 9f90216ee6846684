/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many calls each user of the bus may make: a burst, and then a steady rate (GCRA, ITU-T I.371, as token buckets). Pure. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "units.h"

/* The dashboard and brioctl top make ten calls a second, and a hundred when they begin. */
#define CALLS_PER_SECOND 100
#define CALLS_AT_ONCE 500

/* Users with calls in the last CALLS_AT_ONCE / CALLS_PER_SECOND seconds. */
#define CALL_USERS_MAX 64

struct call_budget {
        struct {
                uid_t uid;
                nsec_t spent_until; /* each call moves it on; in the past: the user has the whole burst */
        } users[CALL_USERS_MAX];
};

/* Charges calls of a user's. Returns false where the user has spent the budget, or where CALL_USERS_MAX others are spending theirs; such
 * calls are not charged. */
bool call_budget_take(struct call_budget *b, uid_t uid, unsigned calls, nsec_t now);

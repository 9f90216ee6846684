/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How soon a source that the kernel wakes for each message may be woken again: at once after quiet, in lots while much comes, and in
 * the long run no more often than it is worth. Pure. */
#pragma once

#include <stddef.h>

#include "units.h"

/* While messages come faster than this they are taken in lots. */
#define WAKE_LOT_NS (20 * NSEC_PER_MSEC)
/* A desktop on which something begins and ends all the time has two wake-ups a second of it, */
#define WAKE_PERIOD_NS (500 * NSEC_PER_MSEC)
/* but what begins after quiet is seen at once: that many wake-ups may be ahead of it, where the budget names no other number. */
#define WAKE_SPARE 16
/* While the daemon is awake for other reasons, messages wait no longer than this. */
#define WAKE_HURRY_NS (20 * NSEC_PER_MSEC)

struct wake_budget {
        nsec_t spent_until; /* each wake-up moves it WAKE_PERIOD_NS on */
        nsec_t last_wake;   /* 0: never */
        unsigned spare;     /* 0: WAKE_SPARE */
};

/* Takes a wake-up. Returns when the next one may be: now for at once. */
nsec_t wake_budget_take(struct wake_budget *b, nsec_t now);

/* When the buffer must be looked at, at the rate at which n messages came within span: when a quarter of it, room messages in
 * all, is full; a rate may change fourfold until then. */
nsec_t wake_budget_full(nsec_t now, nsec_t span, size_t n, size_t room);

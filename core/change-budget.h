/* SPDX-License-Identifier: GPL-3.0-or-later */
/* At most so many changes within any hour. Plain data, all zero at the start. */
#pragma once

#include <stdbool.h>

#include "units.h"

/* Whole minutes, and the running one: together they reach back an hour at least. */
#define CHANGE_BUDGET_MINUTES 61

struct change_budget {
        uint64_t minute; /* the newest, counted as the clock does */
        uint16_t counts[CHANGE_BUDGET_MINUTES]; /* by minute modulo CHANGE_BUDGET_MINUTES */
};

/* Changes in the last hour, and up to a minute before it. */
uint32_t change_budget_used(const struct change_budget *b, nsec_t now);

/* Counts one more, and returns true, where that makes no more than limit. */
bool change_budget_take(struct change_budget *b, nsec_t now, uint32_t limit);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a process moved in each of the last seconds: tells one that moves much all the time from one that does so once. Plain data, all zero
 * at the start. */
#pragma once

#include "units.h"

#define PACE_SECONDS 8
#define PACE_ACTIVE_BYTES 65536u /* a second with less is one of rest: a log file, not a copy */

struct pace {
        uint32_t second;                /* the newest, counted as the clock does */
        uint32_t sectors[PACE_SECONDS]; /* by second modulo PACE_SECONDS; saturating */
};

/* Bytes moved by time t. Of one that lies further back than all that is kept, nothing is. */
void pace_add(struct pace *p, nsec_t t, uint64_t bytes);

/* What pace_get() says. */
struct moved {
        uint64_t bytes;
        uint32_t active_s;
};

/* Over the last PACE_SECONDS, of which the running one is not over: the bytes, and in how many of the seconds there were at least
 * PACE_ACTIVE_BYTES. */
struct moved pace_get(const struct pace *p, nsec_t now);

/* How even it is: how far what was moved by the end of a second is off a straight line at most, in thousandths of all, over the seconds that are over since it
 * began. 0 where these are fewer than PACE_EVEN_SECONDS: it may be. */
#define PACE_EVEN_SECONDS 6
uint32_t pace_uneven_permille(const struct pace *p, nsec_t now);

/* The same of two accounts, of which the second is the better one and begins at `since`: of the seconds after that one, what it says. */
struct moved pace_get_joined(const struct pace *before, const struct pace *after, nsec_t since, nsec_t now);

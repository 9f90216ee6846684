/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The last periods of a process on a drive, one by one, for a closer look: when it asked again, and how that lies to bfq's
 * next_start (soft-rt.h). Those are there, too, that the figures leave out (rhythm.h). Plain data, all zero at the start. */
#pragma once

#include <stddef.h>

#include "rhythm.h"
#include "soft-rt.h"

#define ARRIVALS_MAX RHYTHM_PERIODS

/* A period, and the request after a pause that ended it. What does not fit into its type is the most that does. */
struct arrival {
        uint32_t period_us, pause_us, bytes; /* as in struct rhythm_period */
        int32_t margin_us; /* how long after next_start it asked; below 0: how much too early */
        uint8_t answer;    /* enum soft_rt_answer to that request; SOFT_RT_BUSY: it began no period of bfq's */
        bool left_out;     /* the figures are without it */
};

struct arrivals {
        uint8_t n, at; /* of the ring: in it; where the next one goes */
        struct arrival ring[ARRIVALS_MAX];
};

/* A batch began: r is as rhythm_ask() left it; answer, margin_ns: of the rule, to the same request. Where no period ended with it, those
 * before are forgotten. */
void arrivals_note(struct arrivals *a, const struct rhythm *r, enum soft_rt_answer answer, int64_t margin_ns);
/* The i-th of the a->n that are remembered, the oldest first. */
const struct arrival *arrivals_at(const struct arrivals *a, size_t i);

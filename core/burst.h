/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that begin to use a drive one after the other, by bfq's rule (core/queue-burst.h), which is fed with first requests, or
 * with the births of processes at their first I/O, where requests are not told. Plain data, all zero at the start. */
#pragma once

#include "queue-burst.h"

struct burst {
        uint32_t n;        /* in the last large burst */
        nsec_t began, last; /* when it was found, and when the last one joined; 0: never */
        bool inferred;     /* from births */
        struct queue_burst births;
};

/* queue_burst_add() marked so many at t. */
void burst_note(struct burst *b, nsec_t t, size_t marked, bool inferred);

/* A process that was born then, in ticks since boot of 10 ms, does its first I/O at t. The births come in any order: one that is older than
 * the last of them by more than QUEUE_BURST_GAP_NS is passed over. */
#define BURST_TICK_NS (10 * NSEC_PER_MSEC) /* USER_HZ is 100 wherever Brio runs */
void burst_note_birth(struct burst *b, nsec_t t, uint32_t name, uint64_t start_ticks);

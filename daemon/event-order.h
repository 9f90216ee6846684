/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Puts events in the order of their times that come nearly so: an interrupt between taking the time and taking a place in a buffer
 * is enough to swap two. */
#pragma once

#include <stddef.h>

#include "event.h"

#define EVENT_ORDER_MAX 4096 /* a power of two: what a millisecond of 4 000 000 events a second makes */

struct event_order {
        size_t first, n;
        struct event events[EVENT_ORDER_MAX];
};

/* Returns false where it is full. Of two at the same time the earlier one stays first. */
bool event_order_push(struct event_order *o, const struct event *e);
/* The earliest, until the next push; NULL: none. */
const struct event *event_order_first(const struct event_order *o);
/* The same, if it is not later than t; else NULL. */
const struct event *event_order_first_until(const struct event_order *o, nsec_t t);
void event_order_pop(struct event_order *o);

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "event-order.h"

static size_t place(const struct event_order *o, size_t i) {
        return (o->first + i) & (EVENT_ORDER_MAX - 1);
}

bool event_order_push(struct event_order *o, const struct event *e) {
        size_t i = o->n;

        if (o->n == EVENT_ORDER_MAX)
                return false;
        for (; i > 0 && o->events[place(o, i - 1)].t > e->t; i--)
                o->events[place(o, i)] = o->events[place(o, i - 1)];
        o->events[place(o, i)] = *e;
        o->n++;
        return true;
}

const struct event *event_order_first(const struct event_order *o) {
        return o->n > 0 ? &o->events[o->first] : NULL;
}

const struct event *event_order_first_until(const struct event_order *o, nsec_t t) {
        const struct event *first = event_order_first(o);

        return first && first->t <= t ? first : NULL;
}

void event_order_pop(struct event_order *o) {
        o->first = place(o, 1);
        o->n--;
}

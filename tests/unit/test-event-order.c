/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "event-order.h"
#include "test.h"

static struct event_order order;

static struct event at(nsec_t t, uint32_t dev) {
        return (struct event){ .t = t, .dev = dev };
}

static bool push(nsec_t t, uint32_t dev) {
        struct event e = at(t, dev);

        return event_order_push(&order, &e);
}

static struct event pop(void) {
        const struct event *first = event_order_first(&order);
        struct event e = first ? *first : at(0, 0);

        if (first)
                event_order_pop(&order);
        return e;
}

TEST(what_comes_out_of_order_leaves_in_order) {
        static const nsec_t times[] = { 5, 3, 4, 9, 1, 8 };

        order = (struct event_order){ 0 };
        for (size_t i = 0; i < ARRAY_SIZE(times); i++)
                CHECK(push(times[i], 1));
        CHECK_INT(pop().t, 1);
        CHECK_INT(pop().t, 3);
        CHECK(push(2, 1)); /* too late for its place, but before all that are left */
        CHECK_INT(pop().t, 2);
        CHECK_INT(pop().t, 4);
        CHECK_INT(pop().t, 5);
        CHECK_INT(pop().t, 8);
        CHECK_INT(pop().t, 9);
        CHECK(!event_order_first(&order));
}

TEST(at_the_same_time_the_first_stays_first) {
        order = (struct event_order){ 0 };
        CHECK(push(7, 1));
        CHECK(push(7, 2));
        CHECK(push(6, 3));
        CHECK(push(7, 4));
        CHECK_INT(pop().dev, 3);
        CHECK_INT(pop().dev, 1);
        CHECK_INT(pop().dev, 2);
        CHECK_INT(pop().dev, 4);
}

TEST(it_holds_so_many_and_refuses_more_wherever_it_begins) {
        order = (struct event_order){ 0 };
        for (nsec_t start = 1; start <= 3; start++) {
                for (nsec_t i = 0; i < EVENT_ORDER_MAX; i++)
                        CHECK(push(start + (i ^ 1), 1));
                CHECK(!push(start, 1));
                for (nsec_t i = 0; i < EVENT_ORDER_MAX; i++)
                        CHECK_INT(pop().t, start + i);
                CHECK(push(1, 1)); /* so that the next round begins elsewhere */
                pop();
        }
}

TEST(what_comes_after_all_that_is_later_has_left_ends_with_none) {
        order = (struct event_order){ 0 };
        CHECK(!event_order_first_until(&order, 9));
        CHECK(push(9, 1));
        CHECK(!event_order_first_until(&order, 8));
        CHECK_INT(pop().t, 9);
        CHECK(push(2, 1)); /* its record took long to be written */
        CHECK_INT(event_order_first_until(&order, 8)->t, 2);
        CHECK_INT(pop().t, 2);
        CHECK(!event_order_first_until(&order, 8));
}

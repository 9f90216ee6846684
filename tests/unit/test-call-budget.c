/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "call-budget.h"
#include "test.h"

#define NOW (1000 * NSEC_PER_SEC)

static unsigned take_all(struct call_budget *b, uid_t uid, nsec_t now) {
        unsigned n = 0;

        while (call_budget_take(b, uid, 1, now))
                n++;
        return n;
}

TEST(a_user_has_a_burst_and_then_the_steady_rate) {
        struct call_budget b = { 0 };

        CHECK_INT(take_all(&b, 1000, NOW), CALLS_AT_ONCE);
        CHECK_INT(take_all(&b, 1000, NOW + NSEC_PER_SEC), CALLS_PER_SECOND);
        CHECK_INT(take_all(&b, 1000, NOW + 3600 * NSEC_PER_SEC), CALLS_AT_ONCE);
}

TEST(users_do_not_spend_each_others_budget) {
        struct call_budget b = { 0 };

        take_all(&b, 1000, NOW);
        CHECK_INT(take_all(&b, 1001, NOW), CALLS_AT_ONCE);
}

TEST(calls_that_were_made_before_the_user_was_known_are_charged_together) {
        struct call_budget b = { 0 };

        CHECK(call_budget_take(&b, 1000, CALLS_AT_ONCE - 1, NOW));
        CHECK_INT(take_all(&b, 1000, NOW), 1);
}

TEST(more_users_than_there_is_room_for_are_refused_until_one_has_rested) {
        struct call_budget b = { 0 };

        for (uid_t uid = 0; uid < CALL_USERS_MAX; uid++)
                CHECK(call_budget_take(&b, uid, 1, NOW));
        CHECK(!call_budget_take(&b, CALL_USERS_MAX, 1, NOW));
        CHECK(call_budget_take(&b, 0, 1, NOW));
        CHECK(call_budget_take(&b, CALL_USERS_MAX, 1, NOW + NSEC_PER_SEC / CALLS_PER_SECOND));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h"
#include "user-budget.h"

#define NOW (1000 * NSEC_PER_SEC)
#define AT_ONCE 500
#define PER_SECOND 100

static const struct user_rate rate = { .period = NSEC_PER_SEC / PER_SECOND, .at_once = AT_ONCE };

static unsigned take_all(struct user_budget *b, uid_t uid, nsec_t now) {
        unsigned n = 0;

        while (user_budget_take(b, &rate, uid, 1, now))
                n++;
        return n;
}

TEST(a_user_has_a_burst_and_then_the_steady_rate) {
        struct user_budget b = { 0 };

        CHECK_INT(take_all(&b, 1000, NOW), AT_ONCE);
        CHECK_INT(take_all(&b, 1000, NOW + NSEC_PER_SEC), PER_SECOND);
        CHECK_INT(take_all(&b, 1000, NOW + 3600 * NSEC_PER_SEC), AT_ONCE);
}

TEST(users_do_not_spend_each_others_budget) {
        struct user_budget b = { 0 };

        take_all(&b, 1000, NOW);
        CHECK_INT(take_all(&b, 1001, NOW), AT_ONCE);
}

TEST(several_times_are_charged_together) {
        struct user_budget b = { 0 };

        CHECK(user_budget_take(&b, &rate, 1000, AT_ONCE - 1, NOW));
        CHECK_INT(take_all(&b, 1000, NOW), 1);
}

TEST(what_is_charged_beyond_the_budget_is_paid_before_anything_is_taken) {
        struct user_budget b = { 0 };

        user_budget_charge(&b, &rate, 1000, AT_ONCE + PER_SECOND, NOW);
        CHECK_INT(take_all(&b, 1000, NOW + NSEC_PER_SEC), 0);
        CHECK_INT(take_all(&b, 1000, NOW + NSEC_PER_SEC + NSEC_PER_SEC / PER_SECOND), 1);
        CHECK_INT(take_all(&b, 1001, NOW), AT_ONCE);
        user_budget_charge(&b, &rate, 1001, PER_SECOND, NOW);
        CHECK_INT(take_all(&b, 1001, NOW + NSEC_PER_SEC), 0);
}

TEST(of_more_users_than_there_is_room_for_the_one_that_has_spent_least_makes_room_and_none_is_locked_out) {
        struct user_budget b = { 0 };

        for (uid_t uid = 0; uid < BUDGET_USERS_MAX; uid++)
                user_budget_charge(&b, &rate, uid, AT_ONCE + uid, NOW);
        CHECK_INT(take_all(&b, BUDGET_USERS_MAX, NOW), AT_ONCE);
        CHECK_INT(take_all(&b, BUDGET_USERS_MAX - 1, NOW), 0);
}

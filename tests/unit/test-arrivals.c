/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arrivals.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC

/* A batch of 64 KiB that takes so long; margin: of the rule, in ms. */
static void ask(struct rhythm *r, struct arrivals *a, nsec_t t, nsec_t takes, int64_t margin_ms) {
        CHECK(rhythm_ask(r, t, 65536));
        arrivals_note(a, r, margin_ms > 0 ? SOFT_RT_YES : SOFT_RT_TOO_EARLY, margin_ms * (int64_t) MSEC);
        rhythm_judge(r, t, &(struct rhythm_traits){ .margin_ns = 1 });
        rhythm_done(r, t + takes, false);
}

TEST(a_period_is_there_when_the_next_request_ends_it_with_the_margin_of_that_one) {
        struct rhythm r = { 0 };
        struct arrivals a = { 0 };

        ask(&r, &a, NSEC_PER_SEC, 5 * MSEC, -1);
        CHECK_INT(a.n, 0);
        ask(&r, &a, NSEC_PER_SEC + 100 * MSEC, 9 * MSEC, 40);
        ask(&r, &a, NSEC_PER_SEC + 250 * MSEC, 5 * MSEC, -3);
        CHECK_INT(a.n, 2);
        CHECK_INT(arrivals_at(&a, 0)->period_us, 100000);
        CHECK_INT(arrivals_at(&a, 0)->pause_us, 95000);
        CHECK_INT(arrivals_at(&a, 0)->bytes, 65536);
        CHECK_INT(arrivals_at(&a, 0)->margin_us, 40000);
        CHECK_INT(arrivals_at(&a, 0)->answer, SOFT_RT_YES);
        CHECK(!arrivals_at(&a, 0)->left_out);
        CHECK_INT(arrivals_at(&a, 1)->period_us, 150000);
        CHECK_INT(arrivals_at(&a, 1)->pause_us, 141000);
        CHECK_INT(arrivals_at(&a, 1)->margin_us, -3000);
        CHECK_INT(arrivals_at(&a, 1)->answer, SOFT_RT_TOO_EARLY);
}

TEST(the_last_sixteen_are_kept_oldest_first) {
        struct rhythm r = { 0 };
        struct arrivals a = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 40; i++, t += (100 + i) * MSEC)
                ask(&r, &a, t, MSEC, 1);
        CHECK_INT(a.n, ARRIVALS_MAX);
        for (size_t i = 0; i < ARRIVALS_MAX; i++)
                CHECK_INT(arrivals_at(&a, i)->period_us, (100 + 40 - ARRIVALS_MAX + i) * 1000);
}

TEST(a_period_in_which_it_waited_for_the_drive_is_shown_and_not_counted) {
        struct rhythm r = { 0 };
        struct arrivals a = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 6; i++, t += 100 * MSEC)
                ask(&r, &a, t, 5 * MSEC, 1);
        ask(&r, &a, t, 800 * MSEC, 1);
        ask(&r, &a, t + 850 * MSEC, 5 * MSEC, 1);
        CHECK_INT(a.n, 7);
        CHECK(arrivals_at(&a, 6)->left_out);
        CHECK_INT(arrivals_at(&a, 6)->period_us, 850000);
        CHECK_INT(arrivals_at(&a, 6)->pause_us, 50000);
        CHECK_INT(r.figures.periods, 6);
}

TEST(what_was_before_a_silence_is_forgotten) {
        struct rhythm r = { 0 };
        struct arrivals a = { 0 };

        ask(&r, &a, NSEC_PER_SEC, 5 * MSEC, 1);
        ask(&r, &a, NSEC_PER_SEC + 100 * MSEC, 5 * MSEC, 1);
        CHECK_INT(a.n, 1);
        ask(&r, &a, 2 * NSEC_PER_SEC + RHYTHM_PERIOD_MAX_NS, 5 * MSEC, 1);
        CHECK_INT(a.n, 0);
        ask(&r, &a, 3 * NSEC_PER_SEC + RHYTHM_PERIOD_MAX_NS, 5 * MSEC, 1);
        CHECK_INT(a.n, 1);
        CHECK_INT(arrivals_at(&a, 0)->period_us, 1000000);
}

TEST(what_does_not_fit_is_the_most_that_does) {
        struct rhythm r = { .ended = { .us = 1, .bytes = UINT64_MAX } };
        struct arrivals a = { 0 };

        arrivals_note(&a, &r, SOFT_RT_TOO_EARLY, INT64_MIN);
        arrivals_note(&a, &r, SOFT_RT_YES, INT64_MAX);
        CHECK_INT(arrivals_at(&a, 0)->bytes, UINT32_MAX);
        CHECK_INT(arrivals_at(&a, 0)->margin_us, INT32_MIN);
        CHECK_INT(arrivals_at(&a, 1)->margin_us, INT32_MAX);
}

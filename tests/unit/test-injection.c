/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "injection.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC

/* A first request after a pause: so many of others were served in it. */
static void measure(struct injection *i, unsigned others, bool at_work, nsec_t takes) {
        static nsec_t t = NSEC_PER_SEC;

        t += NSEC_PER_SEC;
        for (unsigned n = 0; n < others; n++)
                injection_other(i, 4);
        injection_ask(i, t, true, at_work);
        injection_done(i, t, t + takes);
}

/* Seed 004's totals, in us: alone 1000, and with others 1200 and 1600. */
TEST(what_others_cost_is_measured_against_the_baseline) {
        struct injection i = { 0 };

        measure(&i, 2, true, 5 * MSEC); /* no baseline yet: says nothing */
        CHECK_INT(injection_permille(&i), 0);
        measure(&i, 0, false, MSEC);
        CHECK_INT(i.alone, MSEC);
        CHECK_INT(injection_permille(&i), 0);
        measure(&i, 2, true, 1200000);
        CHECK_INT(injection_permille(&i), 1200);
        measure(&i, 1, true, 1600000);
        CHECK_INT(i.injected, (7 * 1200000 + 1600000) / 8);
        CHECK(injection_permille(&i) < INJECTION_SLOW_PERMILLE);
        for (unsigned n = 0; n < 40; n++)
                measure(&i, 1, true, 1600000);
        CHECK(injection_permille(&i) >= INJECTION_SLOW_PERMILLE);
}

TEST(the_baseline_is_the_newest_alone_and_whatever_is_faster) {
        struct injection i = { 0 };

        measure(&i, 0, false, MSEC);
        measure(&i, 0, false, 2 * MSEC); /* it got slower by itself */
        CHECK_INT(i.alone, 2 * MSEC);
        measure(&i, 3, true, MSEC);
        CHECK_INT(i.alone, MSEC);
        measure(&i, 0, true, 9 * MSEC); /* the drive was at work, but not with an injected request: neither */
        CHECK_INT(i.alone, MSEC);
        CHECK_INT(i.injected, MSEC);
}

TEST(only_the_first_request_after_a_pause_that_is_waited_through_counts) {
        struct injection i = { 0 };

        measure(&i, 0, false, MSEC);
        injection_other(&i, 4);
        CHECK_INT(injection_ask(&i, 100 * MSEC, false, true), 0); /* the pause was too long */
        injection_done(&i, 100 * MSEC, 150 * MSEC);
        injection_other(&i, 4);
        CHECK_INT(injection_ask(&i, 200 * MSEC, true, true), 1);
        injection_done(&i, 201 * MSEC, 250 * MSEC); /* another one */
        CHECK_INT(i.injected, 0);
        injection_done(&i, 200 * MSEC, 202 * MSEC);
        CHECK_INT(i.injected, 2 * MSEC);
        CHECK_INT(injection_ask(&i, 300 * MSEC, true, true), 0); /* those were counted */
}

/* facts: at most 4 requests seen at the drive; baseline 1000 us, then 900. */
TEST(bfq_serves_one_more_in_the_pauses_below_one_and_a_half_times_the_baseline) {
        static const struct {
                unsigned others, us, limit;
        } steps[] = { { 0, 1000, 1 }, { 1, 1200, 2 }, { 1, 1400, 3 }, { 1, 1600, 2 }, { 1, 1450, 3 }, { 0, 900, 3 }, { 1, 1400, 2 }, { 1, 1300, 3 } };
        struct injection i = { 0 };

        for (size_t k = 0; k < ARRAY_SIZE(steps); k++) {
                measure(&i, steps[k].others, steps[k].others > 0, steps[k].us * NSEC_PER_USEC);
                CHECK_INT(i.limit, steps[k].limit);
        }
        CHECK_INT(i.alone, 900 * NSEC_PER_USEC);
        for (unsigned n = 0; n < 20; n++)
                measure(&i, 1, true, 1000 * NSEC_PER_USEC);
        CHECK_INT(i.limit, 5); /* one beyond what the drive was seen to take */
        for (unsigned n = 0; n < 20; n++)
                measure(&i, 1, true, 9000 * NSEC_PER_USEC);
        CHECK_INT(i.limit, 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "peak-rate.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC
#define SAMPLES 200

static nsec_t now;
static uint64_t place;

static void begin(struct peak_rate *p, bool rotational) {
        now = NSEC_PER_SEC;
        place = 8;
        peak_rate_begin(p, rotational);
}

/* A dispatch after a pause, with others at the drive; and a completion, so that no gap is seen. */
static void dispatch(struct peak_rate *p, nsec_t pause, uint32_t sectors, bool sequential) {
        now += pause;
        place += sequential ? 0 : 10000000;
        peak_rate_complete(p, now);
        peak_rate_dispatch(p, now, place, sectors, true);
        place += sectors;
}

/* An interval of a second in 200 dispatches, the first of which is the last of the one before, as bfq has it. */
static void interval(struct peak_rate *p, uint32_t sectors, unsigned sequential) {
        nsec_t start = now;
        uint32_t each;

        if (p->samples == 0)
                dispatch(p, 0, sectors / SAMPLES, true);
        sectors -= (uint32_t) p->sectors;
        each = sectors / (SAMPLES - 1);
        for (unsigned i = 1; i < SAMPLES - 1; i++)
                dispatch(p, NSEC_PER_SEC / (SAMPLES - 1), each, i <= sequential);
        dispatch(p, start + NSEC_PER_SEC - now, sectors - (SAMPLES - 2) * each, sequential == SAMPLES - 1);
}

/* Facts, vector B6. */
TEST(the_peak_rate_is_bfqs) {
        struct peak_rate p;

        begin(&p, true);
        CHECK_INT(p.rate, 9333);
        CHECK_INT(peak_rate_bytes_per_s(&p), 0); /* where bfq begins, nothing was measured */
        dispatch(&p, 0, 1000, true); /* the first completion ends what had not begun */
        interval(&p, 200000, 199);
        CHECK_INT(p.rate, 11219);
        CHECK_INT(peak_rate_bytes_per_s(&p), 87648437);
        CHECK_INT(peak_rate_raise_ms(&p), 8735);
        interval(&p, 200000, 199);
        CHECK_INT(p.rate, 12162);
        CHECK_INT(peak_rate_raise_ms(&p), 8057); /* 8057.9: bfq's division, too, cuts off */
        interval(&p, 200000, 199);
        CHECK_INT(p.rate, 12634);
        CHECK_INT(peak_rate_raise_ms(&p), 7756);
        interval(&p, 50000, 100);
        CHECK_INT(p.rate, 12634);
        CHECK_INT(p.intervals, 3);
        interval(&p, 300000, 100);
        CHECK_INT(p.rate, 13804);
        CHECK_INT(peak_rate_raise_ms(&p), 7099);
}

/* Facts 2.2: before any estimate 10.5 s and 3.75 s, and never less than 3 s. */
TEST(a_start_is_raised_for_three_seconds_at_least) {
        struct peak_rate p;

        begin(&p, true);
        CHECK_INT(peak_rate_raise_ms(&p), 10500);
        begin(&p, false);
        CHECK_INT(peak_rate_raise_ms(&p), 3750);
        p.rate = 8 * PEAK_RATE_REFERENCE_FLASH;
        CHECK_INT(peak_rate_raise_ms(&p), RAISE_MIN_MS);
        p.rate = 1;
        CHECK_INT(peak_rate_raise_ms(&p), RAISE_MAX_MS);
        CHECK_INT(peak_rate_raise_ms(&(struct peak_rate){ 0 }), 0); /* not begun */
}

TEST(too_few_or_too_short_says_nothing) {
        struct peak_rate p;

        begin(&p, true);
        for (unsigned i = 0; i < PEAK_RATE_SAMPLES_MIN; i++) /* one more than is wanted, in 290 ms */
                dispatch(&p, 290 * MSEC / (PEAK_RATE_SAMPLES_MIN - 1), 100000, true);
        now += PEAK_RATE_GAP_NS + 1;
        peak_rate_dispatch(&p, now, place, 8, false); /* after a rest the interval ends */
        CHECK_INT(p.intervals, 0);
        CHECK_INT(p.samples, 1);
        for (unsigned i = 0; i < PEAK_RATE_SAMPLES_MIN - 2; i++)
                dispatch(&p, 20 * MSEC, 100000, true);
        now += PEAK_RATE_GAP_NS + 1;
        peak_rate_dispatch(&p, now, place, 8, false);
        CHECK_INT(p.intervals, 0);
        for (unsigned i = 0; i < PEAK_RATE_SAMPLES_MIN; i++)
                dispatch(&p, 20 * MSEC, 1000, true);
        now += PEAK_RATE_GAP_NS + 1;
        peak_rate_dispatch(&p, now, place, 8, false);
        CHECK_INT(p.intervals, 1);
}

/* What a stuck drive or a jump of the clock would make of it. */
TEST(neither_a_stall_nor_an_impossible_rate_counts) {
        struct peak_rate p;

        begin(&p, true);
        dispatch(&p, 0, 8, true);
        for (unsigned i = 0; i < 20; i++)
                dispatch(&p, MSEC, 8, true);
        now += 500 * MSEC; /* 8 sectors in 500 ms */
        peak_rate_complete(&p, now);
        CHECK_INT(p.samples, 0);
        CHECK_INT(p.intervals, 0);
        dispatch(&p, 0, UINT32_MAX, true);
        for (unsigned i = 0; i < 2 * SAMPLES; i++)
                dispatch(&p, 5 * MSEC, UINT32_MAX, true);
        CHECK_INT(p.intervals, 0);
        CHECK_INT(p.rate, 9333);
}

TEST(any_events_leave_a_rate_that_a_drive_can_have) {
        uint64_t seed = test_seed();
        struct peak_rate p;

        begin(&p, false);
        for (unsigned i = 0; i < 200000; i++) {
                nsec_t t = NSEC_PER_SEC + test_random(&seed) % (i * 1000 + 1); /* back and forth */
                if (test_random(&seed) % 2)
                        peak_rate_dispatch(&p, t, test_random(&seed), (uint32_t) test_random(&seed) % 4096 + 1, test_random(&seed) % 2);
                else
                        peak_rate_complete(&p, t);
                CHECK(p.rate >= 1 && p.rate <= PEAK_RATE_MAX);
        }
}

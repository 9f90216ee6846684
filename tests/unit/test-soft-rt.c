/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "queue-burst.h"
#include "soft-rt.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC

static const struct soft_rt_traits plain = { .weight = SOFT_RT_WEIGHT };

static struct soft_rt_rule rule_of(uint32_t hz, bool memory) {
        struct soft_rt_rule rule = SOFT_RT_RULE;

        rule.hz = hz;
        rule.memory = memory;
        return rule;
}

/* One batch, asked for and served as one. Returns the verdict at its arrival. */
static enum soft_rt_answer batch(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t start_ms, nsec_t end_ms, uint32_t sectors) {
        enum soft_rt_answer answer = soft_rt_ask(s, rule, start_ms * MSEC, &plain);

        soft_rt_done(s, rule, end_ms * MSEC, sectors);
        return answer;
}

/* Facts, vector B2: HZ 1000, slice_idle 8 ms, 7000 sectors a second, created at 0. */
TEST(a_mebibyte_every_400_ms_is_soft_real_time_at_each_arrival) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 0);
        for (unsigned i = 0; i < 20; i++) {
                CHECK_INT(batch(&s, &rule, 1 + 400 * i, 21 + 400 * i, 2048), SOFT_RT_YES);
                CHECK_INT(s.next_start_jiffies, 293 + 400 * i);
        }
        CHECK_INT(s.yes, 20);
}

TEST(a_mebibyte_every_250_ms_is_so_once_and_never_again) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 0);
        CHECK_INT(batch(&s, &rule, 1, 21, 2048), SOFT_RT_YES);
        CHECK_INT(s.next_start_jiffies, 293);
        for (unsigned i = 1; i < 50; i++) {
                CHECK_INT(batch(&s, &rule, 1 + 250 * i, 21 + 250 * i, 2048), SOFT_RT_TOO_EARLY);
                CHECK_INT(s.next_start_jiffies, 293 + 250 * i);
                CHECK_INT(s.margin_ns, -42 * (int64_t) MSEC);
        }
}

/* 500 ms at 97 MiB/s, then one request of 64 KiB every 60 ms. Returns how many of the first 40 of these are found soft real-time. */
static unsigned slow_down(bool memory, struct soft_rt *s) {
        struct soft_rt_rule rule = rule_of(1000, memory);
        unsigned found = 0;
        nsec_t t = MSEC;

        soft_rt_begin(s, &rule, 0);
        for (unsigned i = 0; i < 757; i++) {
                soft_rt_ask(s, &rule, t, &plain);
                t += 660 * NSEC_PER_USEC;
                soft_rt_done(s, &rule, t, 128);
        }
        for (unsigned i = 1; i <= 40; i++)
                found += batch(s, &rule, 500 + 60 * i, 501 + 60 * i, 128) == SOFT_RT_YES;
        return found;
}

TEST(with_the_memory_of_2017_a_greedy_process_that_slows_down_is_not_soft_real_time) {
        struct soft_rt s;

        CHECK_INT(slow_down(true, &s), 0);
        CHECK_INT(s.next_start_jiffies, 13843);
}

TEST(without_it_39_of_40_slow_arrivals_are_false_positives) {
        struct soft_rt s;

        CHECK_INT(slow_down(false, &s), 39);
}

TEST(the_memory_ends_when_the_fast_past_is_paid_for) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        slow_down(true, &s);
        for (unsigned i = 41; 500 + 60 * i <= 13843; i++)
                CHECK_INT(batch(&s, &rule, 500 + 60 * i, 501 + 60 * i, 128), SOFT_RT_TOO_EARLY);
        CHECK_INT(batch(&s, &rule, 13880, 13881, 128), SOFT_RT_YES);
}

TEST(the_pause_must_exceed_slice_idle_and_four_jiffies_of_any_length) {
        static const struct {
                uint32_t hz, ms; /* at 100 Hz, slice_idle is less than a jiffy, and counts as none */
        } kernels[] = { { 1000, 12 }, { 250, 24 }, { 100, 40 } };

        for (size_t i = 0; i < ARRAY_SIZE(kernels); i++) {
                struct soft_rt_rule rule = rule_of(kernels[i].hz, true);
                nsec_t jiffy = 1000 / kernels[i].hz;
                struct soft_rt s;

                soft_rt_begin(&s, &rule, 1000 * MSEC); /* the first one comes too early: it is not raised, or it would be waited for */
                batch(&s, &rule, 1000, 1000, 8);
                CHECK_INT(batch(&s, &rule, 1000 + kernels[i].ms, 1000 + kernels[i].ms, 8), SOFT_RT_TOO_EARLY);
                soft_rt_begin(&s, &rule, 1000 * MSEC);
                batch(&s, &rule, 1000, 1000, 8);
                CHECK_INT(batch(&s, &rule, 1000 + kernels[i].ms + jiffy, 2000, 8), SOFT_RT_YES);
        }
}

TEST(a_gap_within_the_idle_window_goes_on_with_the_period) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 1000 * MSEC); /* its first arrival comes too early: it is not raised */
        CHECK_INT(batch(&s, &rule, 1000, 1002, 100), SOFT_RT_TOO_EARLY);
        CHECK_INT(batch(&s, &rule, 1010, 1012, 100), SOFT_RT_BUSY);
        CHECK_INT(s.busy_jiffies, 1000);
        CHECK_INT(s.sectors, 200);
        CHECK_INT(batch(&s, &rule, 1021, 1022, 100), SOFT_RT_TOO_EARLY);
        CHECK_INT(s.busy_jiffies, 1021);
        CHECK_INT(s.sectors, 100);
}

TEST(one_that_is_raised_is_waited_for_20_ms) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 0);
        CHECK_INT(batch(&s, &rule, 1000, 1002, 100), SOFT_RT_YES);
        CHECK_INT(s.raised, RAISED_SOFT_RT);
        CHECK_INT(batch(&s, &rule, 1022, 1024, 100), SOFT_RT_BUSY);
        CHECK_INT(s.busy_jiffies, 1000);
        CHECK(batch(&s, &rule, 1045, 1046, 100) != SOFT_RT_BUSY);
}

TEST(the_raise_lasts_300_ms_and_ends_with_the_next_request) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 0);
        batch(&s, &rule, 1000, 1002, 7000); /* a second's worth: the next ones come too early */
        CHECK_INT(batch(&s, &rule, 1290, 1291, 8), SOFT_RT_TOO_EARLY);
        CHECK_INT(s.raised, RAISED_SOFT_RT);
        CHECK_INT(batch(&s, &rule, 1330, 1331, 8), SOFT_RT_TOO_EARLY);
        CHECK_INT(s.raised, RAISED_NOT);
}

TEST(while_something_is_under_way_no_period_begins) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        soft_rt_begin(&s, &rule, 0);
        CHECK_INT(soft_rt_ask(&s, &rule, 1000 * MSEC, &plain), SOFT_RT_YES);
        for (unsigned i = 1; i < 20; i++) {
                CHECK_INT(soft_rt_ask(&s, &rule, (1000 + 500 * i) * MSEC, &plain), SOFT_RT_BUSY);
                soft_rt_done(&s, &rule, (1001 + 500 * i) * MSEC, 8);
        }
        CHECK_INT(s.next_start_jiffies, 0); /* nothing was ever all done */
}

TEST(seeks_a_burst_and_any_other_weight_are_vetoes) {
        struct soft_rt_rule rule = rule_of(1000, true), off = rule;
        static const struct {
                struct soft_rt_traits traits;
                enum soft_rt_answer answer;
        } vetoes[] = {
                { { .weight = SOFT_RT_WEIGHT, .totally_seeky = true }, SOFT_RT_SEEKY },
                { { .weight = SOFT_RT_WEIGHT, .in_large_burst = true }, SOFT_RT_BURST },
                { { .weight = 50 }, SOFT_RT_OTHER_WEIGHT },
                { { .weight = 0 }, SOFT_RT_OTHER_WEIGHT },
                { { .weight = SOFT_RT_WEIGHT }, SOFT_RT_YES },
        };
        struct soft_rt s;

        for (size_t i = 0; i < ARRAY_SIZE(vetoes); i++) {
                soft_rt_begin(&s, &rule, 0);
                CHECK_INT(soft_rt_ask(&s, &rule, 1000 * MSEC, &vetoes[i].traits), vetoes[i].answer);
        }
        off.rate = 0;
        soft_rt_begin(&s, &off, 0);
        CHECK_INT(soft_rt_ask(&s, &off, 1000 * MSEC, &plain), SOFT_RT_NO_RATE);
}

TEST(what_a_player_loads_as_it_starts_is_forgotten_when_the_start_is_over) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        rule.interactive_ms = 3000;
        soft_rt_begin(&s, &rule, 0);
        batch(&s, &rule, 1, 500, 100000); /* by its rate, the next may come in 14 s */
        CHECK_INT(s.raised, RAISED_INTERACTIVE);
        CHECK_INT(s.next_start_jiffies, 14286);
        CHECK_INT(batch(&s, &rule, 1500, 1510, 256), SOFT_RT_TOO_EARLY);
        CHECK_INT(batch(&s, &rule, 3002, 3010, 256), SOFT_RT_TOO_EARLY); /* its dispatch ends the raise */
        CHECK_INT(s.raised, RAISED_NOT);
        CHECK_INT(batch(&s, &rule, 3127, 3130, 256), SOFT_RT_YES);
}

TEST(one_that_starts_and_takes_61_mb_is_raised_no_longer) {
        struct soft_rt_rule rule = rule_of(1000, true);
        struct soft_rt s;

        rule.interactive_ms = 10000;
        soft_rt_begin(&s, &rule, 0);
        batch(&s, &rule, 1, 500, INTERACTIVE_SECTORS_MAX + 1);
        soft_rt_ask(&s, &rule, 501 * MSEC, &plain);
        CHECK_INT(s.raised, RAISED_NOT);
        CHECK_INT(s.next_start_jiffies, 501);
}

/* The rule once more, slowly and to the letter: from all that ever happened, and nothing else. */
#define HISTORY_MAX 400
static struct history {
        size_t n;
        struct {
                nsec_t t;
                bool ask;
                uint32_t sectors;
                bool begins;
                enum soft_rt_answer answer;
        } at[HISTORY_MAX];
} history;

static unsigned under_way(size_t before) {
        unsigned n = 0;

        for (size_t i = 0; i < before; i++)
                n += history.at[i].ask ? 1u : -1u;
        return n;
}

/* The last arrival at or before `index` that was found soft real-time, unless a request more than 300 ms later has ended that, in whole jiffies. */
static bool was_raised(const struct soft_rt_rule *rule, size_t index) {
        nsec_t tick = NSEC_PER_SEC / rule->hz;

        for (size_t i = index + 1; i-- > 0;) {
                if (!history.at[i].begins || history.at[i].answer != SOFT_RT_YES)
                        continue;
                for (size_t k = i + 1; k <= index; k++)
                        if (history.at[k].ask && history.at[k].t / tick > history.at[i].t / tick + 300 * MSEC / tick)
                                return false;
                return true;
        }
        return false;
}

static uint64_t literal_next_start(const struct soft_rt_rule *rule, size_t before) {
        nsec_t tick = NSEC_PER_SEC / rule->hz;
        uint64_t next = rule->memory ? history.at[0].t / tick : UINT64_MAX;

        for (size_t i = 0; i < before; i++) {
                uint64_t b = 0, s = 0, computed;
                if (history.at[i].ask || under_way(i + 1) > 0)
                        continue;
                for (size_t k = 0; k <= i; k++) {
                        if (history.at[k].begins) {
                                b = history.at[k].t / tick;
                                s = 0;
                        }
                        s += history.at[k].ask ? 0 : history.at[k].sectors;
                }
                computed = MAX(b + s * rule->hz / rule->rate, history.at[i].t / tick + rule->slice_idle / tick + 4);
                next = rule->memory ? MAX(next, computed) : computed;
        }
        return next;
}

static void literal_ask(const struct soft_rt_rule *rule, nsec_t t) {
        size_t i = history.n++;
        nsec_t window = i > 0 && was_raised(rule, i - 1) ? MAX(rule->slice_idle, 20 * MSEC) : rule->slice_idle;

        history.at[i].t = t;
        history.at[i].ask = true;
        history.at[i].begins = under_way(i) == 0 && (i == 0 || t - history.at[i - 1].t > window);
        if (history.at[i].begins)
                history.at[i].answer = t / (NSEC_PER_SEC / rule->hz) > literal_next_start(rule, i) ? SOFT_RT_YES : SOFT_RT_TOO_EARLY;
}

static bool agrees(const struct soft_rt_rule *rule, uint64_t *random) {
        struct soft_rt s = { 0 };
        nsec_t t = test_random(random) % NSEC_PER_SEC + 1;
        unsigned inflight = 0;

        memset(&history, 0, sizeof(history));
        while (history.n < HISTORY_MAX) {
                static const nsec_t spans_ms[] = { 1, 10, 25, 60, 400 };
                if (inflight == 0 || (inflight < 4 && test_random(random) % 3 == 0)) {
                        enum soft_rt_answer answer = soft_rt_ask(&s, rule, t, &plain);
                        literal_ask(rule, t);
                        if (answer != history.at[history.n - 1].answer)
                                return false;
                        inflight++;
                } else {
                        uint32_t sectors = (uint32_t) (test_random(random) % 2048);
                        soft_rt_done(&s, rule, t, sectors);
                        history.at[history.n].t = t;
                        history.at[history.n++].sectors = sectors;
                        inflight--;
                }
                t += 1 + test_random(random) % (spans_ms[test_random(random) % ARRAY_SIZE(spans_ms)] * MSEC);
        }
        return true;
}

TEST(whatever_comes_the_verdicts_are_those_of_the_rule_taken_literally) {
        static const uint32_t hz[] = { 100, 250, 300, 1000 };
        uint64_t random = test_seed();

        for (unsigned round = 0; round < 60; round++) {
                struct soft_rt_rule rule = rule_of(hz[round % ARRAY_SIZE(hz)], round / ARRAY_SIZE(hz) % 2);
                rule.slice_idle = test_random(&random) % 3 * 4 * MSEC + MSEC;
                CHECK(agrees(&rule, &random));
        }
}

/* Facts, vector B3. */
TEST(the_eighth_of_a_burst_marks_all_and_a_gap_of_181_ms_ends_it) {
        struct queue_burst b = { 0 };
        uint32_t marked[QUEUE_BURST_LARGE];

        for (uint32_t i = 0; i < 7; i++)
                CHECK_INT(queue_burst_add(&b, (1 + 100 * i) * MSEC, 0, 10 + i, false, marked), 0);
        CHECK_INT(queue_burst_add(&b, 701 * MSEC, 0, 17, true, marked), 8);
        for (uint32_t i = 0; i < 8; i++)
                CHECK_INT(marked[i], 10 + i);
        CHECK_INT(queue_burst_add(&b, 851 * MSEC, 0, 18, true, marked), 1);
        CHECK_INT(marked[0], 18);
        CHECK_INT(queue_burst_add(&b, 1032 * MSEC, 0, 19, false, marked), 0);
        CHECK(!b.large);
        CHECK_INT(b.size, 1);
}

TEST(on_a_busy_drive_no_burst_begins) {
        struct queue_burst b = { 0 };
        uint32_t marked[QUEUE_BURST_LARGE];

        for (uint32_t i = 0; i < 20; i++)
                CHECK_INT(queue_burst_add(&b, (1 + 10 * i) * MSEC, 0, i, true, marked), 0);
        CHECK_INT(b.size, 0);
}

TEST(processes_of_another_control_group_are_another_burst) {
        struct queue_burst b = { 0 };
        uint32_t marked[QUEUE_BURST_LARGE];

        for (uint32_t i = 0; i < 16; i++)
                CHECK_INT(queue_burst_add(&b, (1 + 10 * i) * MSEC, i / 7, i, false, marked), 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "arithmetic.h"
#include "macro.h"
#include "rhythm.h"
#include "test.h"

#define MSEC NSEC_PER_MSEC
#define KIB 1024u

static const struct rhythm_traits plain = { .margin_ns = (int64_t) MSEC };

/* One request of a batch. */
static void one(struct rhythm *r, nsec_t start, nsec_t end, uint32_t bytes) {
        if (rhythm_ask(r, start, bytes))
                rhythm_judge(r, start, &plain);
        rhythm_done(r, end, false);
}

/* A player of 1 MiB/s from t on, n periods of 250 ms. Returns when the next one is due. */
static nsec_t play(struct rhythm *r, nsec_t t, unsigned n) {
        for (; n > 0; n--, t += 250 * MSEC)
                one(r, t, t + 5 * MSEC, 256 * KIB);
        return t;
}

static void silent(struct rhythm *r, nsec_t t) {
        rhythm_follow(r, t);
}

TEST(a_player_is_a_stream_after_five_periods_and_three_seconds_more) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 17);

        CHECK(!r.confirmed);
        CHECK_INT(r.figures.flaw, RHYTHM_TOO_SHORT);
        play(&r, t, 1);
        CHECK_INT(r.confirmed, NSEC_PER_SEC + 17 * 250 * MSEC);
        CHECK_INT(r.figures.flaw, RHYTHM_FITS);
        CHECK_INT(r.figures.bytes_per_s, 1024 * KIB);
        CHECK_INT(r.figures.period_us, 250000);
        CHECK_INT(r.figures.regularity_permille, 1000);
        CHECK_INT(r.figures.pause_permille, 980);
}

TEST(of_long_periods_four_are_enough_where_each_is_regular) {
        static const unsigned even_s[] = { 8, 7, 7, 7 }, odd_s[] = { 7, 7, 7, 9 };

        for (unsigned odd = 0; odd <= 1; odd++) {
                struct rhythm r = { 0 };
                nsec_t t = NSEC_PER_SEC;
                for (unsigned i = 0; i <= 4; i++) {
                        one(&r, t, t + 5 * MSEC, 128 * KIB);
                        CHECK(!r.confirmed || (!odd && i == 4));
                        t += (odd ? odd_s : even_s)[i % 4] * NSEC_PER_SEC;
                }
                CHECK_INT(r.figures.periods, 4);
                CHECK_INT(r.confirmed != 0, !odd);
                CHECK_INT(r.figures.flaw, odd ? RHYTHM_IRREGULAR : RHYTHM_FITS);
        }
}

TEST(a_lucky_slow_second_of_a_greedy_process_is_no_stream) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned round = 0; round < 20; round++) {
                for (unsigned i = 0; i < 1000; i++, t += 2 * MSEC) /* 64 MiB at once */
                        one(&r, t, t + 2 * MSEC, 64 * KIB);
                for (unsigned i = 0; i < 10; i++, t += 100 * MSEC)
                        one(&r, t, t + MSEC, 64 * KIB);
                CHECK(!r.confirmed);
        }
}

/* Asks for 128 KiB n times, and is answered after 60 to 110 ms: every 125 ms, or pause_ms (not 0) after each answer. Returns when it would ask next. */
static nsec_t wait_for_answers(struct rhythm *r, nsec_t t, unsigned n, unsigned pause_ms) {
        static const unsigned answers_ms[] = { 60, 95, 110, 70, 105, 85, 62, 100 };

        for (unsigned i = 0; i < n; i++) {
                nsec_t answer = answers_ms[i % ARRAY_SIZE(answers_ms)] * MSEC;
                one(r, t, t + answer, 128 * KIB);
                t += pause_ms ? answer + pause_ms * MSEC : 125 * MSEC;
        }
        return t;
}

TEST(a_clock_shows_in_periods_that_stay_as_they_are_while_the_answers_do_not) {
        struct rhythm r = { 0 };
        nsec_t t = wait_for_answers(&r, NSEC_PER_SEC, 8, 0);

        CHECK(!r.figures.clocked); /* seven periods */
        t = wait_for_answers(&r, t, 1, 0);
        CHECK(r.figures.clocked);
        t += 400 * MSEC; /* one that is off says nothing against it */
        t = wait_for_answers(&r, t, 1, 0);
        CHECK(r.figures.clocked);
        wait_for_answers(&r, t, 16, 30); /* it is another process by now */
        CHECK(!r.figures.clocked);
}

TEST(a_process_that_asks_again_so_long_after_each_answer_shows_no_clock) {
        for (unsigned pause_ms = 9; pause_ms <= 250; pause_ms += 10) {
                struct rhythm r = { 0 };
                nsec_t t = NSEC_PER_SEC;
                for (unsigned i = 0; i < 40; i++) {
                        t = wait_for_answers(&r, t, 1 + i % 8, pause_ms);
                        CHECK(!r.figures.clocked);
                }
        }
}

TEST(answers_that_all_take_as_long_show_nothing_of_a_clock) {
        struct rhythm r = { 0 };

        play(&r, NSEC_PER_SEC, 30);
        CHECK(r.confirmed);
        CHECK(!r.figures.clocked);
}

/* The share of them that are taken for a stream at some time: pauses from least to most, each length as likely. */
static unsigned count_by_chance(uint64_t *random, unsigned processes, unsigned requests, uint32_t bytes, unsigned least_ms, unsigned most_ms) {
        unsigned confirmed = 0;

        for (unsigned process = 0; process < processes; process++) {
                struct rhythm r = { 0 };
                nsec_t t = NSEC_PER_SEC;
                bool was = false;
                for (unsigned i = 0; i < requests; i++) {
                        one(&r, t, t + MSEC, bytes);
                        t += (1 + least_ms + test_random(random) % (most_ms - least_ms)) * MSEC;
                        was |= r.confirmed != 0;
                }
                confirmed += was;
        }
        return confirmed;
}

/* Some chance remains: 11 of 4000 were counted apart, and 1 of 1000 of the short ones. So a test of processes that behave at random asks for a share of them that
 * no seed exceeds. */
TEST(of_processes_with_random_pauses_fewer_than_one_in_fifty_have_a_rhythm_by_chance) {
        uint64_t random = test_seed();

        CHECK(count_by_chance(&random, 400, 500, 64 * KIB, 10, 200) < 400 / 50);
        CHECK(count_by_chance(&random, 400, 1000, 256 * KIB, 9, 40) < 400 / 50);
}

/* ffmpeg -readrate sleeps for 10 ms, looks what is due, and sleeps on. The kernel wakes it a little later each time. */
TEST(a_player_that_sleeps_ten_milliseconds_at_a_time_until_it_is_due_is_a_stream) {
        const nsec_t sleep = 10240 * NSEC_PER_USEC, period = 25 * MSEC;
        struct rhythm r = { 0 };

        for (nsec_t due = NSEC_PER_SEC; due < 9 * NSEC_PER_SEC; due += period)
                one(&r, (due + sleep - 1) / sleep * sleep, (due + sleep - 1) / sleep * sleep + MSEC, 128 * KIB);
        CHECK(r.confirmed);
        CHECK(r.figures.punctual);
        CHECK_INT(r.figures.regularity_permille, 1000);
}

TEST(a_stall_that_others_cause_ends_no_stream) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30), since = r.confirmed;

        CHECK(since);
        for (unsigned round = 0; round < 20; round++) {
                one(&r, t, t + 1800 * MSEC, 256 * KIB); /* late, and it catches up on what it missed */
                for (unsigned i = 1; i <= 7; i++)
                        one(&r, t + (1800 + i) * MSEC, t + (1800 + i) * MSEC + NSEC_PER_USEC, 256 * KIB);
                silent(&r, t + 1900 * MSEC);
                t = play(&r, t + 2000 * MSEC, 2);
                CHECK_INT(r.confirmed, since);
        }
        CHECK(r.excused >= 20);
}

TEST(a_stream_that_waits_for_long_is_still_one) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);

        rhythm_ask(&r, t, 256 * KIB);
        silent(&r, t + 30 * NSEC_PER_SEC);
        CHECK(r.confirmed);
}

/* A recorder that waits for the file system's journal has nothing of its own under way. */
TEST(a_stream_that_is_seen_to_wait_for_others_work_is_still_one) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30), since = r.confirmed;

        CHECK(since);
        for (unsigned round = 0; round < 4; round++, t = play(&r, t, 4)) {
                for (nsec_t end = t + 6 * NSEC_PER_SEC; t < end; t += 250 * MSEC)
                        rhythm_wait(&r, t, 250 * MSEC);
                rhythm_follow(&r, t);
                CHECK_INT(r.confirmed, since);
        }
        CHECK_INT(r.confirmed, since);
        CHECK_INT(r.figures.regularity_permille, 1000);
        rhythm_follow(&r, t + 3 * NSEC_PER_SEC); /* that it waited then excuses nothing now */
        CHECK_INT(r.confirmed, 0);
}

/* It waits in each period, so only the shortest would count, and these are alike. */
TEST(a_greedy_process_that_is_seen_to_wait_is_none_for_that) {
        uint64_t first = test_seed();

        for (uint64_t seed = first; seed < first + 300; seed++) {
                struct rhythm r = { 0 };
                uint64_t random = seed;
                nsec_t t = NSEC_PER_SEC;
                for (unsigned i = 0; i < 2000 && !r.confirmed; i++) {
                        nsec_t takes = (1 + test_random(&random) % 60) * MSEC;
                        one(&r, t, t + takes, 64 * KIB);
                        t += takes + test_random(&random) % (12 * MSEC);
                        if (i % 5 == 0)
                                rhythm_wait(&r, t, 250 * MSEC);
                }
                if (r.confirmed)
                        printf("# of seed %" PRIu64 "\n", seed);
                CHECK(!r.confirmed);
        }
}

/* A batch at a time, each judged with what is seen of its state. */
static void judged(struct rhythm *r, nsec_t t, uint32_t busy_permille) {
        const struct rhythm_traits traits = { .margin_ns = (int64_t) MSEC, .busy_permille = busy_permille };

        if (rhythm_ask(r, t, 100 * KIB))
                rhythm_judge(r, t, &traits);
        rhythm_done(r, t + 20 * MSEC, false);
}

/* A recorder that has each piece on the drive waits for the journal, on a busy drive nearly always: a look now and then finds it asleep. */
TEST(a_process_that_rests_every_few_seconds_is_a_stream_and_one_that_never_does_is_none) {
        for (unsigned rests = 0; rests <= 1; rests++) {
                struct rhythm r = { 0 };
                for (unsigned i = 0; i < 80; i++) { /* ten seconds */
                        judged(&r, NSEC_PER_SEC * 100 + i * 125 * MSEC, rests && i % 32 == 16 ? 790 : 1000);
                        CHECK(!r.confirmed || rests);
                }
                CHECK_INT(r.confirmed != 0, rests);
                CHECK_INT(r.figures.flaw, rests ? RHYTHM_FITS : RHYTHM_NO_PAUSE);
        }
}

TEST(that_it_rested_once_excuses_no_process_after_five_seconds) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC * 100;

        for (unsigned i = 0; i < 40; i++, t += 125 * MSEC) /* too fast to be one */
                rhythm_ask(&r, t, 8192 * KIB), rhythm_judge(&r, t, &plain), rhythm_done(&r, t + 20 * MSEC, false);
        CHECK(r.rested);
        for (unsigned i = 0; i < 40; i++, t += 125 * MSEC)
                rhythm_ask(&r, t, 8192 * KIB), rhythm_judge(&r, t, &(struct rhythm_traits){ .busy_permille = 1000 }), rhythm_done(&r, t + 20 * MSEC, false);
        for (unsigned i = 0; i < 80; i++, t += 125 * MSEC)
                judged(&r, t, 1000);
        CHECK_INT(r.confirmed, 0);
        CHECK_INT(r.figures.flaw, RHYTHM_NO_PAUSE);
}

/* 125 ms each; once it waits for 400 ms, and makes up for that in three periods of 22 ms. */
TEST(a_stream_that_is_held_up_once_and_catches_up_need_not_begin_anew) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC * 100, due = t;
        bool drifted = false;

        for (unsigned i = 0; i < 30; i++, due += 125 * MSEC) {
                t = MAX(due, t);
                if (rhythm_ask(&r, t, 100 * KIB))
                        rhythm_judge(&r, t, &plain);
                drifted |= r.figures.flaw == RHYTHM_DRIFTS;
                CHECK(r.figures.flaw != RHYTHM_IRREGULAR);
                t += i == 18 ? 400 * MSEC : 12 * MSEC;
                rhythm_done(&r, t, false);
                t += 10 * MSEC;
        }
        CHECK(drifted);
        CHECK(r.confirmed);
}

TEST(requests_that_are_served_late_but_asked_for_in_time_end_no_stream) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);

        for (unsigned i = 0; i < 40; i++, t += 125 * MSEC) { /* each takes two periods: something is always under way */
                if (rhythm_ask(&r, t, 128 * KIB))
                        rhythm_judge(&r, t, &plain);
                if (i >= 2)
                        rhythm_done(&r, t + 60 * MSEC, false);
        }
        CHECK_INT(r.figures.pause_permille, 0);
        CHECK(r.confirmed);
}

TEST(a_greedy_process_that_the_cpu_wakes_late_has_no_pause) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 100; i++, t += 130 * MSEC) /* served in its turn, and 10 ms later it asks for more */
                one(&r, t, t + 120 * MSEC, 256 * KIB);
        CHECK(!r.confirmed);
        CHECK_INT(r.figures.flaw, RHYTHM_NO_PAUSE);
}

/* Reads 4 KiB so long after each answer (and up to 4 ms, as a processor has time), which takes one of that many ms. Returns when it asks next; whether it
 * would have been guarded as what lacks nothing but time. */
static nsec_t ask_after_answers(struct rhythm *r, nsec_t t, nsec_t end, unsigned think_ms, unsigned least_ms, unsigned most_ms, uint64_t *random, bool *ret_nearly) {
        while (t < end) {
                nsec_t answered = t + (least_ms + test_random(random) % (most_ms - least_ms + 1)) * MSEC;
                one(r, t, answered, 4 * KIB);
                *ret_nearly |= r->confirmed || (r->figures.flaw == RHYTHM_TOO_SHORT && r->figures.value >= (int64_t) USEC_PER_SEC);
                t = answered + think_ms * MSEC + test_random(random) % (4 * MSEC);
        }
        return t;
}

TEST(a_process_that_asks_so_long_after_each_answer_is_no_stream_however_even_that_pause_is) {
        uint64_t random = test_seed();
        unsigned nearly_so = 0;

        for (unsigned process = 0; process < 200; process++) {
                struct rhythm r = { 0 };
                bool nearly = false;
                ask_after_answers(&r, 100 * NSEC_PER_SEC, 130 * NSEC_PER_SEC, 20, 5, process % 2 ? 60 : 200, &random, &nearly);
                nearly_so += nearly;
                CHECK(!r.confirmed);
                CHECK(r.figures.flaw == RHYTHM_FOLLOWS || r.figures.flaw == RHYTHM_NO_PAUSE);
        }
        CHECK(nearly_so < 200 / 50); /* for a moment, by chance */
}

TEST(a_process_taken_for_a_stream_while_answers_were_even_is_none_soon_after_they_vary) {
        uint64_t random = test_seed();

        for (unsigned process = 0; process < 100; process++) {
                struct rhythm r = { 0 };
                bool nearly = false;
                nsec_t t = ask_after_answers(&r, 100 * NSEC_PER_SEC, 106 * NSEC_PER_SEC, 20, 10, 11, &random, &nearly);
                CHECK(r.confirmed);
                ask_after_answers(&r, t, t + 3 * NSEC_PER_SEC, 20, 10, 150, &random, &nearly);
                CHECK(!r.confirmed);
                CHECK_INT(r.figures.flaw, RHYTHM_FOLLOWS);
        }
}

/* Asks when it is due; what could not be asked for in time follows at once. Returns whether it is a stream that soon. */
static bool ask_by_the_clock(nsec_t period, unsigned least_ms, unsigned most_ms, bool now_and_then_four_times, uint32_t bytes, unsigned within_s, uint64_t *random) {
        struct rhythm r = { 0 };
        nsec_t t = 100 * NSEC_PER_SEC, due = t, confirmed = 0;
        bool follows = false;

        for (; t < 130 * NSEC_PER_SEC; due += period) {
                nsec_t takes = (least_ms + test_random(random) % (most_ms - least_ms + 1)) * MSEC;
                t = MAX(t, due) + test_random(random) % (4 * MSEC);
                takes *= now_and_then_four_times && test_random(random) % 8 == 0 ? 4 : 1;
                one(&r, t, t + takes, bytes);
                follows |= r.figures.flaw == RHYTHM_FOLLOWS;
                confirmed = confirmed ? confirmed : r.confirmed;
                t += takes;
        }
        return !follows && confirmed && confirmed <= (100 + within_s) * NSEC_PER_SEC;
}

TEST(a_process_that_asks_by_the_clock_is_a_stream_however_long_the_answers_take) {
        uint64_t random = test_seed();
        unsigned found = 0;

        for (unsigned process = 0; process < 100; process++) {
                found += ask_by_the_clock(250 * MSEC, 20, 200, false, 256 * KIB, 5, &random);
                found += ask_by_the_clock(250 * MSEC, 50, 150, true, 256 * KIB, 20, &random); /* some take longer than till the next is due */
                found += ask_by_the_clock(40 * MSEC, 5, 30, true, 42 * KIB, 20, &random);     /* ffmpeg -re: a frame at a time */
                found += ask_by_the_clock(20 * MSEC, 2, 6, true, 8 * KIB, 20, &random);       /* a call */
        }
        CHECK(found > 400 - 400 / 50);
}

/* From a quarter of a buffer to all of it, as fast as it gets it; then it pauses, for as long each time. */
TEST(a_process_that_fills_a_buffer_and_drains_it_at_a_rate_follows_no_other) {
        uint64_t random = test_seed(), played = 0, bytes = 0;
        struct rhythm r = { 0 };
        nsec_t t = 100 * NSEC_PER_SEC, begin = t;

        for (bool fills = true; t < begin + 60 * NSEC_PER_SEC; t += 5 * MSEC) {
                played = (t - begin) / MSEC * 1000 * KIB / 1000;
                fills = bytes < played + 512 * KIB || (fills && bytes < played + 2048 * KIB);
                if (!fills)
                        continue;
                nsec_t takes = (5 + test_random(&random) % 46) * MSEC;
                one(&r, t, t + takes, 128 * KIB);
                CHECK(r.figures.flaw != RHYTHM_FOLLOWS);
                bytes += 128 * KIB;
                t += takes;
        }
        CHECK(r.confirmed);
}

/* The vectors of docs/detectors.md: period, pause in it, and KiB asked for. The usual: 60, 20, 4 and 250, 230, 256. */
TEST(an_uneven_period_that_was_so_for_the_answers_sake_alone_is_told_from_one_that_is_made_up_for) {
        static const struct {
                unsigned usual_ms, usual_pause_ms, usual_kib, ms, pause_ms, kib, n_uneven, followed;
        } vectors[] = {
                { 60, 20, 4, 150, 20, 4, 1, 1 },         { 60, 20, 4, 30, 21, 4, 1, 1 },
                { 60, 20, 4, 74, 20, 4, 0, 0 },          { 60, 20, 4, 150, 110, 4, 1, 0 },
                { 250, 230, 256, 500, 80, 512, 1, 0 },   { 250, 230, 256, 250, 60, 256, 0, 0 },
                { 250, 230, 256, 500, 480, 256, 1, 0 },  { 250, 230, 256, 120, 100, 256, 1, 0 },
        };

        for (size_t i = 0; i < ARRAY_SIZE(vectors); i++) {
                struct rhythm r = { 0 };
                nsec_t t = NSEC_PER_SEC;
                for (unsigned k = 0; k < 20; k++, t += vectors[i].usual_ms * MSEC)
                        one(&r, t, t + (vectors[i].usual_ms - vectors[i].usual_pause_ms) * MSEC, vectors[i].usual_kib * KIB);
                one(&r, t, t + (vectors[i].ms - vectors[i].pause_ms) * MSEC, vectors[i].kib * KIB);
                CHECK_INT(r.followed.n, 0);
                t += vectors[i].ms * MSEC;
                one(&r, t, t + MSEC, vectors[i].usual_kib * KIB);
                CHECK_INT(r.followed.n, vectors[i].n_uneven);
                CHECK_INT(r.followed.bits, vectors[i].followed);
        }
}

TEST(a_player_that_reads_ahead_and_skips_turns_keeps_the_beat) {
        static const unsigned turns[] = { 4, 4, 2, 4, 1, 1, 4, 3 };
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 16; i++) {
                one(&r, t, t + 5 * MSEC, 128 * KIB);
                t += turns[i % ARRAY_SIZE(turns)] * 519 * MSEC;
        }
        CHECK(r.confirmed);
}

TEST(a_stream_of_short_periods_that_is_out_of_step_for_a_second_is_still_one_and_for_longer_none) {
        static const unsigned odd_ms[] = { 9, 130, 12, 77, 20, 9, 55, 170 };
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC, since, began;

        for (; t < 12 * NSEC_PER_SEC; t += 42 * MSEC)
                one(&r, t, t + 4 * MSEC, 128 * KIB);
        since = r.confirmed;
        CHECK(since);
        for (began = t; t < began + 1500 * MSEC;) {
                for (size_t i = 0; i < sizeof(odd_ms) / sizeof(odd_ms[0]); t += odd_ms[i++] * MSEC)
                        one(&r, t, t + MSEC, 128 * KIB);
        }
        CHECK_INT(r.figures.flaw, RHYTHM_IRREGULAR);
        CHECK_INT(r.confirmed, since);
        for (; t < began + 5 * NSEC_PER_SEC;) {
                for (size_t i = 0; i < sizeof(odd_ms) / sizeof(odd_ms[0]); t += odd_ms[i++] * MSEC)
                        one(&r, t, t + MSEC, 128 * KIB);
        }
        CHECK_INT(r.confirmed, 0);
}

TEST(a_stream_ends_when_it_is_silent) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);

        silent(&r, t + NSEC_PER_SEC);
        CHECK(r.confirmed);
        silent(&r, t + 2 * NSEC_PER_SEC);
        CHECK(!r.confirmed);
}

TEST(a_stream_that_turns_greedy_is_one_no_longer) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);

        CHECK(r.confirmed);
        for (unsigned i = 0; i < 400 && r.confirmed; i++, t += MSEC)
                one(&r, t, t + MSEC, 64 * KIB);
        CHECK(!r.confirmed);
}

/* 10 MB/s, which others kept from it for nearly two seconds: then it takes what it missed at once, after a pause. */
TEST(a_fast_stream_that_fetches_what_it_missed_for_two_seconds_is_no_greedy_process) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC, since;

        for (; t < 12 * NSEC_PER_SEC; t += 64 * MSEC)
                one(&r, t, t + 6 * MSEC, 640 * KIB);
        since = r.confirmed;
        CHECK(since);
        one(&r, t, t + 1900 * MSEC, 640 * KIB);
        t += 1920 * MSEC;
        for (unsigned i = 0; i < 29; i++, t += 6 * MSEC)
                one(&r, t, t + 6 * MSEC, 640 * KIB);
        CHECK_INT(r.confirmed, since);
        for (unsigned i = 0; i < 60 && r.confirmed; i++, t += 6 * MSEC) /* and goes on so */
                one(&r, t, t + 6 * MSEC, 640 * KIB);
        CHECK_INT(r.confirmed, 0);
}

TEST(a_jump_in_the_film_ends_no_stream) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);

        for (unsigned i = 0; i < 64; i++, t += MSEC) /* 4 MiB to fill the buffer again */
                one(&r, t, t + MSEC, 64 * KIB);
        play(&r, t + 100 * MSEC, 10);
        CHECK(r.confirmed);
}

/* What a process does whose periods have these lengths, over and over. */
static enum rhythm_flaw flaw_of(const unsigned *ms, size_t n, unsigned service_ms, uint32_t bytes, const struct rhythm_traits *traits) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 200; i++) {
                if (rhythm_ask(&r, t, bytes))
                        rhythm_judge(&r, t, traits);
                rhythm_done(&r, t + service_ms * MSEC, false);
                t += ms[i % n] * MSEC;
        }
        return r.figures.flaw;
}

/* A drive that readers have in turns: what is asked for in the process's own, while it pauses for no longer than bfq waits, takes 3 ms,
 * and else the time until that comes again. */
struct turns {
        unsigned least_ms, most_ms;
        nsec_t end, served;
};

static nsec_t answer_in_turn(struct turns *s, nsec_t t, uint64_t *random) {
        bool has_turn = t < s->end && t - s->served <= RHYTHM_PAUSE_NS;

        s->served = t + 3 * MSEC;
        if (!has_turn) {
                s->served = t + (s->least_ms + test_random(random) % (s->most_ms - s->least_ms + 1)) * MSEC;
                s->end = s->served + 100 * MSEC;
        }
        return s->served;
}

TEST(a_player_that_readers_starve_lacks_only_rest_and_says_that_it_is_starved) {
        static const unsigned periods_ms[] = { 250, 125 };
        uint64_t random = test_seed();
        unsigned starved = 0, judged_players = 0;

        for (unsigned player = 0; player < 40; player++) {
                struct turns turns = { .least_ms = 500, .most_ms = 1500 };
                nsec_t t = 100 * NSEC_PER_SEC, due = t;
                struct rhythm r = { 0 };
                while (t < 140 * NSEC_PER_SEC) {
                        nsec_t answered = answer_in_turn(&turns, t, &random);
                        one(&r, t, answered, 256 * KIB);
                        due += periods_ms[player % 2] * MSEC;
                        t = MAX(due, answered) + test_random(&random) % (2 * MSEC);
                        judged_players += t > 120 * NSEC_PER_SEC;
                        starved += t > 120 * NSEC_PER_SEC && (r.confirmed || r.figures.flaw == RHYTHM_STARVES);
                }
        }
        CHECK(starved * 10 >= judged_players * 7);
}

TEST(a_process_that_pauses_for_so_long_after_each_answer_is_not_starved_however_long_the_drive_makes_it_wait) {
        static const unsigned pauses_ms[] = { 9, 12, 20, 30, 100 }, most_ms[] = { 100, 400, 1500 };
        uint64_t random = test_seed();

        for (unsigned process = 0; process < 150; process++) {
                struct turns turns = { .least_ms = 50, .most_ms = most_ms[process / 5 % 3] };
                struct rhythm r = { 0 };
                for (nsec_t t = 100 * NSEC_PER_SEC; t < 140 * NSEC_PER_SEC;) {
                        nsec_t answered = answer_in_turn(&turns, t, &random);
                        one(&r, t, answered, 128 * KIB);
                        CHECK(r.figures.flaw != RHYTHM_STARVES);
                        t = answered + pauses_ms[process % 5] * MSEC + test_random(&random) % (2 * MSEC);
                }
        }
}

TEST(each_condition_that_fails_is_named) {
        static const unsigned even[] = { 100 }, uneven[] = { 50, 200, 110, 20 },
                              drifting[] = { 200, 200, 200, 240, 240, 240, 240, 100, 100, 100, 100, 200, 200, 200, 200, 200 };
        struct rhythm_traits early = { .margin_ns = -5 * (int64_t) NSEC_PER_SEC }, seeky = { .totally_seeky = true },
                             computing = { .margin_ns = (int64_t) MSEC, .computes_permille = 960 },
                             waiting = { .margin_ns = (int64_t) MSEC, .busy_permille = 900 };

        CHECK_INT(flaw_of(even, 1, 5, 64 * KIB, &plain), RHYTHM_FITS);
        CHECK_INT(flaw_of(even, 1, 5, 8192 * KIB, &plain), RHYTHM_TOO_FAST);
        CHECK_INT(flaw_of(even, 1, 5, 512, &plain), RHYTHM_TOO_SLOW);
        CHECK_INT(flaw_of(even, 1, 85, 64 * KIB, &plain), RHYTHM_NO_PAUSE);
        CHECK_INT(flaw_of(even, 1, 5, 64 * KIB, &seeky), RHYTHM_SEEKY);
        CHECK_INT(flaw_of(even, 1, 5, 64 * KIB, &waiting), RHYTHM_NO_PAUSE);
        CHECK_INT(flaw_of(even, 1, 5, 64 * KIB, &computing), RHYTHM_COMPUTES);
        CHECK_INT(flaw_of(uneven, 4, 5, 64 * KIB, &plain), RHYTHM_IRREGULAR);
        CHECK_INT(flaw_of(drifting, 16, 5, 64 * KIB, &plain), RHYTHM_DRIFTS);
        CHECK_INT(flaw_of(even, 1, 5, 64 * KIB, &early), RHYTHM_FAST_LATELY);
}

TEST(each_flaw_has_a_name) {
        for (int f = RHYTHM_FITS + 1; f < _RHYTHM_FLAW_MAX; f++)
                CHECK(rhythm_flaw_to_string((enum rhythm_flaw) f)[0] && rhythm_flaw_unit((enum rhythm_flaw) f));
}

TEST(a_period_of_which_something_was_lost_says_nothing) {
        struct rhythm r = { 0 };
        nsec_t t = play(&r, NSEC_PER_SEC, 30);
        uint32_t excused = r.excused;

        rhythm_ask(&r, t, 256 * KIB);
        rhythm_done(&r, t + 5 * MSEC, true);
        play(&r, t + 900 * MSEC, 1);
        CHECK_INT(r.excused, excused + 1);
        CHECK_INT(r.figures.regularity_permille, 1000);
}

/* Reads 12 MB/s by 256 KiB, 24 and 40 MB/s by as much: the pauses of the latter two are shorter than bfq's slice_idle. */
TEST(a_process_that_asks_by_a_clock_is_a_stream_at_any_rate_up_to_forty_megabytes_a_second) {
        static const unsigned mb_s[] = { 1, 5, 12, 24, 39 };

        for (size_t i = 0; i < ARRAY_SIZE(mb_s); i++) {
                struct rhythm r = { 0 };
                nsec_t period = 256 * KIB * UINT64_C(1000) / mb_s[i], t = NSEC_PER_SEC;
                for (; t < 9 * NSEC_PER_SEC; t += period)
                        one(&r, t, t + MSEC, 256 * KIB);
                CHECK(r.confirmed);
                CHECK(apart(r.figures.bytes_per_s, mb_s[i] * UINT64_C(1000000)) <= mb_s[i] * UINT64_C(10000));
        }
}

TEST(a_process_that_reads_as_fast_is_none_where_it_asks_as_soon_as_it_is_answered) {
        uint64_t random = test_seed();
        struct rhythm r = { 0 };

        for (nsec_t t = NSEC_PER_SEC; t < 30 * NSEC_PER_SEC;) { /* 25 MB/s from a slow drive */
                nsec_t takes = (2 + test_random(&random) % 16) * MSEC;
                one(&r, t, t + takes, 256 * KIB);
                t += takes + test_random(&random) % (2 * MSEC);
                CHECK(!r.confirmed);
        }
}

/* As browsers and players with large buffers read: 20 MiB at once, and silence for four seconds. Once that is known a busy CPU makes it pause
 * in the midst of that. */
TEST(great_bursts_seconds_apart_are_a_stream) {
        uint64_t random = test_seed();
        struct rhythm r = { 0 };

        for (nsec_t due = NSEC_PER_SEC; due < 50 * NSEC_PER_SEC; due += 4 * NSEC_PER_SEC) {
                nsec_t t = due;
                for (unsigned i = 0; i < 80; i++) {
                        one(&r, t, t + 2 * MSEC, 256 * KIB);
                        t += 2 * MSEC + (due > 20 * NSEC_PER_SEC && i % 16 == 15 ? test_random(&random) % (40 * MSEC) : 0);
                }
        }
        CHECK(r.confirmed);
        CHECK(apart(r.figures.bytes_per_s, 20 * 1024 * KIB / 4) <= 1024 * KIB);
}

/* 1 MiB each 100 ms. From the 60th on each tenth takes 800 ms; what comes meanwhile is asked for at once, all of it or what a network's buffer held. Returns
 * whether it is a stream at the end. */
static bool answered_late(unsigned buffered) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC;

        for (unsigned i = 0; i < 260; i++, t += 100 * MSEC) {
                nsec_t takes = (i >= 60 && i % 10 == 0 ? 800 : 5) * MSEC;
                one(&r, t, t + takes, 1024 * KIB);
                t += takes > 5 * MSEC ? takes : 0;
                for (unsigned k = 0; takes > 5 * MSEC && k < MIN(buffered, 7u); k++, t += 5 * MSEC)
                        one(&r, t, t + 5 * MSEC, 1024 * KIB);
        }
        return r.confirmed;
}

TEST(a_player_that_fills_its_store_rests_and_then_reads_evenly_shows_its_rhythm_once_it_has_read_for_as_long_as_it_rested) {
        struct rhythm r = { 0 };
        nsec_t t = NSEC_PER_SEC, rest = 5 * NSEC_PER_SEC, reads;

        for (unsigned i = 0; i < 40; i++, t += MSEC)
                one(&r, t, t + MSEC, 128 * KIB);
        t += rest;
        for (reads = t; nsec_sub(t, reads) < rest + 4 * NSEC_PER_SEC; t += 122 * MSEC)
                one(&r, t, t + 5 * MSEC, 128 * KIB);
        CHECK(r.confirmed);
        CHECK_INT(r.figures.period_us, 122000);
}

TEST(a_process_that_makes_up_for_what_was_late_is_a_stream_and_what_a_slow_network_paces_is_none) {
        CHECK(answered_late(8));
        CHECK(!answered_late(2));
        CHECK(!answered_late(0));
}

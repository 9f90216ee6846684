/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <math.h>
#include <time.h>

#include "timeline-math.h"
#include "timeline-words.h"
#include "variant-text.h"

static bool is(double value, double expected) {
        return fabs(value - expected) < 1e-9;
}

static bool read_text(const char *text, struct timeline *ret) {
        g_autoptr(GVariant) answer = variant_parse("a{sv}", text);

        return timeline_read(answer, ret);
}

TEST(slices_are_read_in_their_order_and_the_last_counts_as_far_as_the_start_goes) {
        struct timeline t;
        double begin, end;

        CHECK(read_text("{'time_usec': <uint64 9>, 'latency_usec': <uint64 50000>, 'slice_usec': <uint64 20000>,"
                        " 'slices': <[(uint32 5000, uint32 10000, uint32 2000, uint32 4096), (20000, 0, 0, 0), (0, 5000, 0, 1)]>}", &t));
        CHECK_INT(t.n_slices, 3);
        CHECK_INT(t.time_us, 9);
        CHECK_INT(t.slices[0].read_bytes, 4096);
        CHECK(is(timeline_share(&t, 0, TIMELINE_COMPUTING), 0.25));
        CHECK(is(timeline_share(&t, 0, TIMELINE_READING), 0.5));
        CHECK(is(timeline_share(&t, 0, TIMELINE_WAITING), 0.1));
        CHECK(is(timeline_share(&t, 1, TIMELINE_COMPUTING), 1));
        CHECK(is(timeline_share(&t, 2, TIMELINE_READING), 0.5)); /* of the 10 ms that are left */
        CHECK_INT(timeline_total(&t, TIMELINE_READING), 15000);
        timeline_extent(&t, 2, &begin, &end);
        CHECK(is(begin, 0.8) && is(end, 1));
        CHECK_INT(timeline_find(&t, 0.39), 0);
        CHECK_INT(timeline_find(&t, 0.4), 1);
        CHECK_INT(timeline_find(&t, 7), 2);
        CHECK_INT(timeline_find(&t, -1), 0);
}

/* 2.07 s of which the daemon knows 298 ms. */
TEST(what_a_start_did_adds_up_to_the_time_that_it_took) {
        g_autofree char *sentence = NULL;
        struct timeline t;
        gint64 sum = 0;

        CHECK(read_text("{'latency_usec': <uint64 2070000>, 'slice_usec': <uint64 640000>,"
                        " 'slices': <[(uint32 183000, uint32 115000, uint32 0, uint32 1), (0, 0, 0, 0), (0, 0, 0, 0)]>,"
                        " 'stalls': <[(uint32 200000, uint32 0), (640000, 0), (550000, 90000)]>}", &t));
        for (enum timeline_lane lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
                sum += timeline_total(&t, lane);
        CHECK_INT(sum, 2070000);
        CHECK_INT(timeline_total(&t, TIMELINE_OTHER), 292000);
        CHECK(is(timeline_share(&t, 1, TIMELINE_PROCESSOR), 1));
        sentence = timeline_words_sentence(&t, -1);
        CHECK_STR(sentence, "Took 2.07 s: reading 115 ms, waiting for others 0 µs, computing 183 ms, waiting for a processor 1.39 s, waiting for memory 90 ms, something else 292 ms");
}

TEST(a_start_says_whether_it_was_the_drive_that_took_longest) {
        g_autofree char *of_drive = NULL, *of_other = NULL, *of_culprit = NULL, *of_own = NULL, *untold = NULL;
        struct timeline t;

        CHECK(read_text("{'latency_usec': <uint64 2070000>, 'slice_usec': <uint64 2070000>, 'slices': <[(uint32 183000, uint32 115000, uint32 0, uint32 1)]>,"
                        " 'stalls': <[(uint32 1390000, uint32 90000)]>}", &t));
        of_other = timeline_words_verdict(&t, "rsync", TRUE); /* it did wait for memory */
        CHECK_STR(of_other, "It was not the drive that took longest (115 ms of 2.07 s), but this: Waiting for a processor, 1.39 s.");
        CHECK(read_text("{'latency_usec': <uint64 4720000>, 'slice_usec': <uint64 4720000>, 'slices': <[(uint32 791000, uint32 1300000, uint32 2360000, uint32 1)]>}", &t));
        of_drive = timeline_words_verdict(&t, "", FALSE);
        of_culprit = timeline_words_verdict(&t, "rsync", FALSE);
        CHECK_STR(of_drive, "It was the drive that took longest: 3.66 s of 4.72 s.");
        CHECK_STR(of_culprit, "It was the drive that took longest: 3.66 s of 4.72 s, most of it while other programs had it, above all rsync.");
        CHECK(read_text("{'latency_usec': <uint64 4720000>, 'slice_usec': <uint64 4720000>, 'slices': <[(uint32 791000, uint32 2360000, uint32 1300000, uint32 1)]>}", &t));
        of_own = timeline_words_verdict(&t, "rsync", FALSE); /* what it read itself took longest */
        CHECK_STR(of_own, of_drive);
        untold = timeline_words_verdict(&t, "rsync", TRUE);
        CHECK_STR(untold, "It was the drive that took longest: 3.66 s of 4.72 s. This computer does not tell how long programs wait for memory: "
                          "that is in “Something else”.");
}

TEST(what_few_starts_wait_for_has_a_place_where_one_did) {
        struct timeline t;

        CHECK(read_text("{'latency_usec': <uint64 40000>, 'slice_usec': <uint64 20000>, 'slices': <[(uint32 1, uint32 0, uint32 0, uint32 0), (1, 0, 0, 0)]>,"
                        " 'stalls': <[(uint32 0, uint32 7)]>}", &t));
        CHECK(timeline_shows(&t, TIMELINE_READING) && timeline_shows(&t, TIMELINE_MEMORY) && !timeline_shows(&t, TIMELINE_PROCESSOR));
        CHECK(read_text("{'latency_usec': <uint64 40000>, 'slice_usec': <uint64 20000>, 'slices': <[(uint32 1, uint32 0, uint32 0, uint32 0)]>}", &t));
        CHECK(!timeline_shows(&t, TIMELINE_MEMORY)); /* of an older daemon */
}

TEST(an_answer_that_does_not_hold_together_is_none) {
        static const char *const bad[] = {
                "{}",
                "{'latency_usec': <uint64 5>, 'slice_usec': <uint64 20000>}",
                "{'latency_usec': <uint64 5>, 'slice_usec': <uint64 20000>, 'slices': <@a(uuuu) []>}",
                "{'latency_usec': <uint64 5>, 'slice_usec': <uint64 20000>, 'slices': <'many'>}",
                "{'latency_usec': <uint64 0>, 'slice_usec': <uint64 20000>, 'slices': <[(uint32 1, uint32 1, uint32 1, uint32 1)]>}",
                "{'latency_usec': <uint64 5>, 'slice_usec': <uint64 0>, 'slices': <[(uint32 1, uint32 1, uint32 1, uint32 1)]>}",
                "{'latency_usec': <uint64 5>, 'slice_usec': <uint64 18446744073709551615>, 'slices': <[(uint32 1, uint32 1, uint32 1, uint32 1)]>}",
        };
        struct timeline t = { .n_slices = 77 };

        for (size_t i = 0; i < G_N_ELEMENTS(bad); i++)
                CHECK(!read_text(bad[i], &t));
        CHECK_INT(t.n_slices, 77);
}

TEST(slices_beyond_the_end_and_beyond_what_there_is_room_for_are_left_out) {
        g_autoptr(GString) text = g_string_new("{'latency_usec': <uint64 2000000>, 'slice_usec': <uint64 20000>, 'slices': <[");
        struct timeline t;

        CHECK(read_text("{'latency_usec': <uint64 40000>, 'slice_usec': <uint64 20000>,"
                        " 'slices': <[(uint32 1, uint32 1, uint32 1, uint32 1), (1, 1, 1, 1), (1, 1, 1, 1)]>}", &t));
        CHECK_INT(t.n_slices, 2);
        for (int i = 0; i < 100; i++)
                g_string_append_printf(text, "%s(uint32 1, uint32 1, uint32 1, uint32 1)", i ? ", " : "");
        g_string_append(text, "]>}");
        CHECK(read_text(text->str, &t));
        CHECK_INT(t.n_slices, TIMELINE_SLICES_MAX);
}

/* Whatever the daemon says, what is drawn lies within the chart, side by side. */
TEST(random_slices_stay_within_the_chart) {
        guint32 seed = (guint32) time(NULL);
        g_autoptr(GRand) rand = g_rand_new_with_seed(seed);

        printf("# seed %u\n", seed);
        for (int round = 0; round < 2000; round++) {
                struct timeline t = { .latency_us = g_rand_int_range(rand, 1, 60000000), .slice_us = 20000 };
                double last = 0, begin, end;

                while (t.slice_us * TIMELINE_SLICES_MAX < t.latency_us)
                        t.slice_us *= 2;
                for (t.n_slices = 0; t.n_slices * t.slice_us < t.latency_us; t.n_slices++)
                        for (int lane = 0; lane < _TIMELINE_LANE_MAX; lane++)
                                t.slices[t.n_slices].us[lane] = g_rand_int(rand);
                CHECK(t.n_slices <= TIMELINE_SLICES_MAX);
                for (guint i = 0; i < t.n_slices; i++) {
                        timeline_extent(&t, i, &begin, &end);
                        CHECK(fabs(begin - last) < 1e-12 && end > begin && end <= 1);
                        CHECK_INT(timeline_find(&t, (begin + end) / 2), i);
                        CHECK(timeline_share(&t, i, TIMELINE_WAITING) >= 0 && timeline_share(&t, i, TIMELINE_WAITING) <= 1);
                        last = end;
                }
                CHECK(is(last, 1));
                CHECK(t.latency_us / timeline_step(t.latency_us, 5) <= 5);
        }
}

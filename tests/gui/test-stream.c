/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "object-stream.h"
#include "pattern-words.h"
#include "stream-words.h"
#include "variant-text.h"

static BrioPlayer *new_player(const char *text) {
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        return brio_player_new(entry);
}

static void merge(GListStore *list, const char *text) {
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", text);

        brio_players_merge(list, entries);
}

static int changes;

static void on_changed(void) {
        changes++;
}

TEST(a_stream_is_told_with_bfqs_margin_where_that_says_something) {
        g_autoptr(BrioPlayer) p = new_player("{'state': <'stream'>, 'pid': <uint32 7>, 'name': <'mpv'>, 'device': <'sda'>, 'records': <true>,"
                                             " 'period_usec': <uint64 512000>, 'kernel': <'yes'>, 'margin_usec': <int64 118000>}");
        g_autoptr(BrioPlayer) seeky = new_player("{'state': <'near-miss'>, 'pid': <uint32 8>, 'kernel': <'seeky'>, 'margin_usec': <int64 5>}");
        gint64 margin = 0;

        CHECK_INT(brio_player_get_state(p), BRIO_PLAYER_STREAM);
        CHECK_INT(brio_player_get_pid(p), 7);
        CHECK(brio_player_records(p));
        CHECK_INT(brio_player_get_figure(p, BRIO_PLAYER_PERIOD), 512000);
        CHECK_INT(brio_player_get_figure(p, BRIO_PLAYER_RATE), -1);
        CHECK(brio_player_get_margin(p, &margin));
        CHECK_INT(margin, 118000);
        CHECK(!brio_player_get_margin(seeky, &margin));
}

TEST(an_entry_without_a_process_or_of_an_unknown_state_is_none) {
        CHECK(new_player("{}") == NULL);
        CHECK(new_player("{'state': <'stream'>}") == NULL);
        CHECK(new_player("{'state': <'dreaming'>, 'pid': <uint32 7>}") == NULL);
        CHECK(new_player("{'state': <7>, 'pid': <'7'>}") == NULL);
}

TEST(the_list_keeps_those_that_stay_and_one_that_ends_changes_its_group) {
        static const guint32 order[] = { 8, 9, 7 };
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_PLAYER);
        g_autoptr(BrioPlayer) first = NULL, again = NULL, ended = NULL;

        merge(list, "[{'state': <'stream'>, 'pid': <uint32 7>}, {'state': <'stream'>, 'pid': <uint32 8>}, {}]");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        first = g_list_model_get_item(G_LIST_MODEL(list), 0);
        changes = 0;
        g_signal_connect(first, "changed", on_changed, NULL);
        merge(list, "[{'state': <'stream'>, 'pid': <uint32 7>}, {'state': <'stream'>, 'pid': <uint32 8>}]");
        CHECK_INT(changes, 0); /* nothing else is told */
        merge(list, "[{'state': <'stream'>, 'pid': <uint32 7>, 'batches': <uint64 3>}, {'state': <'ended'>, 'pid': <uint32 8>}]");
        CHECK_INT(changes, 1);
        again = g_list_model_get_item(G_LIST_MODEL(list), 0);
        ended = g_list_model_get_item(G_LIST_MODEL(list), 1);
        CHECK(again == first);
        CHECK_INT(brio_player_get_state(ended), BRIO_PLAYER_ENDED);
        merge(list, "[{'state': <'ended'>, 'pid': <uint32 8>}, {'state': <'stream'>, 'pid': <uint32 9>}, {'state': <'stream'>, 'pid': <uint32 7>}]");
        for (guint i = 0; i < 3; i++) {
                g_autoptr(BrioPlayer) p = g_list_model_get_item(G_LIST_MODEL(list), i);

                CHECK_INT(brio_player_get_pid(p), order[i]);
                CHECK_INT(p == first, i == 2);
        }
        merge(list, "[{'state': <'near-miss'>, 'pid': <uint32 7>}]");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 1);
        merge(list, "[]");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 0);
}

static struct pattern read_pattern(const char *arrivals) {
        g_autofree char *text = g_strdup_printf("{'arrivals': <%s>}", arrivals);
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);
        struct pattern p;

        pattern_read(entry, &p);
        return p;
}

TEST(of_each_period_the_rules_moment_is_known_where_the_rule_was_asked) {
        struct pattern p = read_pattern("@a(uuuisb) [(500000, 430000, 65536, 118000, 'yes', true), (60000, 70000, 1, -42000, 'too-early', false),"
                                        " (90000, 0, 1, 7, 'seeky', true), (100000, 50000, 1, 400000, 'yes', true), (0, 0, 0, 0, 'yes', true)]");

        CHECK_INT(p.n, 4); /* one of no length is none */
        CHECK_INT(pattern_get_next_start(&p, 0), 382000);
        CHECK_INT(pattern_get_next_start(&p, 1), 102000);
        CHECK_INT(pattern_get_next_start(&p, 2), -1);
        CHECK_INT(pattern_get_next_start(&p, 3), 0);
        CHECK_INT(p.periods[1].pause_us, 60000); /* no longer than the period */
        CHECK_INT(pattern_count(&p, FALSE), 2);
        CHECK_INT(pattern_count(&p, TRUE), 1);
        CHECK_INT(pattern_get_shortest(&p), 60000);
        CHECK_INT(pattern_get_longest(&p), 500000);
}

TEST(the_axis_has_room_for_next_start_and_what_is_far_longer_than_the_others_does_not_flatten_them) {
        struct pattern late = read_pattern("@a(uuuisb) [(100000, 0, 1, -50000, 'too-early', true), (110000, 0, 1, 1, 'yes', true), (120000, 0, 1, 1, 'yes', true)]");
        struct pattern far = read_pattern("@a(uuuisb) [(100000, 0, 1, 1, 'yes', true), (100000, 0, 1, -2147483648, 'too-early', true), (4294967295, 0, 1, 1, 'yes', true)]");

        CHECK_INT(pattern_get_top(&late), 159000);
        CHECK_INT(pattern_get_top(&far), 424000);
        CHECK_INT(pattern_find(&late, 0.34), 1);
        CHECK_INT(pattern_find(&late, -3), 0);
        CHECK_INT(pattern_find(&late, 3), 2);
}

TEST(of_more_periods_than_there_is_room_for_the_last_are_kept_and_another_type_is_none) {
        g_autoptr(GString) many = g_string_new("@a(uuuisb) [");
        struct pattern p;

        for (guint i = 1; i <= 20; i++)
                g_string_append_printf(many, "%s(%u, 0, 1, 1, 'yes', true)", i > 1 ? ", " : "", i * 1000);
        g_string_append(many, "]");
        p = read_pattern(many->str);
        CHECK_INT(p.n, PATTERN_PERIODS_MAX);
        CHECK_INT(p.periods[0].length_us, 5000);
        CHECK_INT(p.periods[15].length_us, 20000);
        CHECK_INT(read_pattern("[(uint32 7, 'seven')]").n, 0);
        CHECK_INT(read_pattern("@a(uuuisb) []").n, 0);
}

TEST(a_period_in_words_says_when_it_asked_again_and_how_that_lies_to_the_rule) {
        struct pattern p = read_pattern("@a(uuuisb) [(500000, 430000, 65536, 118000, 'yes', true), (60000, 50000, 1, -42000, 'too-early', false),"
                                        " (90000, 0, 1, 7, 'seeky', true)]");
        struct pattern none = { 0 };
        static const struct {
                int period;
                const char *text;
        } sentences[] = {
                { 0, "Period 1 of 3: asked again after 500 ms, waited 70 ms, paused 430 ms; 118 ms after the earliest moment" },
                { 1, "Period 2 of 3: asked again after 60 ms, waited 10 ms, paused 50 ms; 42 ms before the earliest moment, too early."
                     " Not counted: it waited for the drive, or events were lost." },
                { 2, "Period 3 of 3: asked again after 90 ms, waited 90 ms, paused 0 µs; bfq’s rule names no earliest moment" },
                { -1, "Its last 3 periods: 60 ms to 500 ms; asked 1 times after the earliest moment, 1 times too early" },
        };
        g_autofree char *row = pattern_words_row(&p, 1), *nothing = pattern_words_sentence(&none, -1);

        for (size_t i = 0; i < G_N_ELEMENTS(sentences); i++) {
                g_autofree char *text = pattern_words_sentence(&p, sentences[i].period);
                CHECK_STR(text, sentences[i].text);
        }
        CHECK_STR(row, "2\t60 ms\t10 ms\t50 ms\t1 B\t−42 ms\tNo");
        CHECK_STR(nothing, "");
}

/* One line for each condition that the daemon documents, with both values. */
TEST(each_condition_that_fails_says_what_is_needed_and_what_there_is) {
        static const struct {
                const char *condition, *unit;
                int value, limit;
                const char *text;
        } flaws[] = {
                { "periods", "", 3, 5, "Too short to tell: needs 5 periods, has 3" },
                { "rate-max", "bytes/s", 5400000, 3584000, "Too fast: at most 3.6 MB/s, moves 5.4 MB/s" },
                { "rate-min", "bytes/s", 900, 8000, "Too slow: at least 8.0 kB/s, moves 900 B/s" },
                { "pause", "permille", 120, 200, "Too few pauses: needs 20 % of its time, has 12 %" },
                { "starved", "permille", 93, 200, "Starved: needs 20 % of its time to pause, has 9.3 %, and makes up for its waits" },
                { "computing", "permille", 970, 750, "Computes: at most for 75 % of its time, does so for 97 %" },
                { "seeks", "", 32, 31, "Jumps about: at most 31 of its requests, has 32" },
                { "follows", "permille", 875, 600, "Reads when answered, not by a clock: at most 60 % of its uneven periods, has 87.5 %" },
                { "regularity", "permille", 523, 700, "Not regular: needs 70 % of its periods, has 52.3 %" },
                { "drift", "permille", 3100, 2200, "Drifts: at most 220 %, has 310 %" },
                { "too-early", "us", -1500000, -1000000, "Asks too early: at most 1 s before bfq’s rule allows it, asks 1.5 s before" },
                { "steady", "us", 1200000, 3000000, "Not for long enough: needs 3 s, has 1.2 s" },
                { "steady", "us", 0, 3000000, "Not for long enough: needs 3 s" },
                { "of-a-newer-daemon", "", 1, 2, "of-a-newer-daemon: 1, 2" },
        };

        for (size_t i = 0; i < G_N_ELEMENTS(flaws); i++) {
                g_autofree char *entry = g_strdup_printf("{'state': <'near-miss'>, 'pid': <uint32 7>, 'failed_condition': <'%s'>, 'failed_unit': <'%s'>,"
                                                         " 'failed_value': <int64 %d>, 'failed_limit': <int64 %d>}",
                                                         flaws[i].condition, flaws[i].unit, flaws[i].value, flaws[i].limit);
                g_autoptr(BrioPlayer) p = new_player(entry);
                g_autofree char *text = stream_words_failed(p);

                CHECK_STR(text, flaws[i].text);
        }
}

static char *hear(const char *state, const char *verdicts) {
        g_autofree char *entry = g_strdup_printf("{'state': <'%s'>, 'pid': <uint32 7>, 'device': <'sda'>}", state);
        g_autoptr(BrioPlayer) p = new_player(entry);
        g_autoptr(GVariant) v = variant_parse("aa{sv}", verdicts);

        brio_player_hear(p, v);
        return stream_words_heard(p);
}

TEST(of_a_process_the_thread_that_bfq_raises_most_counts_on_the_same_drive) {
        g_autofree char *agrees = hear("stream", "[{'pid': <uint32 7>, 'device': <'sda'>, 'coefficient': <uint32 1>, 'verdict': <'none'>},"
                                                 " {'pid': <uint32 7>, 'device': <'sda'>, 'coefficient': <uint32 3000>, 'verdict': <'soft-rt'>}]");
        g_autofree char *elsewhere = hear("stream", "[{'pid': <uint32 7>, 'device': <'sdb'>, 'coefficient': <uint32 3000>, 'verdict': <'soft-rt'>}]");
        g_autofree char *none = hear("near-miss", "[{'pid': <uint32 7>, 'device': <'sda'>, 'coefficient': <uint32 1>, 'verdict': <'none'>}]");
        g_autofree char *ended = hear("ended", "[]");
        g_autoptr(BrioPlayer) unasked = new_player("{'state': <'stream'>, 'pid': <uint32 7>}");
        g_autofree char *quiet = stream_words_heard(unasked);

        CHECK_STR(agrees, "The kernel agrees");
        CHECK_STR(elsewhere, "The kernel said nothing of it meanwhile");
        CHECK_STR(none, "The kernel agrees that it is none");
        CHECK_STR(ended, "");
        CHECK_STR(quiet, "");
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences in a language that puts things in another order: this program's own, in the place of the C library's catalogues. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <libintl.h>

#include "law-words.h"
#include "law.h"
#include "statement-words.h"
#include "statement.h"
#include "stream-words.h"
#include "timeline-words.h"
#include "variant-text.h"
#include "words.h"

static const struct {
        const char *text, *translation;
} catalogue[] = {
        { "Not regular: needs %s of its periods, has %s", "%2$s of its periods are regular, and not %1$s" },
        { "Too short to tell: needs %s period, has %s", "%2$s of %1$s period" },
        { "Too short to tell: needs %s periods, has %s", "%2$s of %1$s periods" },
        { "At %s: reading %s, waiting for others %s, computing %s, waiting for a processor %s, waiting for memory %s, something else %s",
          "%4$s computing, %3$s waiting, %2$s reading, %6$s for memory, %5$s for a processor and %7$s other at %1$s" },
        { "{readers:n} processes read a little each at the same time", "gleichzeitig lesen {readers} jeweils ein wenig" },
        { "{law:law}: {reason}", "{reason} ({law})" },
        { "another user's process", "etwas Fremdes" },
        { "{process} waits {percent:percent} of the time for its reads", "{percent} der Zeit wartet {process}" },
        { "Took %s: reading %s, waiting for others %s, computing %s, waiting for a processor %s, waiting for memory %s, something else %s",
          "%2$s of reading, %3$s of waiting, %4$s of computing, %5$s without a processor, %6$s without memory and %7$s of other things made %1$s" },
};

static char *translate(const char *text) {
        for (size_t i = 0; i < ARRAY_SIZE(catalogue); i++)
                if (strcmp(catalogue[i].text, text) == 0)
                        return (char *) catalogue[i].translation;
        return (char *) text;
}

#undef gettext
#undef ngettext
#undef dcgettext
#undef dcngettext
char *gettext(const char *text) {
        return translate(text);
}

char *dcgettext(const char *domain, const char *text, int category) {
        (void) domain;
        (void) category;
        return translate(text);
}

char *ngettext(const char *one, const char *many, unsigned long n) {
        return translate(n == 1 ? one : many);
}

char *dcngettext(const char *domain, const char *one, const char *many, unsigned long n, int category) {
        (void) domain;
        (void) category;
        return translate(n == 1 ? one : many);
}

static char *failed(const char *condition, const char *unit, int value, int limit) {
        g_autofree char *text = g_strdup_printf("{'state': <'near-miss'>, 'pid': <uint32 7>, 'failed_condition': <'%s'>, 'failed_unit': <'%s'>,"
                                                " 'failed_value': <int64 %d>, 'failed_limit': <int64 %d>}", condition, unit, value, limit);
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);
        g_autoptr(BrioPlayer) p = brio_player_new(entry);

        return stream_words_failed(p);
}

TEST(a_language_may_say_what_there_is_before_what_is_needed) {
        g_autofree char *regularity = failed("regularity", "permille", 520, 700), *few = failed("periods", "", 3, 5);
        g_autofree char *one = failed("periods", "", 0, 1);

        CHECK_STR(regularity, "52 % of its periods are regular, and not 70 %");
        CHECK_STR(few, "3 of 5 periods");
        CHECK_STR(one, "0 of 1 period");
}

TEST(a_language_may_say_how_a_start_went_in_its_own_order) {
        struct timeline t = { .latency_us = 40000, .slice_us = 20000, .n_slices = 2,
                              .slices = { { .us = { 10000, 4000, 1000, 600, 400, 4000 } }, { .us = { 0, 0, 20000, 0, 0, 0 } } } };
        g_autofree char *whole = timeline_words_sentence(&t, -1), *slice = timeline_words_sentence(&t, 0);

        CHECK_STR(whole, "10 ms of reading, 4 ms of waiting, 21 ms of computing, 600 µs without a processor, 400 µs without memory and 4 ms of other things made 40 ms");
        CHECK_STR(slice, "5 % computing, 20 % waiting, 50 % reading, 2 % for memory, 3 % for a processor and 20 % other at 0 µs");
        t.n_slices = 0;
        g_free(whole);
        whole = timeline_words_sentence(&t, -1);
        CHECK_STR(whole, "");
}

static char *reason(const char *entry) {
        g_autoptr(GVariant) v = variant_parse("a{sv}", entry);

        return statement_words(v, "reason");
}

/* The others are words for what is counted. */
static const char *unit_of_measure(const char *unit) {
        return streq(unit, "us") || streq(unit, "ms") || streq(unit, "ns") || streq(unit, "KiB") ? unit : "";
}

TEST(each_law_and_setting_has_a_name_for_people_and_a_sentence_that_says_what_it_does) {
        for (enum law_id law = LAW_NONE + 1; law < _LAW_MAX; law++)
                CHECK(!streq(law_words_name(law_to_string(law)), law_to_string(law)) && *law_words_meaning(law_to_string(law)));
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) {
                const char *name = tunable_get(id)->name, *unit = tunable_words_unit(name);
                CHECK(!streq(tunable_words_name(name), name) && *tunable_words_meaning(name));
                CHECK_STR(streq(unit, "µs") ? "us" : unit, unit_of_measure(tunable_get(id)->unit));
        }
        CHECK(!streq(tunable_words_name(RECEIPT_PRIORITY), RECEIPT_PRIORITY) && !streq(tunable_words_name(RECEIPT_READ_AHEAD), RECEIPT_READ_AHEAD));
        CHECK_STR(law_words_name("of-a-later-version"), "of-a-later-version");
        CHECK_STR(tunable_words_meaning("of_a_later_version"), "");
}

TEST(what_the_daemon_says_is_said_in_the_language_of_the_window) {
        g_autofree char *nested = reason("{'reason': <'in English'>, 'reason_data': <[{'id': <'law-says'>, 'law': <'idle-limit'>, "
                                         "'reason': <[{'id': <'many-sync'>, 'readers': <int64 60>}]>}, {'id': <'text'>, 'text': <' · plain'>}]>}");
        g_autofree char *hidden = reason("{'reason': <'in English'>, 'reason_data': <[{'id': <'victim'>, 'process': <[{'id': <'not-seen'>}]>, 'percent': <int64 30>}]>}");

        CHECK_STR(nested, "gleichzeitig lesen 60 jeweils ein wenig (“Waits for readers”) · plain");
        CHECK_STR(hidden, "30 % der Zeit wartet etwas Fremdes");
}

static bool belongs_to_a_formula(const struct statement *s) {
        const char *id, *plain;

        for (guint i = 0; (id = statement_words_nth_formula(i, &plain)); i++)
                if (statement_find(id) == s)
                        return !strstr(plain, "tunable") && !strchr(plain, '=');
        return false;
}

TEST(how_a_value_is_computed_is_a_formula_and_what_is_plain_says_none) {
        g_autoptr(GVariant) data = variant_parse("aa{sv}", "[{'id': <'stepped-back'>, 'processes': <int64 2>, 'process': <'rsync'>}, {'id': <'law-says'>, 'law': <'slice-share'>, "
                                                           "'reason': <[{'id': <'shared'>, 'readers': <int64 8>}, {'id': <'slice-share-count'>, 'tunable': <'fifo_batch'>, "
                                                           "'base': <int64 16>, 'readers': <int64 8>, 'floor': <int64 1>, 'value': <int64 6>}]>}]");
        g_autofree char *plain = statement_words_of(data, "in English"), *formula = statement_words_formula_of(data);
        g_autofree char *old = statement_words_of(NULL, "in English"), *none = statement_words_formula_of(NULL);

        CHECK(strstr(plain, "8 processes share the drive") && !strstr(plain, "fifo_batch"));
        CHECK_STR(formula, "fifo_batch = max(base 16 * 3 / 8, floor 1) = 6");
        CHECK_STR(old, "in English");
        CHECK_STR(none, "");
        for (enum statement_id i = 0; i < _STATEMENT_MAX; i++)
                CHECK(belongs_to_a_formula(statement_get(i)) || !strstr(statement_get(i)->text, "{tunable:tunable} ="));
}

TEST(a_sentence_that_ends_in_a_setting_ends_in_its_reason) {
        g_autoptr(GVariant) data = variant_parse("aa{sv}", "[{'id': <'moved'>, 'moved_bytes': <int64 37000000>, 'seconds': <int64 5>}, {'id': <'throughput'>, "
                                                           "'why': <[{'id': <'no-user'>}]>, 'tunable': <'timeout_sync'>, 'value': <int64 500>}]");
        g_autofree char *plain = statement_words_of(data, "in English"), *formula = statement_words_formula_of(data);

        CHECK_STR(plain, "37 MB were moved in the last 5 seconds, and no user is at the machine, so that no turn is cut short for another process");
        CHECK_STR(formula, "and no user is at the machine: timeout_sync = 500, so that no turn is cut short for another process");
}

TEST(a_sentence_names_laws_and_settings_for_people) {
        g_autofree char *foreign = reason("{'reason_data': <[{'id': <'foreign'>, 'tunable': <'nr_requests'>, 'value': <'32'>}]>}");
        g_autofree char *worse = reason("{'reason_data': <[{'id': <'found-worse'>, 'law': <'idle-limit'>, 'effect': <[{'id': <'trial-change'>, "
                                        "'change': <'slice_idle_us 8000 → 0 µs'>}, {'id': <'void-load'>}]>}]>}");

        CHECK_STR(foreign, "Another program set “Places in the queue” to 32, which stays");
        CHECK_STR(worse, "a trial found “Waits for readers” to be worse: the load changed meanwhile");
        for (enum statement_id i = 0; i < _STATEMENT_MAX; i++)
                for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++) /* "scheduler" is a word, too */
                        CHECK(!strchr(tunable_get(id)->name, '_') || !strstr(statement_get(i)->text, tunable_get(id)->name));
}

TEST(a_sentence_names_an_application_as_its_desktop_file_does) {
        g_autofree char *known = reason("{'reason_data': <[{'id': <'started'>, 'process': <'org.mozilla.firefox'>, 'latency_usec': <int64 1200000>}]>}");
        g_autofree char *session = reason("{'reason_data': <[{'id': <'started'>, 'process': <'user-session'>, 'latency_usec': <int64 1200000>}]>}");
        g_autofree char *unknown = reason("{'reason_data': <[{'id': <'started'>, 'process': <'org.example.None'>, 'latency_usec': <int64 1200000>}]>}");

        CHECK_STR(known, "Firefox started in 1.2 s");
        CHECK_STR(session, "Session started in 1.2 s");
        CHECK_STR(unknown, "org.example.None started in 1.2 s");
}

TEST(a_priority_has_the_same_words_in_a_sentence_and_a_table) {
        g_autofree char *goes_first = reason("{'reason_data': <[{'id': <'stream-first'>, 'priority': <'BE/0'>}]>}");

        CHECK_STR(goes_first, "; it goes first (“Normal 0”) as long as it plays");
        CHECK_STR(words_priority("BE/7"), words_io_class("best-effort", 7));
        CHECK_STR(words_priority("RT/4"), "Real-time 4");
        CHECK_STR(words_priority("idle"), "Idle");
        CHECK_STR(words_priority("none"), "Normal");
        CHECK_STR(words_priority("of-a-later-version"), "of-a-later-version");
}

TEST(what_a_newer_or_an_older_daemon_says_stays_as_it_says_it) {
        static const char *const entries[] = {
                "{'reason': <'in English'>}",
                "{'reason': <'in English'>, 'reason_data': <@aa{sv} []>}",
                "{'reason': <'in English'>, 'reason_data': <'of another type'>}",
                "{'reason': <'in English'>, 'reason_data': <[{'id': <'of-a-later-version'>}]>}",
                "{'reason': <'in English'>, 'reason_data': <[{'id': <'many-sync'>}]>}",
                "{'reason': <'in English'>, 'reason_data': <[{'id': <'many-sync'>, 'readers': <'60'>}]>}",
                "{'reason': <'in English'>, 'reason_data': <[{'id': <'law-says'>, 'law': <'x'>, 'reason': <[{'id': <'of-a-later-version'>}]>}]>}",
        };

        for (size_t i = 0; i < ARRAY_SIZE(entries); i++) {
                g_autofree char *text = reason(entries[i]);
                CHECK_STR(text, "in English");
        }
        g_autofree char *none = reason("{'reason_data': <@aa{sv} []>}");
        CHECK_STR(none, "");
}

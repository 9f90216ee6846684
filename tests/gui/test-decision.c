/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "decision-export.h"
#include "decision-words.h"
#include "object-decision.h"
#include "variant-text.h"
#include "words.h"

static BrioDecision *new_decision(const char *text) {
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        return brio_decision_new(entry);
}

/* sequence 0: leaves the list as it is, but for the entry's own. */
static void take(BrioDecisions *list, unsigned sequence, const char *tunable, const char *result, const char *more) {
        g_autofree char *text = g_strdup_printf("{'id': <'d%u'>, 'sequence': <uint64 %u>, 'device': <'sda'>, 'tunable': <'%s'>, 'result': <'%s'>%s}",
                                                sequence, sequence, tunable, result, more);
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        brio_decisions_take(list, entry);
}

static BrioDecision *at(BrioDecisions *list, guint position) {
        BrioDecision *d = g_list_model_get_item(G_LIST_MODEL(list), position);

        g_object_unref(d); /* the list keeps it */
        return d;
}

TEST(what_is_said_of_one_thing_is_put_together_without_gaps) {
        char *text = g_strdup("");

        words_add(&text, "");
        CHECK_STR(text, "");
        words_add(&text, "sda");
        CHECK_STR(text, "sda");
        words_add(&text, "");
        words_add(&text, "idle-limit");
        words_add(&text, "50 % better");
        CHECK_STR(text, "sda · idle-limit · 50 % better");
        g_free(text);
}

static bool summary_is(BrioDecision *decision, const char *expected) {
        g_autoptr(BrioDecisionGroup) alone = brio_decision_group_new(decision);
        g_autofree char *summary = decision_words_summary(alone);

        return strcmp(summary, expected) == 0;
}

TEST(a_decision_is_told_in_words) {
        g_autoptr(BrioDecision) d = new_decision(
                "{'id': <'d1'>, 'sequence': <uint64 1>, 'time_usec': <uint64 77>, 'device': <'sda'>, 'tunable': <'slice_idle_us'>, 'unit': <'us'>,"
                " 'old': <'8000'>, 'new': <'5000'>, 'law': <'idle-limit'>, 'result': <'applied'>, 'outcome': <'measuring'>, 'expected': <'half of it'>}");
        g_autoptr(BrioDecision) process = new_decision(
                "{'id': <'d2'>, 'device': <'sda'>, 'tunable': <'ioprio'>, 'pid': <uint32 42>, 'process': <'rsync'>, 'old': <'BE/4'>,"
                " 'new': <'BE/7'>, 'result': <'failed'>, 'error': <'EACCES'>, 'outcome': <'brand-new'>, 'effect': <'twice'>, 'expected': <'thrice'>}");
        g_autofree char *title = decision_words_title(d), *effect = decision_words_effect(d);
        g_autoptr(BrioDecision) ahead = new_decision(
                "{'id': <'d3'>, 'device': <'sda'>, 'tunable': <'read-ahead'>, 'unit': <'KiB'>, 'pid': <uint32 42>, 'process': <'gedit'>, 'old': <'0'>,"
                " 'new': <'20480'>, 'result': <'applied'>}");
        g_autoptr(BrioDecision) session = new_decision(
                "{'id': <'d5'>, 'tunable': <'read-ahead'>, 'unit': <'KiB'>, 'pid': <uint32 7>, 'process': <'systemd'>, 'application': <'user-session'>, 'new': <'5'>}");
        g_autoptr(BrioDecision) others = new_decision("{'id': <'d4'>, 'tunable': <'read-ahead'>, 'process': <'hidden'>, 'new': <'1'>}");
        g_autofree char *ahead_title = decision_words_title(ahead), *others_title = decision_words_title(others);
        g_autofree char *session_title = decision_words_title(session);
        g_autofree char *its_title = decision_words_title(process), *its_effect = decision_words_effect(process);

        CHECK_INT(brio_decision_get_time_us(d), 77);
        CHECK_STR(title, "Wait for the next read: 8000 → 5000 µs");
        CHECK(summary_is(d, "sda · Waits for readers · Applied · Being measured"));
        CHECK_STR(effect, "Expected: half of it");
        CHECK_STR(its_title, "Priority of rsync (42): Normal 4 → Normal 7");
        CHECK(summary_is(process, "sda · Failed · EACCES · brand-new"));
        CHECK_STR(its_effect, "Measured: twice");
        CHECK_STR(ahead_title, "Read ahead for gedit (42): 0 → 20480 KiB");
        CHECK_STR(session_title, "Read ahead for Session (7): 5 KiB"); /* as it is named among starts, not the first program in its unit */
        CHECK_STR(others_title, "Read ahead for another user’s process: 1");
}

TEST(what_reads_took_before_and_with_it_is_told_where_both_are_known) {
        g_autoptr(BrioDecision) both = new_decision("{'id': <'d1'>, 'effect': <'better'>, 'p95_before_usec': <uint64 470000>, 'p95_after_usec': <uint64 8400>}");
        g_autoptr(BrioDecision) one = new_decision("{'id': <'d1'>, 'effect': <'better'>, 'p95_before_usec': <uint64 470000>}");
        g_autofree char *text = decision_words_effect(both), *without = decision_words_effect(one);
        g_autofree char *details = decision_words_details("a = 1", "better", true), *alone = decision_words_details("", "better", true);
        g_autofree char *said = decision_words_details("a = 1", "better", false);

        CHECK_STR(text, "Of 100 reads, 95 took up to 470 ms before and up to 8.4 ms with it");
        CHECK_STR(without, "Measured: better");
        CHECK_STR(details, "a = 1\nMeasured: better"); /* what it was decided on */
        CHECK_STR(alone, "Measured: better");
        CHECK_STR(said, "a = 1"); /* plainly */
}

TEST(what_it_was_decided_on_is_told_where_what_most_reads_took_says_the_opposite) {
        static const char *const numbers = "'effect': <'in English'>, 'effect_data': <[{'id': <'trial-p95'>, 'before_usec': <int64 127000>, 'after_usec': <int64 279000>}, {'id': <'trial-longest-read'>,"
                                           " 'before_usec': <int64 623000>, 'after_usec': <int64 377000>, 'old': <int64 24>, 'new': <int64 6>}]>, 'p95_before_usec': <uint64 127000>, 'p95_after_usec': <uint64 279000>";
        g_autofree char *better = g_strdup_printf("{'id': <'d1'>, 'outcome': <'kept'>, %s}", numbers), *worse = g_strdup_printf("{'id': <'d1'>, 'outcome': <'reverted'>, %s}", numbers);
        g_autoptr(BrioDecision) kept = new_decision(better), reverted = new_decision(worse);
        g_autofree char *decided = decision_words_effect(kept), *most = decision_words_effect(reverted), *details = decision_words_details_of(kept);

        CHECK_STR(decided, "Measured: longest read 623 ms → 377 ms, 24 samples against 6");
        CHECK_STR(details, "");
        CHECK_STR(most, "Of 100 reads, 95 took up to 127 ms before and up to 279 ms with it");
}

TEST(an_entry_without_an_id_or_of_other_types_does_no_harm) {
        g_autoptr(BrioDecision) odd = new_decision("{'id': <'x'>, 'sequence': <'one'>, 'time_usec': <-7>, 'pid': <'p'>, 'old': <3>}");

        CHECK(new_decision("{}") == NULL);
        CHECK(new_decision("{'id': <7>}") == NULL);
        CHECK_INT(brio_decision_get_sequence(odd), -1);
        CHECK_INT(brio_decision_get_time_us(odd), 0);
        CHECK_INT(brio_decision_get_pid(odd), 0);
        CHECK_STR(brio_decision_get_text(odd, BRIO_DECISION_OLD), "");
}

TEST(every_word_of_a_search_is_looked_for) {
        g_autoptr(BrioDecision) d = new_decision("{'id': <'x'>, 'device': <'sda'>, 'law': <'idle-limit'>, 'reason': <'60 Processes read'>}");

        CHECK(brio_decision_matches(d, "processes SDA"));
        CHECK(!brio_decision_matches(d, "processes sdb"));
}

#define WITH_REASON \
        "{'id': <'d1'>, 'device': <'sda'>, 'tunable': <'slice_idle_us'>, 'law': <'idle-limit'>, 'reason': <'in English'>, 'reason_data': <[{'id': <'no-reason'>, " \
        "'law': <'idle-limit'>}, {'id': <'idle-limit'>, 'tunable': <'slice_idle_us'>, 'base_usec': <int64 8000>, 'slice_usec': <int64 300000>, 'readers': <int64 60>, " \
        "'limit_usec': <int64 5000>}]>}"

TEST(a_search_finds_names_for_people_and_those_of_files) {
        g_autoptr(BrioDecision) d = new_decision(WITH_REASON);

        CHECK(brio_decision_matches(d, "slice_idle_us") && brio_decision_matches(d, "wait for the next read"));
        CHECK(brio_decision_matches(d, "idle-limit") && brio_decision_matches(d, "waits for readers"));
        CHECK(brio_decision_matches(d, "in English") && brio_decision_matches(d, "the original comes back"));
}

TEST(a_program_gets_names_and_reasons_as_the_daemon_tells_them_and_people_their_own) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(BrioDecision) d = new_decision(WITH_REASON);
        g_autofree char *json = NULL;

        CHECK_STR(brio_decision_get_words(d, BRIO_DECISION_REASON), "no reason for “Waits for readers” any more: the original comes back");
        CHECK_STR(brio_decision_get_formula(d), "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 60 readers) = 5000 µs");
        g_list_store_append(list, d);
        json = decision_export(G_LIST_MODEL(list), DECISION_FORMAT_JSON);
        CHECK(strstr(json, "\"tunable\": \"slice_idle_us\"") && strstr(json, "\"law\": \"idle-limit\"") && strstr(json, "\"reason\": \"in English\""));
}

TEST(what_was_set_last_is_in_force_until_it_is_put_back) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();
        BrioDecision *first;

        take(list, 1, "slice_idle_us", "applied", "");
        first = at(list, 0);
        CHECK(brio_decision_is_in_force(first));
        take(list, 2, "nr_requests", "applied", "");
        take(list, 3, "slice_idle_us", "failed", "");
        CHECK(brio_decision_is_in_force(first)); /* what failed changed nothing */
        take(list, 4, "slice_idle_us", "applied", "");
        CHECK(!brio_decision_is_in_force(first));
        CHECK(brio_decision_is_in_force(at(list, 0)));
        take(list, 5, "slice_idle_us", "restored", "");
        CHECK(!brio_decision_is_in_force(at(list, 1)));
        CHECK(!brio_decision_is_in_force(at(list, 0)));
        CHECK(brio_decision_is_in_force(at(list, 3))); /* nr_requests */
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 5);
}

TEST(what_was_put_back_or_set_again_is_not_said_to_be_applied) {
        g_autoptr(BrioDecisions) list = brio_decisions_new(), loaded = brio_decisions_new();
        g_autoptr(GVariant) entries = variant_parse(
                "aa{sv}", "[{'id': <'a'>, 'sequence': <uint64 1>, 'device': <'sda'>, 'tunable': <'x'>, 'result': <'applied'>},"
                          " {'id': <'b'>, 'sequence': <uint64 2>, 'device': <'sda'>, 'tunable': <'x'>, 'result': <'applied'>},"
                          " {'id': <'c'>, 'sequence': <uint64 3>, 'device': <'sda'>, 'tunable': <'x'>, 'result': <'failed'>},"
                          " {'id': <'d'>, 'sequence': <uint64 4>, 'device': <'sda'>, 'tunable': <'x'>, 'result': <'restored'>, 'law': <'restore'>}]");

        brio_decisions_load(loaded, entries);
        take(list, 1, "x", "applied", "");
        take(list, 2, "x", "applied", "");
        CHECK(summary_is(at(list, 0), "sda · In force"));
        CHECK(summary_is(at(list, 1), "sda · Changed again since"));
        take(list, 3, "x", "failed", "");
        take(list, 4, "x", "restored", "");
        for (BrioDecisions *l = list; l; l = l == list ? loaded : NULL) {
                CHECK(summary_is(at(l, 0), "sda · Put back"));
                CHECK(summary_is(at(l, 2), "sda · Put back since"));
                CHECK(summary_is(at(l, 3), "sda · Changed again since"));
        }
        take(list, 2, "x", "applied", ", 'outcome': <'kept'>"); /* what its trial found is told later */
        CHECK(summary_is(at(list, 2), "sda · Put back since · Measured: better"));
}

TEST(what_a_user_undid_is_said_to_be_undone) {
        g_autoptr(BrioDecisions) list = brio_decisions_new(), loaded = brio_decisions_new();
        g_autoptr(GVariant) entries = variant_parse(
                "aa{sv}", "[{'id': <'a'>, 'sequence': <uint64 1>, 'device': <'sda'>, 'tunable': <'x'>, 'law': <'idle-limit'>, 'result': <'applied'>},"
                          " {'id': <'b'>, 'sequence': <uint64 2>, 'device': <'sda'>, 'tunable': <'x'>, 'law': <'restore'>, 'result': <'restored'>,"
                          " 'reason': <'undone on request'>, 'reason_data': <[{'id': <'undone'>}]>}]");

        brio_decisions_load(loaded, entries);
        take(list, 1, "x", "applied", ", 'law': <'idle-limit'>");
        take(list, 2, "x", "restored", ", 'law': <'restore'>, 'reason': <'undone on request'>, 'reason_data': <[{'id': <'undone'>}]>");
        for (BrioDecisions *l = list; l; l = l == list ? loaded : NULL) {
                CHECK(summary_is(at(l, 0), "sda · Undone"));
                CHECK(summary_is(at(l, 1), "sda · Waits for readers · Undone"));
        }
        take(list, 3, "y", "failed", ", 'law': <'restore'>, 'error': <'EIO'>, 'reason': <'undone on request'>, 'reason_data': <[{'id': <'undone'>}]>");
        CHECK(summary_is(at(list, 0), "sda · Put back · Failed · EIO"));
}

TEST(processes_have_one_priority_each) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();

        take(list, 1, "ioprio", "applied", ", 'pid': <uint32 7>");
        take(list, 2, "ioprio", "applied", ", 'pid': <uint32 8>");
        take(list, 3, "ioprio", "gone", ", 'pid': <uint32 7>");
        CHECK(brio_decision_is_in_force(at(list, 1)));
        CHECK(!brio_decision_is_in_force(at(list, 2)));
}

TEST(what_was_read_ahead_is_never_in_force_and_ends_no_priority) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();

        take(list, 1, "ioprio", "applied", ", 'pid': <uint32 7>");
        take(list, 2, "read-ahead", "applied", ", 'pid': <uint32 7>");
        CHECK(!brio_decision_is_in_force(at(list, 0)));
        CHECK(brio_decision_is_in_force(at(list, 1)));
}

TEST(what_a_trial_found_is_told_of_the_decision_itself) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();

        take(list, 1, "slice_idle_us", "applied", "");
        take(list, 2, "nr_requests", "applied", "");
        take(list, 1, "slice_idle_us", "applied", ", 'effect': <'better'>");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        CHECK_STR(brio_decision_get_text(at(list, 1), BRIO_DECISION_EFFECT), "better");
        CHECK(brio_decision_is_in_force(at(list, 1)));
        take(list, 3, "slice_idle_us", "restored", "");
        CHECK(!brio_decision_is_in_force(at(list, 2)));
}

TEST(a_trial_of_a_decision_that_is_not_in_the_list_does_not_become_the_newest) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();

        take(list, 5, "slice_idle_us", "applied", "");
        take(list, 7, "slice_idle_us", "applied", "");
        take(list, 3, "slice_idle_us", "applied", ", 'outcome': <'kept'>");
        take(list, 6, "slice_idle_us", "applied", ", 'outcome': <'kept'>");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        CHECK_STR(brio_decision_get_text(at(list, 0), BRIO_DECISION_ID), "d7");
}

TEST(a_list_that_is_loaded_is_newest_first_and_knows_what_is_in_force) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();
        g_autoptr(GVariant) entries = variant_parse(
                "aa{sv}", "[{'id': <'a'>, 'sequence': <uint64 1>, 'tunable': <'x'>, 'result': <'applied'>}, {'sequence': <uint64 2>},"
                          " {'id': <'c'>, 'sequence': <uint64 3>, 'tunable': <'x'>, 'result': <'applied'>}]");

        take(list, 9, "gone before", "applied", "");
        brio_decisions_load(list, entries);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        CHECK_STR(brio_decision_get_text(at(list, 0), BRIO_DECISION_ID), "c");
        CHECK(brio_decision_is_in_force(at(list, 0)));
        CHECK(!brio_decision_is_in_force(at(list, 1)));
}

static GVariant *make_applied(unsigned n) {
        GVariantBuilder entries;

        g_variant_builder_init(&entries, G_VARIANT_TYPE("aa{sv}"));
        for (unsigned i = 1; i <= n; i++)
                g_variant_builder_add_value(&entries, g_variant_new_parsed("{'id': <'d'>, 'sequence': <%t>, 'tunable': <'x'>, 'result': <'applied'>}", (guint64) i));
        return g_variant_ref_sink(g_variant_builder_end(&entries));
}

TEST(of_thousands_the_newest_are_listed_at_once_and_the_older_ones_as_the_loop_is_idle) {
        enum { N = 2 * BRIO_DECISIONS_AT_ONCE + 7 };
        g_autoptr(BrioDecisions) list = brio_decisions_new();
        g_autoptr(GVariant) entries = make_applied(N);

        brio_decisions_load(list, entries);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), BRIO_DECISIONS_AT_ONCE);
        CHECK_INT(brio_decision_get_sequence(at(list, 0)), N);
        while (g_main_context_iteration(NULL, FALSE))
                ;
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), N);
        for (unsigned i = 0; i < N; i++) {
                CHECK_INT(brio_decision_get_sequence(at(list, i)), N - i);
                CHECK_INT(brio_decision_is_in_force(at(list, i)), i == 0);
        }
        brio_decisions_load(list, entries); /* and goes while older ones are still to come */
}

TEST(what_is_told_of_a_decision_that_is_still_to_be_listed_is_not_lost) {
        enum { N = BRIO_DECISIONS_AT_ONCE + 2 };
        g_autoptr(BrioDecisions) list = brio_decisions_new();
        g_autoptr(GVariant) entries = make_applied(N);

        brio_decisions_load(list, entries);
        take(list, 1, "x", "applied", ", 'effect': <'better'>");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), N);
        CHECK_STR(brio_decision_get_text(at(list, N - 1), BRIO_DECISION_EFFECT), "better");
        CHECK(!brio_decision_is_in_force(at(list, N - 1)));
        CHECK(brio_decision_is_in_force(at(list, 0)));
}

TEST(the_oldest_goes_where_there_are_too_many) {
        g_autoptr(BrioDecisions) list = brio_decisions_new();

        for (unsigned i = 1; i <= BRIO_DECISIONS_MAX + 5; i++)
                take(list, i, "x", "applied", "");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), BRIO_DECISIONS_MAX);
        CHECK_INT(brio_decision_get_sequence(at(list, 0)), BRIO_DECISIONS_MAX + 5);
        CHECK_INT(brio_decision_get_sequence(at(list, BRIO_DECISIONS_MAX - 1)), 6);
}

TEST(a_list_is_written_for_a_table_and_for_a_program_whatever_its_texts_are) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(BrioDecision) odd = new_decision("{'id': <'d1'>, 'time_usec': <uint64 1795000000140000>, 'pid': <uint32 7>, 'process': <'=1+1'>, 'device': <'sda'>,"
                                                   " 'tunable': <'ioprio'>, 'old': <'-1'>, 'new': <'BE/7'>, 'reason': <'a \\\"b\\\", c\\n\\\\'>}");
        g_autofree char *none = decision_export(G_LIST_MODEL(list), DECISION_FORMAT_JSON), *csv = NULL, *json = NULL;

        CHECK_STR(none, "[\n\n]\n");
        g_list_store_append(list, odd);
        csv = decision_export(G_LIST_MODEL(list), DECISION_FORMAT_CSV);
        CHECK_STR(csv, "time,pid,id,device,process,tunable,unit,old,new,law,result,error,reason,outcome,effect,expected\r\n"
                       "2026-11-18T11:06:40Z,7,d1,sda,'=1+1,ioprio,,-1,BE/7,,,,\"a \"\"b\"\", c\n\\\",,,\r\n");
        json = decision_export(G_LIST_MODEL(list), DECISION_FORMAT_JSON);
        CHECK_STR(json, "[\n  {\"time\": \"2026-11-18T11:06:40Z\", \"pid\": 7, \"id\": \"d1\", \"device\": \"sda\", \"process\": \"=1+1\", \"tunable\": \"ioprio\", "
                        "\"unit\": \"\", \"old\": \"-1\", \"new\": \"BE/7\", \"law\": \"\", \"result\": \"\", \"error\": \"\", \"reason\": \"a \\\"b\\\", c\\u000a\\\\\", "
                        "\"outcome\": \"\", \"effect\": \"\", \"expected\": \"\"}\n]\n");
}

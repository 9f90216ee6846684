/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "object-process.h"
#include "search.h"
#include "variant-text.h"

static BrioProcess *new_process(const char *text) {
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        return brio_process_new(entry);
}

static BrioProcessChange last_change;

static guint merge(GListStore *list, const char *text) {
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", text);
        g_autoptr(GPtrArray) told = brio_processes_read(entries);
        guint observed, others;

        last_change = brio_processes_merge(list, told, &observed, &others);
        return observed;
}

static bool matches(BrioProcess *p, const char *search) {
        g_auto(GStrv) words = search_words(search);

        return brio_process_matches(p, (const char *const *) words);
}

static int changes;

static void on_changed(void) {
        changes++;
}

TEST(what_requests_show_is_observed_and_the_rest_is_not_known) {
        g_autoptr(BrioProcess) seen = new_process(
                "{'pid': <uint32 7>, 'name': <'fio'>, 'device': <'sda'>, 'read_bytes_per_second': <uint64 5>, 'wait_permille': <uint64 420>,"
                " 'reads_per_second': <uint64 3>, 'writes_per_second': <uint64 4>, 'read_latency_usec': <uint64 90>, 'seeks': <true>,"
                " 'read_latency_p99_usec': <uint64 0>, 'io_class': <'best-effort'>, 'io_level': <uint32 6>}");
        g_autoptr(BrioProcess) guessed = new_process("{'pid': <uint32 8>, 'inferred': <true>, 'wait_permille': <uint64 100>}");

        CHECK_INT(brio_process_get_pid(seen), 7);
        CHECK_STR(brio_process_get_name(seen), "fio");
        CHECK_STR(brio_process_get_drive(seen), "sda");
        CHECK(brio_process_is_observed(seen) && brio_process_is_random(seen) && !brio_process_is_inferred(seen));
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_READ), 5);
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_WRITE), -1);
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_WAIT), 420);
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_REQUESTS), 7);
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_LATENCY), 90);
        CHECK_INT(brio_process_get_figure(seen, BRIO_PROCESS_P99), -1); /* 0: none was measured */
        CHECK_STR(brio_process_get_io_class(seen), "best-effort");
        CHECK_INT(brio_process_get_io_level(seen), 6);
        CHECK(!brio_process_is_observed(guessed) && brio_process_is_inferred(guessed));
        CHECK_STR(brio_process_get_name(guessed), "");
        CHECK_STR(brio_process_get_user(guessed), "");
        CHECK_INT(brio_process_get_figure(guessed, BRIO_PROCESS_REQUESTS), -1);
        CHECK_INT(brio_process_get_figure(guessed, BRIO_PROCESS_WAIT), 100);
}

TEST(users_have_names_and_strangers_numbers) {
        g_autoptr(BrioProcess) root = new_process("{'pid': <uint32 7>, 'uid': <uint32 0>}");
        g_autoptr(BrioProcess) stranger = new_process("{'pid': <uint32 8>, 'uid': <uint32 4000000001>}");

        CHECK_STR(brio_process_get_user(root), "root");
        CHECK_STR(brio_process_get_user(stranger), "4000000001");
}

TEST(an_entry_of_other_types_or_without_a_number_does_no_harm) {
        g_autoptr(BrioProcess) odd = new_process(
                "{'pid': <uint32 7>, 'name': <5>, 'device': <['x']>, 'read_bytes_per_second': <'many'>, 'uid': <'root'>, 'seeks': <1>,"
                " 'wait_permille': <uint64 18446744073709551615>, 'new': <('thing', 1)>}");

        CHECK_STR(brio_process_get_name(odd), "");
        CHECK_INT(brio_process_get_figure(odd, BRIO_PROCESS_READ), -1);
        CHECK(brio_process_get_figure(odd, BRIO_PROCESS_WAIT) == G_MAXINT64);
        CHECK(new_process("{}") == NULL);
        CHECK(new_process("{'pid': <uint32 0>}") == NULL);
        CHECK(new_process("{'pid': <'7'>}") == NULL);
}

TEST(a_search_finds_every_word_whatever_the_case) {
        g_autoptr(BrioProcess) p = new_process("{'pid': <uint32 4242>, 'name': <'Größe'>, 'device': <'nvme0n1'>, 'uid': <uint32 0>}");

        CHECK(matches(p, ""));
        CHECK(matches(p, "  "));
        CHECK(matches(p, "GRÖSSE"));
        CHECK(matches(p, "Root nvme"));
        CHECK(matches(p, "424"));
        CHECK(!matches(p, "root sda"));
        CHECK(!matches(p, "zz"));
}

TEST(a_list_keeps_those_that_stay) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_PROCESS);
        g_autoptr(BrioProcess) first = NULL;

        CHECK_INT(merge(list, "[{'pid': <uint32 5>, 'name': <'a'>}, {'pid': <uint32 6>}, {'pid': <uint32 7>}]"), 0);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 3);
        first = g_list_model_get_item(G_LIST_MODEL(list), 0);
        changes = 0;
        g_signal_connect(first, "changed", on_changed, NULL);
        CHECK_INT(merge(list, "[{'pid': <uint32 9>}, {'pid': <uint32 5>, 'name': <'b'>, 'reads_per_second': <uint64 1>,"
                              " 'writes_per_second': <uint64 0>}, {'name': <'nobody'>}, {'pid': <uint32 9>}]"), 1);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        CHECK_INT(changes, 1);
        CHECK_STR(brio_process_get_name(first), "b");
        for (guint i = 0; i < 2; i++) {
                g_autoptr(BrioProcess) p = g_list_model_get_item(G_LIST_MODEL(list), i);

                CHECK_INT(brio_process_get_pid(p), i == 0 ? 5 : 9);
                CHECK_INT(p == first, i == 0);
        }
        CHECK_INT(merge(list, "[]"), 0);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 0);
}

static unsigned list_changes;

static void on_items_changed(void) {
        list_changes++;
}

#define MANY 5000

/* MANY processes from the number given on, of which each of the first three reads as much as is said. */
static GPtrArray *make_many(guint first, guint64 rate) {
        GPtrArray *told = g_ptr_array_new_with_free_func(g_object_unref);

        for (guint i = 0; i < MANY; i++) {
                g_autoptr(GVariant) entry = g_variant_ref_sink(g_variant_new_parsed(
                        "@a{sv} {'pid': <%u>, 'name': <'tar'>, 'device': <'sda'>, 'read_bytes_per_second': <%t>}", first + i, i < 3 ? rate : 1));

                g_ptr_array_add(told, brio_process_new(entry));
        }
        return told;
}

static BrioProcessChange merge_many(GListStore *list, guint first, guint64 rate) {
        g_autoptr(GPtrArray) told = make_many(first, rate);
        guint observed, others;

        return brio_processes_merge(list, told, &observed, &others);
}

static void watch_all(GListStore *list) {
        for (guint i = 0; i < MANY; i++) {
                g_autoptr(BrioProcess) p = g_list_model_get_item(G_LIST_MODEL(list), i);

                g_signal_connect(p, "changed", on_changed, NULL);
        }
        changes = 0;
        list_changes = 0;
        g_signal_connect(list, "items-changed", G_CALLBACK(on_items_changed), NULL);
}

TEST(an_answer_in_which_three_of_5000_changed_makes_three_notifications) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_PROCESS);

        merge_many(list, 1, 5);
        watch_all(list);
        CHECK_INT(merge_many(list, 1, 5), BRIO_PROCESS_SAME);
        CHECK_INT(changes, 0);
        CHECK_INT(merge_many(list, 1, 6), BRIO_PROCESS_OTHER_FIGURES);
        CHECK_INT(changes, 3);
        CHECK_INT(list_changes, 0); /* none came or went */
}

TEST(however_many_come_and_go_the_list_changes_once_and_the_rest_stay_what_they_are) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_PROCESS);
        g_autoptr(BrioProcess) stays = NULL, still = NULL;

        merge_many(list, 1, 5);
        stays = g_list_model_get_item(G_LIST_MODEL(list), 2000);
        watch_all(list);
        CHECK_INT(merge_many(list, 1001, 1), BRIO_PROCESS_OTHERS);
        CHECK_INT(list_changes, 1);
        CHECK_INT(changes, 0);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), MANY);
        still = g_list_model_get_item(G_LIST_MODEL(list), 1000);
        CHECK(still == stays);
        CHECK_INT(brio_process_get_pid(still), 2001);
}

TEST(what_is_searched_and_sorted_by_is_made_anew_only_where_a_word_is_another) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_PROCESS);
        g_autoptr(BrioProcess) p = NULL;

        merge(list, "[{'pid': <uint32 5>, 'name': <'tar'>, 'read_bytes_per_second': <uint64 1>}]");
        p = g_list_model_get_item(G_LIST_MODEL(list), 0);
        brio_process_set_key(p, 1, g_strdup("key"));
        CHECK(matches(p, "tar"));
        merge(list, "[{'pid': <uint32 5>, 'name': <'tar'>, 'read_bytes_per_second': <uint64 2>}]");
        CHECK_INT(last_change, BRIO_PROCESS_OTHER_FIGURES);
        CHECK_STR(brio_process_get_key(p, 1), "key");
        merge(list, "[{'pid': <uint32 5>, 'name': <'cp'>, 'read_bytes_per_second': <uint64 2>}]");
        CHECK_INT(last_change, BRIO_PROCESS_OTHER_WORDS);
        CHECK(!brio_process_get_key(p, 1));
        CHECK(matches(p, "cp") && !matches(p, "tar"));
}

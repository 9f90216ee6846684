/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "app-info.h"
#include "names.h"
#include "object-startup.h"
#include "startup-words.h"
#include "variant-text.h"

static BrioStartup *new_startup(const char *text) {
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        return brio_startup_new(entry);
}

TEST(a_start_is_told_with_its_culprits_and_what_is_missing_is_not_known) {
        g_autoptr(BrioStartup) s = new_startup(
                "{'application': <'org.gnome.TextEditor'>, 'device': <'sda'>, 'cold': <true>, 'measured': <true>, 'launched': <true>,"
                " 'time_usec': <uint64 77>, 'latency_usec': <uint64 4200000>, 'waited_permille': <uint64 610>, 'best_usec': <uint64 1200000>,"
                " 'cold_starts': <uint64 4>, 'culprits': <[('rsync', uint32 42, uint64 480), ('fio', 7, 2000)]>}");
        const BrioCulprit *culprits;

        CHECK_STR(brio_startup_get_application(s), "org.gnome.TextEditor");
        CHECK_STR(brio_startup_get_drive(s), "sda");
        CHECK(brio_startup_is_cold(s) && brio_startup_is_measured(s) && brio_startup_is_launched(s));
        CHECK_INT(brio_startup_get_time_us(s), 77);
        CHECK_INT(brio_startup_get_figure(s, BRIO_STARTUP_LATENCY), 4200000);
        CHECK_INT(brio_startup_get_figure(s, BRIO_STARTUP_USUAL), -1);
        CHECK_INT(brio_startup_get_waited_permille(s), 610);
        CHECK_INT(brio_startup_get_culprits(s, &culprits), 2);
        CHECK_STR(culprits[0].name, "rsync");
        CHECK_INT(culprits[0].pid, 42);
        CHECK_INT(culprits[0].permille, 480);
        CHECK_INT(culprits[1].permille, 1000);
        CHECK_INT((int) (brio_startup_get_factor(s) * 10), 35);
}

TEST(an_entry_without_an_application_or_of_other_types_does_no_harm) {
        g_autoptr(BrioStartup) odd = new_startup("{'application': <'x'>, 'latency_usec': <'long'>, 'culprits': <'rsync'>, 'cold': <1>,"
                                                 " 'waited_permille': <uint64 18446744073709551615>, 'new': <(1, 2)>}");
        const BrioCulprit *culprits;

        CHECK(new_startup("{}") == NULL);
        CHECK(new_startup("{'application': <''>}") == NULL);
        CHECK(new_startup("{'application': <7>}") == NULL);
        CHECK_INT(brio_startup_get_figure(odd, BRIO_STARTUP_LATENCY), -1);
        CHECK_INT(brio_startup_get_culprits(odd, &culprits), 0);
        CHECK_INT(brio_startup_get_waited_permille(odd), 1000);
        CHECK(!brio_startup_is_cold(odd));
}

/* What is usual is of cold starts as soon as there is one. */
TEST(a_warm_start_is_not_compared_with_cold_ones_nor_the_first_with_itself) {
        g_autoptr(BrioStartup) warm = new_startup("{'application': <'a'>, 'latency_usec': <uint64 3>, 'best_usec': <uint64 1>, 'cold_starts': <uint64 2>}");
        g_autoptr(BrioStartup) only_warm = new_startup("{'application': <'a'>, 'latency_usec': <uint64 3>, 'best_usec': <uint64 1>, 'cold_starts': <uint64 0>}");
        g_autoptr(BrioStartup) first = new_startup("{'application': <'a'>, 'cold': <true>, 'latency_usec': <uint64 3>, 'best_usec': <uint64 3>,"
                                                " 'cold_starts': <uint64 1>}");

        CHECK(brio_startup_get_factor(warm) < 0.5);
        CHECK_INT((int) brio_startup_get_factor(only_warm), 3);
        CHECK(brio_startup_get_factor(first) < 0.5);
}

TEST(a_start_waited_for_whole_percents_as_the_daemons_sentence_tells) {
        g_autoptr(BrioStartup) s = new_startup("{'application': <'a'>, 'device': <'sda'>, 'waited_permille': <uint64 717>, 'measured': <true>}");
        g_autofree char *summary = startup_words_summary(s);

        CHECK(strstr(summary, "spent 71 % waiting for sda"));
}

TEST(a_search_finds_the_application_by_its_names_its_drive_and_its_culprit) {
        g_autoptr(BrioStartup) s = new_startup("{'application': <'org.mozilla.firefox'>, 'device': <'nvme0n1'>, 'culprits': <[('rsync', uint32 42, uint64 480)]>}");

        CHECK(brio_startup_matches(s, "Feuerfuchs", "feuer"));
        CHECK(brio_startup_matches(s, "Feuerfuchs", "MOZILLA rsync"));
        CHECK(brio_startup_matches(s, "Feuerfuchs", "nvme"));
        CHECK(!brio_startup_matches(s, "Feuerfuchs", "sda"));
}

static void take(GListStore *list, const char *text) {
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        brio_startups_take(list, entry);
}

TEST(a_start_takes_the_place_of_the_last_one_of_its_application) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_STARTUP);
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", "[{'application': <'a'>, 'time_usec': <uint64 1>}, {'application': <'b'>, 'time_usec': <uint64 2>}, {}]");
        g_autoptr(BrioStartup) first = NULL;

        brio_startups_load(list, entries);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        take(list, "{'application': <'a'>, 'time_usec': <uint64 3>}");
        take(list, "{'time_usec': <uint64 4>}");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
        first = g_list_model_get_item(G_LIST_MODEL(list), 0);
        CHECK_INT(brio_startup_get_time_us(first), 3);
        take(list, "{'application': <'c'>}");
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 3);
        brio_startups_load(list, entries);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(list)), 2);
}

TEST(an_application_has_the_name_and_icon_of_its_desktop_file) {
        g_autoptr(GIcon) firefox = app_info_dup_icon("org.mozilla.firefox"), unknown = app_info_dup_icon("import-photos");
        g_autofree char *icon = g_icon_to_string(firefox), *generic = g_icon_to_string(unknown);

        CHECK_STR(app_info_get_name("org.mozilla.firefox"), "Firefox");
        CHECK_STR(icon, "web-browser");
        CHECK_STR(app_info_get_name("calculator"), "Calculator"); /* the last part of its id, as a program's name */
        CHECK_STR(app_info_get_name("import-photos"), "import-photos");
        CHECK_STR(generic, "application-x-executable");
        CHECK_STR(app_info_get_name("org.example.Unknown"), "Unknown");
        CHECK_STR(app_info_get_name("odd."), "odd.");
        CHECK_STR(app_info_get_name(BRIO_SESSION), "Session");
        CHECK(app_info_find("true.") == NULL);
}

static void on_changed(BrioStartup *startup, unsigned *n) {
        (void) startup;
        (*n)++;
}

TEST(what_help_is_worth_is_said_only_of_measured_starts_with_and_without) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_STARTUP);
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", "[{'application': <'a'>}, {'application': <'b'>}]");
        g_autoptr(GVariant) prefetch = variant_parse("aa{sv}", "[{'application': <'a'>, 'helped_usec': <uint64 1100000>, 'helped_starts': <uint64 3>,"
                                                               " 'unhelped_usec': <uint64 2900000>, 'unhelped_starts': <uint64 1>},"
                                                               " {'application': <'b'>, 'helped_usec': <uint64 1100000>, 'helped_starts': <uint64 3>,"
                                                               " 'unhelped_usec': <uint64 0>, 'unhelped_starts': <uint64 0>}, {}]");
        g_autoptr(BrioStartup) a = NULL, b = NULL;
        g_autofree char *one = NULL, *none = NULL;
        BrioStartupWorth of_a, of_b;
        unsigned changes = 0;

        brio_startups_load(list, entries);
        a = g_list_model_get_item(G_LIST_MODEL(list), 0);
        b = g_list_model_get_item(G_LIST_MODEL(list), 1);
        g_signal_connect(a, "changed", G_CALLBACK(on_changed), &changes);
        g_signal_connect(b, "changed", G_CALLBACK(on_changed), &changes);
        brio_startups_take_prefetch(list, prefetch);
        brio_startups_take_prefetch(list, prefetch); /* the same again is no change */
        CHECK_INT(changes, 1);
        of_a = brio_startup_get_worth(a);
        of_b = brio_startup_get_worth(b);
        one = startup_words_worth(&of_a);
        none = startup_words_worth(&of_b);
        CHECK_STR(one, "With Brio’s help: 1.1 s; without it: 2.9 s (1 start to compare)");
        CHECK_STR(none, "");
        brio_startups_take_prefetch(list, NULL);
        CHECK_INT(changes, 2);
}

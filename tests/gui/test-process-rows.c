/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the rows of the table of processes are. Applications are those of tests/lib/desktop. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "process-rows.h"
#include "search.h"
#include "variant-text.h"

static unsigned n_compared;

static int by_rate(gconstpointer a, gconstpointer b, gpointer unused) {
        gint64 x = brio_process_get_figure((BrioProcess *) a, BRIO_PROCESS_TOTAL), y = brio_process_get_figure((BrioProcess *) b, BRIO_PROCESS_TOTAL);

        (void) unused;
        n_compared++;
        return (y > x) - (y < x);
}

/* The largest first. */
static BrioProcessRows *new_rows(void) {
        return brio_process_rows_new(by_rate, NULL, NULL);
}

static void tell(BrioProcessRows *rows, const char *text) {
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", text);
        g_autoptr(GPtrArray) told = brio_processes_read(entries);

        brio_process_rows_take(rows, told);
}

static BrioProcess *at(BrioProcessRows *rows, guint position) {
        g_autoptr(BrioProcess) process = g_list_model_get_item(brio_process_rows_get_list(rows), position);

        return process; /* the list keeps it */
}

/* The group whose label that is; NULL: there is none. */
static BrioProcess *find(BrioProcessRows *rows, const char *label) {
        for (guint i = 0; i < g_list_model_get_n_items(brio_process_rows_get_list(rows)); i++) {
                g_autofree char *its = brio_process_dup_label(at(rows, i));

                if (g_str_equal(its, label))
                        return at(rows, i);
        }
        return NULL;
}

/* What is shown: "Firefox (2)|firefox|Web Content|fio". */
static char *describe(BrioProcessRows *rows) {
        GString *text = g_string_new(NULL);

        for (guint i = 0; i < g_list_model_get_n_items(brio_process_rows_get_list(rows)); i++) {
                g_autofree char *label = brio_process_dup_label(at(rows, i));

                g_string_append_printf(text, "%s%s", i ? "|" : "", label);
        }
        return g_string_free(text, FALSE);
}

static bool are(BrioProcessRows *rows, const char *expected) {
        g_autofree char *text = describe(rows);

        if (!g_str_equal(text, expected))
                printf("# %s\n", text);
        return g_str_equal(text, expected);
}

#define FIREFOX "'application': <'org.mozilla.firefox'>"
#define BROWSER                                                                                                     \
        "{'pid': <uint32 1>, 'name': <'firefox'>, " FIREFOX ", 'read_bytes_per_second': <uint64 10>},"              \
        "{'pid': <uint32 2>, 'name': <'Web Content'>, " FIREFOX ", 'read_bytes_per_second': <uint64 30>, 'wait_permille': <uint64 200>}"

TEST(processes_of_an_application_are_a_row_that_unfolds_to_them) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell(rows, "[" BROWSER ", {'pid': <uint32 3>, 'name': <'fio'>, 'read_bytes_per_second': <uint64 35>}]");
        CHECK(are(rows, "Firefox (2)|fio"));
        CHECK_STR(brio_process_get_application(find(rows, "Firefox (2)")), "org.mozilla.firefox");
        brio_process_rows_toggle(rows, find(rows, "Firefox (2)"));
        CHECK(are(rows, "Firefox (2)|Web Content|firefox|fio")); /* fio moves more than each of them, and less than both */
        brio_process_rows_toggle(rows, find(rows, "Firefox (2)"));
        CHECK(are(rows, "Firefox (2)|fio"));
        brio_process_rows_toggle(rows, find(rows, "fio")); /* is no group */
        CHECK(are(rows, "Firefox (2)|fio"));
}

TEST(an_application_without_a_unit_is_known_by_its_program_and_alone_it_has_its_name) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell(rows, "[{'pid': <uint32 1>, 'name': <'mpv'>}]");
        CHECK(are(rows, "mpv Media Player"));
        tell(rows, "[{'pid': <uint32 1>, 'name': <'firefox'>}, {'pid': <uint32 2>, 'name': <'Web Content'>, " FIREFOX "}]");
        CHECK(are(rows, "Firefox (2)"));
        tell(rows, "[{'pid': <uint32 3>, 'name': <'x'>, 'application': <'org.example.NotInstalled'>}]");
        CHECK(are(rows, "NotInstalled"));
}

TEST(processes_of_no_application_are_a_row_with_those_of_the_same_program_and_user) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell(rows, "[{'pid': <uint32 1>, 'name': <'fio'>, 'uid': <uint32 0>, 'read_bytes_per_second': <uint64 9>},"
                   " {'pid': <uint32 2>, 'name': <'fio'>, 'uid': <uint32 0>, 'read_bytes_per_second': <uint64 9>},"
                   " {'pid': <uint32 3>, 'name': <'fio'>, 'uid': <uint32 4000000001>, 'read_bytes_per_second': <uint64 8>},"
                   " {'others': <uint64 3>, 'device': <'sda'>, 'read_bytes_per_second': <uint64 7>},"
                   " {'others': <uint64 3>, 'device': <'sdb'>, 'read_bytes_per_second': <uint64 6>}]");
        CHECK(are(rows, "fio (2)|fio|3 processes of other users|3 processes of other users"));
        CHECK_INT(brio_process_rows_get_others(rows), 6);
}

TEST(a_group_has_the_sums_of_its_processes_the_most_of_what_is_no_sum_and_what_they_have_in_common) {
        g_autoptr(BrioProcessRows) rows = new_rows();
        BrioProcess *group;

        tell(rows, "[{'pid': <uint32 1>, 'name': <'fio'>, 'uid': <uint32 0>, 'device': <'sda'>, 'read_bytes_per_second': <uint64 5>, 'wait_permille': <uint64 300>,"
                   " 'reads_per_second': <uint64 2>, 'writes_per_second': <uint64 1>, 'read_latency_usec': <uint64 7>, 'read_latency_p99_usec': <uint64 90>},"
                   " {'pid': <uint32 2>, 'name': <'fio'>, 'uid': <uint32 0>, 'device': <'sdb'>, 'read_bytes_per_second': <uint64 6>, 'wait_permille': <uint64 900>,"
                   " 'read_latency_p99_usec': <uint64 80>}]");
        group = find(rows, "fio (2)");
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_READ), 11);
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_WRITE), -1);
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_REQUESTS), 3);
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_WAIT), 900);
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_LATENCY), -1);
        CHECK_INT(brio_process_get_figure(group, BRIO_PROCESS_P99), 90);
        CHECK_STR(brio_process_get_user(group), "root");
        CHECK_STR(brio_process_get_drive(group), "");
        CHECK(!brio_process_is_observed(group));
}

TEST(a_group_stays_unfolded_while_processes_come_and_go_until_the_last_has_gone) {
        g_autoptr(BrioProcessRows) rows = new_rows();
        BrioProcess *group;

        tell(rows, "[" BROWSER "]");
        group = find(rows, "Firefox (2)");
        brio_process_rows_toggle(rows, group);
        tell(rows, "[" BROWSER ", {'pid': <uint32 4>, 'name': <'GPU'>, " FIREFOX "}]");
        CHECK(are(rows, "Firefox (3)|Web Content|firefox|GPU"));
        tell(rows, "[{'pid': <uint32 4>, 'name': <'GPU'>, " FIREFOX "}]");
        CHECK(are(rows, "Firefox (1)|GPU"));
        CHECK(find(rows, "Firefox (1)") == group);
        tell(rows, "[]");
        CHECK(are(rows, ""));
        tell(rows, "[" BROWSER "]");
        CHECK(are(rows, "Firefox (2)"));
}

TEST(a_process_that_runs_another_program_leaves_its_group) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell(rows, "[{'pid': <uint32 1>, 'name': <'sh'>}, {'pid': <uint32 2>, 'name': <'sh'>, 'read_bytes_per_second': <uint64 1>}]");
        CHECK(are(rows, "sh (2)"));
        tell(rows, "[{'pid': <uint32 1>, 'name': <'mpv'>}, {'pid': <uint32 2>, 'name': <'sh'>, 'read_bytes_per_second': <uint64 1>}]");
        CHECK(are(rows, "sh (1)|mpv Media Player"));
}

TEST(a_search_shows_what_it_finds_below_its_group_and_folds_nothing) {
        g_autoptr(BrioProcessRows) rows = new_rows();
        g_auto(GStrv) words = search_words("web"), application = search_words("firefox"), none = search_words("");

        tell(rows, "[" BROWSER ", {'pid': <uint32 3>, 'name': <'fio'>, 'read_bytes_per_second': <uint64 35>}]");
        brio_process_rows_search(rows, (const char *const *) words);
        CHECK(are(rows, "Firefox (2)|Web Content"));
        CHECK(brio_process_is_unfolded(find(rows, "Firefox (2)")));
        brio_process_rows_toggle(rows, find(rows, "Firefox (2)"));
        CHECK(are(rows, "Firefox (2)|Web Content"));
        brio_process_rows_search(rows, (const char *const *) application);
        CHECK(are(rows, "Firefox (2)|Web Content|firefox"));
        brio_process_rows_search(rows, (const char *const *) none);
        CHECK(are(rows, "Firefox (2)|fio"));
}

TEST(a_history_has_a_figure_for_each_answer_and_none_from_before_a_pause) {
        g_autoptr(BrioProcessRows) rows = new_rows();
        const gint64 *history;
        gint64 highest;

        tell(rows, "[" BROWSER "]");
        tell(rows, "[{'pid': <uint32 1>, 'name': <'firefox'>, " FIREFOX ", 'read_bytes_per_second': <uint64 50>}]");
        history = brio_process_get_history(find(rows, "Firefox (1)"), &highest);
        CHECK_INT(highest, 50);
        CHECK_INT(history[BRIO_PROCESS_SECONDS - 1], 50);
        CHECK_INT(history[BRIO_PROCESS_SECONDS - 2], 40);
        CHECK_INT(history[BRIO_PROCESS_SECONDS - 3], 0);
        brio_process_rows_pause(rows);
        brio_process_get_history(find(rows, "Firefox (1)"), &highest);
        CHECK_INT(highest, 0);
}

/* Each place in order, and below each group that is unfolded its processes, also in order. */
static void check_order(GListModel *list) {
        BrioProcess *place = NULL, *member = NULL;

        for (guint i = 0; i < g_list_model_get_n_items(list); i++) {
                g_autoptr(BrioProcess) p = g_list_model_get_item(list, i);
                BrioProcess *group = brio_process_get_group(p), **before = group ? &member : &place;

                CHECK(!group || group == place);
                CHECK(!*before || by_rate(*before, p, NULL) <= 0);
                *before = p; /* the list keeps it */
                if (!group)
                        member = NULL;
        }
}

TEST(rows_are_in_order_whatever_comes_goes_and_unfolds) {
        g_autoptr(BrioProcessRows) rows = new_rows();
        GListModel *list = brio_process_rows_get_list(rows);
        uint64_t seed = test_seed();

        for (unsigned round = 0; round < 300; round++) {
                GString *text = g_string_new("@aa{sv} [");

                for (unsigned pid = 1; pid <= 20; pid++)
                        if (test_random(&seed) % 4)
                                g_string_append_printf(text, "%s{'pid': <uint32 %u>, 'name': <'p%u'>, 'read_bytes_per_second': <uint64 %u>}",
                                                       g_str_has_suffix(text->str, "}") ? ", " : "", pid,
                                                       (unsigned) (test_random(&seed) % 5), (unsigned) (test_random(&seed) % 100));
                g_string_append(text, "]");
                tell(rows, text->str);
                g_string_free(text, TRUE);
                check_order(list);
                if (g_list_model_get_n_items(list) > 0)
                        brio_process_rows_toggle(rows, at(rows, (guint) (test_random(&seed) % g_list_model_get_n_items(list))));
                check_order(list);
        }
}

#define MANY 5000

/* MANY processes, "reader0" the slowest. */
static void tell_many(BrioProcessRows *rows) {
        GString *text = g_string_new("@aa{sv} [");

        for (unsigned i = 0; i < MANY; i++)
                g_string_append_printf(text, "%s{'pid': <uint32 %u>, 'name': <'reader%u'>, 'read_bytes_per_second': <uint64 %u>}", i ? ", " : "", i + 1, i, i);
        g_string_append(text, "]");
        tell(rows, text->str);
        g_string_free(text, TRUE);
}

static struct {
        guint times, position, removed, added;
} change; /* of the list */

static void on_list(GListModel *list, guint position, guint removed, guint added) {
        (void) list;
        change.times++;
        change.position = position;
        change.removed = removed;
        change.added = added;
}

static void search(BrioProcessRows *rows, const char *text) {
        g_auto(GStrv) words = search_words(text);

        change.times = 0;
        brio_process_rows_search(rows, (const char *const *) words);
}

TEST(a_search_among_5000_compares_nothing_and_changes_the_list_once_and_only_between_what_stays) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell_many(rows);
        g_signal_connect(brio_process_rows_get_list(rows), "items-changed", G_CALLBACK(on_list), NULL);
        n_compared = 0;
        search(rows, "reader"); /* each is one */
        CHECK_INT(change.times, 0);
        search(rows, "reader4"); /* the 1000 at the top, 400 to 499, 40 to 49 and 4 */
        CHECK_INT(change.times, 1);
        CHECK_INT(change.position, 1000);
        CHECK_INT(change.removed, 4000);
        CHECK_INT(change.added, 111);
        search(rows, "reader4999");
        CHECK_INT(change.times, 1);
        CHECK_INT(change.position, 1);
        search(rows, "");
        CHECK_INT(change.times, 1);
        CHECK_INT(change.position, 1);
        CHECK_INT(change.added, MANY - 1);
        CHECK_INT(n_compared, 0);
}

TEST(an_answer_that_says_the_same_of_5000_compares_nothing_and_changes_nothing) {
        g_autoptr(BrioProcessRows) rows = new_rows();

        tell_many(rows);
        change.times = n_compared = 0;
        g_signal_connect(brio_process_rows_get_list(rows), "items-changed", G_CALLBACK(on_list), NULL);
        tell_many(rows);
        CHECK_INT(n_compared, 0);
        brio_process_rows_sort(rows);
        CHECK(n_compared > 0);
        CHECK_INT(change.times, 0);
}

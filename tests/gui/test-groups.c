/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "decision-groups.h"
#include "decision-words.h"
#include "variant-text.h"

#define NOON_US G_GUINT64_CONSTANT(1795003200000000) /* 18 November 2026 */
#define DAY_US ((guint64) 24 * 3600 * G_USEC_PER_SEC)

struct told {
        guint64 sequence; /* 0: none */
        guint64 time_us;
        const char *tunable, *drive, *new, *law, *result, *outcome; /* NULL: as of the others */
};

static BrioDecision *make(const struct told *told) {
        g_autofree char *sequence = told->sequence ? g_strdup_printf("'sequence': <uint64 %" G_GUINT64_FORMAT ">, ", told->sequence) : g_strdup("");
        g_autofree char *text = g_strdup_printf("{%s'id': <'d'>, 'time_usec': <uint64 %" G_GUINT64_FORMAT ">, 'device': <'%s'>, 'tunable': <'%s'>, 'old': <'BE/4'>, "
                                                "'new': <'%s'>, 'law': <'%s'>, 'result': <'%s'>, 'outcome': <'%s'>}",
                                                sequence, told->time_us, told->drive ? told->drive : "sda", told->tunable, told->new ? told->new : "BE/7",
                                                told->law ? told->law : "step-back", told->result ? told->result : "applied", told->outcome ? told->outcome : "");
        g_autoptr(GVariant) entry = variant_parse("a{sv}", text);

        return brio_decision_new(entry);
}

static void put(GListStore *list, struct told told) {
        g_autoptr(BrioDecision) decision = make(&told);

        g_list_store_insert(list, 0, decision);
}

#define TOLD(...) ((struct told){ __VA_ARGS__ })

static BrioDecisionGroup *at(GListModel *groups, guint position) {
        BrioDecisionGroup *group = g_list_model_get_item(groups, position);

        g_object_unref(group); /* the list keeps it */
        return group;
}

/* "3+1": how many decisions each has; "|" before one that begins a day. */
static char *describe(GListModel *groups) {
        GString *text = g_string_new("");

        for (guint i = 0; i < g_list_model_get_n_items(groups); i++)
                g_string_append_printf(text, "%s%u", brio_decision_group_begins_day(at(groups, i)) ? "|" : i > 0 ? "+" : "", brio_decision_group_get_n(at(groups, i)));
        return g_string_free(text, FALSE);
}

static bool are(GListModel *groups, const char *expected) {
        g_autofree char *text = describe(groups);

        if (strcmp(text, expected) != 0)
                printf("# %s and not %s\n", text, expected);
        return strcmp(text, expected) == 0;
}

TEST(processes_that_step_back_at_the_same_moment_are_one_row) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        CHECK(are(groups, ""));
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio"));
        put(list, TOLD(.time_us = NOON_US + 10, .tunable = "ioprio"));
        put(list, TOLD(.time_us = NOON_US + 999999, .tunable = "ioprio"));
        CHECK(are(groups, "|3"));
        put(list, TOLD(.time_us = NOON_US + 1000010, .tunable = "ioprio"));
        CHECK(are(groups, "|2+2")); /* a moment is counted back from its newest */
}

TEST(what_differs_in_more_than_the_process_has_a_row_of_its_own) {
        static const struct told others[] = {
                { .time_us = NOON_US, .tunable = "ioprio", .drive = "sdb" },
                { .time_us = NOON_US, .tunable = "ioprio", .new = "idle" },
                { .time_us = NOON_US, .tunable = "ioprio", .law = "startup-guard" },
                { .time_us = NOON_US, .tunable = "ioprio", .result = "failed" },
        };
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        put(list, TOLD(.time_us = NOON_US, .tunable = "slice_idle_us"));
        put(list, TOLD(.time_us = NOON_US, .tunable = "slice_idle_us"));
        CHECK(are(groups, "|1+1"));
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
                g_list_store_remove_all(list);
                put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio"));
                put(list, others[i]);
                CHECK(are(groups, "|1+1"));
        }
}

TEST(each_day_begins_with_a_heading) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autofree char *day = NULL, *time = NULL, *untold = NULL;
        g_autoptr(BrioDecision) none = make(&TOLD(.time_us = 0, .tunable = "x"));

        put(list, TOLD(.time_us = NOON_US - DAY_US, .tunable = "x"));
        put(list, TOLD(.time_us = NOON_US, .tunable = "x"));
        put(list, TOLD(.time_us = NOON_US + 1000000, .tunable = "x"));
        CHECK(are(groups, "|1+1|1"));
        put(list, TOLD(.time_us = NOON_US + DAY_US, .tunable = "x"));
        CHECK(are(groups, "|1|1+1|1"));
        g_list_store_remove(list, 1);
        CHECK(are(groups, "|1|1|1"));
        day = decision_words_day(brio_decision_group_get(at(groups, 1), 0));
        CHECK_STR(day, "Wednesday, 18 November 2026");
        time = decision_words_when(brio_decision_group_get(at(groups, 1), 0));
        CHECK_STR(time, "12:00:00");
        untold = decision_words_day(none);
        CHECK_STR(untold, "");
}

TEST(a_moment_around_midnight_is_a_row_of_each_day) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        put(list, TOLD(.time_us = NOON_US, .tunable = "x"));
        put(list, TOLD(.time_us = NOON_US + DAY_US / 2 - 1, .tunable = "ioprio"));
        put(list, TOLD(.time_us = NOON_US + DAY_US / 2, .tunable = "ioprio"));
        CHECK(are(groups, "|1|1+1"));
}

static void count_changed(GListModel *groups, guint position, guint removed, guint added, unsigned *changed) {
        (void) groups;
        (void) position;
        *changed += removed + added;
}

TEST(a_row_whose_decisions_stay_is_the_same_one) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        BrioDecisionGroup *first, *last;
        unsigned changed = 0;

        put(list, TOLD(.time_us = NOON_US, .tunable = "x"));
        put(list, TOLD(.time_us = NOON_US + 5000000, .tunable = "ioprio"));
        put(list, TOLD(.time_us = NOON_US + 5000000, .tunable = "ioprio"));
        first = at(groups, 0);
        last = at(groups, 1);
        g_signal_connect(groups, "items-changed", G_CALLBACK(count_changed), &changed);
        put(list, TOLD(.time_us = NOON_US + 9000000, .tunable = "x"));
        CHECK(are(groups, "|1+2+1"));
        CHECK(at(groups, 1) == first && at(groups, 2) == last);
        CHECK_INT(changed, 1); /* the new one, although another one has lost its heading */
}

static void count(unsigned *n) {
        (*n)++;
}

TEST(a_row_that_another_joins_or_whose_trial_ends_is_the_same_one) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        const struct told told = { .sequence = 7, .time_us = NOON_US, .tunable = "ioprio" };
        g_autoptr(BrioDecision) ended = NULL;
        unsigned changed = 0, told_changed = 0;
        BrioDecisionGroup *group;

        put(list, told);
        group = at(groups, 0);
        g_signal_connect(groups, "items-changed", G_CALLBACK(count_changed), &changed);
        g_signal_connect_swapped(group, "changed", G_CALLBACK(count), &told_changed);
        put(list, TOLD(.sequence = 8, .time_us = NOON_US, .tunable = "ioprio"));
        CHECK(are(groups, "|2"));
        CHECK_INT(told_changed, 1);
        ended = make(&TOLD(.sequence = 7, .time_us = NOON_US, .tunable = "ioprio", .outcome = "kept"));
        g_list_store_splice(list, 1, 1, (gpointer *) &ended, 1);
        CHECK(at(groups, 0) == group);
        CHECK(brio_decision_group_get(group, 1) == ended);
        CHECK_INT(told_changed, 2);
        CHECK_INT(changed, 0);
}

/* Whatever comes and goes, the rows are those that a new list would have. */
TEST(rows_follow_the_list_wherever_it_changes) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autoptr(GRand) random = g_rand_new_with_seed(1);

        for (unsigned i = 0; i < 2000; i++) {
                guint n = g_list_model_get_n_items(G_LIST_MODEL(list)), position = (guint) g_rand_int_range(random, 0, (gint32) n + 1);
                guint removed = (guint) g_rand_int_range(random, 0, (gint32) (n - position < 4 ? n - position : 4) + 1), added = (guint) g_rand_int_range(random, 0, 5);
                g_autoptr(GPtrArray) fresh = g_ptr_array_new_full(1, g_object_unref);
                g_autoptr(GListModel) expected = NULL;
                g_autofree char *text = NULL;

                for (guint k = 0; k < added; k++) {
                        guint64 days = (guint64) g_rand_int_range(random, 0, 2), parts = (guint64) g_rand_int_range(random, 0, 6);

                        g_ptr_array_add(fresh, make(&TOLD(.time_us = NOON_US + days * DAY_US + parts * 300000, .tunable = g_rand_boolean(random) ? "ioprio" : "x")));
                }
                g_list_store_splice(list, position, removed, fresh->pdata, added);
                expected = decision_groups_new(G_LIST_MODEL(list));
                text = describe(expected);
                CHECK(are(groups, text));
        }
}

static BrioDecisionGroup *group_of(const char *outcome) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = NULL;

        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .outcome = "kept"));
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .outcome = outcome));
        groups = decision_groups_new(G_LIST_MODEL(list));
        return g_list_model_get_item(groups, 0);
}

TEST(several_are_told_in_words_by_what_they_have_in_common) {
        g_autoptr(BrioDecisionGroup) same = group_of("kept"), other = group_of("measuring");
        g_autofree char *title = decision_words_group_title(same), *summary = decision_words_summary(same), *others_summary = decision_words_summary(other);

        CHECK_STR(title, "Priority of 2 processes: Normal 4 → Normal 7");
        CHECK_STR(summary, "sda · Letting others go first · Applied · Measured: better");
        CHECK_STR(others_summary, "sda · Letting others go first · Applied");
}

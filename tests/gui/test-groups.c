/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "decision-group-words.h"
#include "decision-groups.h"
#include "decision-words.h"
#include "variant-text.h"

#define NOON_US G_GUINT64_CONSTANT(1795003200000000) /* 18 November 2026 */
#define DAY_US ((guint64) 24 * 3600 * G_USEC_PER_SEC)

struct told {
        guint64 sequence; /* 0: none */
        guint64 time_us;
        const char *tunable, *drive, *old, *new, *law, *result, *outcome, *process; /* NULL: as of the others */
        unsigned pid;                                                               /* 0: none */
};

static BrioDecision *make(const struct told *told) {
        g_autofree char *sequence = told->sequence ? g_strdup_printf("'sequence': <uint64 %" G_GUINT64_FORMAT ">, ", told->sequence) : g_strdup("");
        g_autofree char *text = g_strdup_printf("{%s'id': <'d'>, 'time_usec': <uint64 %" G_GUINT64_FORMAT ">, 'device': <'%s'>, 'tunable': <'%s'>, 'old': <'%s'>, "
                                                "'new': <'%s'>, 'law': <'%s'>, 'result': <'%s'>, 'outcome': <'%s'>, 'pid': <uint32 %u>, "
                                                "'process': <'%s'>, 'reason': <'why'>}",
                                                sequence, told->time_us, told->drive ? told->drive : "sda", told->tunable, told->old ? told->old : "BE/4",
                                                told->new ? told->new : "BE/7",
                                                told->law ? told->law : "step-back", told->result ? told->result : "applied", told->outcome ? told->outcome : "",
                                                told->pid, told->process ? told->process : "");
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

#define MINUTE_US (60 * (guint64) G_USEC_PER_SEC)

static void put_begin(GListStore *list, guint64 time_us, unsigned pid, const char *process) {
        put(list, TOLD(.time_us = time_us, .tunable = "ioprio", .pid = pid, .process = process));
}

static void put_end(GListStore *list, guint64 time_us, unsigned pid, const char *process) {
        put(list, TOLD(.time_us = time_us, .tunable = "ioprio", .old = "BE/7", .new = "BE/4", .law = "restore", .result = "restored", .pid = pid, .process = process));
}

TEST(neighbours_by_which_processes_let_others_go_first_and_go_on_are_one_row_over_minutes) {
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        CHECK(are(groups, ""));
        put_begin(list, NOON_US, 1, "tar");
        put_begin(list, NOON_US + 10, 2, "cp");
        put_end(list, NOON_US + 4 * MINUTE_US, 1, "tar");
        put_begin(list, NOON_US + 8 * MINUTE_US, 1, "tar");
        CHECK(are(groups, "|4"));
        put_begin(list, NOON_US + 13 * MINUTE_US, 1, "tar");
        CHECK(are(groups, "|1+4")); /* after a pause */
        put_begin(list, NOON_US + 59 * MINUTE_US, 1, "tar");
        put_begin(list, NOON_US + 60 * MINUTE_US, 1, "tar");
        CHECK(are(groups, "|1+1+1+4")); /* in another hour */
}

TEST(what_differs_in_drive_or_result_or_has_another_between_has_a_row_of_its_own) {
        static const struct told others[] = {
                { .time_us = NOON_US, .tunable = "ioprio", .drive = "sdb" },
                { .time_us = NOON_US, .tunable = "ioprio", .result = "failed" },
                { .time_us = NOON_US, .tunable = "ioprio", .result = "advised" },
        };
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        put(list, TOLD(.time_us = NOON_US, .tunable = "slice_idle_us"));
        put(list, TOLD(.time_us = NOON_US, .tunable = "slice_idle_us"));
        CHECK(are(groups, "|1+1"));
        for (size_t i = 0; i < G_N_ELEMENTS(others); i++) {
                g_list_store_remove_all(list);
                put_begin(list, NOON_US, 1, "tar");
                put(list, others[i]);
                put_begin(list, NOON_US, 2, "tar");
                CHECK(are(groups, "|1+1+1"));
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
                        guint64 days = (guint64) g_rand_int_range(random, 0, 2), parts = (guint64) g_rand_int_range(random, 0, 24);

                        g_ptr_array_add(fresh, make(&TOLD(.time_us = NOON_US + days * DAY_US + parts * 2 * MINUTE_US, .tunable = g_rand_boolean(random) ? "ioprio" : "x")));
                }
                g_list_store_splice(list, position, removed, fresh->pdata, added);
                expected = decision_groups_new(G_LIST_MODEL(list));
                text = describe(expected);
                CHECK(are(groups, text));
        }
}

static GListStore *new_list(void) {
        return g_list_store_new(BRIO_TYPE_DECISION);
}

/* The title of the only group that these decisions make. */
static bool title_is(GListStore *list, const char *expected) {
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autofree char *title = decision_group_words_title(at(groups, 0));

        if (strcmp(title, expected) != 0 || g_list_model_get_n_items(groups) != 1)
                printf("# %u groups, the first: %s\n", g_list_model_get_n_items(groups), title);
        return strcmp(title, expected) == 0 && g_list_model_get_n_items(groups) == 1;
}

TEST(a_begin_and_its_end_are_told_as_one_with_its_duration_and_their_values_are_details) {
        g_autoptr(GListStore) list = new_list();
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autofree char *details = NULL;

        put_begin(list, NOON_US, 42, "rsync");
        CHECK(title_is(list, "rsync let others go first"));
        put_end(list, NOON_US + 12 * G_USEC_PER_SEC, 42, "rsync");
        CHECK(title_is(list, "rsync let others go first for 12 s"));
        CHECK(brio_decision_group_is_one(at(groups, 0)));
        details = decision_group_words_details(at(groups, 0));
        CHECK_STR(details, "12:00:00  Priority of rsync (42): Normal 4 → Normal 7\n12:00:12  Priority of rsync (42): Normal 7 → Normal 4\nwhy");
}

TEST(an_end_without_its_begin_says_what_no_longer_is) {
        g_autoptr(GListStore) list = new_list();

        put_end(list, NOON_US, 42, "rsync");
        CHECK(title_is(list, "rsync no longer lets others go first"));
        put_end(list, NOON_US, 43, "tar");
        CHECK(title_is(list, "2 programs no longer let others go first"));
        g_list_store_remove_all(list);
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .old = "RT/3", .result = "gone", .pid = 7, .process = "mpv"));
        CHECK(title_is(list, "mpv no longer goes first"));
}

TEST(a_program_that_lets_others_go_first_again_and_again_is_told_with_how_often) {
        g_autoptr(GListStore) list = new_list();

        for (unsigned i = 0; i < 4; i++) {
                put_begin(list, NOON_US + i * MINUTE_US, 42, "rsync");
                put_end(list, NOON_US + i * MINUTE_US + G_USEC_PER_SEC, 42, "rsync");
        }
        CHECK(title_is(list, "rsync lets others go first, 4 times"));
        put_begin(list, NOON_US + 4 * MINUTE_US, 43, "tar");
        CHECK(title_is(list, "2 programs let others go first"));
}

TEST(the_end_of_another_process_makes_no_duration) {
        g_autoptr(GListStore) list = new_list();
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));

        put_begin(list, NOON_US, 42, "rsync");
        put_end(list, NOON_US + G_USEC_PER_SEC, 43, "rsync");
        CHECK(title_is(list, "rsync let others go first"));
        CHECK(!brio_decision_group_is_one(at(groups, 0)));
}

TEST(another_users_process_and_one_that_goes_first_have_titles_of_their_own) {
        g_autoptr(GListStore) list = new_list();

        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .process = "hidden"));
        CHECK(title_is(list, "Another user’s program let others go first"));
        g_list_store_remove_all(list);
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .new = "RT/3", .pid = 7, .process = "mpv"));
        put(list, TOLD(.time_us = NOON_US + G_USEC_PER_SEC, .tunable = "ioprio", .old = "RT/3", .result = "restored", .pid = 7, .process = "mpv"));
        CHECK(title_is(list, "mpv went first for 1 s"));
}

TEST(what_lets_others_go_first_and_what_goes_first_at_the_same_time_are_one_row_that_says_both) {
        g_autoptr(GListStore) list = new_list();
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autoptr(BrioDecisionGroup) given = NULL;
        g_autofree char *summary = NULL;

        put_begin(list, NOON_US, 42, "rsync");
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .new = "RT/3", .law = "stream-guard", .pid = 7, .process = "mpv"));
        put_begin(list, NOON_US, 43, "tar");
        put(list, TOLD(.time_us = NOON_US + 5 * G_USEC_PER_SEC, .tunable = "ioprio", .old = "RT/3", .law = "restore", .result = "restored", .pid = 7, .process = "mpv"));
        CHECK(title_is(list, "2 programs let others go first · mpv went first for 5 s"));
        CHECK_STR(decision_group_words_reason(at(groups, 0)), ""); /* of two laws */
        given = brio_decision_group_get_given(at(groups, 0));
        summary = decision_words_summary(given);
        CHECK_STR(summary, "sda · Applied");
}

/* Its parts, "2+1": how many decisions each has. */
static char *describe_parts(BrioDecisionGroup *group) {
        g_autoptr(GPtrArray) parts = brio_decision_group_split(group);
        GString *text = g_string_new("");

        for (guint i = 0; i < parts->len; i++)
                g_string_append_printf(text, "%s%u", i > 0 ? "+" : "", brio_decision_group_get_n(parts->pdata[i]));
        return g_string_free(text, FALSE);
}

TEST(a_row_unfolds_to_each_begin_with_its_end) {
        g_autoptr(GListStore) list = new_list();
        g_autoptr(GListModel) groups = decision_groups_new(G_LIST_MODEL(list));
        g_autofree char *parts = NULL;

        put_end(list, NOON_US, 41, "cp");
        put_begin(list, NOON_US, 42, "rsync");
        put_begin(list, NOON_US, 43, "tar");
        put_end(list, NOON_US + 1, 42, "rsync");
        put_begin(list, NOON_US + 2, 42, "rsync");
        put_end(list, NOON_US + 3, 43, "tar");
        parts = describe_parts(at(groups, 0));
        CHECK_STR(parts, "2+1+2+1"); /* tar, rsync that is on, rsync that is over, cp */
}

static BrioDecisionGroup *group_of(const char *outcome) {
        g_autoptr(GListStore) list = new_list();
        g_autoptr(GListModel) groups = NULL;

        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .pid = 1, .outcome = "kept"));
        put(list, TOLD(.time_us = NOON_US, .tunable = "ioprio", .pid = 2, .outcome = outcome));
        put_end(list, NOON_US, 2, "");
        groups = decision_groups_new(G_LIST_MODEL(list));
        return g_list_model_get_item(groups, 0);
}

TEST(several_are_told_in_words_by_what_those_that_began_have_in_common) {
        g_autoptr(BrioDecisionGroup) same = group_of("kept"), other = group_of("measuring");
        g_autoptr(BrioDecisionGroup) same_given = brio_decision_group_get_given(same), other_given = brio_decision_group_get_given(other);
        g_autofree char *summary = decision_words_summary(same_given), *others_summary = decision_words_summary(other_given);

        CHECK_STR(summary, "sda · Letting others go first · Applied · Measured: better");
        CHECK_STR(others_summary, "sda · Letting others go first · Applied");
}

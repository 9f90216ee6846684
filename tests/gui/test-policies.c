/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of policies and mode alone, against a scripted daemon. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "advice-list.h"
#include "decision-row.h"
#include "gui-env.h"
#include "mode-switch.h"
#include "page-env.h"
#include "page-policies.h"
#include "policy-row.h"
#include "program-rules-ask.h"
#include "variant-text.h"

static bool has_label(void *page, const char *text) {
        return page_env_find(page, GTK_TYPE_LABEL, text) != NULL;
}

static bool has_advice(void *page) {
        return page_env_find(page, BRIO_TYPE_DECISION_ROW, NULL) != NULL;
}

static bool has_no_advice(void *page) {
        return has_label(page, "Nothing to advise now");
}

static bool has_refusal(void *page) {
        return has_label(page, "Advice Cannot Be Shown");
}

static bool has_no_hold(void *page) {
        return has_label(page, "No requests");
}

static bool has_hold(void *page) {
        return has_label(page, "A build needs the drive") && has_label(page, "Firefox · Asks for throughput: nothing that costs some is done");
}

static bool knows_policy(void *page) {
        return has_label(page, "10-hdd · /usr/lib/brio/policies.d/10-hdd.conf");
}

static bool has_idle_limit(void *row) {
        return has_label(row, "Waits for readers");
}

static bool follows_policies(void *page) {
        return has_label(page, "No policy is for this drive: Brio leaves it alone") && has_label(page, "30-own · /etc/own.conf");
}

static bool is_advise(void *page) {
        return has_label(page, "Says what it would change, changes nothing");
}

static bool has_asked_apply(void *unused) {
        g_autofree char *calls = env_control("Calls", "()");

        (void) unused;
        return strstr(calls, "[\"Apply\", [\"a1\"]]") != NULL;
}

static GtkWidget *find_apply(struct page_env *p) {
        return page_env_find(page_env_find(GTK_WIDGET(p->page), BRIO_TYPE_DECISION_ROW, NULL), GTK_TYPE_BUTTON, NULL);
}

#define FORMULA \
        "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 60 readers) = 5000 µs\nMeasured: mean read 310 ms → 84 ms, 24 samples against 6, confidence 99.0 %"

static bool has_formula(void *row) {
        return has_label(row, FORMULA);
}

TEST(policies_are_shown_with_their_files_and_laws_with_their_lines) {
        struct page_env p;
        GtkWidget *page, *row;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        page = GTK_WIDGET(p.page);
        CHECK(env_wait(knows_policy, page));
        CHECK(has_label(page, "Tunes the drives when it helps"));
        CHECK(has_label(page, "Disks with heads: bfq, with waits and turns that shrink as readers grow in number\n/usr/lib/brio/policies.d/10-hdd.conf"));
        row = gtk_widget_get_ancestor(page_env_find(page, GTK_TYPE_LABEL, "Seagate Barracuda ST2000DM008 (sda)"), BRIO_TYPE_POLICY_ROW);
        CHECK(row != NULL);
        adw_expander_row_set_expanded(ADW_EXPANDER_ROW(row), TRUE);
        CHECK(env_wait(has_idle_limit, row));
        CHECK(has_label(row, "60 processes read a little each at the same time (4.1 kB a read)\n"
                             "Measured: better\n"
                             "Of 100 reads, 95 took up to 470 ms before and up to 120 ms with it\n"
                             "/usr/lib/brio/policies.d/10-hdd.conf, line 14"));
        CHECK(!page_env_find(row, GTK_TYPE_LABEL, FORMULA));
        adw_expander_row_set_expanded(ADW_EXPANDER_ROW(gtk_widget_get_ancestor(page_env_find(row, GTK_TYPE_LABEL, "Waits for readers"), ADW_TYPE_EXPANDER_ROW)), TRUE);
        CHECK(env_wait(has_formula, row));
        CHECK(has_label(row, "By default"));
        CHECK(has_label(row, "/etc/brio/policies.d/50-local.conf, line 3"));
        CHECK(has_label(row, "On"));
        CHECK(has_label(row, "Off"));
        CHECK(page_env_close(&p));
}

TEST(laws_follow_the_daemon_while_they_are_shown) {
        struct page_env p;
        GtkWidget *page;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        page = GTK_WIDGET(p.page);
        CHECK(env_wait(knows_policy, page));
        g_free(env_control("SetDrive", "('sda', '{\"policy\": [\"\", \"\"], \"laws\": []}')"));
        g_free(env_control("SetDrive", "('nvme0n1', '{\"policy\": [\"30-own\", \"/etc/own.conf\"], \"laws\": [{\"law\": \"hole-filler\", \"enabled\": true}]}')"));
        CHECK(env_wait(follows_policies, page));
        CHECK(page_env_close(&p));
}

TEST(a_hold_is_shown_with_its_holder_and_reason_until_it_is_released_there) {
        struct page_env p;
        GtkWidget *release;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(has_no_hold, p.page));
        brio_client_call_async(p.client, "Hold", g_variant_new("(sss)", "throughput", "A build needs the drive", "org.mozilla.firefox"), "(u)", NULL,
                               NULL, NULL);
        CHECK(env_wait(has_hold, p.page));
        release = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "_Release"), GTK_TYPE_BUTTON);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(release), GTK_ACCESSIBLE_PROPERTY_LABEL, "Release the hold “A build needs the drive”");
        g_signal_emit_by_name(release, "clicked");
        CHECK(env_wait(has_no_hold, p.page));
        CHECK(page_env_close(&p));
}

static bool has_hold_without_reason(void *page) {
        return has_label(page, "Without a reason");
}

TEST(the_button_of_a_hold_without_a_reason_says_so_too) {
        struct page_env p;
        GtkWidget *release;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        brio_client_call_async(p.client, "Hold", g_variant_new("(sss)", "pause", "", "org.mozilla.firefox"), "(u)", NULL, NULL, NULL);
        CHECK(env_wait(has_hold_without_reason, p.page));
        release = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "_Release"), GTK_TYPE_BUTTON);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(release), GTK_ACCESSIBLE_PROPERTY_LABEL, "Release the hold “Without a reason”");
        CHECK(page_env_close(&p));
}

TEST(advice_is_applied_by_one_click_and_a_refusal_leaves_it) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(has_advice, p.page));
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(find_apply(&p)), GTK_ACCESSIBLE_PROPERTY_LABEL, "Apply Brake for writes: 2000 → 1000 µs");
        g_free(env_control("SetErrors", "('{\"Apply\": [\"NotAuthorized\", \"no\"]}',)"));
        g_signal_emit_by_name(find_apply(&p), "clicked");
        env_run_for_ms(500);
        CHECK(has_advice(p.page));
        g_free(env_control("SetErrors", "('{}',)"));
        g_signal_emit_by_name(find_apply(&p), "clicked");
        CHECK(env_wait(has_asked_apply, NULL));
        CHECK(env_wait(has_no_advice, p.page));
        CHECK(page_env_close(&p));
}

TEST(advice_that_is_being_applied_cannot_be_applied_twice) {
        struct page_env p;
        GtkWidget *button;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(has_advice, p.page));
        g_free(env_control("SetDelays", "('{\"Apply\": 8000}',)")); /* the page looks for advice meanwhile */
        button = find_apply(&p);
        g_signal_emit_by_name(button, "clicked");
        CHECK(!gtk_widget_get_sensitive(button));
        env_run_for_ms(3500);
        CHECK(!gtk_widget_get_sensitive(find_apply(&p)));
        g_signal_emit_by_name(find_apply(&p), "clicked");
        CHECK(env_wait(has_no_advice, p.page));
        CHECK_INT(env_count_calls("Apply"), 1);
        CHECK(page_env_close(&p));
}

#define ADVICE(id) \
        "[{'id': <'" id "'>, 'tunable': <'slice_idle_us'>, 'result': <'advised'>, 'reason': <'in English'>, 'reason_data': <[{'id': <'idle-too-short'>, " \
        "'shortest_usec': <int64 2000>}]>}]"

static void show_advice(GtkListBox *list, GListStore *advised, BrioDecisionActions *actions, const char *text) {
        g_autoptr(GVariant) entries = variant_parse("aa{sv}", text);

        CHECK_INT(advice_list_show(list, advised, entries, actions), 1);
}

static GtkExpander *get_details(GtkListBox *list) {
        GtkWidget *row = gtk_list_box_row_get_child(gtk_list_box_get_row_at_index(list, 0));

        return GTK_EXPANDER(gtk_widget_get_template_child(row, BRIO_TYPE_DECISION_ROW, "details"));
}

TEST(a_formula_that_is_unfolded_stays_so_while_the_same_advice_is_told) {
        g_autoptr(GListStore) advised = g_list_store_new(BRIO_TYPE_DECISION);
        g_autoptr(BrioDecisionActions) actions = NULL;
        GtkListBox *list = g_object_ref_sink(GTK_LIST_BOX(gtk_list_box_new()));
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        actions = brio_decision_actions_new(p.client, GTK_WIDGET(p.page));
        show_advice(list, advised, actions, ADVICE("a1"));
        CHECK(gtk_widget_get_visible(GTK_WIDGET(get_details(list))));
        gtk_expander_set_expanded(get_details(list), TRUE);
        show_advice(list, advised, actions, ADVICE("a1"));
        CHECK(gtk_expander_get_expanded(get_details(list)));
        show_advice(list, advised, actions, ADVICE("a2"));
        CHECK(!gtk_expander_get_expanded(get_details(list)));
        g_object_unref(list);
        CHECK(page_env_close(&p));
}

static bool has_laws(void *row) {
        return has_label(row, "Waits for readers");
}

static bool has_the_stick(void *page) {
        return has_label(page, "Stick (sdx)");
}

static bool has_lost_the_stick(void *page) {
        return !has_the_stick(page);
}

TEST(a_drive_that_is_unfolded_stays_so_when_another_comes_and_goes) {
        struct page_env p;
        GtkWidget *row;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(knows_policy, p.page));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "Seagate Barracuda ST2000DM008 (sda)"), BRIO_TYPE_POLICY_ROW);
        adw_expander_row_set_expanded(ADW_EXPANDER_ROW(row), TRUE);
        CHECK(env_wait(has_laws, row));
        g_free(env_control("AddDrive", "('{\"name\": \"sdx\", \"model\": \"Stick\"}',)"));
        CHECK(env_wait(has_the_stick, p.page));
        CHECK(gtk_widget_get_mapped(row) && adw_expander_row_get_expanded(ADW_EXPANDER_ROW(row)));
        g_free(env_control("RemoveDrive", "('sdx',)"));
        CHECK(env_wait(has_lost_the_stick, p.page));
        CHECK(gtk_widget_get_mapped(row) && adw_expander_row_get_expanded(ADW_EXPANDER_ROW(row)));
        CHECK(has_laws(row));
        CHECK(page_env_close(&p));
}

TEST(the_mode_is_set_here_too) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        page_env_catch(p.window, "mode", "s");
        brio_mode_switch_request(BRIO_MODE_SWITCH(page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_MODE_SWITCH, NULL)), "advise");
        CHECK_STR(page_env_caught(), "'advise'");
        brio_client_set_mode_async(p.client, "advise", NULL, NULL, NULL);
        CHECK(env_wait(is_advise, p.page));
        CHECK_STR(brio_client_get_mode(p.client), "advise");
        CHECK(page_env_close(&p));
}

static bool says_that_it_is_kept(void *page) {
        return has_label(page, "A user set it, and it is kept when the computer starts again");
}

static bool says_that_it_is_the_default(void *page) {
        return has_label(page, "Brio’s default");
}

/* Of the mode: a program with a rule has one, too. */
static GtkWidget *find_forget(void *page) {
        GtkWidget *title = page_env_find(page, GTK_TYPE_LABEL, "Where It Comes From");

        return title ? page_env_find(gtk_widget_get_ancestor(title, ADW_TYPE_ACTION_ROW), GTK_TYPE_LABEL, "Use _Default Mode") : NULL;
}

TEST(what_chose_the_mode_is_said_and_what_was_set_can_be_forgotten) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1200, &p));
        CHECK(env_wait(says_that_it_is_the_default, p.page));
        CHECK(find_forget(p.page) == NULL);
        brio_client_set_mode_async(p.client, "advise", NULL, NULL, NULL);
        CHECK(env_wait(says_that_it_is_kept, p.page));
        page_env_catch(p.window, "mode", "s");
        g_signal_emit_by_name(gtk_widget_get_ancestor(find_forget(p.page), GTK_TYPE_BUTTON), "clicked");
        CHECK_STR(page_env_caught(), "''");
        brio_client_set_mode_async(p.client, NULL, NULL, NULL, NULL);
        CHECK(env_wait(says_that_it_is_the_default, p.page));
        CHECK_STR(brio_client_get_mode(p.client), "auto");
        CHECK(find_forget(p.page) == NULL);
        CHECK(page_env_close(&p));
}

TEST(a_refusal_says_so_and_goes_when_it_is_over) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "refusing.json", 800, 1600, &p));
        CHECK(env_wait(has_refusal, p.page));
        CHECK(has_label(GTK_WIDGET(p.page), "No policy is in force"));
        CHECK(has_label(GTK_WIDGET(p.page), "No drives"));
        g_free(env_control("SetErrors", "('{}',)"));
        CHECK(env_wait(has_no_advice, p.page));
        CHECK(page_env_close(&p));
}

static bool has_asked_advice(void *before) {
        return env_count_calls("GetAdvice") > *(unsigned *) before;
}

TEST(nothing_is_asked_for_while_the_page_is_not_shown) {
        struct page_env p;
        unsigned n;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(has_advice, p.page));
        gtk_widget_set_visible(GTK_WIDGET(p.page), FALSE);
        env_run_for_ms(1000); /* what is under way arrives */
        n = env_count_calls("GetAdvice");
        env_run_for_ms(3500);
        CHECK_INT(env_count_calls("GetAdvice"), n);
        gtk_widget_set_visible(GTK_WIDGET(p.page), TRUE);
        CHECK(env_wait(has_asked_advice, &n));
        CHECK(page_env_close(&p));
}

static void count(unsigned *n) {
        (*n)++;
}

/* Each time GTK asks the display where the pointer is. */
TEST(what_a_law_means_is_not_said_anew_while_it_stays) {
        struct page_env p;
        GtkWidget *row, *law;
        unsigned changes = 0, before;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(knows_policy, p.page));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "Seagate Barracuda ST2000DM008 (sda)"), BRIO_TYPE_POLICY_ROW);
        adw_expander_row_set_expanded(ADW_EXPANDER_ROW(row), TRUE);
        CHECK(env_wait(has_idle_limit, row));
        law = gtk_widget_get_ancestor(page_env_find(row, GTK_TYPE_LABEL, "Waits for readers"), ADW_TYPE_EXPANDER_ROW);
        CHECK_STR(gtk_widget_get_tooltip_text(law), "Where many programs read, the drive waits less for the next read of each.");
        g_signal_connect_swapped(law, "notify::tooltip-text", G_CALLBACK(count), &changes);
        before = env_count_calls("GetAdvice") + 1; /* with which the drives are read */
        CHECK(env_wait(has_asked_advice, &before));
        CHECK_INT(changes, 0);
        CHECK(page_env_close(&p));
}

static bool has_no_rule_of_updatedb(void *page) {
        return !has_label(page, "updatedb");
}

TEST(programs_with_a_rule_are_listed_and_one_that_was_set_can_be_taken_back) {
        struct page_env p;
        GtkWidget *row;

        CHECK(page_env_open(BRIO_TYPE_PAGE_POLICIES, "desktop.json", 800, 1600, &p));
        CHECK(has_label(GTK_WIDGET(p.page), "updatedb") && has_label(GTK_WIDGET(p.page), "Waits for all others"));
        CHECK(has_label(GTK_WIDGET(p.page), "Never slowed down\n/etc/brio/policies.d/10-hdd.conf.d/browser.conf"));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "firefox"), ADW_TYPE_ACTION_ROW);
        CHECK(!page_env_find(row, GTK_TYPE_BUTTON, NULL)); /* an administrator's file */
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "updatedb"), ADW_TYPE_ACTION_ROW);
        gtk_test_accessible_assert_property(page_env_find(row, GTK_TYPE_BUTTON, NULL), GTK_ACCESSIBLE_PROPERTY_LABEL, "Remove the rule for “updatedb”");
        page_env_catch(p.window, "program-rules", PROGRAM_RULES_TYPE);
        g_signal_emit_by_name(page_env_find(row, GTK_TYPE_BUTTON, NULL), "clicked");
        CHECK_STR(page_env_caught(), "([('updatedb', '')], true)");
        {
                g_autoptr(GVariant) parameter = g_variant_ref_sink(g_variant_new_parsed("([('updatedb', '')], true)"));
                program_rules_ask(p.client, GTK_WIDGET(p.window), parameter);
        }
        CHECK(env_wait(has_no_rule_of_updatedb, p.page));
        CHECK(page_env_close(&p));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

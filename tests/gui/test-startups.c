/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of start-ups alone, against a scripted daemon. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "latency-bar.h"
#include "page-env.h"
#include "page-startups.h"
#include "startup-detail.h"
#include "startup-row.h"
#include "table.h"
#include "timeline.h"

static BrioStartupDetail *get_detail(void *page) {
        return BRIO_STARTUP_DETAIL(page_env_find(page, BRIO_TYPE_STARTUP_DETAIL, NULL));
}

static const char *get_timeline_shown(BrioStartupDetail *detail) {
        return page_env_get_shown(gtk_widget_get_template_child(GTK_WIDGET(detail), BRIO_TYPE_STARTUP_DETAIL, "course"));
}

static bool has_timeline(void *page) {
        BrioStartupDetail *detail = get_detail(page);

        return detail && strcmp(get_timeline_shown(detail), "timeline") == 0;
}

static bool has_no_timeline(void *page) {
        BrioStartupDetail *detail = get_detail(page);

        return detail && strcmp(get_timeline_shown(detail), "none") == 0;
}

static GtkListView *get_view(struct page_env *p) {
        return GTK_LIST_VIEW(page_env_find(GTK_WIDGET(p->page), GTK_TYPE_LIST_VIEW, NULL));
}

static const char *application_at(struct page_env *p, guint position) {
        g_autoptr(BrioStartup) s = g_list_model_get_item(G_LIST_MODEL(gtk_list_view_get_model(get_view(p))), position);

        return s ? brio_startup_get_application(s) : "";
}

static guint count(struct page_env *p) {
        return g_list_model_get_n_items(G_LIST_MODEL(gtk_list_view_get_model(get_view(p))));
}

TEST(the_last_start_of_each_application_is_listed_latest_first_with_its_name) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        env_run_for_ms(100);
        CHECK_INT(count(&p), 5);
        CHECK_STR(application_at(&p, 0), "org.mozilla.firefox");
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "Firefox") != NULL);
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "4.72 s") != NULL);
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL,
                            "3.8 times as long as its fastest start · cold · spent 76 % waiting for sda · 48 % of the drive went to rsync") != NULL);
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL,
                            "3.4 times as long as its fastest start · cold · spent about 88 % waiting for sda · 71 % of the drive went to rsync") != NULL); /* estimated */
        CHECK(page_env_close(&p));
}

TEST(the_order_is_the_readers) {
        struct page_env p;
        GtkDropDown *order;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        order = GTK_DROP_DOWN(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_DROP_DOWN, NULL));
        gtk_drop_down_set_selected(order, 1);
        CHECK_STR(application_at(&p, 0), "org.libreoffice.LibreOffice.writer");
        gtk_drop_down_set_selected(order, 2);
        CHECK_STR(application_at(&p, 0), "org.mozilla.firefox");
        CHECK_STR(application_at(&p, 1), "org.libreoffice.LibreOffice.writer");
        gtk_drop_down_set_selected(order, 3);
        CHECK_STR(application_at(&p, 0), "org.gnome.Calculator");
        CHECK(page_env_close(&p));
}

static GtkWidget *get_commands(struct page_env *p) {
        return page_env_find(GTK_WIDGET(p->page), GTK_TYPE_CHECK_BUTTON, NULL);
}

TEST(a_command_without_a_desktop_file_is_listed_on_request_or_where_it_is_searched_for) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        for (guint i = 0; i < count(&p); i++)
                CHECK(strcmp(application_at(&p, i), "import-photos") != 0);
        CHECK_STR(application_at(&p, count(&p) - 1), "mpv"); /* typed, too, but it is an application */
        gtk_check_button_set_active(GTK_CHECK_BUTTON(get_commands(&p)), TRUE);
        CHECK_INT(count(&p), 6);
        CHECK_STR(application_at(&p, 5), "import-photos");
        gtk_check_button_set_active(GTK_CHECK_BUTTON(get_commands(&p)), FALSE);
        CHECK_INT(count(&p), 5);
        brio_page_search(p.page, "import");
        env_run_for_ms(300);
        CHECK_INT(count(&p), 1);
        CHECK(page_env_close(&p));
}

static bool shows_two(void *p) {
        return count(p) == 2;
}

static bool has_application_alone(void *p) {
        return count(p) == 1 && strcmp(application_at(p, 0), "game") == 0;
}

TEST(commands_are_listed_until_there_is_an_application) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, NULL, 800, 700, &p));
        CHECK(env_wait(page_env_shows_empty, p.page));
        g_free(env_control("AddStartup", "('{\"application\": \"sh\", \"time_usec\": 1795000000000000, \"latency_usec\": 900000}',)"));
        CHECK(env_wait(page_env_shows_list, p.page));
        g_free(env_control("AddStartup", "('{\"application\": \"sleep\", \"time_usec\": 1795000001000000, \"latency_usec\": 900000}',)"));
        CHECK(env_wait(shows_two, &p));
        CHECK(get_commands(&p) == NULL);
        g_free(env_control("AddStartup", "('{\"application\": \"game\", \"launched\": true, \"time_usec\": 1795000002000000, \"latency_usec\": 500000}',)"));
        CHECK(env_wait(has_application_alone, &p));
        CHECK(get_commands(&p) != NULL);
        CHECK(page_env_close(&p));
}

TEST(a_start_that_ends_is_shown_at_once_and_nothing_is_asked_for_again) {
        struct page_env p;
        g_autofree char *calls = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, NULL, 800, 700, &p));
        CHECK(env_wait(page_env_shows_empty, p.page));
        g_free(env_control("AddStartup", "('{\"application\": \"org.gnome.TextEditor\", \"time_usec\": 1795000000000000, \"latency_usec\": 900000}',)"));
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK_INT(count(&p), 1);
        g_free(env_control("AddStartup", "('{\"application\": \"mpv\", \"time_usec\": 1795000001000000, \"latency_usec\": 500000}',)"));
        g_free(env_control("AddStartup", "('{\"application\": \"mpv\", \"time_usec\": 1795000002000000, \"latency_usec\": 700000}',)"));
        env_run_for_ms(200);
        CHECK_INT(count(&p), 2);
        CHECK_STR(application_at(&p, 0), "mpv");
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "700 ms") != NULL);
        calls = env_control("Calls", "()");
        CHECK(strstr(strstr(calls, "GetStartups") + 1, "GetStartups") == NULL);
        CHECK(page_env_close(&p));
}

TEST(a_refusal_says_so_and_trying_again_helps) {
        struct page_env p;
        GtkWidget *again;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        gtk_widget_set_visible(GTK_WIDGET(p.page), FALSE);
        env_run_for_ms(200);
        gtk_widget_set_visible(GTK_WIDGET(p.page), TRUE);
        CHECK(env_wait(page_env_shows_list, p.page));
        env_daemon_stop();
        env_run_for_ms(200);
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(page_env_shows_list, p.page)); /* another daemon has another memory */
        CHECK(page_env_close(&p));

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "refusing.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_failed, p.page));
        env_run_for_ms(50);
        again = page_env_find(GTK_WIDGET(p.page), GTK_TYPE_BUTTON, NULL);
        g_free(env_control("SetErrors", "('{}',)"));
        g_signal_emit_by_name(again, "clicked");
        CHECK(env_wait(page_env_shows_empty, p.page));
        CHECK(page_env_close(&p));
}

TEST(a_search_leaves_what_matches) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_search(p.page, "rsync");
        env_run_for_ms(300);
        CHECK_INT(count(&p), 2);
        brio_page_search(p.page, "no such thing");
        CHECK(env_wait(page_env_shows_no_match, p.page));
        gtk_search_bar_set_search_mode(brio_page_get_search_bar(p.page), FALSE);
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(page_env_close(&p));
}

TEST(one_application_is_shown_with_how_its_start_went_and_what_brio_changed) {
        struct page_env p;
        GtkWidget *page, *button, *timeline, *change;
        g_autofree char *reading = NULL, *slice = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        page = GTK_WIDGET(p.page);
        CHECK(brio_page_get_detail_title(p.page) == NULL);
        g_signal_emit_by_name(get_view(&p), "activate", 0u);
        CHECK(page_env_shows(p.page, "detail"));
        CHECK_STR(brio_page_get_detail_title(p.page), "Firefox");
        CHECK(brio_page_get_search_bar(p.page) == NULL);
        CHECK(env_wait(has_timeline, p.page));
        env_run_for_ms(400);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "1.24 s") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "It was the drive that took longest: 3.66 s of 4.72 s, most of it while other programs had it, above all rsync.") != NULL);
        change = page_env_find(page, GTK_TYPE_LABEL, "Wait for the next read: 5000 → 0 µs");
        CHECK(change != NULL);
        CHECK(g_str_has_prefix(gtk_widget_get_tooltip_text(gtk_widget_get_ancestor(change, ADW_TYPE_ACTION_ROW)), "slice_idle_us: "));
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "at 140 ms") != NULL);
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "rsync let others go first") != NULL); /* by the group's words */
        CHECK(page_env_find(page, GTK_TYPE_LABEL, "48 %") != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(page_env_find(page, GTK_TYPE_LEVEL_BAR, NULL)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "Share of what the drive did: rsync");
        timeline = page_env_find(page, BRIO_TYPE_TIMELINE, NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(timeline), GTK_ACCESSIBLE_PROPERTY_LABEL, "Timeline of a start of Firefox");
        reading = brio_chart_get_reading(BRIO_CHART(timeline));
        CHECK(g_str_has_prefix(reading, "Took 4.72 s: reading "));
        brio_chart_set_cursor(BRIO_CHART(timeline), 1000); /* the last one */
        slice = brio_chart_get_reading(BRIO_CHART(timeline));
        CHECK(g_str_has_prefix(slice, "At 4.64 s: reading "));
        CHECK(strstr(slice, ", waiting for others ") != NULL);
        button = page_env_find(GTK_WIDGET(get_detail(p.page)), GTK_TYPE_TOGGLE_BUTTON, NULL);
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
        env_run_for_ms(400);
        CHECK_STR(get_timeline_shown(get_detail(p.page)), "table");
        CHECK_INT(page_env_count_rows(page), 59); /* of 80 ms */
        brio_page_show_detail(p.page, NULL);
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(brio_page_get_search_bar(p.page) != NULL);
        CHECK(page_env_close(&p));
}

TEST(another_start_can_be_chosen_and_one_without_a_timeline_says_why) {
        struct page_env p;
        GtkWidget *row;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 1600, &p));
        brio_page_show_detail(p.page, "org.mozilla.firefox");
        CHECK(env_wait(has_timeline, p.page));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_STARTUP_ROW, NULL), GTK_TYPE_LIST_BOX_ROW);
        g_signal_emit_by_name(gtk_widget_get_parent(row), "row-activated", gtk_widget_get_next_sibling(gtk_widget_get_next_sibling(row)));
        CHECK(env_wait(has_no_timeline, p.page));
        env_run_for_ms(300);
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL,
                            "How this start went is not known: the daemon keeps that of the latest starts, for as long as it runs.") != NULL);
        g_signal_emit_by_name(gtk_widget_get_parent(row), "row-activated", gtk_widget_get_next_sibling(row));
        CHECK(env_wait(has_timeline, p.page));
        CHECK(page_env_close(&p));
}

static bool says_what_help_is_worth(void *widget) {
        return page_env_find(widget, GTK_TYPE_LABEL, "With Brio’s help: 4.1 s; without it: 20 s (4 starts to compare)") != NULL;
}

TEST(what_help_is_worth_is_said_of_an_application_with_controls_in_the_list_and_where_it_is_alone) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(env_wait(says_what_help_is_worth, p.page));
        brio_page_show_detail(p.page, "org.mozilla.firefox");
        CHECK(env_wait(has_timeline, p.page));
        CHECK(env_wait(says_what_help_is_worth, get_detail(p.page)));
        brio_page_show_detail(p.page, "org.gnome.TextEditor"); /* was never helped */
        CHECK(env_wait(has_no_timeline, p.page));
        CHECK(!says_what_help_is_worth(get_detail(p.page)));
        CHECK(page_env_close(&p));
}

TEST(the_detail_follows_a_start_that_ends_meanwhile) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_show_detail(p.page, "org.gnome.TextEditor");
        CHECK(env_wait(has_no_timeline, p.page));
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "333 ms") == NULL);
        g_free(env_control("AddStartup", "('{\"application\": \"org.gnome.TextEditor\", \"time_usec\": 1795000900000000, \"latency_usec\": 333000}',)"));
        env_run_for_ms(500);
        CHECK(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "333 ms") != NULL);
        CHECK(page_env_close(&p));
}

static bool lists_the_new_start(void *page) {
        return page_env_find(GTK_WIDGET(get_detail(page)), GTK_TYPE_LABEL, "333 ms") != NULL;
}

TEST(a_start_that_the_reader_chose_stays_when_a_newer_one_ends) {
        struct page_env p;
        GtkWidget *row, *list;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 1600, &p));
        CHECK(env_wait(page_env_shows_list, p.page)); /* a list that comes later has the start looked at anew */
        brio_page_show_detail(p.page, "org.mozilla.firefox");
        CHECK(env_wait(has_timeline, p.page));
        row = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(get_detail(p.page)), BRIO_TYPE_STARTUP_ROW, NULL), GTK_TYPE_LIST_BOX_ROW);
        list = gtk_widget_get_parent(row);
        gtk_list_box_select_row(GTK_LIST_BOX(list), gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 2));
        g_signal_emit_by_name(list, "row-activated", gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 2));
        CHECK(env_wait(has_no_timeline, p.page));
        g_free(env_control("AddStartup", "('{\"application\": \"org.mozilla.firefox\", \"time_usec\": 1795000900000000, \"latency_usec\": 333000}',)"));
        CHECK(env_wait(lists_the_new_start, p.page));
        CHECK(has_no_timeline(p.page));
        CHECK_INT(gtk_list_box_row_get_index(gtk_list_box_get_selected_row(GTK_LIST_BOX(list))), 3); /* one further down */
        CHECK_INT(env_count_calls("GetStartupTimeline"), 2);
        CHECK(page_env_close(&p));
}

static guint count_rows(GtkWidget *w) {
        guint n = BRIO_IS_STARTUP_ROW(w);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_rows(c);
        return n;
}

/* As many widgets as fit the window, however many there are. */
TEST(ten_thousand_starts_are_listed_by_a_few_hundred_widgets) {
        g_autoptr(GVariantBuilder) builder = g_variant_builder_new(G_VARIANT_TYPE("aa{sv}"));
        g_autoptr(GListStore) list = g_list_store_new(BRIO_TYPE_STARTUP);
        g_autoptr(GVariant) entries = NULL;
        struct page_env p;
        GtkSelectionModel *model;
        GtkWidget *view;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 700, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        for (int i = 0; i < 10000; i++) {
                g_autofree char *name = g_strdup_printf("program-%d", i);

                g_variant_builder_open(builder, G_VARIANT_TYPE("a{sv}"));
                g_variant_builder_add(builder, "{sv}", "application", g_variant_new_string(name));
                g_variant_builder_add(builder, "{sv}", "latency_usec", g_variant_new_uint64((guint64) i * 1000));
                g_variant_builder_close(builder);
        }
        entries = g_variant_ref_sink(g_variant_builder_end(builder));
        brio_startups_load(list, entries);
        view = GTK_WIDGET(get_view(&p));
        model = GTK_SELECTION_MODEL(gtk_no_selection_new(g_object_ref(G_LIST_MODEL(list))));
        gtk_list_view_set_model(GTK_LIST_VIEW(view), model);
        g_object_unref(model);
        env_run_for_ms(300);
        printf("# %u rows\n", count_rows(view));
        CHECK(count_rows(view) > 5 && count_rows(view) < 400);
        CHECK(page_env_close(&p));
}

TEST(the_page_says_nothing_until_the_daemon_has_answered) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STARTUPS, "desktop.json", 800, 600, &p));
        CHECK(page_env_loads_in_silence(p.page));
        CHECK(page_env_close(&p));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

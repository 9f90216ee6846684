/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page of streams alone, against a scripted daemon. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <math.h>

#include "gui-env.h"
#include "page-env.h"
#include "page-streams.h"
#include "period-chart.h"
#include "rhythm-chart.h"
#include "stream-row.h"
#include "table.h"

static guint count_rows(GtkWidget *w) {
        guint n = BRIO_IS_STREAM_ROW(w) && gtk_widget_get_mapped(w);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_rows(c);
        return n;
}

static bool has_one_row(void *page) {
        return count_rows(page) == 1;
}

static bool has_six_rows(void *page) {
        return count_rows(page) == 6;
}

static bool says(void *page, const char *text) {
        return page_env_find(page, GTK_TYPE_LABEL, text) != NULL;
}

static bool says_that_the_kernel_agrees(void *page) {
        return says(page, "bfq’s rule: yes, it asked 118 ms after the earliest moment\nThe kernel agrees");
}

TEST(streams_near_misses_candidates_and_what_has_ended_stand_in_groups) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1000, &p));
        CHECK(env_wait(has_six_rows, p.page));
        CHECK(says(p.page, "Playing and Recording") && says(p.page, "Reading at Intervals") && says(p.page, "Possible Streams") && says(p.page, "Ended"));
        CHECK(says(p.page, "mpv on sda"));
        CHECK(says(p.page, "1.4 MB/s"));
        CHECK(says(p.page, "Not regular: needs 70 % of its periods, has 52 %"));
        CHECK(page_env_close(&p));
}

static bool says_the_new_regularity(void *page) {
        return says(page, "97.5 %");
}

static bool has_chart(void *page) {
        return page_env_find(page, BRIO_TYPE_RHYTHM_CHART, NULL) != NULL;
}

TEST(a_row_unfolds_to_how_the_process_asks_and_stays_so_while_figures_change) {
        /* GTK writes the macro's arguments into a format. */
        static const char name[] = "How mpv asks: every 512 ms, pauses 86 % of the time. bfq’s rule: yes, it asked 118 ms after the earliest moment";
        struct page_env p;
        GtkWidget *chart;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        CHECK(page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_RHYTHM_CHART, NULL) == NULL);
        brio_page_show_detail(p.page, "mpv");
        CHECK(env_wait(has_chart, p.page));
        chart = page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_RHYTHM_CHART, NULL);
        CHECK(chart != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_LABEL, name);
        CHECK(says(p.page, "bfq’s rule: yes, it asked 118 ms after the earliest moment"));
        g_free(env_control("SetStreams", "('[{\"state\": \"stream\", \"pid\": 6201, \"name\": \"mpv\", \"device\": \"sda\", \"bytes_per_second\": 1500000,"
                                         " \"period_usec\": 512000, \"regularity_permille\": 975,"
                                         " \"arrivals\": [[512000, 440000, 65536, 4000, \"yes\", true]]}]',)"));
        CHECK(env_wait(has_one_row, p.page));
        CHECK(env_wait(says_the_new_regularity, p.page));
        CHECK(page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_RHYTHM_CHART, NULL) == chart);
        CHECK(!says(p.page, "Reading at Intervals"));
        CHECK(page_env_close(&p));
}

static void count(unsigned *n) {
        (*n)++;
}

/* Each time costs a layout, and a question to the display. */
TEST(the_icon_of_a_row_stays_while_figures_change) {
        struct page_env p;
        GtkWidget *icon;
        unsigned changes = 0;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_show_detail(p.page, "mpv");
        CHECK(env_wait(has_chart, p.page));
        icon = page_env_find(gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "mpv on sda"), BRIO_TYPE_STREAM_ROW), GTK_TYPE_IMAGE, NULL);
        CHECK_STR(gtk_widget_get_tooltip_text(icon), "Reads");
        g_signal_connect_swapped(icon, "notify", G_CALLBACK(count), &changes);
        g_free(env_control("SetStreams", "('[{\"state\": \"stream\", \"pid\": 6201, \"name\": \"mpv\", \"device\": \"sda\", \"bytes_per_second\": 1500000,"
                                         " \"period_usec\": 512000, \"regularity_permille\": 975}]',)"));
        CHECK(env_wait(says_the_new_regularity, p.page));
        CHECK_INT(changes, 0);
        CHECK(page_env_close(&p));
}

static bool has_table(void *page) {
        return page_env_find(page, BRIO_TYPE_TABLE, NULL) != NULL;
}

TEST(each_of_the_last_periods_is_read_out_and_stands_in_a_table) {
        struct page_env p;
        GtkWidget *chart, *button;
        g_autofree char *all = NULL, *one = NULL, *excused = NULL, *beyond = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_show_detail(p.page, "mpv");
        CHECK(env_wait(has_chart, p.page));
        chart = page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_RHYTHM_CHART, NULL);
        all = brio_chart_get_reading(BRIO_CHART(chart));
        CHECK_STR(all, "Its last 16 periods: 492 ms to 1.26 s; asked 16 times after the earliest moment, 0 times too early");
        brio_chart_set_cursor(BRIO_CHART(chart), 0);
        one = brio_chart_get_reading(BRIO_CHART(chart));
        CHECK_STR(one, "Period 1 of 16: asked again after 501 ms, waited 78.5 ms, paused 422 ms; 108 ms after the earliest moment");
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(chart), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, one);
        brio_chart_set_cursor(BRIO_CHART(chart), 9);
        excused = brio_chart_get_reading(BRIO_CHART(chart));
        CHECK(strstr(excused, "Not counted"));
        brio_chart_set_cursor(BRIO_CHART(chart), 99);
        beyond = brio_chart_get_reading(BRIO_CHART(chart));
        CHECK(g_str_has_prefix(beyond, "Period 16 of 16"));
        button = page_env_find(GTK_WIDGET(gtk_widget_get_ancestor(chart, BRIO_TYPE_STREAM_ROW)), GTK_TYPE_TOGGLE_BUTTON, NULL);
        CHECK(button != NULL);
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
        CHECK(env_wait(has_table, p.page));
        CHECK_INT(page_env_count_rows(GTK_WIDGET(p.page)), 16);
        CHECK(page_env_close(&p));
}

static bool has_period_chart(void *page) {
        return page_env_find(page, BRIO_TYPE_PERIOD_CHART, NULL) != NULL;
}

TEST(of_a_daemon_that_does_not_tell_its_periods_the_median_one_is_drawn) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1000, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_show_detail(p.page, "mpv");
        CHECK(env_wait(has_chart, p.page));
        CHECK(!has_period_chart(p.page));
        g_free(env_control("SetStreams", "('[{\"state\": \"stream\", \"pid\": 6201, \"name\": \"mpv\", \"device\": \"sda\", \"period_usec\": 512000}]',)"));
        CHECK(env_wait(has_period_chart, p.page));
        CHECK(page_env_find(GTK_WIDGET(p.page), BRIO_TYPE_RHYTHM_CHART, NULL) == NULL);
        CHECK(page_env_close(&p));
}

TEST(the_kernel_is_heard_only_when_the_user_asks_for_it) {
        struct page_env p;
        GtkWidget *button;
        g_autofree char *calls = NULL;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 1400, &p));
        CHECK(env_wait(page_env_shows_list, p.page));
        brio_page_show_detail(p.page, "mpv");
        CHECK(env_wait(has_chart, p.page));
        env_run_for_ms(1200);
        calls = env_control("Calls", "()");
        CHECK(strstr(calls, "GetStreams") != NULL && strstr(calls, "GetKernelVerdicts") == NULL);
        button = page_env_find(GTK_WIDGET(p.page), GTK_TYPE_LABEL, "Ask the Kernel");
        CHECK(button != NULL);
        g_signal_emit_by_name(gtk_widget_get_ancestor(button, GTK_TYPE_BUTTON), "clicked");
        CHECK(env_wait(says_that_the_kernel_agrees, p.page));
        CHECK(page_env_close(&p));
}

TEST(without_a_stream_the_page_says_so_and_shows_the_first_at_once) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, NULL, 800, 600, &p));
        CHECK(env_wait(page_env_shows_empty, p.page));
        g_free(env_control("SetStreams", "('[{\"state\": \"stream\", \"pid\": 7, \"name\": \"mpv\", \"device\": \"sda\"}]',)"));
        CHECK(env_wait(has_one_row, p.page));
        CHECK(page_env_close(&p));
}

TEST(a_refusal_says_so_until_the_daemon_answers) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "refusing.json", 800, 600, &p));
        CHECK(env_wait(page_env_shows_failed, p.page));
        g_free(env_control("SetErrors", "('{}',)"));
        CHECK(env_wait(page_env_shows_empty, p.page));
        CHECK(page_env_close(&p));
}

static bool is(double value, double expected) {
        return fabs(value - expected) < 1e-9;
}

TEST(next_start_lies_before_the_next_request_where_the_rule_says_yes_and_after_it_where_it_says_no) {
        struct period_layout l;

        CHECK(!period_chart_lay_out(0, 500, true, 5, &l));
        CHECK(!period_chart_lay_out(-1, 500, true, 5, &l));
        CHECK(period_chart_lay_out(500000, 800, true, 100000, &l));
        CHECK(is(l.served, l.first + 0.2 * (l.again - l.first)));
        CHECK(is(l.next_start, l.again - 0.2 * (l.again - l.first)));
        CHECK(period_chart_lay_out(500000, 800, true, -50000, &l));
        CHECK(l.next_start > l.again && l.next_start < 1);
        CHECK(period_chart_lay_out(500000, 5000, true, INT64_MIN, &l)); /* whatever the daemon says */
        CHECK(is(l.next_start, 1) && is(l.served, l.first));
        CHECK(period_chart_lay_out(500000, -1, false, 7, &l));
        CHECK(l.next_start < 0 && is(l.served, l.again));
}

TEST(the_page_says_nothing_until_the_daemon_has_answered) {
        struct page_env p;

        CHECK(page_env_open(BRIO_TYPE_PAGE_STREAMS, "desktop.json", 800, 600, &p));
        CHECK(page_env_loads_in_silence(p.page));
        CHECK(page_env_close(&p));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

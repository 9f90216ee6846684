/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is kept from one time to the next, and the page that is there once. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "mode-switch.h"
#include "page-env.h"
#include "page-processes.h"
#include "page-startups.h"
#include "page-welcome.h"
#include "plot.h"
#include "process-order.h"
#include "settings.h"
#include "split.h"
#include "window-env.h"

/* Nothing kept, or all of that but the first page. The backend is in memory, and one for the whole process. */
static GSettings *new_settings(bool welcomed) {
        GSettings *settings = settings_new();

        if (!settings)
                abort();
        for (const char *const *key = (const char *const[]){ SETTINGS_WELCOMED, SETTINGS_WIDTH, SETTINGS_HEIGHT, SETTINGS_MAXIMIZED,
                                                            SETTINGS_PAGE, SETTINGS_SIDEBAR, SETTINGS_PLOT_SPAN, SETTINGS_PROCESSES_ORDER,
                                                            SETTINGS_STARTUPS_ORDER, NULL };
             *key; key++)
                g_settings_reset(settings, *key);
        g_settings_set_boolean(settings, SETTINGS_WELCOMED, welcomed);
        return settings;
}

static bool is_connected(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_CONNECTED;
}

static BrioPageWelcome *get_welcome(struct app *app) {
        return BRIO_PAGE_WELCOME(page_env_find(GTK_WIDGET(app->window), BRIO_TYPE_PAGE_WELCOME, NULL));
}

static void do_action(struct app *app, const char *name) {
        if (!gtk_widget_activate_action(GTK_WIDGET(get_welcome(app)), name, NULL))
                abort();
}

/* "": none is said. */
static const char *get_problem(void *welcome) {
        GtkLabel *label = GTK_LABEL(gtk_widget_get_template_child(welcome, BRIO_TYPE_PAGE_WELCOME, "problem"));

        return gtk_widget_get_mapped(GTK_WIDGET(label)) ? gtk_label_get_label(label) : "";
}

static bool has_problem(void *welcome) {
        return *get_problem(welcome) != '\0';
}

/* The button that says this; NULL: it is not there to be pressed. */
static GtkWidget *find_button(GtkWidget *w, const char *label) {
        if (GTK_IS_BUTTON(w) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(w)), label) == 0)
                return gtk_widget_get_mapped(w) && gtk_widget_is_sensitive(w) ? w : NULL;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find_button(c, label);

                if (found)
                        return found;
        }
        return NULL;
}

#define GO_ON "Continue"
#define ADVISE "Suggest Changes Only"

TEST(the_first_page_is_there_until_the_user_goes_on_and_then_never_again) {
        g_autoptr(GSettings) settings = new_settings(false);
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(is_connected, app.client));
        CHECK(window_shows(app.window, "welcome"));
        env_run_for_ms(200);
        CHECK(gtk_window_get_focus(GTK_WINDOW(app.window)) == find_button(GTK_WIDGET(app.window), GO_ON)); /* Enter goes on */
        CHECK(gtk_window_get_default_widget(GTK_WINDOW(app.window)) == find_button(GTK_WIDGET(app.window), GO_ON));
        CHECK(close_window(&app)); /* without having gone on */

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(is_connected, app.client));
        CHECK(window_shows(app.window, "welcome"));
        env_run_for_ms(100);
        do_action(&app, "welcome.go-on");
        CHECK(window_shows_pages(app.window));
        CHECK_STR(brio_client_get_mode(app.client), "auto");
        CHECK(close_window(&app));

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK(close_window(&app));
}

static bool turns(void *spinner) {
        return gtk_spinner_get_spinning(spinner);
}

TEST(the_window_shows_that_it_waits_until_the_daemon_is_there_and_turns_nothing_out_of_sight) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app = { .client = brio_client_new(env_bus_start()) };
        GtkWidget *spinner;

        CHECK(env_daemon_start("desktop.json"));
        start_application();
        app.window = brio_window_new(NULL, app.client, settings);
        gtk_window_present(GTK_WINDOW(app.window));
        CHECK(window_shows(app.window, "connecting"));
        spinner = page_env_find(GTK_WIDGET(app.window), GTK_TYPE_SPINNER, NULL);
        CHECK(spinner && !turns(spinner)); /* a wait of a moment needs none */
        CHECK(env_wait(turns, spinner));
        CHECK(window_shows(app.window, "connecting"));
        brio_client_start(app.client);
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK(!turns(spinner));
        CHECK(close_window(&app));
}

TEST(advice_alone_is_asked_of_the_daemon_before_the_window_goes_on) {
        g_autoptr(GSettings) settings = new_settings(false);
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(is_connected, app.client));
        env_run_for_ms(200);
        CHECK(find_button(GTK_WIDGET(app.window), ADVISE) != NULL);
        do_action(&app, "welcome.advise");
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK_STR(brio_client_get_mode(app.client), "advise");
        CHECK(g_settings_get_boolean(settings, SETTINGS_WELCOMED));
        CHECK(close_window(&app));
}

TEST(a_refused_mode_is_said_on_the_first_page_which_stays) {
        g_autoptr(GSettings) settings = new_settings(false);
        struct app app;

        CHECK(env_daemon_start("refusing.json"));
        app = restore_window(settings);
        CHECK(env_wait(is_connected, app.client));
        env_run_for_ms(100);
        CHECK(!has_problem(get_welcome(&app)));
        do_action(&app, "welcome.advise");
        CHECK(env_wait(has_problem, get_welcome(&app)));
        CHECK_STR(get_problem(get_welcome(&app)),
                  "Brio goes on as before. Administrator permission is needed");
        CHECK(window_shows(app.window, "welcome"));
        CHECK(!g_settings_get_boolean(settings, SETTINGS_WELCOMED));
        CHECK_STR(brio_client_get_mode(app.client), "auto");
        g_free(env_control("SetErrors", "('{}',)"));
        do_action(&app, "welcome.advise"); /* again */
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK(close_window(&app));
}

static bool has_start_focused(void *window) {
        GtkWidget *focus = gtk_window_get_focus(window);

        return focus && GTK_IS_BUTTON(focus) && g_strcmp0(gtk_button_get_label(GTK_BUTTON(focus)), "Start Brio") == 0;
}

TEST(without_a_daemon_the_first_page_offers_to_go_on_alone) {
        g_autoptr(GSettings) settings = new_settings(false);
        struct app app = restore_window(settings);

        env_run_for_ms(300);
        CHECK(window_shows(app.window, "welcome"));
        CHECK(find_button(GTK_WIDGET(app.window), GO_ON) != NULL);
        CHECK(!find_button(GTK_WIDGET(app.window), ADVISE));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(is_connected, app.client));
        CHECK(find_button(GTK_WIDGET(app.window), ADVISE) != NULL);
        env_daemon_stop();
        CHECK(gtk_widget_grab_focus(find_button(GTK_WIDGET(app.window), GO_ON)));
        CHECK(gtk_widget_activate(find_button(GTK_WIDGET(app.window), GO_ON)));
        CHECK(env_wait(window_shows_absent, app.window));
        CHECK(env_wait(has_start_focused, app.window));
        CHECK(close_window(&app));
}

TEST(once_the_daemon_has_gone_a_key_is_enough_to_start_it) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(window_shows_pages, app.window));
        env_daemon_stop();
        CHECK(env_wait(window_shows_absent, app.window));
        CHECK(env_wait(has_start_focused, app.window));
        CHECK(close_window(&app));
}

TEST(the_window_comes_back_as_it_was_left) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app;
        int width, height;

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(window_shows_pages, app.window));
        gtk_window_get_default_size(GTK_WINDOW(app.window), &width, &height);
        CHECK_INT(width, 1000);
        CHECK_INT(height, 760);
        gtk_window_set_default_size(GTK_WINDOW(app.window), 840, 610);
        brio_window_show_page(app.window, "streams");
        env_run_for_ms(300);
        CHECK(gtk_widget_activate_action(GTK_WIDGET(app.window), "win.sidebar", NULL));
        env_run_for_ms(300);
        CHECK(close_window(&app));

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(window_shows_pages, app.window));
        gtk_window_get_default_size(GTK_WINDOW(app.window), &width, &height);
        CHECK_INT(width, 840);
        CHECK_INT(height, 610);
        CHECK_STR(brio_window_get_page(app.window), "streams");
        env_run_for_ms(300);
        CHECK(brio_split_get_collapsed(BRIO_SPLIT(page_env_find(GTK_WIDGET(app.window), BRIO_TYPE_SPLIT, NULL))));
        CHECK(close_window(&app));
}

TEST(a_maximised_window_comes_back_maximised) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app;

        g_settings_set_boolean(settings, SETTINGS_MAXIMIZED, TRUE);
        app = restore_window(settings);
        CHECK(gtk_window_is_maximized(GTK_WINDOW(app.window)));
        CHECK(close_window(&app));
}

TEST(what_was_kept_by_another_version_does_no_harm) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app;

        g_settings_set_string(settings, SETTINGS_PAGE, "a page of tomorrow");
        g_settings_set_int(settings, SETTINGS_WIDTH, 5);
        g_settings_set_int(settings, SETTINGS_HEIGHT, -1);
        g_settings_set(settings, SETTINGS_PROCESSES_ORDER, "(sb)", "a column of tomorrow", TRUE);
        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK_STR(brio_window_get_page(app.window), "overview");
        CHECK(close_window(&app));
}

static bool is_collapsed(void *split) {
        return brio_split_get_collapsed(split);
}

static bool is_beside(void *split) {
        return !brio_split_get_collapsed(split);
}

/* The button that brings the list of pages; NULL: it is not there. */
static GtkWidget *find_pages_button(GtkWidget *w) {
        if (GTK_IS_TOGGLE_BUTTON(w) && g_strcmp0(gtk_button_get_icon_name(GTK_BUTTON(w)), "sidebar-show-symbolic") == 0)
                return gtk_widget_get_mapped(w) ? w : NULL;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find_pages_button(c);

                if (found)
                        return found;
        }
        return NULL;
}

static bool has_pages_button(void *window) {
        return find_pages_button(window) != NULL;
}

/* In a wide window the list of pages can be put away, and comes back by the key or by the button that is there for it then. */
TEST(the_list_of_pages_can_be_put_away_in_a_wide_window) {
        struct app app;
        BrioSplit *split;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(window_shows_pages, app.window));
        env_run_for_ms(300);
        split = BRIO_SPLIT(page_env_find(GTK_WIDGET(app.window), BRIO_TYPE_SPLIT, NULL));
        CHECK(!brio_split_get_collapsed(split));
        CHECK(gtk_widget_activate_action(GTK_WIDGET(app.window), "win.sidebar", NULL));
        CHECK(env_wait(is_collapsed, split));
        CHECK(!brio_split_get_show_sidebar(split));
        CHECK(gtk_widget_activate_action(GTK_WIDGET(app.window), "win.sidebar", NULL));
        CHECK(env_wait(is_beside, split));
        brio_split_set_pinned(split, FALSE);
        CHECK(env_wait(is_collapsed, split));
        CHECK(env_wait(has_pages_button, app.window));
        g_signal_emit_by_name(find_pages_button(GTK_WIDGET(app.window)), "clicked");
        CHECK(env_wait(is_beside, split));
        CHECK(!brio_split_get_show_sidebar(split));
        CHECK(close_window(&app));
}

static bool has_a_plot(void *window) {
        return page_env_find(window, BRIO_TYPE_PLOT, NULL) != NULL;
}

static int get_span(struct app *app) {
        return brio_plot_get_view(BRIO_PLOT(page_env_find(GTK_WIDGET(app->window), BRIO_TYPE_PLOT, NULL)))->span_s;
}

/* As a plot does it that the wheel is turned over. */
static bool zoom(struct app *app, int steps) {
        return gtk_widget_activate_action(page_env_find(GTK_WIDGET(app->window), BRIO_TYPE_PLOT, NULL), "overview.zoom", "i", steps);
}

TEST(the_time_of_the_plots_is_one_for_all_and_is_kept) {
        g_autoptr(GSettings) settings = new_settings(true);
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(has_a_plot, app.window));
        CHECK_INT(get_span(&app), 60);
        CHECK(zoom(&app, -1));
        CHECK_INT(get_span(&app), 120);
        CHECK(zoom(&app, -9));
        CHECK_INT(get_span(&app), 1800);
        CHECK(zoom(&app, 2));
        CHECK_INT(get_span(&app), 300);
        CHECK(close_window(&app));

        CHECK_INT(g_settings_get_int(settings, SETTINGS_PLOT_SPAN), 300);
        CHECK(env_daemon_start("desktop.json"));
        app = restore_window(settings);
        CHECK(env_wait(has_a_plot, app.window));
        CHECK_INT(get_span(&app), 300);
        g_settings_set_int(settings, SETTINGS_PLOT_SPAN, 1799); /* by hand */
        CHECK_INT(get_span(&app), 600);
        CHECK(close_window(&app));
        CHECK_INT(g_settings_get_int(settings, SETTINGS_PLOT_SPAN), 1799);
}

static bool lists_processes(void *window) {
        GtkWidget *page = page_env_find(window, BRIO_TYPE_PAGE_PROCESSES, NULL);

        return page && page_env_shows_list(page);
}

static GtkColumnView *get_view(struct app *app) {
        return GTK_COLUMN_VIEW(page_env_find(GTK_WIDGET(app->window), GTK_TYPE_COLUMN_VIEW, NULL));
}

TEST(the_order_of_processes_and_of_starts_is_kept) {
        g_autoptr(GSettings) settings = new_settings(true);
        g_autoptr(GtkColumnViewColumn) column = NULL;
        struct app app;
        gboolean descending;

        CHECK(env_daemon_start("desktop.json"));
        g_settings_set_string(settings, SETTINGS_PAGE, "processes");
        app = restore_window(settings);
        CHECK(env_wait(lists_processes, app.window));
        env_run_for_ms(200);
        CHECK_STR(process_order_get(get_view(&app), &descending), "total");
        CHECK(descending);
        column = g_list_model_get_item(gtk_column_view_get_columns(get_view(&app)), 4);
        gtk_column_view_sort_by_column(get_view(&app), column, GTK_SORT_DESCENDING);
        CHECK_STR(process_order_get(get_view(&app), &descending), "write");
        CHECK(descending);
        brio_window_show_page(app.window, "startups");
        env_run_for_ms(300);
        gtk_drop_down_set_selected(GTK_DROP_DOWN(page_env_find(page_env_find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_STARTUPS, NULL), GTK_TYPE_DROP_DOWN, NULL)), 2);
        CHECK(close_window(&app));

        CHECK_INT((int) g_settings_get_uint(settings, SETTINGS_STARTUPS_ORDER), 2);
        CHECK(env_daemon_start("desktop.json"));
        g_settings_set_string(settings, SETTINGS_PAGE, "processes");
        app = restore_window(settings);
        CHECK(env_wait(lists_processes, app.window));
        env_run_for_ms(200);
        CHECK_STR(process_order_get(get_view(&app), &descending), "write");
        CHECK(descending);
        g_clear_object(&column);
        column = g_list_model_get_item(gtk_column_view_get_columns(get_view(&app)), 0);
        gtk_column_view_sort_by_column(get_view(&app), column, GTK_SORT_ASCENDING);
        CHECK_STR(process_order_get(get_view(&app), &descending), "name");
        CHECK(!descending);
        gtk_column_view_sort_by_column(get_view(&app), NULL, GTK_SORT_ASCENDING);
        CHECK(!process_order_get(get_view(&app), &descending));
        CHECK(close_window(&app));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shortcuts, their window, and the windows over the dashboard's. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "application.h"
#include "dialogs.h"
#include "fake-systemd.h"
#include "gui-env.h"
#include "page-env.h"
#include "window-env.h"

static GtkApplication *get_application(void) {
        static BrioApplication *application;

        if (!application) {
                application = brio_application_new();
                g_application_set_flags(G_APPLICATION(application), G_APPLICATION_NON_UNIQUE);
                if (!g_application_register(G_APPLICATION(application), NULL, NULL))
                        abort();
        }
        return GTK_APPLICATION(application);
}

/* Of all shortcuts that the window lists, as keys: each begins and ends with a space. */
static void list_keys(GtkWidget *w, GString *keys) {
        if (GTK_IS_SHORTCUTS_SHORTCUT(w)) {
                g_autofree char *text = NULL, *title = NULL;
                g_auto(GStrv) each = NULL;

                g_object_get(w, "accelerator", &text, "title", &title, NULL);
                if (!title || !*title)
                        abort();
                each = g_strsplit(text, " ", -1);
                for (char **k = each; *k; k++) {
                        guint key;
                        GdkModifierType modifiers;
                        g_autofree char *name = NULL;

                        gtk_accelerator_parse(*k, &key, &modifiers);
                        name = gtk_accelerator_name(key, modifiers);
                        g_string_append_printf(keys, " %s ", name);
                }
        }
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                list_keys(c, keys);
}

static GString *read_overlay(void) {
        g_autoptr(GtkBuilder) builder = gtk_builder_new_from_resource("/org/brio/Brio/shortcuts.ui");
        GtkWindow *overlay = GTK_WINDOW(gtk_builder_get_object(builder, "shortcuts"));
        GString *keys = g_string_new(NULL);

        list_keys(GTK_WIDGET(overlay), keys);
        gtk_window_destroy(overlay);
        return keys;
}

TEST(the_window_of_shortcuts_lists_each_that_there_is) {
        g_auto(GStrv) actions = gtk_application_list_action_descriptions(get_application());
        GString *keys = read_overlay();
        unsigned n = 0;

        for (char **action = actions; *action; action++) {
                g_auto(GStrv) accels = gtk_application_get_accels_for_action(get_application(), *action);
                char *found = NULL;

                /* Of several for one action one is enough: "Back" is on few keyboards. */
                for (char **a = accels; *a && !found; a++) {
                        g_autofree char *wanted = g_strdup_printf(" %s ", *a);

                        found = strstr(keys->str, wanted);
                }
                if (!found)
                        printf("# not listed: %s\n", *action);
                CHECK(found);
                n++;
        }
        CHECK_INT(n, 14);
        CHECK(strstr(keys->str, " F10 ") != NULL);                /* the menu button's */
        for (const char *const *key = (const char *const[]){ "<Control>1", "<Control>2", "<Control>3", "<Control>plus", "<Control>minus", NULL }; *key; key++) {
                g_autofree char *wanted = g_strdup_printf(" %s ", *key);

                CHECK(strstr(keys->str, wanted) != NULL); /* the overview's */
        }
        g_string_free(keys, TRUE);
}

static AdwViewStack *find_pages(GtkWidget *w) {
        if (ADW_IS_VIEW_STACK(w))
                return ADW_VIEW_STACK(w);
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                AdwViewStack *found = find_pages(c);

                if (found)
                        return found;
        }
        return NULL;
}

TEST(alt_and_a_number_is_the_page_at_that_place) {
        struct app app = open_window(1000, 700);
        g_autoptr(GtkSelectionModel) pages = adw_view_stack_get_pages(find_pages(GTK_WIDGET(app.window)));

        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(pages)), 6);
        for (unsigned i = 0; i < 6; i++) {
                g_autoptr(AdwViewStackPage) page = g_list_model_get_item(G_LIST_MODEL(pages), i);
                g_autofree char *action = g_strdup_printf("win.page('%s')", adw_view_stack_page_get_name(page));
                g_autofree char *key = g_strdup_printf("<Alt>%u", i + 1);
                g_auto(GStrv) accels = gtk_application_get_accels_for_action(get_application(), action);

                CHECK(accels[0]);
                CHECK_STR(accels[0], key);
        }
        CHECK(close_window(&app));
}

/* The window that is over it; NULL: none. */
static GtkWidget *find_over(struct app *app) {
        GListModel *all = gtk_window_get_toplevels();

        for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
                g_autoptr(GtkWindow) w = g_list_model_get_item(all, i);

                if (gtk_window_get_transient_for(w) == GTK_WINDOW(app->window))
                        return GTK_WIDGET(w);
        }
        return NULL;
}

/* With a file of this name GtkApplication makes it with each window. That it opens: test-pictures.c. */
TEST(the_window_of_shortcuts_is_made_when_it_is_asked_for) {
        CHECK(!g_resources_get_info("/org/brio/Brio/gtk/help-overlay.ui", G_RESOURCE_LOOKUP_FLAGS_NONE, NULL, NULL, NULL));
        CHECK(g_action_group_has_action(G_ACTION_GROUP(get_application()), "shortcuts"));
}

static bool is_connected(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_CONNECTED;
}

static bool says_why(void *app) {
        return page_env_find(find_over(app), GTK_TYPE_LABEL, "This session has no systemd that could run the service brio-session, which tells of them.") != NULL;
}

TEST(where_no_service_can_tell_of_slow_starts_the_preferences_say_so_and_have_no_switch) {
        struct app app = open_window(1000, 700);

        dialogs_show_preferences(GTK_WINDOW(app.window));
        CHECK(env_wait(says_why, &app));
        CHECK(!page_env_find(find_over(&app), GTK_TYPE_SWITCH, NULL));
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        dialogs_show_preferences(GTK_WINDOW(app.window));
        gtk_window_destroy(GTK_WINDOW(find_over(&app))); /* before the answer */
        CHECK(close_window(&app));
}

static bool is_ready(void *notify) {
        return gtk_widget_get_sensitive(notify);
}

TEST(the_preferences_switch_the_service_on_and_where_that_is_refused_it_stays_off_and_the_reason_is_said) {
        struct app app = open_window(1000, 700);
        GtkWidget *notify;

        CHECK(fake_systemd_begin("disabled"));
        dialogs_show_preferences(GTK_WINDOW(app.window));
        notify = page_env_find(find_over(&app), GTK_TYPE_SWITCH, NULL);
        CHECK(env_wait(is_ready, notify));
        CHECK(!gtk_switch_get_active(GTK_SWITCH(notify)));
        gtk_switch_set_active(GTK_SWITCH(notify), TRUE);
        CHECK(!is_ready(notify)); /* until the answer */
        CHECK(env_wait(is_ready, notify));
        CHECK(gtk_switch_get_active(GTK_SWITCH(notify)) && gtk_switch_get_state(GTK_SWITCH(notify)));
        CHECK(strstr(fake_systemd.calls->str, "StartUnit('brio-session.service'"));
        fake_systemd.fails = "DisableUnitFiles";
        fake_systemd.error = "org.freedesktop.DBus.Error.AccessDenied";
        fake_systemd.message = "It is not to be";
        gtk_switch_set_active(GTK_SWITCH(notify), FALSE);
        CHECK(env_wait(is_ready, notify));
        CHECK(gtk_switch_get_active(GTK_SWITCH(notify)));
        CHECK(page_env_find(find_over(&app), GTK_TYPE_LABEL, "The service brio-session could not be switched: It is not to be") != NULL);
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        CHECK(close_window(&app));
}

TEST(help_and_about_need_no_daemon_and_no_network) {
        struct app app = open_window(1000, 700);
        int minimum;

        dialogs_show_help(GTK_WINDOW(app.window));
        env_run_for_ms(300);
        CHECK(page_env_find(find_over(&app), GTK_TYPE_LABEL, "man brio.policy") != NULL);
        gtk_widget_measure(find_over(&app), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
        CHECK(minimum <= 360 + 10); /* without a compositor it has a frame */
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        gtk_window_set_default_size(GTK_WINDOW(app.window), 400, 700);
        dialogs_show_help(GTK_WINDOW(app.window));
        env_run_for_ms(300);
        CHECK(gtk_widget_get_width(find_over(&app)) <= 400);
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        dialogs_show_about(GTK_WINDOW(app.window), app.client);
        env_run_for_ms(300);
        CHECK(ADW_IS_ABOUT_WINDOW(find_over(&app)));
        CHECK(strstr(adw_about_window_get_debug_info(ADW_ABOUT_WINDOW(find_over(&app))), "briod (not running)") != NULL);
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        CHECK(close_window(&app));
}

TEST(about_tells_what_is_asked_for_first_where_something_does_not_work) {
        struct app app;
        const char *info;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(is_connected, app.client));
        dialogs_show_about(GTK_WINDOW(app.window), app.client);
        info = adw_about_window_get_debug_info(ADW_ABOUT_WINDOW(find_over(&app)));
        CHECK(strstr(info, "briod 0.1.0, mode auto") != NULL);
        CHECK(strstr(info, "sda: many-sync") != NULL);
        gtk_window_destroy(GTK_WINDOW(find_over(&app)));
        CHECK(close_window(&app));
}

/* Whether some label below w begins so and is to be seen. */
static bool says(GtkWidget *w, const char *text) {
        if (!gtk_widget_get_mapped(w))
                return false;
        if (GTK_IS_LABEL(w) && g_str_has_prefix(gtk_label_get_label(GTK_LABEL(w)), text))
                return true;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                if (says(c, text))
                        return true;
        return false;
}

static bool says_older(void *window) {
        return says(window, "The running daemon is older than this window");
}

TEST(a_daemon_of_an_earlier_version_shows_what_it_knows_and_each_other_page_says_why_not) {
        static const char *const missing[] = { "GetStartups",  "GetStartupTimeline", "GetStreams",     "GetProcesses", "GetAdvice", "GetDecisions",
                                               "OpenSampleStream", "GetKernelVerdicts", "ResetMode", "ModeOrigin", "Policies", "Sources", "Verdicts", "Laws", NULL };
        static const char *const pages[] = { "startups", "streams", "processes", "decisions", "policies" };
        struct app app;

        CHECK(env_daemon_start_without("desktop.json", missing));
        app = open_window(1000, 900);
        CHECK(env_wait(window_shows_pages, app.window));
        env_run_for_ms(300);
        CHECK(says(GTK_WIDGET(app.window), "Samsung SSD 980 PRO 1TB"));
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                brio_window_show_page(app.window, pages[i]);
                CHECK(env_wait(says_older, app.window));
        }
        CHECK(close_window(&app));
}

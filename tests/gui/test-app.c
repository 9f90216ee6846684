/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole window against a scripted daemon. The pictures that it leaves in $BRIO_ARTEFACTS are for people. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "columns.h"
#include "decision-row.h"
#include "done-card.h"
#include "drive-card.h"
#include "gui-env.h"
#include "mode-switch.h"
#include "page-absent.h"
#include "page-decisions.h"
#include "page-env.h"
#include "page-overview.h"
#include "page-processes.h"
#include "page-startups.h"
#include "report-archive.h"
#include "report-dialog.h"
#include "report.h"
#include "screenshot.h"
#include "sidebar.h"
#include "split.h"
#include "widget-env.h"
#include "window-env.h"

static bool open_desktop(struct app *app, int width, int height) {
        if (!env_daemon_start("desktop.json"))
                return false;
        *app = open_window(width, height);
        return env_wait(window_shows_pages, app->window);
}

static guint count_cards(void *window) {
        GtkWidget *columns = find(window, BRIO_TYPE_COLUMNS, NULL);
        guint n = 0;

        while (columns && brio_columns_get_child(BRIO_COLUMNS(columns), n))
                n++;
        return n;
}

static bool has_one_card(void *window) {
        return count_cards(window) == 1;
}

static bool has_no_card(void *window) {
        return count_cards(window) == 0;
}

/* Saves a picture, and says whether it has the window's size. */
static bool take_picture(struct app *app, const char *name) {
        const char *directory = getenv("BRIO_ARTEFACTS");
        g_autofree char *path = g_strdup_printf("%s/%s.png", directory ? directory : test_tmpdir(), name);
        g_autoptr(GError) error = NULL;
        g_autoptr(GdkTexture) texture = NULL;

        env_run_for_ms(600); /* transitions end */
        if (!screenshot_save(GTK_WIDGET(app->window), path, &error)) {
                printf("# %s\n", error->message);
                return false;
        }
        texture = gdk_texture_new_from_filename(path, NULL);
        return texture && gdk_texture_get_width(texture) == gtk_widget_get_width(GTK_WIDGET(app->window));
}

static int samples;

static void on_sampled(void) {
        samples++;
}

static bool has_samples(void *unused) {
        (void) unused;
        return samples > 2;
}

/* The window at a width with the desktop's scenario, as a picture. */
static bool picture_at(int width, int height, const char *name) {
        struct app app;
        bool ok;

        samples = 0;
        if (!env_daemon_start("desktop.json"))
                return false;
        app = open_window(width, height);
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        ok = env_wait(window_shows_pages, app.window) && env_wait(has_samples, NULL) && count_cards(app.window) == 2
                && take_picture(&app, name);
        return close_window(&app) && ok;
}

TEST(without_a_daemon_the_window_says_so_and_connects_by_itself) {
        struct app app = open_window(1000, 700);

        CHECK(env_wait(window_shows_absent, app.window));
        CHECK(take_picture(&app, "no-daemon"));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK_INT(count_cards(app.window), 2);
        env_daemon_stop();
        CHECK(env_wait(window_shows_absent, app.window));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK_INT(count_cards(app.window), 2);
        CHECK(close_window(&app));
}

static bool has_toast(void *window) {
        GtkWidget *overlay = find(window, ADW_TYPE_TOAST_OVERLAY, NULL);

        return g_strcmp0(G_OBJECT_TYPE_NAME(gtk_widget_get_last_child(overlay)), "AdwToastWidget") == 0;
}

static bool is_sensitive(void *widget) {
        return gtk_widget_get_sensitive(widget);
}

/* As much of systemd as the window needs. */
static const char systemd_xml[] = "<node><interface name='org.freedesktop.systemd1.Manager'><method name='StartUnit'><arg type='s' direction='in'/>"
                                  "<arg type='s' direction='in'/><arg type='o' direction='out'/></method></interface></node>";

static void on_start_unit(GDBusConnection *connection, const char *sender, const char *path, const char *interface, const char *method, GVariant *parameters,
                          GDBusMethodInvocation *invocation, gpointer refuse) {
        const char *unit = "", *how;

        (void) connection;
        (void) sender;
        (void) path;
        (void) interface;
        (void) method;
        g_variant_get(parameters, "(&s&s)", &unit, &how);
        if (*(bool *) refuse)
                g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.DBus.Error.AccessDenied", "no");
        else if (g_str_equal(unit, "briod.service") && env_daemon_start("desktop.json"))
                g_dbus_method_invocation_return_value(invocation, g_variant_new("(o)", "/org/freedesktop/systemd1/job/1"));
        else
                g_dbus_method_invocation_return_dbus_error(invocation, "org.freedesktop.systemd1.NoSuchUnit", "no");
}

static GDBusConnection *start_systemd(bool *refuse) {
        static const GDBusInterfaceVTable vtable = { .method_call = on_start_unit };
        g_autoptr(GDBusNodeInfo) node = g_dbus_node_info_new_for_xml(systemd_xml, NULL);
        g_autoptr(GVariant) reply = NULL;
        GDBusConnection *c = g_dbus_connection_new_for_address_sync(env_bus_start(),
                                                                    G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                                                    NULL, NULL, NULL);

        if (!c || g_dbus_connection_register_object(c, "/org/freedesktop/systemd1", node->interfaces[0], &vtable, refuse, NULL, NULL) == 0)
                return NULL;
        reply = g_dbus_connection_call_sync(c, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
                                            g_variant_new("(su)", "org.freedesktop.systemd1", 0u), NULL, G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL);
        return reply ? c : NULL;
}

TEST(the_daemon_is_started_by_a_button_and_a_refusal_becomes_a_toast) {
        bool refuse = true;
        struct app app = open_window(1000, 700);
        GtkWidget *button;
        GDBusConnection *systemd;

        CHECK(env_wait(window_shows_absent, app.window));
        button = find(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_ABSENT, NULL), GTK_TYPE_BUTTON, NULL);
        CHECK_STR(gtk_button_get_label(GTK_BUTTON(button)), "Start Brio");
        g_signal_emit_by_name(button, "clicked"); /* nothing there starts anything */
        CHECK(!gtk_widget_get_sensitive(button));
        CHECK(env_wait(has_toast, app.window));
        CHECK(gtk_widget_get_sensitive(button));
        systemd = start_systemd(&refuse);
        CHECK(systemd != NULL);
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(is_sensitive, button));
        CHECK(window_shows_absent(app.window));
        refuse = false;
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(window_shows_pages, app.window));
        g_dbus_connection_close_sync(systemd, NULL, NULL);
        g_object_unref(systemd);
        CHECK(close_window(&app));
}

static bool says(void *window, const char *text) {
        GtkWidget *card = find(window, BRIO_TYPE_DONE_CARD, NULL);
        GtkWidget *row = card ? find(card, ADW_TYPE_ACTION_ROW, NULL) : NULL;

        return row && gtk_widget_get_mapped(row) && strstr(adw_action_row_get_subtitle(ADW_ACTION_ROW(row)), text);
}

static bool says_no_start(void *window) {
        return says(window, "No application’s start was helped yet.");
}

static bool says_what_a_start_took(void *window) {
        return says(window, "1 start was helped. Firefox takes 4.1 s instead of 20 s without help.");
}

TEST(the_overview_opens_with_what_brio_did) {
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(says_no_start, app.window));
        g_free(env_control("AddDecision", "('{\"tunable\": \"read-ahead\", \"application\": \"org.mozilla.firefox\", \"pid\": 9, \"new\": \"43848\"}',)"));
        CHECK(env_wait(says_what_a_start_took, app.window));
        CHECK(close_window(&app));
}

static GtkWidget *find_release_in(void *window, GType type) {
        GtkWidget *within = find(window, type, NULL), *label = within ? page_env_find(within, GTK_TYPE_LABEL, "_Release") : NULL;

        return label ? gtk_widget_get_ancestor(label, GTK_TYPE_BUTTON) : NULL;
}

static GtkWidget *find_release(void *window) {
        return find_release_in(window, BRIO_TYPE_DONE_CARD);
}

static bool can_release(void *window) {
        return find_release(window) != NULL;
}

static bool cannot_release(void *window) {
        return !can_release(window);
}

TEST(the_overview_says_what_is_held_and_why_until_it_is_released_there) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        CHECK(env_wait(says_no_start, app.window));
        CHECK(!can_release(app.window));
        brio_client_call_async(app.client, "Hold", g_variant_new("(sss)", "pause", "A recording", "org.mozilla.firefox"), "(u)", NULL, NULL, NULL);
        CHECK(env_wait(can_release, app.window));
        CHECK(page_env_find(GTK_WIDGET(app.window), GTK_TYPE_LABEL,
                            "Firefox has asked Brio to pause: every setting stays as it is. Its reason: “A recording”.") != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(find_release(app.window)), GTK_ACCESSIBLE_PROPERTY_LABEL, "Release the hold “A recording”");
        g_signal_emit_by_name(find_release(app.window), "clicked");
        CHECK(env_wait(cannot_release, app.window));
        CHECK_INT(env_count_calls("ReleaseHold"), 1);
        CHECK(close_window(&app));
}

static GtkWidget *find_release_below_the_modes(void *window) {
        return find_release_in(window, BRIO_TYPE_MODE_SWITCH);
}

static bool can_release_below_the_modes(void *window) {
        return find_release_below_the_modes(window) != NULL;
}

static bool cannot_release_below_the_modes(void *window) {
        return !find_release_below_the_modes(window);
}

TEST(each_hold_stands_below_the_modes_on_every_page_until_it_is_released_there) {
        GtkMenuButton *button;
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "decisions");
        button = GTK_MENU_BUTTON(page_env_find(find(GTK_WIDGET(app.window), BRIO_TYPE_MODE_SWITCH, NULL), GTK_TYPE_MENU_BUTTON, NULL));
        CHECK(find_release_below_the_modes(app.window) == NULL);
        brio_client_call_async(app.client, "Hold", g_variant_new("(sss)", "interactive", "A game", "org.mozilla.firefox"), "(u)", NULL, NULL, NULL);
        gtk_menu_button_popup(button);
        CHECK(env_wait(can_release_below_the_modes, app.window));
        CHECK(page_env_find(GTK_WIDGET(button), GTK_TYPE_LABEL, "A game") != NULL);
        g_signal_emit_by_name(find_release_below_the_modes(app.window), "clicked");
        CHECK(env_wait(cannot_release_below_the_modes, app.window));
        CHECK_INT(env_count_calls("ReleaseHold"), 1);
        gtk_menu_button_popdown(button);
        CHECK(env_wait(page_env_is_unmapped, gtk_menu_button_get_popover(button)));
        CHECK(close_window(&app));
}

TEST(what_brio_did_is_told_of_today_where_the_daemon_was_started_before) {
        struct app app;
        GtkWidget *card;

        CHECK(open_desktop(&app, 1000, 700));
        CHECK(env_wait(says_no_start, app.window));
        card = find(GTK_WIDGET(app.window), BRIO_TYPE_DONE_CARD, NULL);
        CHECK_STR(adw_preferences_group_get_title(ADW_PREFERENCES_GROUP(card)), "Done for You Today"); /* it runs for three days */
        CHECK(brio_client_get_daemon_start_us(app.client) < g_get_real_time() - 2 * G_TIME_SPAN_DAY);
        CHECK(close_window(&app));
}

static bool has_asked_for_decisions(void *before) {
        return env_count_calls("GetDecisions") > *(unsigned *) before;
}

/* Where another day is, seen from UTC. */
static const char *find_other_day(void) {
        g_autoptr(GDateTime) now = g_date_time_new_now_utc();

        return g_date_time_get_hour(now) >= 11 ? "<+14>-14" : "<-12>+12";
}

static bool has_asked_for_worth(void *times) {
        return env_count_calls("GetPrefetch") >= *(unsigned *) times;
}

TEST(what_help_is_worth_is_asked_for_once_whichever_pages_say_it) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "startups");
        CHECK(env_wait(has_asked_for_worth, &(unsigned){ 1 }));
        env_run_for_ms(200);
        g_free(env_control("AddStartup", "('{\"application\": \"mpv\", \"time_usec\": 1795000900000000, \"latency_usec\": 333000}',)"));
        CHECK(env_wait(has_asked_for_worth, &(unsigned){ 2 }));
        env_run_for_ms(200);
        CHECK_INT(env_count_calls("GetPrefetch"), 2);
        CHECK(close_window(&app));
}

TEST(what_brio_did_is_asked_for_anew_when_a_day_begins) {
        struct app app;
        unsigned before;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(says_no_start, app.window));
        before = env_count_calls("GetDecisions");
        g_setenv("TZ", find_other_day(), TRUE);
        CHECK(env_wait(has_asked_for_decisions, &before));
        g_setenv("TZ", "UTC", TRUE);
        CHECK(close_window(&app));
}

TEST(a_drive_that_goes_takes_its_card_along) {
        struct app app;
        GtkWidget *left;

        CHECK(open_desktop(&app, 1000, 700));
        left = brio_columns_get_child(BRIO_COLUMNS(find(GTK_WIDGET(app.window), BRIO_TYPE_COLUMNS, NULL)), 0);
        g_free(env_control("RemoveDrive", "('sda',)"));
        CHECK(env_wait(has_one_card, app.window));
        CHECK(brio_columns_get_child(BRIO_COLUMNS(find(GTK_WIDGET(app.window), BRIO_TYPE_COLUMNS, NULL)), 0) == left);
        g_free(env_control("RemoveDrive", "('nvme0n1',)"));
        CHECK(env_wait(has_no_card, app.window));
        CHECK(take_picture(&app, "no-drives"));
        CHECK(close_window(&app));
}

static bool is_off(void *client) {
        return strcmp(brio_client_get_mode(client), "off") == 0;
}

static GtkWidget *find_card_of(GtkWidget *window, const char *drive) {
        for (GtkWidget *w = page_env_find(window, BRIO_TYPE_DRIVE_CARD, NULL); w; w = gtk_widget_get_next_sibling(w))
                if (strcmp(brio_device_get_name(brio_drive_card_get_device(BRIO_DRIVE_CARD(w))), drive) == 0)
                        return w;
        return NULL;
}

static bool is_first(void *window, const char *drive) {
        GtkWidget *card = find_card_of(window, drive);

        return card && !gtk_widget_get_prev_sibling(card);
}

static bool is_sda_first(void *window) {
        return is_first(window, "sda");
}

static bool is_nvme_first(void *window) {
        return is_first(window, "nvme0n1");
}

static int header_height(GtkWidget *w) {
        return gtk_widget_get_height(gtk_widget_get_ancestor(page_env_find(w, ADW_TYPE_WINDOW_TITLE, NULL), ADW_TYPE_HEADER_BAR));
}

TEST(the_two_header_bars_are_of_one_height) {
        struct app app;
        GtkWidget *sidebar, *content;

        CHECK(open_desktop(&app, 1000, 700));
        env_run_for_ms(200); /* it is laid out */
        sidebar = gtk_widget_get_parent(page_env_find(GTK_WIDGET(app.window), BRIO_TYPE_SIDEBAR, NULL));
        content = gtk_widget_get_ancestor(page_env_find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_OVERVIEW, NULL), GTK_TYPE_STACK);
        CHECK_INT(header_height(sidebar), header_height(gtk_widget_get_parent(content)));
        CHECK(close_window(&app));
}

TEST(drives_that_are_busy_stand_before_those_that_are_not) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 760));
        g_free(env_control("SetDrive", "('sda', '{\"workload\": \"bulk\"}')"));
        g_free(env_control("SetDrive", "('nvme0n1', '{\"workload\": \"idle\"}')"));
        CHECK(env_wait(is_sda_first, app.window));
        g_free(env_control("SetDrive", "('sda', '{\"workload\": \"idle\"}')"));
        g_free(env_control("SetDrive", "('nvme0n1', '{\"workload\": \"bulk\"}')"));
        CHECK(env_wait(is_nvme_first, app.window));
        CHECK(close_window(&app));
}

static bool is_sda_a_line(void *window) {
        GtkWidget *card = find_card_of(window, "sda");

        return card && page_env_find(card, GTK_TYPE_TOGGLE_BUTTON, NULL) && !page_env_find(card, GTK_TYPE_LIST_BOX, NULL);
}

static bool is_sda_whole(void *window) {
        return page_env_find(find_card_of(window, "sda"), GTK_TYPE_LIST_BOX, NULL) != NULL;
}

TEST(the_first_drive_has_its_card_and_each_other_is_a_line_until_its_card_is_asked_for) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 760));
        CHECK(env_wait(is_sda_a_line, app.window));
        CHECK(page_env_find(find_card_of(GTK_WIDGET(app.window), "nvme0n1"), GTK_TYPE_LIST_BOX, NULL) != NULL);
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(page_env_find(find_card_of(GTK_WIDGET(app.window), "sda"), GTK_TYPE_TOGGLE_BUTTON, NULL)), TRUE);
        CHECK(env_wait(is_sda_whole, app.window));
        CHECK(close_window(&app));
}

static void on_report(GObject *source, GAsyncResult *result, gpointer text) {
        (void) source;
        *(char **) text = report_make_finish(result, NULL);
}

static bool has_text(void *text) {
        return *(char **) text != NULL;
}

static void (*measure_label)(GtkWidget *, GtkOrientation, int, int *, int *, int *, int *);
static void (*measure_columns)(GtkWidget *, GtkOrientation, int, int *, int *, int *, int *);
static unsigned label_widths;
static GHashTable *page_widths;

static void count_label(GtkWidget *w, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline, int *natural_baseline) {
        /* Rows are libadwaita's, which puts theirs in boxes. */
        label_widths += orientation == GTK_ORIENTATION_HORIZONTAL && for_size >= 0 && gtk_label_get_wrap(GTK_LABEL(w))
                && gtk_widget_get_ancestor(w, BRIO_TYPE_DRIVE_CARD) && !gtk_widget_get_ancestor(w, GTK_TYPE_LIST_BOX);
        measure_label(w, orientation, for_size, minimum, natural, minimum_baseline, natural_baseline);
}

static void count_columns(GtkWidget *w, GtkOrientation orientation, int for_size, int *minimum, int *natural, int *minimum_baseline, int *natural_baseline) {
        if (orientation == GTK_ORIENTATION_VERTICAL && for_size >= 0 && BRIO_IS_DRIVE_CARD(gtk_widget_get_first_child(w)))
                g_hash_table_add(page_widths, GINT_TO_POINTER(for_size));
        measure_columns(w, orientation, for_size, minimum, natural, minimum_baseline, natural_baseline);
}

/* Where GTK seeks the width of a widget for a height, it lays it out for a dozen of them. */
TEST(the_overview_is_laid_out_for_the_width_of_the_window_and_few_others) {
        g_autoptr(GTypeClass) label = g_type_class_ref(GTK_TYPE_LABEL), columns = g_type_class_ref(BRIO_TYPE_COLUMNS);
        g_autoptr(GHashTable) widths = g_hash_table_new(NULL, NULL);
        struct app app;

        measure_label = GTK_WIDGET_CLASS(label)->measure;
        measure_columns = GTK_WIDGET_CLASS(columns)->measure;
        label_widths = 0;
        page_widths = widths;
        GTK_WIDGET_CLASS(label)->measure = count_label;
        GTK_WIDGET_CLASS(columns)->measure = count_columns;
        CHECK(env_daemon_start("desktop.json"));
        g_free(env_control("AddDrive", "('{\"name\": \"sdc\", \"model\": \"Stick\"}',)"));
        app = open_window(1900, 1150);
        CHECK(env_wait(is_sda_a_line, app.window));
        env_run_for_ms(200); /* frames */
        GTK_WIDGET_CLASS(label)->measure = measure_label;
        GTK_WIDGET_CLASS(columns)->measure = measure_columns;
        CHECK(label_widths <= 2 * count_cards(app.window)); /* title and kind once each */
        CHECK(g_hash_table_contains(page_widths, GINT_TO_POINTER(gtk_widget_get_width(find(GTK_WIDGET(app.window), BRIO_TYPE_COLUMNS, NULL)))));
        CHECK(g_hash_table_size(page_widths) <= 3);
        CHECK(close_window(&app));
}

TEST(a_report_has_each_drive_with_its_settings_and_what_the_daemon_says_or_why_it_does_not) {
        struct app app;
        g_autofree char *text = NULL;

        CHECK(open_desktop(&app, 1000, 700));
        g_free(env_control("SetErrors", "('{\"GetAdvice\": [\"Failed\", \"no advice today\"]}',)"));
        report_make_async(app.client, NULL, on_report, &text);
        CHECK(env_wait(has_text, &text));
        for (const char *const *part = (const char *const[]){ "mode auto\n", "\n== sda\n", "'slice_idle_us'", "\n== GetDecisions\n{", "no advice today",
                                                              "\n== GetStartups\n{", "org.mozilla.firefox", "\n== GetStreams\n{", "\n== GetProcesses\n{", NULL };
             *part; part++)
                CHECK(strstr(text, *part) != NULL);
        CHECK(close_window(&app));
}

TEST(a_report_has_the_kernel_and_what_the_daemon_says_of_itself_a_line_for_each_policy_rule_source_and_hold) {
        struct app app;
        g_autofree char *text = NULL;

        CHECK(open_desktop(&app, 1000, 700));
        report_make_async(app.client, NULL, on_report, &text);
        CHECK(env_wait(has_text, &text));
        for (const char *const *part = (const char *const[]){ "Linux ", "\n== briod\n", "\nModeOrigin: 'default'\n", "\nSources:\n  ('diskstats', 'works', '')\n  (",
                                                              "\nPolicies:\n  ('", "\nProgramRules:\n  ('", "\n  ('firefox', 'never', '/etc/", "\nActiveHolds:\n", NULL };
             *part; part++)
                CHECK(strstr(text, *part) != NULL);
        CHECK(close_window(&app));
}

static GBytes *archive;
static bool has_ended;

static void on_archive(GObject *source, GAsyncResult *result, gpointer unused) {
        (void) source;
        (void) unused;
        archive = report_archive_make_finish(result, NULL);
        has_ended = true;
}

static bool archive_has_ended(void *unused) {
        (void) unused;
        return has_ended;
}

static void make_archive(struct app *app, GCancellable *cancellable) {
        archive = NULL;
        has_ended = false;
        report_archive_make_async(app->window, app->client, NULL, cancellable, on_archive, NULL);
}

/* A file of the archive; NULL: there is none. */
static char *unpack(const char *file) {
        g_autofree char *path = g_strdup_printf("%s/report.tar.gz", test_tmpdir());
        const char *argv[] = { "tar", "-xzf", path, "-C", test_tmpdir(), NULL };

        if (!g_file_set_contents(path, g_bytes_get_data(archive, NULL), (gssize) g_bytes_get_size(archive), NULL)
            || !g_spawn_sync(NULL, (char **) argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL))
                return NULL;
        return g_strdup_printf("%s/brio-report/%s", test_tmpdir(), file);
}

TEST(a_report_to_save_has_a_text_and_a_picture_of_each_page_and_the_window_is_back_at_its_own) {
        static const char *const pages[] = { "overview", "startups", "streams", "processes", "decisions", "policies" };
        g_autofree char *path = NULL, *text = NULL;
        guint64 sizes[ARRAY_SIZE(pages)];
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "decisions");
        make_archive(&app, NULL);
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive != NULL);
        CHECK_STR(brio_window_get_page(app.window), "decisions");
        path = unpack("report.txt");
        CHECK(path && g_file_get_contents(path, &text, NULL, NULL));
        CHECK(strstr(text, "\n== GetPrefetch\n{") != NULL);
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                g_autofree char *name = g_strdup_printf("%s.png", pages[i]), *picture = unpack(name);
                g_autoptr(GFile) file = g_file_new_for_path(picture);
                g_autoptr(GFileInfo) info = g_file_query_info(file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE, NULL, NULL);
                g_autoptr(GdkTexture) texture = gdk_texture_new_from_file(file, NULL);

                CHECK(texture && gdk_texture_get_width(texture) == gtk_widget_get_width(GTK_WIDGET(app.window)));
                sizes[i] = (guint64) g_file_info_get_size(info);
                for (size_t k = 0; k < i; k++)
                        CHECK(sizes[k] != sizes[i]); /* each is another */
        }
        g_bytes_unref(archive);
        CHECK(close_window(&app));
}

TEST(a_report_ends_with_the_window) {
        g_autoptr(GCancellable) cancellable = g_cancellable_new();
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        make_archive(&app, cancellable);
        env_run_for_ms(300);
        g_cancellable_cancel(cancellable); /* as a window that is closed does */
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive == NULL);
        CHECK(close_window(&app));
}

static void on_asked_for(GObject *source, GAsyncResult *result, gpointer unused) {
        (void) source;
        (void) unused;
        archive = report_dialog_make_finish(result, NULL);
        has_ended = true;
}

/* The message over the window; NULL: there is none. */
static AdwMessageDialog *find_dialog(void) {
        GListModel *windows = gtk_window_get_toplevels();

        for (guint i = 0; i < g_list_model_get_n_items(windows); i++) {
                g_autoptr(GtkWindow) window = g_list_model_get_item(windows, i);

                if (ADW_IS_MESSAGE_DIALOG(window) && gtk_widget_get_mapped(GTK_WIDGET(window)))
                        return ADW_MESSAGE_DIALOG(window); /* GTK keeps it */
        }
        return NULL;
}

static bool is_recording(void *unused) {
        AdwMessageDialog *dialog = find_dialog();

        (void) unused;
        return dialog && page_env_find(GTK_WIDGET(dialog), GTK_TYPE_LABEL, "1 of 20 seconds") != NULL;
}

static bool is_asked(void *unused) {
        (void) unused;
        return find_dialog() != NULL;
}

/* Opens the window and its question. */
static struct app ask_for_report(const char *scenario) {
        struct app app;

        archive = NULL;
        has_ended = false;
        env_daemon_start(scenario);
        app = open_window(1000, 700);
        env_wait(window_shows_pages, app.window);
        report_dialog_make_async(app.window, app.client, on_asked_for, NULL);
        env_wait(is_asked, NULL);
        return app;
}

static void answer(const char *label) {
        GtkWidget *text = page_env_find(GTK_WIDGET(find_dialog()), GTK_TYPE_LABEL, label);

        g_signal_emit_by_name(gtk_widget_get_ancestor(text, GTK_TYPE_BUTTON), "clicked");
}

static void choose_recording(void) {
        gtk_switch_set_active(GTK_SWITCH(find(GTK_WIDGET(find_dialog()), GTK_TYPE_SWITCH, NULL)), TRUE);
}

TEST(a_report_has_a_recording_where_the_user_wants_one_and_it_ends_when_they_say_so) {
        g_autofree char *path = NULL, *text = NULL;
        struct app app = ask_for_report("desktop.json");

        CHECK(is_asked(NULL));
        choose_recording();
        answer("C_ontinue");
        CHECK(env_wait(is_recording, NULL));
        answer("_End Now");
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive != NULL);
        path = unpack("brio.recording");
        CHECK(path && g_file_get_contents(path, &text, NULL, NULL));
        CHECK_STR(text + 1, "BRIO\r\n\x1a\x01");
        CHECK(!find_dialog());
        g_bytes_unref(archive);
        CHECK(close_window(&app));
}

TEST(a_report_without_a_recording_asks_for_none_and_one_that_is_refused_is_said_and_left_out) {
        g_autofree char *path = g_strdup_printf("%s/brio-report/brio.recording", test_tmpdir());
        struct app app = ask_for_report("desktop.json");

        answer("C_ontinue");
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK_INT(env_count_calls("OpenRecording"), 0);
        g_clear_pointer(&archive, g_bytes_unref);
        g_free(env_control("SetErrors", "('{\"OpenRecording\": [\"NotAuthorized\", \"no\"]}',)"));
        has_ended = false;
        report_dialog_make_async(app.window, app.client, on_asked_for, NULL);
        CHECK(env_wait(is_asked, NULL));
        choose_recording();
        answer("C_ontinue");
        CHECK(env_wait(has_toast, app.window));
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive != NULL);
        unlink(path); /* another archive's */
        g_free(unpack("report.txt"));
        CHECK(!g_file_test(path, G_FILE_TEST_EXISTS));
        g_bytes_unref(archive);
        CHECK(close_window(&app));
}

TEST(a_report_that_is_given_up_is_none_whatever_is_shown_then) {
        struct app app = ask_for_report("desktop.json");

        answer("_Cancel");
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive == NULL);
        has_ended = false;
        report_dialog_make_async(app.window, app.client, on_asked_for, NULL);
        CHECK(env_wait(is_asked, NULL));
        choose_recording();
        answer("C_ontinue");
        CHECK(env_wait(is_recording, NULL));
        answer("_Cancel");
        CHECK(env_wait(archive_has_ended, NULL));
        CHECK(archive == NULL);
        has_ended = false;
        report_dialog_make_async(app.window, app.client, on_asked_for, NULL);
        CHECK(env_wait(is_asked, NULL));
        CHECK(close_window(&app)); /* with the question open */
        CHECK(has_ended);
        app = ask_for_report("desktop.json");
        choose_recording();
        answer("C_ontinue");
        CHECK(env_wait(is_recording, NULL));
        CHECK(close_window(&app));
        CHECK(archive == NULL);
}

TEST(the_mode_is_set_through_the_daemon_and_a_refusal_becomes_a_toast) {
        struct app app;
        BrioModeSwitch *mode_switch;
        g_autofree char *calls = NULL;

        CHECK(open_desktop(&app, 1000, 700));
        mode_switch = BRIO_MODE_SWITCH(find(GTK_WIDGET(app.window), BRIO_TYPE_MODE_SWITCH, NULL));
        brio_mode_switch_request(mode_switch, "off");
        CHECK(env_wait(is_off, app.client));
        CHECK(!has_toast(app.window));
        g_free(env_control("SetErrors", "('{\"SetMode\": [\"NotAuthorized\", \"no\"]}',)"));
        brio_mode_switch_request(mode_switch, "auto");
        CHECK(env_wait(has_toast, app.window));
        CHECK(is_off(app.client));
        CHECK(take_picture(&app, "refused"));
        calls = env_control("Calls", "()");
        CHECK(strstr(calls, "[\"SetMode\", [\"off\"]]") != NULL);
        CHECK(close_window(&app));
}

TEST(garbage_in_the_stream_leaves_the_window_as_it_is) {
        struct app app;

        CHECK(env_daemon_start("desktop.json"));
        samples = 0;
        app = open_window(1000, 700);
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        CHECK(env_wait(has_samples, NULL));
        g_free(env_control("StreamGarbage", "('random',)"));
        env_run_for_ms(100);
        samples = 0;
        CHECK(env_wait(has_samples, NULL));
        CHECK(window_shows_pages(app.window));
        CHECK_INT(count_cards(app.window), 2);
        CHECK(close_window(&app));
}

static int frames;

static void on_frame(void) {
        frames++;
}

/* How many frames the window draws in a second in which nothing happens. */
static int count_frames(struct app *app) {
        GdkFrameClock *clock = gtk_widget_get_frame_clock(GTK_WIDGET(app->window));
        gulong handler = g_signal_connect(clock, "paint", on_frame, NULL);

        env_run_for_ms(1000); /* transitions end */
        frames = 0;
        env_run_for_ms(1000);
        g_signal_handler_disconnect(clock, handler);
        return frames;
}

TEST(a_window_without_news_draws_no_frames) {
        struct app app = open_window(1000, 700);

        CHECK(env_wait(window_shows_absent, app.window));
        CHECK_INT(count_frames(&app), 0);
        CHECK(env_daemon_start(NULL));
        CHECK(env_wait(window_shows_pages, app.window));
        CHECK_INT(count_frames(&app), 0);
        CHECK(close_window(&app));
}

TEST(a_page_where_nothing_changes_draws_no_frames) {
        static const char *const pages[] = { "startups", "decisions" };
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                brio_window_show_page(app.window, pages[i]);
                env_run_for_ms(2000);
                CHECK_INT(count_frames(&app), 0);
        }
        CHECK(close_window(&app));
}

/* No window manager minimises on this display. In the place of GTK's own. */
static bool minimised;

GdkToplevelState gdk_toplevel_get_state(GdkToplevel *toplevel) {
        GdkToplevelState state = 0;

        g_object_get(toplevel, "state", &state, NULL);
        return minimised ? state | GDK_TOPLEVEL_STATE_MINIMIZED : state;
}

static bool says_what_begins(void *window) {
        return page_env_find(GTK_WIDGET(window), GTK_TYPE_LABEL, "Watching · many programs beginning at once") != NULL;
}

TEST(a_minimised_window_draws_and_lays_out_nothing_whatever_comes_and_is_right_when_it_is_back) {
        struct app app;
        GdkFrameClock *clock;
        gulong paint, layout;
        bool sampled, early;

        CHECK(env_daemon_start("desktop.json"));
        samples = 0;
        app = open_window(1000, 2000);
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        CHECK(env_wait(has_samples, NULL));
        minimised = true;
        env_run_for_ms(1500); /* what was under way ends */
        clock = gtk_widget_get_frame_clock(GTK_WIDGET(app.window));
        paint = g_signal_connect(clock, "paint", on_frame, NULL);
        layout = g_signal_connect(clock, "layout", on_frame, NULL);
        frames = 0;
        samples = 0;
        for (int i = 0; i < 4; i++) {
                g_autofree char *change = g_strdup_printf("('nvme0n1', '{\"workload\": \"%s\"}')", i % 2 == 0 ? "shared" : "burst");

                g_free(env_control("SetDrive", change));
                env_run_for_ms(600);
        }
        sampled = env_wait(has_samples, NULL);
        early = says_what_begins(app.window);
        g_signal_handler_disconnect(clock, paint);
        g_signal_handler_disconnect(clock, layout);
        minimised = false;
        CHECK(sampled && !early);
        CHECK_INT(frames, 0);
        CHECK(env_wait(says_what_begins, app.window));
        CHECK(close_window(&app));
}

TEST(samples_are_drawn_as_they_come_and_not_at_the_rate_of_the_display) {
        struct app app;
        int n;

        CHECK(env_daemon_start("desktop.json"));
        samples = 0;
        app = open_window(1000, 700);
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        CHECK(env_wait(has_samples, NULL));
        do /* a busy machine may let none come within a second */
                n = count_frames(&app);
        while (n == 0);
        printf("# %d frames\n", n);
        CHECK(n < 20);
        CHECK(close_window(&app));
}

TEST(a_page_that_was_not_opened_is_not_there) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        CHECK(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_OVERVIEW, NULL) != NULL);
        CHECK(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_PROCESSES, NULL) == NULL);
        CHECK(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_STARTUPS, NULL) == NULL);
        brio_window_show_page(app.window, "startups");
        CHECK(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_STARTUPS, NULL) != NULL);
        CHECK(find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_PROCESSES, NULL) == NULL);
        CHECK(close_window(&app));
}

static bool lists_processes(void *window) {
        GtkWidget *page = find(window, BRIO_TYPE_PAGE_PROCESSES, NULL);

        return page && gtk_widget_get_mapped(page) && page_env_shows_list(page);
}

TEST(processes_are_asked_for_only_while_their_page_is_shown) {
        struct app app;
        guint n;

        CHECK(open_desktop(&app, 1000, 700));
        env_run_for_ms(1200);
        CHECK_INT(env_count_calls("GetProcesses"), 0);
        CHECK(gtk_widget_activate_action(GTK_WIDGET(app.window), "win.page", "s", "processes"));
        CHECK(env_wait(lists_processes, app.window));
        env_run_for_ms(1200);
        n = env_count_calls("GetProcesses");
        CHECK(n >= 2);
        brio_window_show_page(app.window, "overview");
        brio_window_show_page(app.window, "no such page");
        env_run_for_ms(2500);
        CHECK_INT(env_count_calls("GetProcesses"), n);
        CHECK(close_window(&app));
}

TEST(the_processes_come_back_with_the_daemon) {
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "processes");
        CHECK(env_wait(lists_processes, app.window));
        env_daemon_stop();
        CHECK(env_wait(window_shows_absent, app.window));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(lists_processes, app.window));
        CHECK(close_window(&app));
}

static bool lists_startups(void *window) {
        GtkWidget *page = find(window, BRIO_TYPE_PAGE_STARTUPS, NULL);

        return page && page_env_shows_list(page);
}

TEST(every_page_fits_360_pixels) {
        static const char *const pages[] = { "overview", "startups", "streams", "processes", "decisions", "policies" };
        struct app app;
        int minimum;

        CHECK(open_desktop(&app, 360, 640));
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                brio_window_show_page(app.window, pages[i]);
                env_run_for_ms(600);
                gtk_widget_measure(GTK_WIDGET(app.window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
                CHECK_INT(minimum, 360);
        }
        brio_window_show_page(app.window, "startups");
        brio_window_show_detail(app.window, "org.mozilla.firefox");
        env_run_for_ms(900);
        gtk_widget_measure(GTK_WIDGET(app.window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
        CHECK_INT(minimum, 360);
        CHECK(take_picture(&app, "startup-360"));
        CHECK(gtk_widget_activate_action(GTK_WIDGET(app.window), "win.back", NULL));
        CHECK(env_wait(lists_startups, app.window));
        brio_window_show_page(app.window, "processes");
        env_run_for_ms(600);
        CHECK(lists_processes(app.window));
        CHECK(close_window(&app));
}

static bool lists_decisions(void *window) {
        GtkWidget *page = find(window, BRIO_TYPE_PAGE_DECISIONS, NULL);

        return page && page_env_shows_list(page);
}

/* The first visible button of a row below w. */
static GtkWidget *find_undo(GtkWidget *w) {
        if (GTK_IS_BUTTON(w) && gtk_widget_get_mapped(w) && gtk_widget_get_ancestor(w, BRIO_TYPE_DECISION_ROW))
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find_undo(c);

                if (found)
                        return found;
        }
        return NULL;
}

static bool has_undo(void *page) {
        return find_undo(page) != NULL;
}

TEST(an_undo_that_is_refused_becomes_a_toast_and_leaves_the_decision_in_force) {
        struct app app;
        GtkWidget *page;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "decisions");
        CHECK(env_wait(lists_decisions, app.window));
        g_free(env_control("SetErrors", "('{\"Undo\": [\"NotAuthorized\", \"no\"]}',)"));
        page = find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_DECISIONS, NULL);
        CHECK(env_wait(has_undo, page));
        g_signal_emit_by_name(find_undo(page), "clicked");
        CHECK(env_wait(has_toast, app.window));
        CHECK(has_undo(page));
        CHECK(close_window(&app));
}

static bool lists_advice(void *window) {
        return find(window, BRIO_TYPE_DECISION_ROW, NULL) != NULL && find_undo(window) != NULL;
}

static bool has_undone(void *unused) {
        (void) unused;
        return env_count_calls("Undo") == 1;
}

/* Of the toast. */
static GtkWidget *find_toast_button(struct app *app) {
        return find(gtk_widget_get_last_child(find(GTK_WIDGET(app->window), ADW_TYPE_TOAST_OVERLAY, NULL)), GTK_TYPE_BUTTON, NULL);
}

static bool has_rules(void *client, const char *expected) {
        g_autofree char *rules = g_variant_print(brio_client_get_program_rules(client), FALSE);

        return strstr(rules, expected) != NULL;
}

static bool has_two_never(void *client) {
        return has_rules(client, "[('updatedb', 'never', ''), ('cp', 'never', '')");
}

static bool has_as_before(void *client) {
        return has_rules(client, "[('updatedb', 'always', ''), ('firefox'");
}

TEST(a_rule_for_programs_is_taken_back_by_its_toast_as_it_was_and_a_refusal_becomes_one) {
        struct app app;
        GtkWidget *button;

        CHECK(open_desktop(&app, 1000, 700));
        gtk_widget_activate_action(GTK_WIDGET(app.window), "win.program-rules", "(@a(ss)b)",
                                   g_variant_new_parsed("[('updatedb', 'never'), ('cp', 'never')]"), TRUE);
        CHECK(env_wait(has_two_never, app.client));
        CHECK(env_wait(has_toast, app.window));
        button = find_toast_button(&app);
        CHECK_STR(gtk_button_get_label(GTK_BUTTON(button)), "Undo");
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(has_as_before, app.client));
        g_free(env_control("SetErrors", "('{\"SetProgramRules\": [\"NotAuthorized\", \"no\"]}',)"));
        gtk_widget_activate_action(GTK_WIDGET(app.window), "win.program-rules", "(@a(ss)b)", g_variant_new_parsed("[('cp', 'never')]"), TRUE);
        CHECK(env_wait(has_toast, app.window));
        CHECK(has_as_before(app.client));
        CHECK(close_window(&app));
}

TEST(the_word_that_advice_was_applied_offers_to_undo_it) {
        struct app app;
        GtkWidget *button;

        CHECK(open_desktop(&app, 1000, 1600));
        brio_window_show_page(app.window, "policies");
        CHECK(env_wait(lists_advice, app.window));
        g_signal_emit_by_name(find_undo(GTK_WIDGET(app.window)), "clicked"); /* applies it */
        CHECK(env_wait(has_toast, app.window));
        button = find_toast_button(&app);
        CHECK_STR(gtk_button_get_label(GTK_BUTTON(button)), "Undo");
        g_signal_emit_by_name(button, "clicked");
        CHECK(env_wait(has_undone, NULL));
        CHECK(close_window(&app));
}

static void resize(struct app *app, int width) {
        gtk_window_set_default_size(GTK_WINDOW(app->window), width, 700);
        env_run_for_ms(300);
}

/* The pixels below the header that are not as the one in their middle at the top. */
static unsigned count_drawn(struct app *app) {
        g_autofree char *path = g_strdup_printf("%s/page.png", test_tmpdir());
        g_autoptr(GdkTexture) texture = NULL;
        g_autofree guint32 *pixels = NULL;
        unsigned n = 0;
        int width, height;

        env_run_for_ms(600); /* transitions end */
        if (!screenshot_save(GTK_WIDGET(app->window), path, NULL) || !(texture = gdk_texture_new_from_filename(path, NULL)))
                return 0;
        width = gdk_texture_get_width(texture);
        height = gdk_texture_get_height(texture);
        pixels = g_new(guint32, (gsize) width * (gsize) height);
        gdk_texture_download(texture, (guchar *) pixels, (gsize) width * 4);
        for (int y = 60; y < height - 20; y++)
                for (int x = 20; x < width - 20; x++)
                        n += pixels[y * width + x] != pixels[60 * width + width / 2];
        return n;
}

TEST(a_page_that_was_left_wide_is_drawn_in_a_narrow_window) {
        static const char *const pages[] = { "startups", "decisions", "processes", "streams", "policies" };
        struct app app;

        CHECK(open_desktop(&app, 1000, 700));
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                brio_window_show_page(app.window, pages[i]);
                env_run_for_ms(300);
        }
        brio_window_show_page(app.window, "overview");
        resize(&app, 400);
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                unsigned drawn;

                brio_window_show_page(app.window, pages[i]);
                drawn = count_drawn(&app);
                printf("# %s: %u pixels\n", pages[i], drawn);
                CHECK(drawn > 1000);
        }
        CHECK(close_window(&app));
}

static int layouts;

static void on_layout(void) {
        layouts++;
}

/* As a daemon does several times a second. */
TEST(what_is_told_of_a_drive_lays_out_no_page_that_does_not_show_it) {
        struct app app;
        GdkFrameClock *clock;
        gulong handler;

        CHECK(open_desktop(&app, 1000, 700));
        brio_window_show_page(app.window, "decisions");
        CHECK(env_wait(lists_decisions, app.window));
        env_run_for_ms(2000);
        clock = gtk_widget_get_frame_clock(GTK_WIDGET(app.window));
        handler = g_signal_connect(clock, "layout", G_CALLBACK(on_layout), NULL);
        layouts = 0;
        for (int i = 0; i < 10; i++) {
                g_autofree char *change = g_strdup_printf(
                        "('sda', '{\"state\": \"%s\", \"tunables\": {\"slice_idle_us\": [\"8000\", \"%d\", \"%d\", \"brio\"], "
                        "\"timeout_sync\": [\"124\", \"\", \"124\", \"kernel\"], \"low_latency\": [\"1\", \"\", \"1\", \"kernel\"], "
                        "\"nr_requests\": [\"64\", \"\", \"256\", \"manual\"]}}')",
                        i % 2 ? "trial" : "holding", 1000 + i, 1000 + i);

                g_free(env_control("SetDrive", change));
                env_run_for_ms(50);
        }
        g_signal_handler_disconnect(clock, handler);
        printf("# %d layouts\n", layouts);
        CHECK_INT(layouts, 0);
        CHECK(close_window(&app));
}

TEST(the_focus_in_the_list_of_pages_goes_with_the_page) {
        struct app app;
        GtkListBox *list;

        CHECK(open_desktop(&app, 1000, 700));
        list = GTK_LIST_BOX(find(find(GTK_WIDGET(app.window), BRIO_TYPE_SIDEBAR, NULL), GTK_TYPE_LIST_BOX, NULL));
        CHECK(gtk_widget_grab_focus(GTK_WIDGET(gtk_list_box_get_row_at_index(list, 0))));
        brio_window_show_page(app.window, "decisions");
        CHECK_INT(gtk_list_box_row_get_index(gtk_list_box_get_selected_row(list)), 4);
        CHECK(gtk_window_get_focus(GTK_WINDOW(app.window)) == GTK_WIDGET(gtk_list_box_get_selected_row(list)));
        CHECK(close_window(&app));
}

/* Beside the page where there is room for it; where there is not, over it, and only for as long as it takes to choose. */
TEST(the_list_of_pages_follows_the_width) {
        for (int width = 1000; width >= 400; width -= 600) {
                BrioSplit *split;
                GtkWidget *list;
                struct app app;

                CHECK(env_daemon_start("desktop.json"));
                app = open_window(width, 640);
                CHECK(env_wait(window_shows_pages, app.window));
                env_run_for_ms(600);
                split = BRIO_SPLIT(find(GTK_WIDGET(app.window), BRIO_TYPE_SPLIT, NULL));
                list = find(find(GTK_WIDGET(app.window), BRIO_TYPE_SIDEBAR, NULL), GTK_TYPE_LIST_BOX, NULL);
                CHECK_INT(brio_split_get_collapsed(split), width < BRIO_SPLIT_WIDE_PX);
                CHECK_INT(gtk_widget_get_mapped(list), width >= BRIO_SPLIT_WIDE_PX);
                if (width < BRIO_SPLIT_WIDE_PX) /* else it would put the list away */
                        gtk_widget_activate_action(GTK_WIDGET(app.window), "win.sidebar", NULL);
                env_run_for_ms(400);
                CHECK(gtk_widget_get_mapped(list));
                CHECK_INT(brio_split_get_show_sidebar(split), width < BRIO_SPLIT_WIDE_PX);
                if (width < BRIO_SPLIT_WIDE_PX)
                        CHECK(take_picture(&app, "pages-400"));
                g_signal_emit_by_name(list, "row-activated", gtk_list_box_get_row_at_index(GTK_LIST_BOX(list), 1));
                CHECK(!brio_split_get_show_sidebar(split));
                CHECK(env_wait(width < BRIO_SPLIT_WIDE_PX ? page_env_is_unmapped : page_env_is_mapped, list));
                CHECK(env_wait(page_env_is_unmapped, find(GTK_WIDGET(app.window), BRIO_TYPE_PAGE_OVERVIEW, NULL)));
                env_daemon_stop();
                CHECK(env_wait(window_shows_absent, app.window));
                CHECK(env_wait(page_env_is_unmapped, list));
                CHECK(close_window(&app));
        }
}

TEST(pictures_of_the_processes) {
        static const struct {
                int width;
                bool dark, rtl;
                const char *name;
        } pictures[] = {
                { 1000, false, false, "processes-1000" },
                { 1000, true, false, "processes-1000-dark" },
                { 1000, false, true, "processes-1000-rtl" },
                { 360, false, false, "processes-360" },
        };

        start_application();
        for (size_t i = 0; i < ARRAY_SIZE(pictures); i++) {
                struct app app;

                adw_style_manager_set_color_scheme(adw_style_manager_get_default(),
                                                   pictures[i].dark ? ADW_COLOR_SCHEME_FORCE_DARK : ADW_COLOR_SCHEME_DEFAULT);
                gtk_widget_set_default_direction(pictures[i].rtl ? GTK_TEXT_DIR_RTL : GTK_TEXT_DIR_LTR);
                CHECK(env_daemon_start("desktop.json"));
                app = open_window(pictures[i].width, 640);
                CHECK(env_wait(window_shows_pages, app.window));
                brio_window_show_page(app.window, "processes");
                CHECK(env_wait(lists_processes, app.window));
                CHECK(take_picture(&app, pictures[i].name));
                CHECK(close_window(&app));
        }
        adw_style_manager_set_color_scheme(adw_style_manager_get_default(), ADW_COLOR_SCHEME_DEFAULT);
        gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
}

TEST(pictures_of_the_overview) {
        AdwStyleManager *style;

        start_application();
        style = adw_style_manager_get_default();
        CHECK(picture_at(1000, 1080, "overview-1000"));
        CHECK(picture_at(360, 2000, "overview-360"));
        CHECK(picture_at(1920, 800, "overview-1920"));
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_FORCE_DARK);
        CHECK(picture_at(1000, 1080, "overview-1000-dark"));
        CHECK(picture_at(360, 2000, "overview-360-dark"));
        adw_style_manager_set_color_scheme(style, ADW_COLOR_SCHEME_DEFAULT);
        gtk_widget_set_default_direction(GTK_TEXT_DIR_RTL);
        CHECK(picture_at(1000, 1080, "overview-1000-rtl"));
        gtk_widget_set_default_direction(GTK_TEXT_DIR_LTR);
}

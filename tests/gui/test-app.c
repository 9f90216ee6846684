/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The whole window against a scripted daemon. The pictures that it leaves in $BRIO_ARTEFACTS are for people. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "client.h"
#include "columns.h"
#include "drive-card.h"
#include "gui-env.h"
#include "mode-switch.h"
#include "screenshot.h"
#include "window.h"

struct app {
        BrioClient *client;
        BrioWindow *window;
};

/* What an application does at its start: style sheets, icons. */
static void start_application(void) {
        static GApplication *application;

        if (application)
                return;
        application = g_object_new(ADW_TYPE_APPLICATION, "application-id", "org.brio.Brio", "flags", G_APPLICATION_NON_UNIQUE,
                                   "resource-base-path", "/org/brio/Brio", NULL);
        if (!g_application_register(application, NULL, NULL))
                abort();
}

static struct app open_window(int width, int height) {
        struct app app = { .client = brio_client_new(env_bus_start()) };

        start_application();
        app.window = brio_window_new(NULL, app.client);
        gtk_window_set_default_size(GTK_WINDOW(app.window), width, height);
        brio_client_start(app.client);
        gtk_window_present(GTK_WINDOW(app.window));
        return app;
}

/* Ends everything. True if window and client are gone. */
static bool close_window(struct app *app) {
        GWeakRef window, client;
        g_autoptr(GObject) left_window = NULL;
        g_autoptr(GObject) left_client = NULL;

        g_weak_ref_init(&window, app->window);
        g_weak_ref_init(&client, app->client);
        env_daemon_stop();
        gtk_window_destroy(GTK_WINDOW(app->window));
        g_object_unref(app->client);
        env_run_for_ms(300); /* cancelled calls come back, animations end */
        left_window = g_weak_ref_get(&window);
        left_client = g_weak_ref_get(&client);
        g_weak_ref_clear(&window);
        g_weak_ref_clear(&client);
        return !left_window && !left_client;
}

static bool shows_pages(void *window) {
        return strcmp(brio_window_get_shown(window), "pages") == 0;
}

static bool shows_absent(void *window) {
        return strcmp(brio_window_get_shown(window), "absent") == 0;
}

static GtkWidget *find(GtkWidget *w, GType type) {
        if (G_TYPE_CHECK_INSTANCE_TYPE(w, type))
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find(c, type);

                if (found)
                        return found;
        }
        return NULL;
}

static guint count_cards(void *window) {
        GtkWidget *columns = find(window, BRIO_TYPE_COLUMNS);
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
        ok = env_wait(shows_pages, app.window) && env_wait(has_samples, NULL) && count_cards(app.window) == 2
                && take_picture(&app, name);
        return close_window(&app) && ok;
}

TEST(without_a_daemon_the_window_says_so_and_connects_by_itself) {
        struct app app = open_window(1000, 700);

        CHECK(env_wait(shows_absent, app.window));
        CHECK(take_picture(&app, "no-daemon"));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(shows_pages, app.window));
        CHECK_INT(count_cards(app.window), 2);
        env_daemon_stop();
        CHECK(env_wait(shows_absent, app.window));
        CHECK(env_daemon_start("desktop.json"));
        CHECK(env_wait(shows_pages, app.window));
        CHECK_INT(count_cards(app.window), 2);
        CHECK(close_window(&app));
}

TEST(a_drive_that_goes_takes_its_card_along) {
        struct app app;
        GtkWidget *left;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(shows_pages, app.window));
        left = brio_columns_get_child(BRIO_COLUMNS(find(GTK_WIDGET(app.window), BRIO_TYPE_COLUMNS)), 0);
        g_free(env_control("RemoveDrive", "('sda',)"));
        CHECK(env_wait(has_one_card, app.window));
        CHECK(brio_columns_get_child(BRIO_COLUMNS(find(GTK_WIDGET(app.window), BRIO_TYPE_COLUMNS)), 0) == left);
        g_free(env_control("RemoveDrive", "('nvme0n1',)"));
        CHECK(env_wait(has_no_card, app.window));
        CHECK(take_picture(&app, "no-drives"));
        CHECK(close_window(&app));
}

static bool is_off(void *client) {
        return strcmp(brio_client_get_mode(client), "off") == 0;
}

static bool has_toast(void *window) {
        GtkWidget *overlay = find(window, ADW_TYPE_TOAST_OVERLAY);

        return g_strcmp0(G_OBJECT_TYPE_NAME(gtk_widget_get_last_child(overlay)), "AdwToastWidget") == 0;
}

TEST(the_mode_is_set_through_the_daemon_and_a_refusal_becomes_a_toast) {
        struct app app;
        BrioModeSwitch *mode_switch;
        g_autofree char *calls = NULL;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 700);
        CHECK(env_wait(shows_pages, app.window));
        mode_switch = BRIO_MODE_SWITCH(find(GTK_WIDGET(app.window), BRIO_TYPE_MODE_SWITCH));
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
        CHECK(shows_pages(app.window));
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

        CHECK(env_wait(shows_absent, app.window));
        CHECK_INT(count_frames(&app), 0);
        CHECK(env_daemon_start(NULL));
        CHECK(env_wait(shows_pages, app.window));
        CHECK_INT(count_frames(&app), 0);
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
        n = count_frames(&app);
        printf("# %d frames\n", n);
        CHECK(n > 0 && n < 20);
        CHECK(close_window(&app));
}

TEST(the_overview_fits_360_pixels) {
        struct app app;
        int minimum;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(360, 640);
        CHECK(env_wait(shows_pages, app.window));
        env_run_for_ms(300);
        gtk_widget_measure(GTK_WIDGET(app.window), GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
        CHECK_INT(minimum, 360);
        CHECK(close_window(&app));
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

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "window-env.h"

#define CLOSE_LOOK_MS 20
#define CLOSE_LOOKS (ENV_PATIENCE_S * 1000 / CLOSE_LOOK_MS)

void start_application(void) {
        static GApplication *application;

        if (application)
                return;
        application = g_object_new(ADW_TYPE_APPLICATION, "application-id", "org.brio.Brio", "flags", G_APPLICATION_NON_UNIQUE,
                                   "resource-base-path", "/org/brio/Brio", NULL);
        if (!g_application_register(application, NULL, NULL))
                abort();
}

static struct app create(const char *bus, GSettings *settings) {
        struct app app = { .client = brio_client_new(bus) };

        start_application();
        app.window = brio_window_new(NULL, app.client, settings);
        return app;
}

static void present(struct app *app) {
        brio_client_start(app->client);
        gtk_window_present(GTK_WINDOW(app->window));
}

struct app open_window_on(const char *bus, int width, int height) {
        struct app app = create(bus, NULL);

        gtk_window_set_default_size(GTK_WINDOW(app.window), width, height);
        present(&app);
        return app;
}

struct app open_window(int width, int height) {
        return open_window_on(env_bus_start(), width, height);
}

struct app restore_window(GSettings *settings) {
        struct app app = create(env_bus_start(), settings);

        present(&app);
        return app;
}

static bool is_gone(GWeakRef *weak) {
        g_autoptr(GObject) left = g_weak_ref_get(weak);

        return !left;
}

bool window_shows(BrioWindow *window, const char *what) {
        return strcmp(brio_window_get_shown(window), what) == 0;
}

bool window_shows_pages(void *window) {
        return window_shows(window, "pages");
}

bool window_shows_absent(void *window) {
        return window_shows(window, "absent");
}

bool close_window(struct app *app) {
        GWeakRef both[2];
        bool gone = false;

        g_weak_ref_init(&both[0], app->window);
        g_weak_ref_init(&both[1], app->client);
        env_daemon_stop();
        gtk_window_destroy(GTK_WINDOW(app->window));
        g_object_unref(app->client);
        for (int i = 0; i < CLOSE_LOOKS && !gone; i++) {
                env_run_for_ms(CLOSE_LOOK_MS);
                gone = is_gone(&both[0]) && is_gone(&both[1]); /* cancelled calls have come back, animations ended */
        }
        for (int i = 0; i < 2; i++)
                g_weak_ref_clear(&both[i]);
        return gone;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "gui-env.h"
#include "window-env.h"

void start_application(void) {
        static GApplication *application;

        if (application)
                return;
        application = g_object_new(ADW_TYPE_APPLICATION, "application-id", "org.brio.Brio", "flags", G_APPLICATION_NON_UNIQUE,
                                   "resource-base-path", "/org/brio/Brio", NULL);
        if (!g_application_register(application, NULL, NULL))
                abort();
}

static struct app create(GSettings *settings) {
        struct app app = { .client = brio_client_new(env_bus_start()) };

        start_application();
        app.window = brio_window_new(NULL, app.client, settings);
        return app;
}

static void present(struct app *app) {
        brio_client_start(app->client);
        gtk_window_present(GTK_WINDOW(app->window));
}

struct app open_window(int width, int height) {
        struct app app = create(NULL);

        gtk_window_set_default_size(GTK_WINDOW(app.window), width, height);
        present(&app);
        return app;
}

struct app restore_window(GSettings *settings) {
        struct app app = create(settings);

        present(&app);
        return app;
}

bool close_window(struct app *app) {
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

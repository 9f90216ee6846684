/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each page at five widths, round and round, while the scripted daemon tells what changes. A warning ends the program (G_DEBUG).
 *
 * BRIO_WALK_S: for so many seconds instead of the usual rounds, as ./dev screenshots --walk has it. BRIO_WALK_BUS: the bus of a briod that is there
 * instead of the scripted one, such as that of tools/busy-drive.py. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <malloc.h>

#include "gui-env.h"
#include "window-env.h"

#define HEIGHT_PX 760
#define STAY_MS 80
/* Until each cache of fonts, styles and rows has been filled at each width. */
#define ROUNDS_BEFORE 3
#define ROUNDS 4
#define GROWTH_MAX_BYTES (512 * 1024)
/* Lists are as long as a real load makes them. */
#define REAL_GROWTH_MAX_BYTES (2048 * 1024)

/* real: a drive does what it does. */
static void walk(struct app *app, unsigned round, bool real) {
        static const char *const pages[] = { "overview", "startups", "streams", "processes", "decisions", "policies" };
        static const int widths_px[] = { 360, 600, 900, 1200, 1920 };

        for (size_t i = 0; i < ARRAY_SIZE(widths_px); i++) {
                gtk_window_set_default_size(GTK_WINDOW(app->window), widths_px[i], HEIGHT_PX);
                for (size_t k = 0; k < ARRAY_SIZE(pages); k++) {
                        g_autofree char *drive = g_strdup_printf("('sda', '{\"workload\": \"%s\"}')", (round + i + k) % 2 ? "bulk" : "idle");

                        if (!real)
                                g_free(env_control("SetDrive", drive));
                        brio_window_show_page(app->window, pages[k]);
                        env_run_for_ms(STAY_MS);
                }
        }
}

static unsigned count_widgets(GtkWidget *w) {
        unsigned n = 1;

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_widgets(c);
        return n;
}

static size_t in_use(void) {
        return mallinfo2().uordblks;
}

TEST(every_page_at_five_widths_again_and_again_warns_of_nothing_and_takes_no_more_memory) {
        const char *seconds = g_getenv("BRIO_WALK_S"), *bus = g_getenv("BRIO_WALK_BUS");
        gint64 end_us = g_get_monotonic_time() + (seconds ? g_ascii_strtoll(seconds, NULL, 10) : 0) * G_USEC_PER_SEC;
        struct app app;
        size_t before = 0, after = 0;
        unsigned rounds = 0, widgets, most = 0;

        CHECK(bus || env_daemon_start("desktop.json"));
        app = open_window_on(bus ? bus : env_bus_start(), 1000, HEIGHT_PX);
        CHECK(env_wait(window_shows_pages, app.window));
        for (unsigned i = 0; i < ROUNDS_BEFORE + ROUNDS || g_get_monotonic_time() < end_us; i++) {
                walk(&app, i, bus != NULL);
                rounds++;
                after = in_use();
                widgets = count_widgets(GTK_WIDGET(app.window));
                if (i < ROUNDS_BEFORE || (bus && widgets > most)) /* a list keeps up to 200 rows, once it was so long */
                        before = after;
                most = MAX(most, widgets);
                printf("# round %u: %zu KiB in use, %u widgets\n", i + 1, after / 1024, widgets);
        }
        printf("# %u rounds: from %zu to %zu KiB in use since caches are full, %u widgets at most\n", rounds, before / 1024, after / 1024, most);
        CHECK(after <= before + (bus ? REAL_GROWTH_MAX_BYTES : GROWTH_MAX_BYTES));
        CHECK(close_window(&app));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 64 drives and 5 000 processes: what is done goes by what is in sight. (10 000 decisions: test-decisions.c.) */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "drive-card.h"
#include "gui-env.h"
#include "object-process.h"
#include "page-env.h"
#include "page-processes.h"
#include "plot.h"
#include "window-env.h"

#define SCENARIO "scale.json"
#define DRIVES 64
#define PROCESSES 5000
#define WIDTH_PX 1000
#define HEIGHT_PX 760
/* GTK binds some 200 rows of a list, whatever its length. */
#define ROWS_MAX 300

static unsigned count(GtkWidget *w, const char *type_name) {
        unsigned n = g_str_equal(G_OBJECT_TYPE_NAME(w), type_name);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count(c, type_name);
        return n;
}

static bool shows_pages(void *window) {
        return strcmp(brio_window_get_shown(window), "pages") == 0;
}

static bool open_page(const char *page, struct app *ret) {
        if (!env_daemon_start(SCENARIO))
                return false;
        *ret = open_window(WIDTH_PX, HEIGHT_PX);
        if (!env_wait(shows_pages, ret->window))
                return false;
        brio_window_show_page(ret->window, page);
        return true;
}

static unsigned rounds, frames;

static void on_sampled(void) {
        rounds++;
}

static void on_painted(void) {
        frames++;
}

static bool has_rounds(void *target) {
        return rounds >= *(unsigned *) target;
}

static unsigned count_in_sight(GtkWidget *window) {
        unsigned n = 0;

        for (GtkWidget *w = page_env_find(window, BRIO_TYPE_DRIVE_CARD, NULL); w; w = gtk_widget_get_next_sibling(w)) {
                graphene_rect_t bounds;

                n += gtk_widget_compute_bounds(w, window, &bounds) && bounds.origin.y < HEIGHT_PX;
        }
        return n;
}

static bool is_laid_out(void *window) {
        unsigned n = count_in_sight(window);

        return n > 0 && n < DRIVES / 4;
}

/* A frame is painted for a card in sight, and not for one that is not. */
TEST(of_64_drives_only_those_in_sight_are_drawn) {
        struct app app;
        unsigned first = 2, last = 12, cards;

        CHECK(open_page("overview", &app));
        CHECK_INT(count(GTK_WIDGET(app.window), "BrioDriveCard"), DRIVES);
        rounds = 0;
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        CHECK(env_wait(has_rounds, &first));
        CHECK(env_wait(is_laid_out, app.window));
        cards = count_in_sight(GTK_WIDGET(app.window));
        frames = 0;
        g_signal_connect(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), "after-paint", on_painted, NULL);
        rounds = 0;
        CHECK(env_wait(has_rounds, &last));
        printf("# %u frames for %u rounds of samples, %u cards in sight\n", frames, rounds, cards);
        CHECK(frames > 0 && frames <= (cards + 2) * rounds); /* one to begin with, and one in which there is nothing more */
        g_signal_handlers_disconnect_by_func(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), on_painted, NULL);
        CHECK(close_window(&app));
}

static GVariant *make_processes(unsigned n) {
        GVariantBuilder entries;

        g_variant_builder_init(&entries, G_VARIANT_TYPE("aa{sv}"));
        for (unsigned i = 0; i < n; i++)
                g_variant_builder_add_value(&entries, g_variant_new_parsed(
                        "{'pid': <%u>, 'start_ticks': <%t>, 'name': <'tar'>, 'device': <'sda'>, 'read_bytes_per_s': <%t>}",
                        i + 1, (guint64) i, (guint64) i));
        return g_variant_ref_sink(g_variant_builder_end(&entries));
}

/* What the rows of the page's table come from: the store below what is selected, sorted and filtered. */
static GListStore *store_of(GtkColumnView *view) {
        GListModel *sorted = gtk_single_selection_get_model(GTK_SINGLE_SELECTION(gtk_column_view_get_model(view)));
        GListModel *found = gtk_sort_list_model_get_model(GTK_SORT_LIST_MODEL(sorted));

        return G_LIST_STORE(gtk_filter_list_model_get_model(GTK_FILTER_LIST_MODEL(found)));
}

static unsigned count_rows(GtkWidget *w) {
        return count(w, "GtkListItemWidget") + count(w, "GtkColumnViewRowWidget");
}

static bool has_rows(void *widget) {
        return count_rows(widget) > 1; /* the titles are one */
}

/* Without a daemon, since one that tells of so many takes its time. */
TEST(of_5000_processes_only_rows_near_what_is_in_sight_are_made) {
        GtkWidget *page = g_object_new(BRIO_TYPE_PAGE_PROCESSES, NULL), *window = gtk_window_new(), *view;
        g_autoptr(GVariant) entries = make_processes(PROCESSES);
        g_autoptr(GPtrArray) told = brio_processes_read(entries);
        unsigned rows, observed;

        gtk_window_set_default_size(GTK_WINDOW(window), WIDTH_PX, HEIGHT_PX);
        gtk_window_set_child(GTK_WINDOW(window), page);
        gtk_window_present(GTK_WINDOW(window));
        gtk_stack_set_visible_child_name(GTK_STACK(page_env_find(page, GTK_TYPE_STACK, NULL)), "list");
        view = page_env_find(page, GTK_TYPE_COLUMN_VIEW, NULL);
        CHECK(view);
        brio_processes_merge(store_of(GTK_COLUMN_VIEW(view)), told, &observed);
        CHECK_INT(g_list_model_get_n_items(G_LIST_MODEL(gtk_column_view_get_model(GTK_COLUMN_VIEW(view)))), PROCESSES);
        CHECK(env_wait(has_rows, page));
        rows = count_rows(page);
        printf("# %u rows\n", rows);
        CHECK(rows <= ROWS_MAX);
        gtk_window_destroy(GTK_WINDOW(window));
}

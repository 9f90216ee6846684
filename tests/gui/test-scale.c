/* SPDX-License-Identifier: GPL-3.0-or-later */
/* 64 drives and 5 000 processes: what is done goes by what is in sight. (10 000 decisions: test-decisions.c.) */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "drive-card.h"
#include "gui-env.h"
#include "object-process.h"
#include "page-env.h"
#include "page.h"
#include "page-processes.h"
#include "plot.h"
#include "process-cell.h"
#include "window-env.h"

#define SCENARIO "scale.json"
#define DRIVES 64
#define PROCESSES 5000
#define WIDTH_PX 1000
#define HEIGHT_PX 760
/* GTK binds some 200 rows of a list, whatever its length. */
#define ROWS_MAX 300
#define ROW_MAX_PX 40

static unsigned count(GtkWidget *w, const char *type_name) {
        unsigned n = g_str_equal(G_OBJECT_TYPE_NAME(w), type_name);

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count(c, type_name);
        return n;
}

static bool open_page(const char *page, struct app *ret) {
        if (!env_daemon_start(SCENARIO))
                return false;
        *ret = open_window(WIDTH_PX, HEIGHT_PX);
        if (!env_wait(window_shows_pages, ret->window))
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

static bool has_all_cards(void *window) {
        return count(window, "BrioDriveCard") == DRIVES;
}

/* When a frame with cards was painted for the first time: how many there were, and how far down they went. */
static struct {
        unsigned cards;
        float bottom;
} first_painted;

static void on_first_painted(GdkFrameClock *clock, GtkWidget *window) {
        (void) clock;
        if (first_painted.bottom > 0)
                return;
        first_painted.cards = count(window, "BrioDriveCard");
        for (GtkWidget *w = page_env_find(window, BRIO_TYPE_DRIVE_CARD, NULL); w; w = gtk_widget_get_next_sibling(w)) {
                graphene_rect_t bounds;

                if (gtk_widget_compute_bounds(w, window, &bounds) && bounds.size.height > 0)
                        first_painted.bottom = MAX(first_painted.bottom, bounds.origin.y + bounds.size.height);
        }
}

TEST(of_64_drives_a_window_full_is_in_the_first_frame_and_the_others_follow) {
        struct app app;

        CHECK(env_daemon_start(SCENARIO));
        app = open_window(WIDTH_PX, HEIGHT_PX);
        g_signal_connect(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), "after-paint", G_CALLBACK(on_first_painted), app.window);
        CHECK(env_wait(has_all_cards, app.window));
        printf("# %u cards first, down to %g\n", first_painted.cards, (double) first_painted.bottom);
        CHECK(first_painted.cards > 0 && first_painted.cards < DRIVES / 2);
        CHECK(first_painted.bottom >= HEIGHT_PX);
        g_signal_handlers_disconnect_by_func(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), on_first_painted, app.window);
        CHECK(close_window(&app));
}

static bool has_painted(void *unused) {
        (void) unused;
        return frames > 0;
}

/* A frame is painted for a card in sight, and not for one that is not. */
TEST(of_64_drives_only_those_in_sight_are_drawn) {
        struct app app;
        unsigned first = 2, last = 12, cards;

        CHECK(open_page("overview", &app));
        CHECK(env_wait(has_all_cards, app.window));
        rounds = 0;
        g_signal_connect(app.client, "sampled", on_sampled, NULL);
        CHECK(env_wait(has_rounds, &first));
        CHECK(env_wait(is_laid_out, app.window));
        cards = count_in_sight(GTK_WIDGET(app.window));
        frames = 0;
        g_signal_connect(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), "after-paint", on_painted, NULL);
        rounds = 0;
        CHECK(env_wait(has_rounds, &last));
        CHECK(env_wait(has_painted, NULL)); /* where the machine is busy, the first comes late */
        printf("# %u frames for %u rounds of samples, %u cards in sight\n", frames, rounds, cards);
        CHECK(frames <= (cards + 2) * rounds); /* one to begin with, and one in which there is nothing more */
        g_signal_handlers_disconnect_by_func(gtk_widget_get_frame_clock(GTK_WIDGET(app.window)), on_painted, NULL);
        CHECK(close_window(&app));
}

static GVariant *make_processes(unsigned n, bool same_program) {
        GVariantBuilder entries;

        g_variant_builder_init(&entries, G_VARIANT_TYPE("aa{sv}"));
        for (unsigned i = 0; i < n; i++) {
                g_autofree char *name = g_strdup_printf("tar-%x", same_program ? 0 : i);

                g_variant_builder_add_value(&entries, g_variant_new_parsed(
                        "{'pid': <%u>, 'start_ticks': <%t>, 'name': <%s>, 'device': <'sda'>, 'read_bytes_per_second': <%t>}",
                        i + 1, (guint64) i, name, (guint64) i));
        }
        return g_variant_ref_sink(g_variant_builder_end(&entries));
}

static unsigned count_rows(GtkWidget *w) {
        return count(w, "GtkListItemWidget") + count(w, "GtkColumnViewRowWidget");
}

static bool has_rows(void *widget) {
        return count_rows(widget) > 1; /* the titles are one */
}

struct table {
        GtkWidget *page, *window, *view;
        GListModel *shown;
};

/* Without a daemon, since one that tells of so many takes its time. */
static struct table open_table(unsigned n, bool same_program) {
        struct table t = { .page = g_object_new(BRIO_TYPE_PAGE_PROCESSES, NULL), .window = gtk_window_new() };
        g_autoptr(GVariant) entries = make_processes(n, same_program);
        g_autoptr(GPtrArray) told = brio_processes_read(entries);

        gtk_window_set_default_size(GTK_WINDOW(t.window), WIDTH_PX, HEIGHT_PX);
        gtk_window_set_child(GTK_WINDOW(t.window), t.page);
        gtk_window_present(GTK_WINDOW(t.window));
        gtk_stack_set_visible_child_name(GTK_STACK(page_env_find(t.page, GTK_TYPE_STACK, NULL)), "list");
        t.view = page_env_find(t.page, GTK_TYPE_COLUMN_VIEW, NULL);
        t.shown = G_LIST_MODEL(gtk_column_view_get_model(GTK_COLUMN_VIEW(t.view)));
        brio_page_processes_take(BRIO_PAGE_PROCESSES(t.page), told);
        return t;
}

static bool has_none(void *shown) {
        return g_list_model_get_n_items(shown) == 0;
}

static bool has_some(void *shown) {
        return g_list_model_get_n_items(shown) > 0;
}

static bool has_all(void *shown) {
        return g_list_model_get_n_items(shown) == PROCESSES;
}

static bool has_all_and_their_group(void *shown) {
        return g_list_model_get_n_items(shown) == PROCESSES + 1;
}

static bool has_one(void *shown) {
        return g_list_model_get_n_items(shown) == 1;
}

TEST(of_5000_processes_only_rows_near_what_is_in_sight_are_made) {
        struct table t = open_table(PROCESSES, false);
        unsigned rows;

        CHECK(env_wait(has_all, t.shown));
        CHECK(env_wait(has_rows, t.page));
        rows = count_rows(t.page);
        printf("# %u rows\n", rows);
        CHECK(rows <= ROWS_MAX);
        gtk_window_destroy(GTK_WINDOW(t.window));
}

static float text_bottom; /* of what was painted last */

/* How far down rows go that say something. */
static void measure_texts(GtkWidget *w, GtkWidget *window) {
        graphene_rect_t bounds;

        if (BRIO_IS_PROCESS_CELL(w) && *brio_process_cell_get_text(BRIO_PROCESS_CELL(w)) && gtk_widget_compute_bounds(w, window, &bounds))
                text_bottom = MAX(text_bottom, bounds.origin.y + bounds.size.height);
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                measure_texts(c, window);
}

static void on_texts_painted(GdkFrameClock *clock, GtkWidget *window) {
        (void) clock;
        text_bottom = 0;
        measure_texts(window, window);
        frames++;
}

static bool has_frame(void *unused) {
        (void) unused;
        return frames > 0;
}

TEST(when_a_search_among_5000_ends_the_next_frame_is_full_of_rows_and_all_are_there_soon) {
        struct table t = open_table(PROCESSES, false);
        GdkFrameClock *clock = gtk_widget_get_frame_clock(t.window);

        CHECK(env_wait(has_rows, t.page));
        brio_page_search(BRIO_PAGE(t.page), "nothing");
        CHECK(env_wait(has_none, t.shown));
        brio_page_search(BRIO_PAGE(t.page), "");
        CHECK(env_wait(has_some, t.shown));
        CHECK(g_list_model_get_n_items(t.shown) < ROWS_MAX); /* the window does not stop for all that GTK keeps */
        g_signal_connect(clock, "after-paint", G_CALLBACK(on_texts_painted), t.window);
        frames = 0;
        CHECK(env_wait(has_frame, NULL));
        printf("# texts down to %g\n", (double) text_bottom);
        CHECK(text_bottom >= HEIGHT_PX - ROW_MAX_PX);
        CHECK(env_wait(has_all, t.shown));
        g_signal_handlers_disconnect_by_func(clock, on_texts_painted, t.window);
        gtk_window_destroy(GTK_WINDOW(t.window));
}

TEST(a_process_among_5000_that_was_searched_for_stays_selected) {
        struct table t = open_table(PROCESSES, false);
        g_autoptr(GObject) selected = NULL;

        brio_page_search(BRIO_PAGE(t.page), "4321");
        CHECK(env_wait(has_one, t.shown));
        gtk_single_selection_set_selected(GTK_SINGLE_SELECTION(t.shown), 0);
        selected = g_list_model_get_item(t.shown, 0);
        brio_page_search(BRIO_PAGE(t.page), "");
        CHECK(env_wait(has_all, t.shown));
        CHECK(gtk_single_selection_get_selected_item(GTK_SINGLE_SELECTION(t.shown)) == selected);
        gtk_window_destroy(GTK_WINDOW(t.window));
}

TEST(a_group_of_5000_is_a_row_until_it_unfolds) {
        struct table t = open_table(PROCESSES, true);

        CHECK(env_wait(has_one, t.shown));
        g_signal_emit_by_name(t.view, "activate", 0);
        CHECK(g_list_model_get_n_items(t.shown) < ROWS_MAX); /* the window does not stop for all that GTK keeps */
        CHECK(env_wait(has_all_and_their_group, t.shown));
        CHECK(env_wait(has_rows, t.page));
        CHECK(count_rows(t.page) <= ROWS_MAX);
        g_signal_emit_by_name(t.view, "activate", 0);
        CHECK_INT(g_list_model_get_n_items(t.shown), 1);
        gtk_window_destroy(GTK_WINDOW(t.window));
}

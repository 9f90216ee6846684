/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Plots, their tables and what moves them, on a display. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>
#include <malloc.h>

#include "drive-card.h"
#include "gui-env.h"
#include "object-device.h"
#include "picture.h"
#include "plot-draw.h"
#include "plot-table.h"
#include "plot-text.h"
#include "plot.h"
#include "table.h"
#include "widget-env.h"

#define DAY_S (24 * 60 * 60)

static const BrioPlotLine two_lines[] = { { 0, "Read", "plot_read_color", FALSE }, { 1, "Write", "plot_write_color", FALSE } };

static struct history *make_history(void) {
        struct history *s = history_new(2, 200, 200, 5000000);

        for (int i = 0; i < 120; i++)
                history_append(s, i * INT64_C(500000), (float[]){ 64000, (float) i });
        return s;
}

TEST(a_plot_reads_out_the_newest_or_the_moment_under_the_cursor) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        g_autofree char *now = NULL;
        g_autofree char *then = NULL;
        g_autofree char *never = NULL;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_REQUESTS, two_lines, 2);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        now = plot_view_reading(brio_plot_get_view(BRIO_PLOT(plot)), 1);
        CHECK_STR(now, "119");
        brio_plot_set_cursor(BRIO_PLOT(plot), 10 * G_USEC_PER_SEC);
        then = plot_view_reading(brio_plot_get_view(BRIO_PLOT(plot)), 1);
        CHECK_STR(then, "99");
        brio_plot_set_history(BRIO_PLOT(plot), NULL, NULL);
        never = plot_view_reading(brio_plot_get_view(BRIO_PLOT(plot)), 1);
        CHECK_STR(never, "–");
        CHECK(destroy(window));
        history_free(s);
}

static bool refreshes(void *plot) {
        return brio_plot_refresh(plot);
}

TEST(a_plot_is_drawn_where_it_has_news_and_is_in_sight) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new(), *scrolled = gtk_scrolled_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2000);
        GtkAdjustment *at = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 1);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        gtk_box_append(GTK_BOX(box), gtk_label_new("above"));
        gtk_box_append(GTK_BOX(box), plot);
        gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), box);
        window = show(scrolled, 400, 300);
        history_append(s, INT64_C(60000000), (float[]){ 1, 2 });
        CHECK(!brio_plot_refresh(BRIO_PLOT(plot)));
        gtk_adjustment_set_value(at, gtk_adjustment_get_upper(at));
        CHECK(env_wait(refreshes, plot));
        CHECK(!brio_plot_refresh(BRIO_PLOT(plot)));
        history_append(s, INT64_C(60500000), (float[]){ 1, 2 });
        CHECK(brio_plot_refresh(BRIO_PLOT(plot)));
        CHECK(destroy(window));
        history_free(s);
}

static unsigned ink_of(GtkWindow *window) {
        struct picture_look look = { 0 };
        struct picture p;

        env_run_for_ms(100);
        if (picture_take(GTK_WIDGET(window), &p)) {
                look = picture_look_at(&p, &GRAPHENE_RECT_INIT(0, 0, (float) p.width, (float) p.height));
                picture_done(&p);
        }
        return look.ink;
}

TEST(a_change_within_the_time_of_a_plot_is_drawn_and_an_earlier_one_is_not) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        unsigned none, earlier, within;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 1);
        brio_plot_set_span(BRIO_PLOT(plot), 30);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        none = ink_of(window);
        history_mark(s, INT64_C(5000000));
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        earlier = ink_of(window);
        history_mark(s, INT64_C(45000000));
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        within = ink_of(window);
        CHECK(none > 0);
        CHECK_INT(earlier, none);
        CHECK(within > none + 40);
        CHECK(destroy(window));
        history_free(s);
}

TEST(a_plot_is_an_image_with_a_name_and_says_its_values) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 1);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        brio_plot_refresh(BRIO_PLOT(plot));
        CHECK(gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(plot)) == GTK_ACCESSIBLE_ROLE_IMG);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(plot), GTK_ACCESSIBLE_PROPERTY_LABEL, "Latency of sda");
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(plot), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "Read 64 ms");
        CHECK(destroy(window));
        history_free(s);
}

static int drawn;

static void on_snapshot(void) {
        drawn++;
}

TEST(a_plot_draws_only_what_is_new_and_only_while_it_is_shown) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        g_autoptr(GdkPaintable) watch = NULL;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 2);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        watch = gtk_widget_paintable_new(plot);
        env_run_for_ms(100);
        g_signal_connect(watch, "invalidate-contents", on_snapshot, NULL);
        drawn = 0;
        for (int i = 0; i < 5; i++) {
                brio_plot_refresh(BRIO_PLOT(plot));
                env_run_for_ms(30);
        }
        CHECK_INT(drawn, 0);
        history_append(s, 61000000, (float[]){ 1, 2 });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(100);
        CHECK(drawn > 0);
        gtk_widget_set_visible(plot, FALSE);
        env_run_for_ms(100);
        drawn = 0;
        history_append(s, 62000000, (float[]){ 1, 2 });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(100);
        CHECK_INT(drawn, 0);
        g_clear_object(&watch);
        CHECK(destroy(window));
        history_free(s);
}

TEST(a_plot_without_a_sample_and_one_of_a_pixel_draw_without_complaint) {
        struct history *s = history_new(2, 10, 10, 1000);
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 2);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 1, 1);
        history_append(s, 5, (float[]){ 0, (float) NAN });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(50);
        brio_plot_set_cursor(BRIO_PLOT(plot), 60 * G_USEC_PER_SEC);
        env_run_for_ms(50);
        CHECK(destroy(window));
        history_free(s);
}

/* Where a legend is drawn. */
static graphene_rect_t draw_legend(GtkWidget *widget, const struct plot_geometry *geometry, const char *second_label) {
        g_autoptr(PangoLayout) layout = plot_draw_create_layout(widget);
        char reading[] = "000 MB/s";
        const struct plot_legend_entry entries[] = { { .label = "Lesen", .reading = reading, .color = { 0, 0, 1, 1 } },
                                                     { .label = second_label, .reading = reading, .color = { 1, 0, 0, 1 } } };
        GtkSnapshot *snapshot = gtk_snapshot_new();
        g_autoptr(GskRenderNode) node = NULL;
        graphene_rect_t bounds;

        plot_draw_legend(snapshot, widget, layout, geometry, "T", NULL, entries, G_N_ELEMENTS(entries));
        node = gtk_snapshot_free_to_node(snapshot);
        gsk_render_node_get_bounds(node, &bounds);
        return bounds;
}

TEST(a_legend_begins_where_text_begins_and_cuts_its_words_before_its_numbers) {
        GtkWidget *widget = gtk_label_new("");
        GtkWindow *window = show(widget, 400, 200);
        const float ink = 2; /* a glyph may reach over its place */

        for (int rtl = 0; rtl < 2; rtl++) {
                struct plot_geometry geometry = { .width = 400, .line_height = 16, .rtl = rtl };
                graphene_rect_t roomy = draw_legend(widget, &geometry, "Schreiben"), narrow;

                CHECK((rtl ? 400 - (roomy.origin.x + roomy.size.width) : roomy.origin.x) < 1 + ink);
                geometry.width = (int) roomy.size.width - 40;
                narrow = draw_legend(widget, &geometry, "Schreiben");
                CHECK(narrow.origin.x >= -ink);
                CHECK(narrow.origin.x + narrow.size.width <= (float) geometry.width + ink);
                CHECK(narrow.size.width >= (float) geometry.width - 20);
        }
        CHECK(destroy(window));
}

TEST(a_number_out_of_its_digits_is_as_wide_as_its_text) {
        GtkWidget *widget = gtk_label_new("");
        GtkWindow *window = show(widget, 400, 200);
        g_autoptr(PangoLayout) layout = plot_draw_create_layout(widget);
        static const char *const numbers[] = { "64 ms", "12.5 µs", "1,048 kB/s", "0", "–", "1 234 567 min", "\u05d0 3", "" };

        for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
                int difference = plot_text_get_number_width(layout, numbers[i]) - plot_text_get_width(layout, numbers[i]);
                GtkSnapshot *snapshot = gtk_snapshot_new();
                g_autoptr(GskRenderNode) node = NULL;

                CHECK(ABS(difference) <= 1);
                plot_text_append_number(snapshot, layout, numbers[i], 0, 0, &(GdkRGBA){ 0, 0, 0, 1 });
                node = gtk_snapshot_free_to_node(snapshot);
                CHECK((node != NULL) == (*numbers[i] != '\0'));
        }
        CHECK(destroy(window));
}

static int zoomed;

static void on_zoom(GSimpleAction *action, GVariant *parameter, void *userdata) {
        (void) action;
        (void) userdata;
        zoomed += g_variant_get_int32(parameter);
}

/* With the page's action. */
static GtkWidget *new_zoomable(GtkWidget *plot) {
        static const GActionEntry entry = { .name = "zoom", .parameter_type = "i", .activate = on_zoom };
        g_autoptr(GSimpleActionGroup) group = g_simple_action_group_new();
        GtkWidget *w = adw_bin_new();

        g_action_map_add_action_entries(G_ACTION_MAP(group), &entry, 1, NULL);
        gtk_widget_insert_action_group(w, "overview", G_ACTION_GROUP(group));
        adw_bin_set_child(ADW_BIN(w), plot);
        return w;
}

static GtkEventController *find_controller(GtkWidget *w, GType type) {
        g_autoptr(GListModel) all = gtk_widget_observe_controllers(w);

        for (guint i = 0; i < g_list_model_get_n_items(all); i++) {
                g_autoptr(GtkEventController) c = g_list_model_get_item(all, i);

                if (G_TYPE_CHECK_INSTANCE_TYPE(c, type))
                        return c; /* the widget keeps it */
        }
        return NULL;
}

static bool press(GtkWidget *w, guint key, GdkModifierType state) {
        gboolean handled = FALSE;

        g_signal_emit_by_name(find_controller(w, GTK_TYPE_EVENT_CONTROLLER_KEY), "key-pressed", key, 0, state, &handled);
        return handled;
}

TEST(keys_read_out_a_plot_and_ask_for_another_time) {
        struct history *s = make_history();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        g_autofree char *second = NULL;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_REQUESTS, two_lines, 2);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        window = show(new_zoomable(plot), 400, 200);
        CHECK(!press(plot, GDK_KEY_Escape, 0));
        CHECK(press(plot, GDK_KEY_Left, 0));
        CHECK(press(plot, GDK_KEY_Left, 0));
        second = plot_view_reading(brio_plot_get_view(BRIO_PLOT(plot)), 1); /* a second before the newest, of two a second */
        CHECK_STR(second, "117");
        CHECK(press(plot, GDK_KEY_Escape, 0));
        CHECK(brio_plot_get_view(BRIO_PLOT(plot))->cursor_age_us < 0);
        zoomed = 0;
        CHECK(press(plot, GDK_KEY_plus, 0));
        CHECK(press(plot, GDK_KEY_KP_Add, 0));
        CHECK_INT(zoomed, 2);
        CHECK(press(plot, GDK_KEY_minus, 0));
        CHECK_INT(zoomed, 1);
        CHECK(!press(plot, GDK_KEY_plus, GDK_CONTROL_MASK)); /* the page's */
        CHECK(!press(plot, GDK_KEY_Left, GDK_ALT_MASK));     /* the window's */
        CHECK_INT(zoomed, 1);
        CHECK(destroy(window));
        history_free(s);
}

TEST(two_fingers_change_the_time_by_steps) {
        GtkWidget *plot = brio_plot_new();
        GtkEventController *pinch;
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_REQUESTS, two_lines, 2);
        window = show(new_zoomable(plot), 400, 200);
        pinch = find_controller(plot, GTK_TYPE_GESTURE_ZOOM);
        zoomed = 0;
        g_signal_emit_by_name(pinch, "begin", NULL);
        for (const double *scale = (const double[]){ 1.1, 1.4, 1.6, 2, 2.4, 0 }; *scale > 0; scale++)
                g_signal_emit_by_name(pinch, "scale-changed", *scale);
        CHECK_INT(zoomed, 2);
        g_signal_emit_by_name(pinch, "scale-changed", 0.6);
        CHECK_INT(zoomed, -1);
        CHECK(destroy(window));
}

static GtkSelectionModel *get_rows(GtkWidget *table) {
        return gtk_column_view_get_model(GTK_COLUMN_VIEW(find(table, GTK_TYPE_COLUMN_VIEW, NULL)));
}

static guint count_rows(GtkWidget *table) {
        return g_list_model_get_n_items(G_LIST_MODEL(get_rows(table)));
}

static char *get_row(GtkWidget *table, guint i) {
        g_autoptr(GtkStringObject) row = g_list_model_get_item(G_LIST_MODEL(get_rows(table)), i);

        return g_strdup(gtk_string_object_get_string(row));
}

static int added, removed_rows;

static void on_items_changed(GListModel *list, guint position, guint removed, guint n) {
        (void) list;
        (void) position;
        removed_rows += (int) removed;
        added += (int) n;
}

TEST(a_table_has_what_its_plot_shows_and_keeps_the_rows_that_the_cursor_may_be_on) {
        struct history *s = history_new(1, 100, 10, 5000000);
        GtkWidget *plot = g_object_ref_sink(brio_plot_new()), *table;
        GtkWindow *window;
        int64_t t = 1000000000000;
        g_autofree char *newest = NULL;

        for (int i = 0; i < 100; i++)
                history_append(s, t + i * INT64_C(1000000), (float[]){ (float) i });
        brio_plot_setup(BRIO_PLOT(plot), "Queue depth", PLOT_UNIT_REQUESTS, two_lines, 1);
        brio_plot_set_history(BRIO_PLOT(plot), s, "sda");
        table = brio_plot_table_new(BRIO_PLOT(plot));
        window = show(table, 400, 400);
        CHECK_INT(count_rows(table), 12);
        newest = get_row(table, 0);
        CHECK(strstr(newest, "\t9") != NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(find(table, GTK_TYPE_COLUMN_VIEW, NULL)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "Queue depth of sda");
        CHECK(!brio_plot_table_refresh(BRIO_PLOT_TABLE(table)));
        added = removed_rows = 0;
        g_signal_connect(get_rows(table), "items-changed", G_CALLBACK(on_items_changed), NULL);
        for (int i = 100; i < 105; i++)
                history_append(s, t + i * INT64_C(1000000), (float[]){ (float) i });
        CHECK(brio_plot_table_refresh(BRIO_PLOT_TABLE(table)));
        CHECK_INT(count_rows(table), 12);
        CHECK_INT(added, 1);
        CHECK_INT(removed_rows, 1);
        brio_plot_set_span(BRIO_PLOT(plot), 30);
        CHECK(brio_plot_table_refresh(BRIO_PLOT_TABLE(table)));
        CHECK_INT(count_rows(table), 15);
        CHECK(destroy(window));
        g_object_unref(plot);
        history_free(s);
}

TEST(rows_of_a_table_that_are_still_there_are_not_made_anew) {
        GtkWidget *table = brio_table_new();
        GtkWindow *window;

        brio_table_set_up(BRIO_TABLE(table), "Table", (const char *const[]){ "A", NULL });
        window = show(table, 200, 200);
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ "c", "b", "a", NULL });
        g_signal_connect(get_rows(table), "items-changed", G_CALLBACK(on_items_changed), NULL);
        added = removed_rows = 0;
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ "c", "b", "a", NULL });
        CHECK_INT(added + removed_rows, 0);
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ "e", "d", "c", "b", NULL });
        CHECK_INT(added, 2);
        CHECK_INT(removed_rows, 1);
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ "x", "y", NULL });
        CHECK_INT(count_rows(table), 2);
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ "x", "y", "z", NULL });
        CHECK_INT(count_rows(table), 3);
        brio_table_set_rows(BRIO_TABLE(table), (const char *const[]){ NULL });
        CHECK_INT(count_rows(table), 0);
        CHECK(destroy(window));
}

static bool feed(BrioDevice *device, int64_t s) {
        struct brio_sample sample = { .t_ns = (uint64_t) s * 1000000000, .read_iops = 5, .read_latency_us = (uint32_t) (1000 + s % 977),
                                      .read_median_us = s % 300 < 200 ? (uint32_t) (500 + s % 313) : 0, .read_p99_us = (uint32_t) (9000 + s % 1999),
                                      .read_bytes_per_s = (uint64_t) (s % 4001) * 1000, .depth_milli = (uint32_t) (s % 3000) };

        return brio_device_add_sample(device, &sample, s * G_USEC_PER_SEC);
}

/* What the program has from its allocator after the samples of some hours, of which it draws each hundredth. */
static size_t feed_hours(BrioDevice *device, GtkWidget *card, int64_t *s, int hours) {
        for (int64_t end = *s + hours * 3600; *s < end; ++*s) {
                if (!feed(device, *s))
                        abort();
                if (*s % 100 == 0) {
                        brio_drive_card_refresh(BRIO_DRIVE_CARD(card));
                        env_run_for_ms(2);
                }
        }
        return mallinfo2().uordblks;
}

TEST(a_day_of_samples_leaves_memory_where_it_was_after_the_first_hours) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device), *button;
        GtkWindow *window = show_on_page(card, 900, 900);
        int64_t s = 1000;
        size_t early, late;

        brio_drive_card_set_span(BRIO_DRIVE_CARD(card), 1800);
        button = find(card, GTK_TYPE_TOGGLE_BUTTON, NULL);
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
        feed_hours(device, card, &s, 1);
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), FALSE);
        early = feed_hours(device, card, &s, 2);
        late = feed_hours(device, card, &s, DAY_S / 3600 - 3);
        printf("# %zu bytes after three hours, %zu after a day\n", early, late);
        CHECK(late < early + 128 * 1024);
        CHECK_INT(series_count(history_samples(brio_device_get_history(device))), BRIO_DEVICE_SAMPLES_MAX);
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

TEST(a_card_has_a_table_for_each_plot_where_the_user_asks_for_it) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device), *button;
        GtkWindow *window = show_on_page(card, 700, 700);

        button = find(card, GTK_TYPE_TOGGLE_BUTTON, NULL);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(button), GTK_ACCESSIBLE_PROPERTY_LABEL, "Show as a Table: sda");
        CHECK(find(card, BRIO_TYPE_PLOT_TABLE, NULL) == NULL); /* made only when asked for */
        for (int64_t s = 1000; s < 1100; s++)
                CHECK(feed(device, s));
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), TRUE);
        env_run_for_ms(100);
        CHECK(count_rows(find(card, BRIO_TYPE_PLOT_TABLE, NULL)) > 10);
        CHECK(!gtk_widget_get_mapped(find(card, BRIO_TYPE_PLOT, NULL)));
        gtk_toggle_button_set_active(GTK_TOGGLE_BUTTON(button), FALSE);
        env_run_for_ms(100);
        CHECK(gtk_widget_get_mapped(find(card, BRIO_TYPE_PLOT, NULL)));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

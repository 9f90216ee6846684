/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each widget alone, on a display. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "columns.h"
#include "drive-card.h"
#include "gui-env.h"
#include "mode-switch.h"
#include "object-device.h"
#include "page-absent.h"
#include "plot-draw.h"
#include "plot-text.h"
#include "plot.h"
#include "reading.h"
#include "split.h"
#include "variant-text.h"

static const BrioPlotLine two_lines[] = { { 0, "Read", "plot_read_color" }, { 1, "Write", "plot_write_color" } };

/* Shows a widget in a window of its own. */
static GtkWindow *show(GtkWidget *child, int width, int height) {
        GtkWindow *window = GTK_WINDOW(gtk_window_new());

        gtk_window_set_decorated(window, FALSE);
        gtk_window_set_default_size(window, width, height);
        gtk_window_set_child(window, child);
        gtk_window_present(window);
        env_run_for_ms(100);
        return window;
}

/* Destroys the window. True if the child is gone with it. */
static bool destroy(GtkWindow *window) {
        GWeakRef weak;
        g_autoptr(GObject) left = NULL;

        g_weak_ref_init(&weak, gtk_window_get_child(window));
        gtk_window_destroy(window);
        env_run_for_ms(20);
        left = g_weak_ref_get(&weak);
        g_weak_ref_clear(&weak);
        return left == NULL;
}

static struct series *make_series(void) {
        struct series *s = series_new(200, 2);

        for (int i = 0; i < 120; i++)
                series_append(s, i * INT64_C(500000), (float[]){ 64000, (float) i });
        return s;
}

static BrioDevice *make_device(void) {
        BrioDevice *device = brio_device_new("/org/brio/Brio1/device/sda");
        g_autoptr(GVariant) v = g_variant_ref_sink(g_variant_new_parsed(
                "{'Name': <'sda'>, 'Model': <'A <b>bold</b> & odd model'>, 'Class': <'hdd'>, 'Scheduler': <'bfq'>, 'State': <'holding'>, "
                "'Workload': <'shared'>, 'Reason': <'3 < 8 & so on'>, 'Tunables': <{'slice_idle_us': ('8000', '667', '667', 'brio'), "
                "'low_latency': ('1', '', '1', 'kernel')}>}"));

        brio_device_update(device, v);
        return device;
}

/* The first widget of a type below another, or NULL. */
static GtkWidget *find(GtkWidget *w, GType type, const char *title) {
        if (G_TYPE_CHECK_INSTANCE_TYPE(w, type)
            && (!title || (ADW_IS_PREFERENCES_ROW(w) && strcmp(adw_preferences_row_get_title(ADW_PREFERENCES_ROW(w)), title) == 0)))
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find(c, type, title);

                if (found)
                        return found;
        }
        return NULL;
}

TEST(a_plot_reads_out_the_newest_or_the_moment_under_the_cursor) {
        struct series *s = make_series();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        g_autofree char *now = NULL;
        g_autofree char *then = NULL;
        g_autofree char *never = NULL;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_REQUESTS, two_lines, 2);
        brio_plot_set_series(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        now = brio_plot_get_reading(BRIO_PLOT(plot), 1);
        CHECK_STR(now, "119");
        brio_plot_set_cursor(BRIO_PLOT(plot), 10 * G_USEC_PER_SEC);
        then = brio_plot_get_reading(BRIO_PLOT(plot), 1);
        CHECK_STR(then, "99");
        brio_plot_set_series(BRIO_PLOT(plot), NULL, NULL);
        never = brio_plot_get_reading(BRIO_PLOT(plot), 1);
        CHECK_STR(never, "–");
        CHECK(destroy(window));
        series_free(s);
}

static bool refreshes(void *plot) {
        return brio_plot_refresh(plot);
}

TEST(a_plot_is_drawn_where_it_has_news_and_is_in_sight) {
        struct series *s = make_series();
        GtkWidget *plot = brio_plot_new(), *scrolled = gtk_scrolled_window_new(), *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 2000);
        GtkAdjustment *at = gtk_scrolled_window_get_vadjustment(GTK_SCROLLED_WINDOW(scrolled));
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 1);
        brio_plot_set_series(BRIO_PLOT(plot), s, "sda");
        gtk_box_append(GTK_BOX(box), gtk_label_new("above"));
        gtk_box_append(GTK_BOX(box), plot);
        gtk_scrolled_window_set_child(GTK_SCROLLED_WINDOW(scrolled), box);
        window = show(scrolled, 400, 300);
        series_append(s, INT64_C(60000000), (float[]){ 1, 2 });
        CHECK(!brio_plot_refresh(BRIO_PLOT(plot)));
        gtk_adjustment_set_value(at, gtk_adjustment_get_upper(at));
        CHECK(env_wait(refreshes, plot));
        CHECK(!brio_plot_refresh(BRIO_PLOT(plot)));
        series_append(s, INT64_C(60500000), (float[]){ 1, 2 });
        CHECK(brio_plot_refresh(BRIO_PLOT(plot)));
        CHECK(destroy(window));
        series_free(s);
}

TEST(a_plot_is_an_image_with_a_name_and_says_its_values) {
        struct series *s = make_series();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 1);
        brio_plot_set_series(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 400, 200);
        brio_plot_refresh(BRIO_PLOT(plot));
        CHECK(gtk_accessible_get_accessible_role(GTK_ACCESSIBLE(plot)) == GTK_ACCESSIBLE_ROLE_IMG);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(plot), GTK_ACCESSIBLE_PROPERTY_LABEL, "Latency of sda");
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(plot), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, "Read 64 ms");
        CHECK(destroy(window));
        series_free(s);
}

static int drawn;

static void on_snapshot(void) {
        drawn++;
}

TEST(a_plot_draws_only_what_is_new_and_only_while_it_is_shown) {
        struct series *s = make_series();
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;
        g_autoptr(GdkPaintable) watch = NULL;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 2);
        brio_plot_set_series(BRIO_PLOT(plot), s, "sda");
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
        series_append(s, 61000000, (float[]){ 1, 2 });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(100);
        CHECK(drawn > 0);
        gtk_widget_set_visible(plot, FALSE);
        env_run_for_ms(100);
        drawn = 0;
        series_append(s, 62000000, (float[]){ 1, 2 });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(100);
        CHECK_INT(drawn, 0);
        g_clear_object(&watch);
        CHECK(destroy(window));
        series_free(s);
}

TEST(a_plot_without_a_sample_and_one_of_a_pixel_draw_without_complaint) {
        struct series *s = series_new(10, 2);
        GtkWidget *plot = brio_plot_new();
        GtkWindow *window;

        brio_plot_setup(BRIO_PLOT(plot), "Latency", PLOT_UNIT_DURATION_US, two_lines, 2);
        brio_plot_set_series(BRIO_PLOT(plot), s, "sda");
        window = show(plot, 1, 1);
        series_append(s, 5, (float[]){ 0, (float) NAN });
        brio_plot_refresh(BRIO_PLOT(plot));
        env_run_for_ms(50);
        brio_plot_set_cursor(BRIO_PLOT(plot), 60 * G_USEC_PER_SEC);
        env_run_for_ms(50);
        CHECK(destroy(window));
        series_free(s);
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

TEST(a_reading_never_gives_room_back_and_takes_more_where_it_needs_it) {
        GtkWidget *reading = g_object_new(BRIO_TYPE_READING, "halign", GTK_ALIGN_START, NULL);
        GtkWidget *wrapped = g_object_new(BRIO_TYPE_READING, "wrap", TRUE, "valign", GTK_ALIGN_START, NULL);
        GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0);
        GtkWindow *window;
        int width, height;

        gtk_box_append(GTK_BOX(box), reading);
        gtk_box_append(GTK_BOX(box), wrapped);
        brio_reading_set_text(BRIO_READING(reading), "640 ms");
        brio_reading_set_text(BRIO_READING(wrapped), "one line");
        window = show(box, 200, 200);
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(reading), GTK_ACCESSIBLE_PROPERTY_LABEL, "640 ms");
        width = gtk_widget_get_width(reading);
        height = gtk_widget_get_height(wrapped);
        CHECK(width > 0 && height > 0);
        brio_reading_set_text(BRIO_READING(reading), "1 s");
        brio_reading_set_text(BRIO_READING(wrapped), "many words that are on more than one line where there is so little room for them");
        env_run_for_ms(100);
        CHECK_INT(gtk_widget_get_width(reading), width);
        CHECK(gtk_widget_get_height(wrapped) >= 2 * height);
        brio_reading_set_text(BRIO_READING(reading), "a longer one");
        brio_reading_set_text(BRIO_READING(wrapped), "one line");
        env_run_for_ms(100);
        CHECK(gtk_widget_get_width(reading) > width);
        CHECK_INT(gtk_widget_get_height(wrapped), height);
        CHECK(destroy(window));
}

TEST(columns_follow_the_width) {
        GtkWidget *columns = brio_columns_new();
        int height[3], i = 0;

        g_object_set(columns, "min-column-width", 200, "max-columns", 3, "spacing", 10, NULL);
        for (int k = 0; k < 3; k++) {
                GtkWidget *child = gtk_label_new("x");

                gtk_widget_set_size_request(child, 50, 40);
                brio_columns_insert(BRIO_COLUMNS(columns), child, 99);
        }
        g_object_ref_sink(columns);
        for (const int *width = (const int[]){ 300, 410, 900, 0 }; *width; width++)
                gtk_widget_measure(columns, GTK_ORIENTATION_VERTICAL, *width, NULL, &height[i++], NULL, NULL);
        CHECK_INT(height[0], 140);
        CHECK_INT(height[1], 90);
        CHECK_INT(height[2], 40);
        g_assert_finalize_object(columns);
}

TEST(a_card_shows_what_brio_set_and_moves_it_back_when_it_is_restored) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show(card, 900, 700);
        GtkWidget *set = find(card, ADW_TYPE_ACTION_ROW, "slice_idle_us");
        GtkWidget *others = find(card, ADW_TYPE_EXPANDER_ROW, NULL);
        g_autoptr(GVariant) v = g_variant_ref_sink(g_variant_new_parsed(
                "{'Tunables': <{'slice_idle_us': ('8000', '', '8000', 'kernel'), 'nr_requests': ('64', '', '9', 'manual')}>}"));

        CHECK(set != NULL && others != NULL);
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(set)), "8000 → 667");
        CHECK(!gtk_widget_is_ancestor(set, others));
        CHECK(gtk_widget_is_ancestor(find(card, ADW_TYPE_ACTION_ROW, "low_latency"), others));
        brio_device_update(device, v);
        CHECK(find(card, ADW_TYPE_ACTION_ROW, "slice_idle_us") == set);
        CHECK(gtk_widget_is_ancestor(set, others));
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(set)), "8000");
        CHECK(find(card, ADW_TYPE_ACTION_ROW, "low_latency") == NULL);
        CHECK(!gtk_widget_is_ancestor(find(card, ADW_TYPE_ACTION_ROW, "nr_requests"), others));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

static void update(BrioDevice *device, const char *properties) {
        g_autoptr(GVariant) v = variant_parse("a{sv}", properties);

        brio_device_update(device, v);
}

TEST(a_card_says_what_is_found_unless_the_reason_does) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show(card, 900, 700);
        GtkWidget *row = find(card, ADW_TYPE_ACTION_ROW, "What Brio Sees");

        CHECK(row != NULL && !gtk_widget_get_visible(row));
        update(device, "{'Verdicts': <[{'sentence': <'firefox waits 80 % for sda'>}, {'sentence': <'rsync moves much'>}]>}");
        CHECK(gtk_widget_get_visible(row));
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(row)), "firefox waits 80 % for sda");
        update(device, "{'Reason': <'step-back: firefox waits 80 % for sda, so rsync steps back'>}");
        CHECK(!gtk_widget_get_visible(row));
        update(device, "{'Reason': <''>}");
        CHECK(gtk_widget_get_visible(row));
        update(device, "{'Verdicts': <@aa{sv} []>}");
        CHECK(!gtk_widget_get_visible(row));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

TEST(a_card_says_how_long_single_requests_take_while_that_is_known) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show(card, 900, 700);
        GtkWidget *row = find(card, ADW_TYPE_PREFERENCES_ROW, "Single Requests"), *text = row ? find(row, BRIO_TYPE_READING, NULL) : NULL;
        gint64 now_us = g_get_monotonic_time();
        struct brio_sample sample = { .t_ns = (guint64) now_us * 1000, .read_iops = 5, .read_latency_us = 9000 };

        CHECK(text != NULL);
        CHECK(brio_device_add_sample(device, &sample, now_us));
        brio_drive_card_refresh(BRIO_DRIVE_CARD(card));
        CHECK(!gtk_widget_get_visible(row));
        env_run_for_ms(1900);
        now_us = g_get_monotonic_time();
        sample = (struct brio_sample){ .t_ns = (guint64) now_us * 1000, .read_median_us = 8000, .read_p99_us = 120000,
                                       .write_median_us = 900, .write_p99_us = 4000 };
        CHECK(brio_device_add_sample(device, &sample, now_us));
        brio_drive_card_refresh(BRIO_DRIVE_CARD(card));
        CHECK(gtk_widget_get_visible(row));
        CHECK_STR(brio_reading_get_text(BRIO_READING(text)),
                  "Reads: half within 8 ms, 99 of 100 within 120 ms\nWrites: half within 900 µs, 99 of 100 within 4 ms");
        env_run_for_ms(1900);
        brio_device_end_samples(device);
        brio_drive_card_refresh(BRIO_DRIVE_CARD(card));
        CHECK(!gtk_widget_get_visible(row));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

static int count_arrows(GtkWidget *w, const char *icon_name) {
        int n = GTK_IS_IMAGE(w) && g_strcmp0(gtk_image_get_icon_name(GTK_IMAGE(w)), icon_name) == 0;

        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c))
                n += count_arrows(c, icon_name);
        return n;
}

TEST(a_card_shows_no_picture_that_needs_a_library_of_its_own) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show(card, 900, 700);

        CHECK_INT(count_arrows(card, "adw-expander-arrow-symbolic"), 0);
        CHECK_INT(count_arrows(card, "go-up-symbolic"), 1);
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

static char *requested;

static void on_requested(BrioModeSwitch *s, const char *mode) {
        (void) s;
        g_free(requested);
        requested = g_strdup(mode);
}

static GtkWidget *new_split(GtkWidget **ret_sidebar) {
        GtkWidget *split = g_object_new(BRIO_TYPE_SPLIT, NULL), *content = gtk_button_new_with_label("content");

        *ret_sidebar = gtk_button_new_with_label("sidebar");
        gtk_widget_set_size_request(content, 300, 100);
        g_object_set(split, "sidebar", *ret_sidebar, "content", content, NULL);
        return split;
}

/* With its padding. */
static int width_of(GtkWidget *w) {
        graphene_rect_t bounds;

        return gtk_widget_compute_bounds(w, gtk_widget_get_parent(w), &bounds) ? (int) bounds.size.width : -1;
}

TEST(a_sidebar_stands_beside_the_content_or_over_it_and_never_asks_for_more_room) {
        GtkWidget *sidebar, *split = new_split(&sidebar), *content;
        GtkWindow *window = show(split, 1000, 200);
        int minimum;

        g_object_get(split, "content", &content, NULL);
        CHECK(!brio_split_get_collapsed(BRIO_SPLIT(split)));
        CHECK(gtk_widget_get_mapped(sidebar));
        CHECK_INT(width_of(content) + width_of(sidebar), gtk_widget_get_width(split));
        gtk_widget_measure(split, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, NULL, NULL, NULL);
        CHECK_INT(minimum, 300);
        brio_split_set_show_sidebar(BRIO_SPLIT(split), TRUE);
        CHECK(!brio_split_get_show_sidebar(BRIO_SPLIT(split))); /* it is there already */
        brio_split_set_sidebar_enabled(BRIO_SPLIT(split), FALSE);
        env_run_for_ms(100);
        CHECK(!gtk_widget_get_mapped(sidebar));
        CHECK_INT(width_of(content), gtk_widget_get_width(split));
        g_object_unref(content);
        CHECK(destroy(window));
}

static bool is_unmapped(void *widget) {
        return !gtk_widget_get_mapped(widget);
}

TEST(a_sidebar_over_the_content_takes_the_focus_and_gives_it_back) {
        GtkWidget *sidebar, *split = new_split(&sidebar), *content;
        GtkWindow *window = show(split, 400, 200);

        g_object_get(split, "content", &content, NULL);
        env_run_for_ms(50);
        CHECK(brio_split_get_collapsed(BRIO_SPLIT(split)));
        CHECK(!gtk_widget_get_mapped(sidebar));
        gtk_widget_grab_focus(content);
        brio_split_set_show_sidebar(BRIO_SPLIT(split), TRUE);
        env_run_for_ms(400);
        CHECK(gtk_widget_get_mapped(sidebar));
        CHECK(gtk_window_get_focus(window) == sidebar);
        CHECK_INT(width_of(content), gtk_widget_get_width(split));
        CHECK(!gtk_widget_grab_focus(content)); /* who is covered cannot have it */
        brio_split_set_show_sidebar(BRIO_SPLIT(split), FALSE);
        CHECK(env_wait(is_unmapped, sidebar));
        CHECK(gtk_window_get_focus(window) == content);
        g_object_unref(content);
        CHECK(destroy(window));
}

TEST(the_mode_switch_asks_and_shows_what_the_daemon_says) {
        GtkWidget *mode_switch = g_object_new(BRIO_TYPE_MODE_SWITCH, NULL);
        GtkWindow *window = show(mode_switch, 200, 60);
        GtkLabel *label = GTK_LABEL(gtk_widget_get_next_sibling(find(mode_switch, GTK_TYPE_LABEL, NULL)));

        g_clear_pointer(&requested, g_free);
        g_signal_connect(mode_switch, "requested", G_CALLBACK(on_requested), NULL);
        CHECK(!gtk_widget_get_visible(mode_switch)); /* nothing to switch without a daemon */
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "advise");
        CHECK(gtk_widget_get_visible(mode_switch));
        CHECK(requested == NULL);
        CHECK_STR(gtk_label_get_label(label), "Advise");
        brio_mode_switch_request(BRIO_MODE_SWITCH(mode_switch), "off");
        CHECK_STR(requested, "off");
        CHECK_STR(gtk_label_get_label(label), "Advise");
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "off");
        CHECK_STR(gtk_label_get_label(label), "Off");
        CHECK(destroy(window));
        g_clear_pointer(&requested, g_free);
}

TEST(the_command_can_be_selected_and_copied) {
        GtkWidget *page = g_object_new(BRIO_TYPE_PAGE_ABSENT, NULL);
        GtkWindow *window = show(page, 500, 500);
        GtkWidget *button = find(page, GTK_TYPE_BUTTON, NULL);
        GdkContentProvider *content;
        g_auto(GValue) value = G_VALUE_INIT;

        brio_page_absent_show(BRIO_PAGE_ABSENT(page), "Title", "Description", "sudo systemctl start briod");
        g_signal_emit_by_name(button, "clicked");
        content = gdk_clipboard_get_content(gtk_widget_get_clipboard(page));
        CHECK(content != NULL);
        g_value_init(&value, G_TYPE_STRING);
        CHECK(gdk_content_provider_get_value(content, &value, NULL));
        CHECK_STR(g_value_get_string(&value), "sudo systemctl start briod");
        CHECK(destroy(window));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

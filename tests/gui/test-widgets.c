/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each widget alone, on a display. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>
#include <math.h>

#include "columns.h"
#include "drive-card.h"
#include "gui-env.h"
#include "mode-switch.h"
#include "object-device.h"
#include "page-absent.h"
#include "page-env.h"
#include "pattern-words.h"
#include "picture.h"
#include "plot-draw.h"
#include "plot-text.h"
#include "reading.h"
#include "rhythm-chart.h"
#include "split.h"
#include "timeline.h"
#include "variant-text.h"
#include "widget-env.h"

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

static int natural_width(GtkWidget *w) {
        int width;

        gtk_widget_measure(w, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &width, NULL, NULL);
        return width;
}

/* As a window does that becomes active or another style's; what is written smaller needs less. */
TEST(a_reading_keeps_its_room_while_only_colours_change) {
        GtkWidget *reading = g_object_new(BRIO_TYPE_READING, NULL);
        GtkWindow *window;
        int width;

        brio_reading_set_text(BRIO_READING(reading), "640 ms");
        window = show(reading, 200, 200);
        width = natural_width(reading);
        brio_reading_set_text(BRIO_READING(reading), "1 s");
        gtk_widget_add_css_class(reading, "error");
        env_run_for_ms(100);
        CHECK_INT(natural_width(reading), width);
        gtk_widget_add_css_class(reading, "caption");
        env_run_for_ms(100);
        CHECK(natural_width(reading) < width);
        CHECK(destroy(window));
}

/* Of 200 pixels or more. */
static GtkWidget *make_columns(int n_children) {
        GtkWidget *columns = brio_columns_new();

        g_object_set(columns, "min-column-width", 200, "max-columns", 3, "spacing", 10, NULL);
        for (int k = 0; k < n_children; k++) {
                GtkWidget *child = gtk_label_new("x");

                gtk_widget_set_size_request(child, 50, 40);
                brio_columns_insert(BRIO_COLUMNS(columns), child, 99);
        }
        return columns;
}

TEST(columns_follow_the_width) {
        GtkWidget *columns = g_object_ref_sink(make_columns(3));
        int height[3], i = 0;

        for (const int *width = (const int[]){ 300, 410, 900, 0 }; *width; width++)
                gtk_widget_measure(columns, GTK_ORIENTATION_VERTICAL, *width, NULL, &height[i++], NULL, NULL);
        CHECK_INT(height[0], 140);
        CHECK_INT(height[1], 90);
        CHECK_INT(height[2], 40);
        g_assert_finalize_object(columns);
}

TEST(columns_are_as_wide_as_what_needs_most) {
        GtkWidget *columns = g_object_ref_sink(make_columns(2));
        int height;

        gtk_widget_set_size_request(brio_columns_get_child(BRIO_COLUMNS(columns), 1), 250, 40);
        gtk_widget_measure(columns, GTK_ORIENTATION_VERTICAL, 450, &height, NULL, NULL, NULL);
        CHECK_INT(height, 90);
        g_assert_finalize_object(columns);
}

/* GTK 4.18 complains of a widget whose height for some width is below what it calls its least. */
TEST(columns_need_no_more_height_than_where_they_are_widest) {
        GtkWidget *columns = g_object_ref_sink(make_columns(3));
        int least, wide;

        gtk_widget_measure(columns, GTK_ORIENTATION_VERTICAL, -1, &least, NULL, NULL, NULL);
        gtk_widget_measure(columns, GTK_ORIENTATION_VERTICAL, 900, &wide, NULL, NULL, NULL);
        CHECK_INT(least, wide);
        g_assert_finalize_object(columns);
}

static bool is_at(GtkWidget *columns, guint position, int x, int width) {
        graphene_rect_t bounds;

        return gtk_widget_compute_bounds(brio_columns_get_child(BRIO_COLUMNS(columns), position), columns, &bounds)
                && fabsf(bounds.origin.x - (float) x) < 1 && fabsf(bounds.size.width - (float) width) < 1;
}

TEST(columns_are_no_wider_than_they_should_be_and_then_in_the_middle) {
        GtkWidget *columns = make_columns(2);
        GtkWindow *window;
        int natural;

        g_object_set(columns, "max-column-width", 300, "width-request", 810, "halign", GTK_ALIGN_START, NULL);
        gtk_widget_measure(columns, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
        CHECK_INT(natural, 810);
        window = show(columns, 900, 200);
        CHECK(is_at(columns, 0, 100, 300));
        CHECK(is_at(columns, 1, 410, 300));
        gtk_widget_set_direction(columns, GTK_TEXT_DIR_RTL);
        for (guint i = 0; i < 2; i++)
                gtk_widget_set_direction(brio_columns_get_child(BRIO_COLUMNS(columns), i), GTK_TEXT_DIR_RTL);
        env_run_for_ms(100);
        CHECK(is_at(columns, 0, 410, 300));
        CHECK(is_at(columns, 1, 100, 300));
        gtk_widget_set_size_request(columns, -1, -1);
        gtk_widget_measure(columns, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
        CHECK_INT(natural, 610);
        CHECK(destroy(window));
}

/* Words of a card follow once a second at most. */
static bool has_no_set_row(void *card) {
        return gtk_widget_is_ancestor(find(card, ADW_TYPE_ACTION_ROW, "Wait for the next read"), find(card, ADW_TYPE_EXPANDER_ROW, "Other Settings"));
}

static bool is_shown(void *row) {
        return gtk_widget_get_visible(row);
}

static bool is_hidden(void *row) {
        return !gtk_widget_get_visible(row);
}

TEST(a_card_shows_what_brio_set_and_moves_it_back_when_it_is_restored) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show_on_page(card, 900, 700);
        GtkWidget *set = find(card, ADW_TYPE_ACTION_ROW, "Wait for the next read");
        GtkWidget *others = find(card, ADW_TYPE_EXPANDER_ROW, "Other Settings");
        g_autoptr(GVariant) v = g_variant_ref_sink(g_variant_new_parsed(
                "{'Tunables': <{'slice_idle_us': ('8000', '', '8000', 'kernel'), 'nr_requests': ('64', '', '9', 'manual')}>}"));

        CHECK(set != NULL && others != NULL);
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(set)), "8000 → 667 µs");
        CHECK(g_str_has_prefix(gtk_widget_get_tooltip_text(set), "slice_idle_us: "));
        CHECK(!gtk_widget_is_ancestor(set, others));
        CHECK(gtk_widget_is_ancestor(find(card, ADW_TYPE_ACTION_ROW, "Favour starts and players"), others));
        brio_device_update(device, v);
        CHECK(env_wait(has_no_set_row, card));
        CHECK(find(card, ADW_TYPE_ACTION_ROW, "Wait for the next read") == set);
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(set)), "8000 µs");
        CHECK(find(card, ADW_TYPE_ACTION_ROW, "Favour starts and players") == NULL);
        CHECK(!gtk_widget_is_ancestor(find(card, ADW_TYPE_ACTION_ROW, "Places in the queue"), others));
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
        GtkWindow *window = show_on_page(card, 900, 700);
        GtkWidget *row = find(card, ADW_TYPE_ACTION_ROW, "What Is Happening");

        CHECK(row != NULL && !gtk_widget_get_visible(row));
        update(device, "{'Verdicts': <[{'sentence': <'60 read'>, 'sentence_data': <[{'id': <'shared'>, 'readers': <int64 60>}]>}, {'sentence': <'rsync moves much'>}]>}");
        CHECK(env_wait(is_shown, row));
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(row)), "60 processes share the drive");
        update(device, "{'Reason': <'in English'>, 'ReasonData': <[{'id': <'law-says'>, 'law': <'slice-share'>, 'reason': <[{'id': <'shared'>, 'readers': <int64 61>}]>}]>}");
        CHECK(env_wait(is_hidden, row)); /* of the look before: the same, though a number differs */
        update(device, "{'Reason': <''>, 'ReasonData': <@aa{sv} []>}");
        CHECK(env_wait(is_shown, row));
        update(device, "{'Verdicts': <@aa{sv} []>}");
        CHECK(env_wait(is_hidden, row));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

static bool names_waiting(void *card) {
        return page_env_find(card, GTK_TYPE_LABEL, "sda · Hard disk · Firefox waits, mostly for rsync") != NULL;
}

static bool names_waiting_folded(void *card) {
        return page_env_find(card, GTK_TYPE_LABEL, "sda · Hard disk · copying or backing up much · Firefox waits, mostly for rsync") != NULL;
}

TEST(a_card_and_its_line_say_which_program_waits_and_for_which) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show_on_page(card, 900, 700);

        update(device, "{'Workload': <'bulk'>, 'Verdicts': <[{'kind': <'bulk'>}, {'kind': <'victim'>, 'sentence_data': <[{'id': <'victim'>, 'process': <'firefox'>, 'percent': <int64 62>}, "
                       "{'id': <'victim-of'>, 'percent': <int64 71>, 'process': <'rsync'>}]>}]>}");
        CHECK(env_wait(names_waiting, card));
        brio_drive_card_set_open(BRIO_DRIVE_CARD(card), FALSE);
        CHECK(env_wait(names_waiting_folded, card));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

static bool says(GtkWidget *card, const char *text) {
        GtkWidget *number = find(card, BRIO_TYPE_READING, NULL);

        return number && g_strcmp0(brio_reading_get_text(BRIO_READING(number)), text) == 0;
}

static bool says_what_those_in_front_wait(void *card) {
        return says(card, "99 % in front: 12 ms");
}

static bool says_what_all_wait(void *card) {
        brio_drive_card_refresh(card);
        return says(card, "99 %: 1.9 s");
}

TEST(what_a_card_says_of_the_response_names_the_programs_that_it_leaves_out_and_its_plot_does_not) {
        BrioDevice *device = make_device();
        struct brio_sample some_yield = { .t_ns = UINT64_C(99000000000), .read_p99_us = 1900000, .foremost_p99_us = 12000 };
        struct brio_sample all_yield = { .t_ns = UINT64_C(103000000000), .read_p99_us = 1900000 };
        GtkWidget *card;
        GtkWindow *window;

        CHECK(brio_device_add_sample(device, &some_yield, 100000000));
        card = brio_drive_card_new(device);
        window = show_on_page(card, 900, 700);
        CHECK(env_wait(says_what_those_in_front_wait, card));
        CHECK(brio_device_add_sample(device, &all_yield, 104000000));
        CHECK(env_wait(says_what_all_wait, card));
        CHECK(destroy(window));
        g_assert_finalize_object(device);
}

#define RHYTHM_GAP_PX 4 /* before a reading */

/* Pixels that are not empty before the readings; the window has the background. */
static unsigned count_ink_before_readings(GtkWidget *chart, const struct pattern *p) {
        g_autoptr(PangoLayout) layout = plot_draw_create_layout(chart);
        graphene_rect_t all;
        struct picture picture;
        unsigned n = 0;

        if (!gtk_widget_compute_bounds(chart, GTK_WIDGET(gtk_widget_get_root(chart)), &all) || !picture_take(GTK_WIDGET(gtk_widget_get_root(chart)), &picture))
                return 1;
        for (int part = 0; part < _PATTERN_PART_MAX; part++) {
                g_autofree char *reading = pattern_words_reading(p, 0, (enum pattern_part) part);
                int height = plot_text_get_height(layout), from_end = plot_text_get_width(layout, reading) + RHYTHM_GAP_PX - 1;
                graphene_rect_t before = GRAPHENE_RECT_INIT(all.origin.x + all.size.width - (float) from_end, all.origin.y + (float) (part * (height + RHYTHM_GAP_PX)),
                                                            RHYTHM_GAP_PX - 2, (float) height);

                n += picture_look_at(&picture, &before).ink;
        }
        picture_done(&picture);
        return n;
}

TEST(the_names_of_a_rhythms_parts_do_not_run_into_their_readings_where_there_is_little_room) {
        struct pattern p = { .n = 1, .periods = { { .length_us = 120000, .pause_us = 60000, .bytes = 4096, .has_margin = TRUE, .margin_us = -42000 } } };
        GtkWidget *chart = brio_rhythm_chart_new();
        GtkWindow *window = show(chart, 220, 300);
        unsigned ink = 0;

        brio_rhythm_chart_set(BRIO_RHYTHM_CHART(chart), &p, "rhythm");
        for (int width = 220; width < 232; width++) { /* at one of them a gap between two letters is there */
                gtk_window_set_default_size(window, width, 300);
                env_run_for_ms(100);
                ink += count_ink_before_readings(chart, &p);
        }
        CHECK_INT(ink, 0);
        CHECK(destroy(window));
}

static bool can_fold_out(void *row) {
        return adw_expander_row_get_enable_expansion(row);
}

static bool cannot_fold_out(void *row) {
        return !can_fold_out(row);
}

static bool names_laws(void *row) {
        return strcmp(adw_expander_row_get_subtitle(row), "Waits for readers · Larger pieces") == 0;
}

TEST(a_card_says_the_reason_plainly_of_several_laws_their_names_and_has_the_rest_folded_below) {
        BrioDevice *device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show_on_page(card, 900, 700);
        GtkWidget *details = find(card, ADW_TYPE_ACTION_ROW, "Details");
        AdwExpanderRow *state = ADW_EXPANDER_ROW(gtk_widget_get_ancestor(details, ADW_TYPE_EXPANDER_ROW));

        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(gtk_widget_get_ancestor(GTK_WIDGET(state), GTK_TYPE_LIST_BOX)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "What is known of the drive: sda");
        CHECK_STR(adw_expander_row_get_subtitle(state), "3 < 8 & so on");
        CHECK(!adw_expander_row_get_enable_expansion(state));
        update(device, "{'Reason': <'in English'>, 'ReasonData': <[{'id': <'law-says'>, 'law': <'idle-limit'>, 'reason': <[{'id': <'many-sync'>, 'readers': <int64 60>}, "
                       "{'id': <'idle-limit'>, 'tunable': <'slice_idle_us'>, 'base_usec': <int64 8000>, 'slice_usec': <int64 300000>, 'readers': <int64 60>, "
                       "'limit_usec': <int64 5000>}]>}]>}");
        CHECK(env_wait(can_fold_out, state));
        CHECK(!adw_expander_row_get_expanded(state));
        CHECK_STR(adw_expander_row_get_subtitle(state), "“Waits for readers”: 60 processes read a little each at the same time");
        CHECK_STR(adw_action_row_get_subtitle(ADW_ACTION_ROW(details)), "slice_idle_us = min(base 8000 µs, group slice 300000 µs / 60 readers) = 5000 µs");
        update(device, "{'Reason': <'in English'>, 'ReasonData': <[{'id': <'law-says'>, 'law': <'idle-limit'>, 'reason': <[{'id': <'idle-limit'>, 'tunable': <'slice_idle_us'>, "
                       "'base_usec': <int64 8000>, 'slice_usec': <int64 300000>, 'readers': <int64 60>, 'limit_usec': <int64 5000>}]>}, {'id': <'text'>, 'text': <' · '>}, "
                       "{'id': <'law-says'>, 'law': <'readahead'>, 'reason': <[{'id': <'many-sync'>, 'readers': <int64 60>}]>}, {'id': <'text'>, 'text': <' · '>}, "
                       "{'id': <'law-says'>, 'law': <'idle-limit'>, 'reason': <[{'id': <'many-sync'>, 'readers': <int64 61>}]>}]>}");
        CHECK(env_wait(names_laws, state));
        CHECK(strstr(adw_action_row_get_subtitle(ADW_ACTION_ROW(details)), "“Larger pieces”: 60 processes read a little each at the same time · “Waits for readers”: 61"));
        CHECK(strstr(adw_action_row_get_subtitle(ADW_ACTION_ROW(details)), "\nslice_idle_us = min(base 8000 µs"));
        adw_expander_row_set_expanded(state, TRUE);
        update(device, "{'Reason': <'nothing'>, 'ReasonData': <[{'id': <'nothing-to-change'>}]>}");
        CHECK(env_wait(cannot_fold_out, state));
        CHECK(!adw_expander_row_get_expanded(state));
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
        GtkWindow *window = show_on_page(card, 900, 700);

        CHECK_INT(count_arrows(card, "adw-expander-arrow-symbolic"), 0);
        CHECK_INT(count_arrows(card, "go-up-symbolic"), 2);
        CHECK(destroy(window));
        g_assert_finalize_object(device);
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

TEST(what_moves_the_sidebar_is_the_platforms_own_where_that_has_one) {
        GtkWidget *sidebar, *split = new_split(&sidebar);
        GtkWindow *window = show(split, 1000, 200);

        CHECK_STR(G_OBJECT_TYPE_NAME(gtk_widget_get_first_child(split)), adw_get_minor_version() >= 5 ? "AdwOverlaySplitView" : "BrioSlide");
        CHECK(destroy(window));
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
        CHECK(!gtk_widget_grab_focus(content)); /* a covered widget cannot have it */
        brio_split_set_show_sidebar(BRIO_SPLIT(split), FALSE);
        CHECK(env_wait(page_env_is_unmapped, sidebar));
        CHECK(gtk_window_get_focus(window) == content);
        g_object_unref(content);
        CHECK(destroy(window));
}

TEST(the_mode_switch_asks_and_shows_what_the_daemon_says) {
        GtkWidget *mode_switch = g_object_new(BRIO_TYPE_MODE_SWITCH, NULL);
        GtkWindow *window = show(mode_switch, 200, 60);
        GtkLabel *label = GTK_LABEL(gtk_widget_get_next_sibling(find(mode_switch, GTK_TYPE_LABEL, NULL)));

        page_env_catch(window, "mode", "s");
        CHECK(!gtk_widget_get_visible(mode_switch)); /* nothing to switch without a daemon */
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "advise", "");
        CHECK(gtk_widget_get_visible(mode_switch));
        CHECK(page_env_caught() == NULL);
        CHECK_STR(gtk_label_get_label(label), "Advise");
        brio_mode_switch_request(BRIO_MODE_SWITCH(mode_switch), "off");
        CHECK_STR(page_env_caught(), "'off'");
        CHECK_STR(gtk_label_get_label(label), "Advise");
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "off", "");
        CHECK_STR(gtk_label_get_label(label), "Off");
        CHECK(destroy(window));
}

/* How far the middle of its popover, opened, is below that of the button. */
static float open_modes(GtkWidget *mode_switch) {
        GtkWidget *button = find(mode_switch, GTK_TYPE_MENU_BUTTON, NULL);
        GtkWidget *popover = GTK_WIDGET(gtk_menu_button_get_popover(GTK_MENU_BUTTON(button)));
        graphene_rect_t at = { 0 };
        GdkSurface *surface;
        float below;

        gtk_menu_button_popup(GTK_MENU_BUTTON(button));
        if (!env_wait(page_env_is_mapped, popover) || !gtk_widget_compute_bounds(button, GTK_WIDGET(gtk_widget_get_root(button)), &at))
                return 0;
        env_run_for_ms(100); /* it has its size */
        surface = gtk_native_get_surface(GTK_NATIVE(popover));
        below = (float) gdk_popup_get_position_y(GDK_POPUP(surface)) + (float) gdk_surface_get_height(surface) / 2 - at.origin.y - at.size.height / 2;
        gtk_menu_button_popdown(GTK_MENU_BUTTON(button));
        return env_wait(page_env_is_unmapped, popover) ? below : 0;
}

#define BUTTON_PX 34

TEST(the_modes_open_above_the_button_at_the_windows_end_and_below_the_one_on_the_page) {
        GtkWidget *mode_switch = g_object_new(BRIO_TYPE_MODE_SWITCH, "valign", GTK_ALIGN_CENTER, NULL);
        GtkWindow *window = show(mode_switch, 400, 700);

        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "auto", "");
        env_run_for_ms(100);
        CHECK(open_modes(mode_switch) < -BUTTON_PX);
        brio_mode_switch_hide_caption(BRIO_MODE_SWITCH(mode_switch));
        env_run_for_ms(100);
        CHECK(open_modes(mode_switch) > BUTTON_PX);
        CHECK(destroy(window));
}

struct scheduler_text {
        GtkWidget *card;
        const char *text;
};

static bool has_scheduler(void *userdata) {
        struct scheduler_text *t = userdata;
        GtkWidget *row = find(t->card, ADW_TYPE_ACTION_ROW, "Scheduler");

        return row && strcmp(adw_action_row_get_subtitle(ADW_ACTION_ROW(row)), t->text) == 0;
}

TEST(a_hold_is_seen_beside_the_mode_that_it_suspends) {
        GtkWidget *mode_switch = g_object_new(BRIO_TYPE_MODE_SWITCH, NULL);
        GtkWindow *window = show(mode_switch, 300, 60);
        GtkLabel *label = GTK_LABEL(gtk_widget_get_next_sibling(find(mode_switch, GTK_TYPE_LABEL, NULL)));

        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "auto", "pause");
        CHECK_STR(gtk_label_get_label(label), "Automatic · paused");
        gtk_test_accessible_assert_property(GTK_ACCESSIBLE(find(mode_switch, GTK_TYPE_MENU_BUTTON, NULL)), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                            "Mode: Automatic · paused");
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "auto", "interactive"); /* changes nothing */
        CHECK_STR(gtk_label_get_label(label), "Automatic");
        brio_mode_switch_set_mode(BRIO_MODE_SWITCH(mode_switch), "off", "pause"); /* does nothing anyway */
        CHECK_STR(gtk_label_get_label(label), "Off");
        CHECK(destroy(window));
}

TEST(a_switch_that_waits_for_a_quiet_drive_says_so_in_the_one_row_of_the_scheduler) {
        g_autoptr(BrioDevice) device = make_device();
        GtkWidget *card = brio_drive_card_new(device);
        GtkWindow *window = show_on_page(card, 600, 900);
        g_autoptr(GVariant) waits = g_variant_ref_sink(g_variant_new_parsed(
                "{'Scheduler': <'mq-deadline'>, 'AwaitedScheduler': <'bfq'>, 'Tunables': <{'scheduler': ('mq-deadline', '', 'mq-deadline', 'kernel')}>}"));
        g_autoptr(GVariant) came = g_variant_ref_sink(g_variant_new_parsed(
                "{'Scheduler': <'bfq'>, 'AwaitedScheduler': <''>, 'Tunables': <{'scheduler': ('mq-deadline', 'bfq', 'bfq', 'brio')}>}"));

        CHECK(env_wait(has_scheduler, &(struct scheduler_text){ card, "bfq" }));
        brio_device_update(device, waits);
        CHECK(env_wait(has_scheduler, &(struct scheduler_text){ card, "mq-deadline now, bfq as soon as the drive is quiet" }));
        brio_device_update(device, came);
        CHECK(env_wait(has_scheduler, &(struct scheduler_text){ card, "mq-deadline → bfq" }));
        CHECK(find(card, ADW_TYPE_ACTION_ROW, "scheduler") == NULL);
        CHECK(destroy(window));
}

static int natural_sidebar_width;

static bool is_wider(void *sidebar) {
        return gtk_widget_get_width(sidebar) > natural_sidebar_width;
}

/* As with text of 1.5 times the usual size. */
TEST(the_sidebar_is_as_wide_as_its_text) {
        GtkWidget *sidebar = gtk_button_new_with_label("short"), *split = g_object_new(BRIO_TYPE_SPLIT, "sidebar", sidebar, "content", gtk_button_new(), NULL);
        GtkWindow *window = show(split, 1000, 200);
        int natural;

        natural_sidebar_width = gtk_widget_get_width(sidebar);
        CHECK(natural_sidebar_width > 0);
        gtk_button_set_label(GTK_BUTTON(sidebar), "words that need more room than names of pages");
        CHECK(env_wait(is_wider, sidebar));
        gtk_widget_measure(gtk_button_get_child(GTK_BUTTON(sidebar)), GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
        CHECK(gtk_widget_get_width(gtk_button_get_child(GTK_BUTTON(sidebar))) >= natural);
        CHECK(destroy(window));
}

TEST(a_start_that_waited_for_more_than_the_one_shown_before_has_room_for_it) {
        struct timeline t = { .latency_us = 100, .slice_us = 100, .n_slices = 1, .slices[0].us[TIMELINE_READING] = 100 };
        GtkWidget *chart = g_object_new(BRIO_TYPE_TIMELINE, "valign", GTK_ALIGN_START, NULL);
        GtkWindow *window = show(chart, 400, 600);
        int before;

        brio_timeline_set(BRIO_TIMELINE(chart), &t, -1, NULL, 0, "one");
        env_run_for_ms(100);
        before = gtk_widget_get_height(chart);
        t.slices[0].us[TIMELINE_READING] = 50;
        t.slices[0].us[TIMELINE_PROCESSOR] = 50;
        brio_timeline_set(BRIO_TIMELINE(chart), &t, -1, NULL, 0, "another");
        env_run_for_ms(100);
        CHECK(gtk_widget_get_height(chart) > before);
        CHECK(destroy(window));
}

static struct picture take_marked(GtkWidget *chart, const struct timeline_mark *marks, unsigned n) {
        static const struct timeline t = { .latency_us = 100, .slice_us = 100, .n_slices = 1, .slices[0].us[TIMELINE_READING] = 100 };
        struct picture p = { 0 };

        brio_timeline_set(BRIO_TIMELINE(chart), &t, -1, marks, n, "one");
        env_run_for_ms(100);
        picture_take(chart, &p);
        return p;
}

/* Pixels in the row of the marks, above the lanes, that are of another colour. */
static unsigned count_differences(const struct picture *a, const struct picture *b) {
        unsigned n = 0;

        for (int i = 0; i < a->width * PLOT_MARK_SIZE; i++)
                n += a->pixels[i] != b->pixels[i];
        return n;
}

TEST(what_was_read_ahead_has_a_mark_of_its_own_and_a_line_says_what_each_mark_stands_for) {
        static const struct timeline_mark change = { 50, false }, ahead = { 50, true };
        GtkWidget *chart = g_object_new(BRIO_TYPE_TIMELINE, "valign", GTK_ALIGN_START, NULL);
        GtkWindow *window = show(chart, 400, 600);
        struct picture none = take_marked(chart, NULL, 0), changed = take_marked(chart, &change, 1), read = take_marked(chart, &ahead, 1);
        struct picture both = take_marked(chart, (const struct timeline_mark[]){ { 20, false }, ahead }, 2);

        CHECK(count_differences(&none, &changed) > 0 && count_differences(&none, &read) > 0 && count_differences(&changed, &read) > 0);
        CHECK(changed.height > none.height);
        CHECK_INT(read.height, changed.height);
        CHECK(both.height > changed.height);
        picture_done(&none);
        picture_done(&changed);
        picture_done(&read);
        picture_done(&both);
        CHECK(destroy(window));
}

/* The button with that icon. */
static GtkWidget *find_button(GtkWidget *w, const char *icon_name) {
        if (GTK_IS_BUTTON(w) && g_strcmp0(gtk_button_get_icon_name(GTK_BUTTON(w)), icon_name) == 0)
                return w;
        for (GtkWidget *c = gtk_widget_get_first_child(w); c; c = gtk_widget_get_next_sibling(c)) {
                GtkWidget *found = find_button(c, icon_name);

                if (found)
                        return found;
        }
        return NULL;
}

TEST(the_command_can_be_selected_and_copied) {
        GtkWidget *page = g_object_new(BRIO_TYPE_PAGE_ABSENT, NULL);
        GtkWindow *window = show(page, 500, 500);
        GtkWidget *button = find_button(page, "edit-copy-symbolic");
        g_autoptr(BrioClient) client = brio_client_new(env_bus_start());
        GdkContentProvider *content;
        g_auto(GValue) value = G_VALUE_INIT;

        brio_page_absent_set_client(BRIO_PAGE_ABSENT(page), client);
        g_signal_emit_by_name(button, "clicked");
        content = gdk_clipboard_get_content(gtk_widget_get_clipboard(page));
        CHECK(content != NULL);
        g_value_init(&value, G_TYPE_STRING);
        CHECK(gdk_content_provider_get_value(content, &value, NULL));
        CHECK_STR(g_value_get_string(&value), "sudo systemctl start briod");
        CHECK(destroy(window));
}

static bool is_absent(void *client) {
        return brio_client_get_state(client) == BRIO_CLIENT_ABSENT;
}

TEST(what_looks_like_markup_in_an_error_is_shown_as_it_is) {
        GtkWidget *page = g_object_new(BRIO_TYPE_PAGE_ABSENT, NULL);
        GtkWindow *window = show(page, 500, 500);
        g_autoptr(BrioClient) client = brio_client_new("<bus>");
        g_autofree char *escaped = NULL;
        GtkWidget *label;

        brio_page_absent_set_client(BRIO_PAGE_ABSENT(page), client);
        brio_client_start(client);
        CHECK(env_wait(is_absent, client));
        CHECK(strstr(brio_client_get_detail(client), "<bus>"));
        escaped = g_markup_escape_text(brio_client_get_detail(client), -1);
        label = page_env_find(page, GTK_TYPE_LABEL, escaped);
        CHECK(label != NULL);
        CHECK_STR(gtk_label_get_text(GTK_LABEL(label)), brio_client_get_detail(client));
        CHECK(destroy(window));
}

/* Needs none of the resources, which register themselves at the same time. */
__attribute__((constructor)) static void init_toolkit(void) {
        adw_init();
}

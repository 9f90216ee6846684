/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is wrong with a picture is found: small windows in which something is. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "gui-env.h"
#include "regions.h"
#include "style-env.h"

#define WIDTH_PX 300
#define HEIGHT_PX 120

static const struct regions_demand plain = { 0 };

struct found {
        unsigned clipped, torn, broken, overlapping, illegible;
};

static bool is_drawn(void *window) {
        return gtk_widget_get_width(window) > 0 && gtk_widget_get_mapped(window);
}

/* What is found in a window with that child; css: for the class "broken". */
static struct found find(GtkWidget *child, const char *css, const struct regions_demand *demand) {
        GtkWindow *window = GTK_WINDOW(gtk_window_new());
        g_autoptr(GtkCssProvider) provider = gtk_css_provider_new();
        GdkDisplay *display = gtk_widget_get_display(GTK_WIDGET(window));
        struct found found = { 0 };
        struct picture p;
        GArray *regions;

        gtk_css_provider_load_from_data(provider, css, -1);
        gtk_style_context_add_provider_for_display(display, GTK_STYLE_PROVIDER(provider), GTK_STYLE_PROVIDER_PRIORITY_USER);
        gtk_window_set_decorated(window, FALSE);
        gtk_window_set_default_size(window, WIDTH_PX, HEIGHT_PX);
        gtk_window_set_child(window, child);
        gtk_window_present(window);
        if (!env_wait(is_drawn, window))
                abort();
        env_run_for_ms(300);
        regions = regions_find(GTK_WIDGET(window));
        if (!picture_take(GTK_WIDGET(window), &p))
                abort();
        found.clipped = regions_find_clipped(regions, GTK_WIDGET(window));
        found.torn = regions_find_torn(regions);
        found.broken = regions_find_broken(regions);
        found.overlapping = regions_find_overlapping(regions);
        found.illegible = regions_find_illegible(regions, &p, demand);
        picture_done(&p);
        g_array_unref(regions);
        gtk_style_context_remove_provider_for_display(display, GTK_STYLE_PROVIDER(provider));
        gtk_window_destroy(window);
        return found;
}

static GtkWidget *new_label(const char *text) {
        GtkWidget *label;

        style_env_set_up();
        label = gtk_label_new(text);
        gtk_widget_add_css_class(label, "broken");
        return label;
}

static GtkWidget *put_at(GtkWidget *child, GtkWidget *other, double x) {
        GtkWidget *fixed = gtk_fixed_new();

        gtk_fixed_put(GTK_FIXED(fixed), child, x, 20);
        if (other)
                gtk_fixed_put(GTK_FIXED(fixed), other, 60, 20);
        gtk_widget_set_overflow(fixed, GTK_OVERFLOW_HIDDEN);
        return fixed;
}

TEST(a_label_as_it_should_be_is_no_problem) {
        struct found found = find(new_label("Some text"), "", &plain);

        CHECK_INT(found.clipped + found.overlapping + found.illegible, 0);
}

TEST(a_label_that_what_contains_it_cuts_is_found) {
        CHECK_INT(find(put_at(new_label("Some text"), NULL, -20), "", &plain).clipped, 1);
        CHECK_INT(find(put_at(new_label("Some text"), NULL, 20), "", &plain).clipped, 0);
}

TEST(a_label_with_an_ellipsis_is_found_unless_its_tooltip_has_all_of_it) {
        const char *text = "A text that is much longer than the window that it is in, and more of it";
        GtkWidget *label = new_label(text);

        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
        CHECK_INT(find(label, "", &plain).clipped, 1);
        label = new_label(text);
        gtk_label_set_ellipsize(GTK_LABEL(label), PANGO_ELLIPSIZE_END);
        gtk_widget_set_tooltip_text(label, text);
        CHECK_INT(find(label, "", &plain).clipped, 0);
}

TEST(a_label_with_lines_that_begin_at_either_side_is_found) {
        CHECK_INT(find(new_label("\u05e9\u05dc\u05d5\u05dd\n/usr/lib"), "", &plain).torn, 1);
        CHECK_INT(find(new_label("\u05e9\u05dc\u05d5\u05dd\n\u200f/usr/lib"), "", &plain).torn, 0);
}

/* As narrow as its text may be: what is longer than 24 letters is broken wherever it is. */
static GtkWidget *new_narrow(const char *text, PangoWrapMode mode) {
        GtkWidget *label = new_label(text);

        gtk_label_set_wrap(GTK_LABEL(label), TRUE);
        gtk_label_set_wrap_mode(GTK_LABEL(label), mode);
        return put_at(label, NULL, 0);
}

TEST(a_label_that_breaks_within_a_word_is_found) {
        g_autofree char *path = g_strnfill(60, 'x');

        CHECK_INT(find(new_narrow("two words", PANGO_WRAP_CHAR), "", &plain).broken, 1);
        CHECK_INT(find(new_narrow("two words", PANGO_WRAP_WORD), "", &plain).broken, 0);
        CHECK_INT(find(new_narrow(path, PANGO_WRAP_CHAR), "", &plain).broken, 0);
}

TEST(labels_over_each_other_are_found) {
        CHECK_INT(find(put_at(new_label("Some text"), new_label("Other text"), 40), "", &plain).overlapping, 1);
        CHECK_INT(find(put_at(new_label("Some"), new_label("Other text"), 0), "", &plain).overlapping, 0);
}

TEST(a_label_that_is_too_pale_or_not_on_the_picture_is_found) {
        static const struct regions_demand high = { .high_contrast = true };

        CHECK_INT(find(new_label("Some text"), ".broken { color: #999999; }", &plain).illegible, 1);
        CHECK_INT(find(new_label("Some text"), ".broken { opacity: 0; }", &plain).illegible, 1);
        CHECK_INT(find(new_label("Some text"), ".broken { color: #666666; }", &plain).illegible, 0);
        CHECK_INT(find(new_label("Some text"), ".broken { color: #666666; }", &high).illegible, 1);
}

TEST(the_contrast_is_that_of_wcag) {
        CHECK(picture_contrast(picture_luminance(0xffffff), picture_luminance(0)) > 20.99);
        /* #777777 on white is known to fall just short of 4.5, #767676 not. */
        CHECK(picture_contrast(1, picture_luminance(0x777777)) < 4.5);
        CHECK(picture_contrast(1, picture_luminance(0x767676)) > 4.5);
}

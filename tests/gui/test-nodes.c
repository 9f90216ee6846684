/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window hands to the renderer and to the window manager. */
#include "test.h" /* before GLib, which brings its own MIN() */

#include <adwaita.h>

#include "application.h"
#include "gui-env.h"
#include "window-env.h"

typedef unsigned (*judge_fn)(GskRenderNode *node);

static unsigned count(GskRenderNode *node, judge_fn judge);

static unsigned count_in_container(GskRenderNode *node, judge_fn judge) {
        unsigned n = 0;

        for (guint i = 0; i < gsk_container_node_get_n_children(node); i++)
                n += count(gsk_container_node_get_child(node, i), judge);
        return n;
}

/* How many nodes of the tree the judge finds fault with. */
static unsigned count(GskRenderNode *node, judge_fn judge) {
        GskRenderNodeType type = gsk_render_node_get_node_type(node);

        if (type == GSK_CONTAINER_NODE)
                return count_in_container(node, judge);
        if (type == GSK_TRANSFORM_NODE)
                return count(gsk_transform_node_get_child(node), judge);
        if (type == GSK_CLIP_NODE)
                return count(gsk_clip_node_get_child(node), judge);
        if (type == GSK_ROUNDED_CLIP_NODE)
                return count(gsk_rounded_clip_node_get_child(node), judge);
        if (type == GSK_OPACITY_NODE)
                return count(gsk_opacity_node_get_child(node), judge);
        return judge(node);
}

static GskRenderNode *draw(GtkWidget *widget) {
        g_autoptr(GdkPaintable) paintable = gtk_widget_paintable_new(widget);
        GtkSnapshot *snapshot = gtk_snapshot_new();

        gdk_paintable_snapshot(paintable, snapshot, gtk_widget_get_width(widget), gtk_widget_get_height(widget));
        return gtk_snapshot_free_to_node(snapshot);
}

static unsigned is_border(GskRenderNode *node) {
        return gsk_render_node_get_node_type(node) == GSK_BORDER_NODE;
}

static unsigned is_border_of_many_colours(GskRenderNode *node) {
        const GdkRGBA *colours;

        if (!is_border(node))
                return 0;
        colours = gsk_border_node_get_colors(node);
        return !gdk_rgba_equal(&colours[0], &colours[1]) || !gdk_rgba_equal(&colours[0], &colours[2]) || !gdk_rgba_equal(&colours[0], &colours[3]);
}

/* Cairo's renderer fills such a border with a mesh as large as the widget, which takes more than all the rest of a frame. */
TEST(no_page_has_a_border_whose_sides_differ_in_colour) {
        static const char *const pages[] = { "overview", "startups", "streams", "processes", "decisions", "policies" };
        struct app app;
        unsigned borders = 0, faults;

        CHECK(env_daemon_start("desktop.json"));
        app = open_window(1000, 2000);
        CHECK(env_wait(window_shows_pages, app.window));
        for (size_t i = 0; i < ARRAY_SIZE(pages); i++) {
                g_autoptr(GskRenderNode) node = NULL;

                brio_window_show_page(app.window, pages[i]);
                env_run_for_ms(600); /* transitions end */
                node = draw(GTK_WIDGET(app.window));
                borders += count(node, is_border);
                faults = count(node, is_border_of_many_colours);
                printf("# %s: %u of many colours\n", pages[i], faults);
                CHECK_INT(faults, 0);
        }
        CHECK(borders > 0);
        CHECK(close_window(&app));
}

/* A pixel's channels, premultiplied, in memory's order. */
static guchar *download(GdkPaintable *icon, int size, GskRenderer *renderer) {
        guchar *pixels = g_malloc0((size_t) (size * size) * 4);
        GtkSnapshot *snapshot = gtk_snapshot_new();
        g_autoptr(GskRenderNode) node = NULL;
        g_autoptr(GdkTexture) texture = NULL;

        gdk_paintable_snapshot(icon, snapshot, size, size);
        node = gtk_snapshot_free_to_node(snapshot);
        texture = gsk_renderer_render_texture(renderer, node, &GRAPHENE_RECT_INIT(0, 0, (float) size, (float) size));
        gdk_texture_download(texture, pixels, (size_t) size * 4);
        return pixels;
}

/* GTK draws it for the window manager when the window is made. A drawing would take a library of 6 MiB, which nothing else there needs. */
TEST(the_windows_icon_is_a_bitmap_of_the_applications) {
        enum { SIZE = 48 };
        struct app app = open_window(600, 400);
        GtkIconTheme *theme = gtk_icon_theme_get_for_display(gdk_display_get_default());
        GskRenderer *renderer = gtk_native_get_renderer(GTK_NATIVE(app.window));
        g_autoptr(GtkIconPaintable) drawing = gtk_icon_theme_lookup_icon(theme, "org.brio.Brio", NULL, SIZE, 1, GTK_TEXT_DIR_LTR, 0);
        g_autoptr(GtkIconPaintable) bitmap = gtk_icon_theme_lookup_icon(theme, BRIO_WINDOW_ICON, NULL, SIZE, 1, GTK_TEXT_DIR_LTR, 0);
        g_autofree int *sizes = gtk_icon_theme_get_icon_sizes(theme, BRIO_WINDOW_ICON);
        g_autofree guchar *expected = download(GDK_PAINTABLE(drawing), SIZE, renderer);
        g_autofree guchar *pixels = download(GDK_PAINTABLE(bitmap), SIZE, renderer);
        int worst = 0, opaque = 0;

        CHECK_INT(sizes[0], SIZE); /* and not -1, a drawing's */
        CHECK_INT(sizes[1], 0);
        for (int i = 0; i < SIZE * SIZE * 4; i++) {
                worst = MAX(worst, abs(expected[i] - pixels[i]));
                opaque += pixels[i] == 255;
        }
        printf("# channels differ by %d at most\n", worst);
        CHECK(worst <= 16);
        CHECK(opaque > SIZE * SIZE / 2);
        CHECK(close_window(&app));
}

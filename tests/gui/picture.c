/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "picture.h"

#include <math.h>

#include "screenshot.h"

bool picture_take(GtkWidget *widget, struct picture *ret) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GdkTexture) texture = screenshot_take(widget, &error);

        if (!texture) {
                printf("# %s\n", error->message);
                return false;
        }
        ret->width = gdk_texture_get_width(texture);
        ret->height = gdk_texture_get_height(texture);
        ret->pixels = g_new(uint32_t, (size_t) ret->width * (size_t) ret->height);
        gdk_texture_download(texture, (guchar *) ret->pixels, (size_t) ret->width * sizeof(uint32_t));
        return true;
}

void picture_done(struct picture *p) {
        g_clear_pointer(&p->pixels, g_free);
}

/* https://www.w3.org/TR/WCAG21/#dfn-relative-luminance */
static double linear(unsigned channel) {
        double c = channel / 255.0;

        return c <= 0.03928 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

double picture_luminance(uint32_t pixel) {
        return 0.2126 * linear(pixel >> 16 & 0xff) + 0.7152 * linear(pixel >> 8 & 0xff) + 0.0722 * linear(pixel & 0xff);
}

/* https://www.w3.org/TR/WCAG21/#dfn-contrast-ratio */
double picture_contrast(double luminance, double other) {
        return (fmax(luminance, other) + 0.05) / (fmin(luminance, other) + 0.05);
}

/* Colour → how many pixels have it. */
static GHashTable *count_colours(const struct picture *p, const graphene_rect_t *rectangle) {
        GHashTable *counts = g_hash_table_new(g_direct_hash, g_direct_equal);
        int left = MAX(0, (int) floorf(rectangle->origin.x)), top = MAX(0, (int) floorf(rectangle->origin.y));
        int right = MIN(p->width, (int) ceilf(rectangle->origin.x + rectangle->size.width));
        int bottom = MIN(p->height, (int) ceilf(rectangle->origin.y + rectangle->size.height));

        for (int y = top; y < bottom; y++)
                for (int x = left; x < right; x++) {
                        gpointer colour = GUINT_TO_POINTER(p->pixels[(size_t) y * (size_t) p->width + (size_t) x] & 0xffffff);

                        g_hash_table_insert(counts, colour, GUINT_TO_POINTER(GPOINTER_TO_UINT(g_hash_table_lookup(counts, colour)) + 1));
                }
        return counts;
}

struct picture_look picture_look_at(const struct picture *p, const graphene_rect_t *rectangle) {
        g_autoptr(GHashTable) counts = count_colours(p, rectangle);
        struct picture_look look = { .contrast = 1 };
        GHashTableIter iter;
        gpointer colour, count;
        unsigned most = 0;

        g_hash_table_iter_init(&iter, counts);
        while (g_hash_table_iter_next(&iter, &colour, &count))
                if (GPOINTER_TO_UINT(count) > most) {
                        most = GPOINTER_TO_UINT(count);
                        look.background = picture_luminance(GPOINTER_TO_UINT(colour));
                }
        g_hash_table_iter_init(&iter, counts);
        while (g_hash_table_iter_next(&iter, &colour, &count)) {
                double contrast = picture_contrast(picture_luminance(GPOINTER_TO_UINT(colour)), look.background);

                look.contrast = fmax(look.contrast, contrast);
                if (contrast >= PICTURE_INK_CONTRAST)
                        look.ink += GPOINTER_TO_UINT(count);
        }
        return look;
}

uint8_t *picture_shrink(const struct picture *p, int block, int *ret_columns, int *ret_rows) {
        int columns = (p->width + block - 1) / block, rows = (p->height + block - 1) / block;
        uint8_t *blocks = g_new(uint8_t, (size_t) columns * (size_t) rows);

        for (int i = 0; i < columns * rows; i++) {
                int left = i % columns * block, top = i / columns * block, n = 0;
                unsigned sum = 0;

                for (int y = top; y < MIN(top + block, p->height); y++)
                        for (int x = left; x < MIN(left + block, p->width); x++, n++) {
                                uint32_t pixel = p->pixels[(size_t) y * (size_t) p->width + (size_t) x];

                                sum += (pixel >> 16 & 0xff) + (pixel >> 8 & 0xff) + (pixel & 0xff);
                        }
                blocks[i] = (uint8_t) (sum / (3 * (unsigned) n));
        }
        *ret_columns = columns;
        *ret_rows = rows;
        return blocks;
}

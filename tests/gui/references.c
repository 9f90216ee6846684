/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "test.h" /* before GLib, which brings its own MIN() */

#include "references.h"

#include <adwaita.h>
#include <cairo.h>

#include "style-env.h"

/* Of what the references were made with. Others draw other shadows, margins and icons. */
#define GTK_MINOR 8
#define ADW_MINOR 2

#define BLOCK_PX 8
/* A letter that is another one changes its block's grey by some twenty; what rounding does, by one or two. */
#define GREY_TOLERANCE 8

const char *references_missing(void) {
        PangoFontFamily **families;
        bool found = false;
        int n;

        if (gtk_get_minor_version() != GTK_MINOR || adw_get_minor_version() != ADW_MINOR)
                return "the reference pictures are of other versions of GTK and libadwaita";
        pango_font_map_list_families(pango_cairo_font_map_get_default(), &families, &n);
        for (int i = 0; i < n; i++)
                found = found || g_str_equal(pango_font_family_get_name(families[i]), STYLE_ENV_FONT);
        g_free(families);
        return found ? NULL : "the font of the reference pictures is not installed";
}

static cairo_surface_t *to_surface(const uint8_t *blocks, int columns, int rows) {
        cairo_surface_t *surface = cairo_image_surface_create(CAIRO_FORMAT_RGB24, columns, rows);
        unsigned char *data = cairo_image_surface_get_data(surface);
        int stride = cairo_image_surface_get_stride(surface);

        for (int i = 0; i < columns * rows; i++)
                *(uint32_t *) (void *) (data + i / columns * stride + i % columns * 4) = blocks[i] * 0x010101u;
        cairo_surface_mark_dirty(surface);
        return surface;
}

/* Prints how many differ and within which part of the picture. */
static unsigned count_different(cairo_surface_t *reference, const uint8_t *blocks, int columns, int rows) {
        int left = columns, top = rows, right = 0, bottom = 0;
        unsigned n = 0;

        for (int i = 0; i < columns * rows; i++) {
                int x = i % columns, y = i / columns;
                const unsigned char *line = cairo_image_surface_get_data(reference) + y * cairo_image_surface_get_stride(reference);
                int was = (int) (((const uint32_t *) (const void *) line)[x] & 0xff);

                if (abs(blocks[i] - was) <= GREY_TOLERANCE)
                        continue;
                n++;
                left = MIN(left, x);
                right = MAX(right, x + 1);
                top = MIN(top, y);
                bottom = MAX(bottom, y + 1);
        }
        if (n > 0)
                printf("# %u of %d blocks look otherwise than they did, within %d,%d (%d × %d)\n", n, columns * rows, left * BLOCK_PX, top * BLOCK_PX,
                       (right - left) * BLOCK_PX, (bottom - top) * BLOCK_PX);
        return n;
}

bool references_match(const char *name, const struct picture *p) {
        g_autofree char *path = g_strdup_printf("%s/tests/gui/references/%s.png", g_getenv("BRIO_SOURCE_DIR"), name);
        int columns, rows;
        g_autofree uint8_t *blocks = picture_shrink(p, BLOCK_PX, &columns, &rows);
        cairo_surface_t *surface;
        bool good;

        if (g_getenv("BRIO_UPDATE_REFERENCES")) {
                surface = to_surface(blocks, columns, rows);
                good = cairo_surface_write_to_png(surface, path) == CAIRO_STATUS_SUCCESS;
        } else {
                surface = cairo_image_surface_create_from_png(path);
                good = cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS && cairo_image_surface_get_width(surface) == columns
                        && cairo_image_surface_get_height(surface) == rows;
                if (!good)
                        printf("# no reference of that size: %s\n", path);
                good = good && count_different(surface, blocks, columns, rows) == 0;
        }
        cairo_surface_destroy(surface);
        return good;
}

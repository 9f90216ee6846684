/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-text.h"

#include <string.h>

#define SHAPED_KEY "brio-shaped" /* of a layout: text -> layout */
#define SHAPED_MAX 64            /* texts that are kept */
#define HEIGHT_TEXT "0"
#define PIECE_MAX 24 /* bytes of a number's unit; longer ones are drawn whole */

/* The layout with that text. */
static PangoLayout *
get_shaped (PangoLayout *layout,
            const char  *text)
{
  GHashTable *texts = g_object_get_data (G_OBJECT (layout), SHAPED_KEY);
  PangoLayout *shaped = texts ? g_hash_table_lookup (texts, text) : NULL;

  if (shaped)
    return shaped;
  if (!texts)
    {
      texts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
      g_object_set_data_full (G_OBJECT (layout), SHAPED_KEY, texts, (GDestroyNotify) g_hash_table_unref);
    }
  if (g_hash_table_size (texts) >= SHAPED_MAX)
    g_hash_table_remove_all (texts);
  shaped = pango_layout_copy (layout);
  pango_layout_set_text (shaped, text, -1);
  g_hash_table_insert (texts, g_strdup (text), shaped);
  return shaped;
}

int
plot_text_get_height (PangoLayout *layout)
{
  int height;

  pango_layout_get_pixel_size (get_shaped (layout, HEIGHT_TEXT), NULL, &height);
  return height;
}

int
plot_text_get_width (PangoLayout *layout,
                     const char  *text)
{
  int width;

  pango_layout_get_pixel_size (get_shaped (layout, text), &width, NULL);
  return width;
}

static void
append_layout (GtkSnapshot   *snapshot,
               PangoLayout   *layout,
               int            x,
               int            y,
               const GdkRGBA *color)
{
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT ((float) x, (float) y));
  gtk_snapshot_append_layout (snapshot, layout, color);
  gtk_snapshot_restore (snapshot);
}

void
plot_text_append (GtkSnapshot   *snapshot,
                  PangoLayout   *layout,
                  const char    *text,
                  int            x,
                  int            y,
                  const GdkRGBA *color)
{
  append_layout (snapshot, get_shaped (layout, text), x, y, color);
}

void
plot_text_append_cut (GtkSnapshot   *snapshot,
                      PangoLayout   *layout,
                      const char    *text,
                      int            width,
                      int            x,
                      int            y,
                      const GdkRGBA *color)
{
  g_autoptr (PangoLayout) cut = NULL;

  if (plot_text_get_width (layout, text) <= width)
    {
      plot_text_append (snapshot, layout, text, x, y, color);
      return;
    }
  /* A layout of its own, since those that are kept are whole. */
  cut = pango_layout_copy (layout);
  pango_layout_set_text (cut, text, -1);
  pango_layout_set_ellipsize (cut, PANGO_ELLIPSIZE_END);
  pango_layout_set_width (cut, width * PANGO_SCALE);
  append_layout (snapshot, cut, x, y, color);
}

/* The glyphs of a digit or a unit. NULL where they are not of one font, or not written from left to right. */
static PangoGlyphItem *
shape_piece (PangoLayout *layout,
             const char  *piece)
{
  PangoLayoutLine *line = pango_layout_get_line_readonly (get_shaped (layout, piece), 0);
  PangoGlyphItem *run = line && line->runs && !line->runs->next ? line->runs->data : NULL;

  return run && run->item->analysis.level % 2 == 0 ? run : NULL;
}

/* Copies one digit, or all up to the next one, into piece, and returns what comes after it; NULL: too long. */
static const char *
take_piece (const char *text,
            char        piece[PIECE_MAX])
{
  size_t n = g_ascii_isdigit (*text) ? 1 : strcspn (text, "0123456789");

  if (n >= PIECE_MAX)
    return NULL;
  memcpy (piece, text, n);
  piece[n] = '\0';
  return text + n;
}

/* Adds the number's glyphs. FALSE where they cannot be put together. ret_font is the layout's. */
static gboolean
compose (PangoLayout      *layout,
         const char       *number,
         PangoGlyphString *glyphs,
         PangoFont       **ret_font)
{
  PangoFont *font = NULL;

  for (char piece[PIECE_MAX]; *number;)
    {
      PangoGlyphItem *run;
      int n = glyphs->num_glyphs;

      number = take_piece (number, piece);
      run = number ? shape_piece (layout, piece) : NULL;
      if (!run || (font && font != run->item->analysis.font))
        return FALSE;
      font = run->item->analysis.font;
      pango_glyph_string_set_size (glyphs, n + run->glyphs->num_glyphs);
      memcpy (glyphs->glyphs + n, run->glyphs->glyphs, (size_t) run->glyphs->num_glyphs * sizeof (*glyphs->glyphs));
      memset (glyphs->log_clusters + n, 0, (size_t) run->glyphs->num_glyphs * sizeof (*glyphs->log_clusters));
    }
  *ret_font = font;
  return font != NULL;
}

int
plot_text_get_number_width (PangoLayout *layout,
                            const char  *number)
{
  PangoGlyphString *glyphs = pango_glyph_string_new ();
  PangoFont *font;
  int width = compose (layout, number, glyphs, &font) ? PANGO_PIXELS_CEIL (pango_glyph_string_get_width (glyphs))
                                                      : plot_text_get_width (layout, number);

  pango_glyph_string_free (glyphs);
  return width;
}

void
plot_text_append_number (GtkSnapshot   *snapshot,
                         PangoLayout   *layout,
                         const char    *number,
                         int            x,
                         int            y,
                         const GdkRGBA *color)
{
  PangoGlyphString *glyphs = pango_glyph_string_new ();
  int baseline = pango_layout_get_baseline (get_shaped (layout, HEIGHT_TEXT));
  g_autoptr (GskRenderNode) node = NULL;
  PangoFont *font;

  if (compose (layout, number, glyphs, &font))
    node = gsk_text_node_new (font, glyphs, color, &GRAPHENE_POINT_INIT ((float) x, (float) y + (float) baseline / PANGO_SCALE));
  if (node)
    gtk_snapshot_append_node (snapshot, node);
  else
    plot_text_append (snapshot, layout, number, x, y, color);
  pango_glyph_string_free (glyphs);
}

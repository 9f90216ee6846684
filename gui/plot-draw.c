/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "plot-draw.h"

#include <glib/gi18n.h>
#include <math.h>

#include "plot-text.h"

#define COLOR_TEXT "plot_text_color"
#define COLOR_DIM "plot_dim_color"
#define COLOR_GRID "plot_grid_color"

#define CAPTION_SCALE 0.82
#define TEXT_GAP 4      /* between text and area, in pixels */
#define GUTTER_TEXT "000 MB/s" /* the value axis is as wide as this */
#define TICKS_MAX 2
#define LINE_WIDTH 2.0
#define FILL_OPACITY 0.18f
#define BAND_OPACITY 0.4f
#define SWATCH_WIDTH 18
#define SWATCH_GAP 6
#define SWATCH_GAP_TIGHT 3
#define ENTRY_GAP 14
#define ENTRY_GAP_TIGHT 6
#define DOT_RADIUS 4.0f

/* On and off. */
static const double dashes[][2] = { [PLOT_PATTERN_DASHED] = { 5, 4 }, [PLOT_PATTERN_DOTTED] = { 2, 3 } };

PangoLayout *
plot_draw_create_layout (GtkWidget *widget)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (widget, NULL);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

  pango_attr_list_insert (attributes, pango_attr_scale_new (CAPTION_SCALE));
  /* Digits of one width: the text does not dance as the numbers change. */
  pango_attr_list_insert (attributes, pango_attr_font_features_new ("tnum=1"));
  pango_layout_set_attributes (layout, attributes);
  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

int
plot_draw_get_text_height (PangoLayout *layout)
{
  return 3 * plot_text_get_height (layout) + 4 * TEXT_GAP;
}

void
plot_draw_get_geometry (PangoLayout          *layout,
                        int                   width,
                        int                   height,
                        gboolean              rtl,
                        struct plot_geometry *ret)
{
  int line_height = plot_text_get_height (layout);
  int gutter = plot_text_get_width (layout, GUTTER_TEXT) + TEXT_GAP;
  int top = 2 * line_height + 3 * TEXT_GAP; /* the uppermost number stands half above */

  *ret = (struct plot_geometry) { .width = width, .line_height = line_height, .rtl = rtl };
  graphene_rect_init (&ret->area, 0, (float) top, (float) MAX (1, width - gutter),
                      (float) MAX (1, height - top - line_height - TEXT_GAP));
}

gboolean
plot_draw_is_in_sight (GtkWidget *widget)
{
  GtkWidget *scrolled = gtk_widget_get_ancestor (widget, GTK_TYPE_SCROLLED_WINDOW);
  graphene_rect_t bounds;

  if (!gtk_widget_get_mapped (widget))
    return FALSE;
  if (!scrolled || !gtk_widget_compute_bounds (widget, scrolled, &bounds))
    return TRUE;
  return bounds.origin.y + bounds.size.height > 0 && bounds.origin.y < (float) gtk_widget_get_height (scrolled);
}

GdkRGBA
plot_draw_get_color (GtkWidget  *widget,
                     const char *name)
{
  GtkStyleContext *context = gtk_widget_get_style_context (widget);
  GdkRGBA color;

  /* Outside the application, where its style sheet is not loaded, everything has the text's colour. */
  if (!gtk_style_context_lookup_color (context, name, &color))
    gtk_style_context_get_color (context, &color);
  return color;
}

static void
append_rule (GtkSnapshot           *snapshot,
             const graphene_rect_t *area,
             float                  y,
             const GdkRGBA         *color)
{
  gtk_snapshot_append_color (snapshot, color, &GRAPHENE_RECT_INIT (area->origin.x, y, area->size.width, 1));
}

void
plot_draw_axis (GtkSnapshot                *snapshot,
                GtkWidget                  *widget,
                PangoLayout                *layout,
                const struct plot_geometry *geometry,
                enum plot_unit              unit,
                double                      top,
                const char                 *left_text,
                const char                 *middle_text)
{
  const graphene_rect_t *area = &geometry->area;
  GdkRGBA grid = plot_draw_get_color (widget, COLOR_GRID);
  GdkRGBA dim = plot_draw_get_color (widget, COLOR_DIM);
  float bottom = area->origin.y + area->size.height;
  int right = (int) (area->origin.x + area->size.width);
  double ticks[TICKS_MAX];
  size_t n = plot_axis_ticks (unit, top, TICKS_MAX, ticks);
  int y;

  append_rule (snapshot, area, bottom - 1, &grid);
  for (size_t i = 0; i < n; i++)
    {
      char text[32];
      float line = floorf (bottom - 1 - (area->size.height - 1) * (float) plot_axis_position (unit, ticks[i], top));

      append_rule (snapshot, area, line, &grid);
      plot_text_append (snapshot, layout, plot_format (unit, ticks[i], text, sizeof (text)), right + TEXT_GAP,
                   (int) line - geometry->line_height / 2, &dim);
    }
  y = (int) bottom + TEXT_GAP;
  plot_text_append (snapshot, layout, left_text, (int) area->origin.x, y, &dim);
  plot_text_append (snapshot, layout, middle_text, right / 2 - plot_text_get_width (layout, middle_text) / 2, y, &dim);
  /* Translators: the right end of a plot's time axis */
  plot_text_append (snapshot, layout, _("now"), right - plot_text_get_width (layout, _("now")), y, &dim);
}

/* The middle of each column's values: so dashes stay dashes, however many samples share a pixel. */
static double
middle (const struct plot_column *c)
{
  return (double) (c->min + c->max) / 2;
}

/* One run of columns without a gap. below: the outline of the area under it instead of the line. */
static void
trace (cairo_t                  *cr,
       const graphene_rect_t    *area,
       const struct plot_column *columns,
       size_t                    first,
       size_t                    last,
       double                    step,
       gboolean                  below)
{
  double base = (double) (area->origin.y + area->size.height) - 1;
  double scale = base - (double) area->origin.y - LINE_WIDTH / 2;

  cairo_move_to (cr, ((double) first + 0.5) * step, below ? base : base - middle (&columns[first]) * scale);
  for (size_t i = first; i <= last; i++)
    if (columns[i].min <= columns[i].max)
      cairo_line_to (cr, ((double) i + 0.5) * step, base - middle (&columns[i]) * scale);
  if (below)
    {
      cairo_line_to (cr, ((double) last + 0.5) * step, base);
      cairo_close_path (cr);
    }
}

/* The same in upright boxes from pixel to pixel, which cairo fills at a fraction of the price. below: under it; else from the least to the
 * most of each column. */
static void
trace_boxes (cairo_t                  *cr,
             const graphene_rect_t    *area,
             const struct plot_column *columns,
             size_t                    first,
             size_t                    last,
             double                    step,
             gboolean                  below)
{
  double base = (double) (area->origin.y + area->size.height) - 1;
  double scale = base - (double) area->origin.y - LINE_WIDTH / 2;

  for (size_t i = first, next; i <= last; i = next)
    {
      double x = floor ((double) i * step), y = floor (base - (below ? middle (&columns[i]) : (double) columns[i].max) * scale);
      double bottom = below ? base : ceil (base - (double) columns[i].min * scale);

      for (next = i + 1; next <= last && columns[next].min > columns[next].max; next++)
        ;
      cairo_rectangle (cr, x, y, floor ((double) next * step) - x, bottom - y);
    }
}

typedef void (*trace_fn) (cairo_t *cr, const graphene_rect_t *area, const struct plot_column *columns, size_t first, size_t last,
                          double step, gboolean below);

static void
trace_all (cairo_t                  *cr,
           const graphene_rect_t    *area,
           const struct plot_column *columns,
           size_t                    n_columns,
           const struct plot_stroke *stroke,
           trace_fn                  fn,
           gboolean                  below)
{
  double step = (double) area->size.width / (double) n_columns;
  size_t first = SIZE_MAX, last = 0;

  for (size_t i = 0; i < n_columns; i++)
    {
      if (columns[i].min > columns[i].max)
        continue;
      if (first != SIZE_MAX && i - last > stroke->gap_columns)
        {
          fn (cr, area, columns, first, last, step, below);
          first = SIZE_MAX;
        }
      if (first == SIZE_MAX)
        first = i;
      last = i;
    }
  if (first != SIZE_MAX)
    fn (cr, area, columns, first, last, step, below);
}

static void
set_source (cairo_t                  *cr,
            const struct plot_stroke *stroke,
            float                     opacity)
{
  GdkRGBA color = stroke->color;

  color.alpha *= opacity;
  gdk_cairo_set_source_rgba (cr, &color);
}

static gboolean
is_dense (const struct plot_column *columns,
          size_t                    n_columns)
{
  for (size_t i = 0; i < n_columns; i++)
    if (columns[i].min < columns[i].max)
      return TRUE;
  return FALSE;
}

void
plot_draw_line (cairo_t                  *cr,
                const graphene_rect_t    *area,
                const struct plot_column *columns,
                size_t                    n_columns,
                const struct plot_stroke *stroke)
{
  gboolean solid = stroke->pattern == PLOT_PATTERN_SOLID, dense = is_dense (columns, n_columns);

  /* Sixteen levels of coverage are enough for a line, at half the time. */
  cairo_set_antialias (cr, CAIRO_ANTIALIAS_FAST);
  if (solid)
    {
      set_source (cr, stroke, FILL_OPACITY);
      trace_all (cr, area, columns, n_columns, stroke, dense ? trace_boxes : trace, TRUE);
      cairo_fill (cr);
    }
  if (dense)
    {
      set_source (cr, stroke, BAND_OPACITY);
      trace_all (cr, area, columns, n_columns, stroke, trace_boxes, FALSE);
      cairo_fill (cr);
    }
  set_source (cr, stroke, 1);
  cairo_set_line_width (cr, LINE_WIDTH);
  /* Drawn once a second for each line: round joins would take most of the time. */
  cairo_set_line_join (cr, CAIRO_LINE_JOIN_BEVEL);
  /* A lone sample is a dot, thanks to the round cap. */
  cairo_set_line_cap (cr, solid ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_dash (cr, dashes[stroke->pattern], solid ? 0 : 2, 0);
  trace_all (cr, area, columns, n_columns, stroke, trace, FALSE);
  cairo_stroke (cr);
}

void
plot_draw_mark (cairo_t *cr,
                double   x,
                double   top)
{
  cairo_move_to (cr, x - PLOT_MARK_SIZE / 2.0, top);
  cairo_line_to (cr, x + PLOT_MARK_SIZE / 2.0, top);
  cairo_line_to (cr, x, top + PLOT_MARK_SIZE);
  cairo_fill (cr);
}

void
plot_draw_set_dots (cairo_t *cr)
{
  cairo_set_line_width (cr, 1);
  cairo_set_dash (cr, (double[]){ 2, 3 }, 2, 0);
}

/* What the line looks like: whole, or in its dashes' lengths. Colours, which GTK draws faster than it does cairo's paths. */
static void
append_swatch (GtkSnapshot                    *snapshot,
               int                             x,
               int                             y,
               const struct plot_legend_entry *entry)
{
  gboolean solid = entry->pattern == PLOT_PATTERN_SOLID;
  float step = solid ? SWATCH_WIDTH : (float) (dashes[entry->pattern][0] + dashes[entry->pattern][1]);
  float length = solid ? SWATCH_WIDTH : (float) dashes[entry->pattern][0];

  for (float at = 0; at < SWATCH_WIDTH; at += step)
    gtk_snapshot_append_color (snapshot, &entry->color,
                               &GRAPHENE_RECT_INIT ((float) x + at, (float) y - (float) LINE_WIDTH / 2, MIN (length, SWATCH_WIDTH - at),
                                                    (float) LINE_WIDTH));
}

/* How the entries of a legend go into a line. */
struct legend_fit
{
  int swatch_gap;
  int entry_gap;
  int label_max; /* longer labels end in an ellipsis: the numbers must not be cut */
};

static struct legend_fit
fit_legend (PangoLayout                    *layout,
            int                             width,
            const struct plot_legend_entry *entries,
            guint                           n_entries)
{
  struct legend_fit fit = { .swatch_gap = SWATCH_GAP, .entry_gap = ENTRY_GAP, .label_max = G_MAXINT };
  int fixed = 0, labels = 0, longest = 0, others;

  for (guint i = 0; i < n_entries; i++)
    {
      int label_width = plot_text_get_width (layout, entries[i].label);

      labels += label_width;
      longest = MAX (longest, label_width);
      fixed += SWATCH_WIDTH + plot_text_get_number_width (layout, entries[i].reading);
    }
  if (n_entries == 0 || fixed + labels + (int) (2 * n_entries) * SWATCH_GAP + (int) (n_entries - 1) * ENTRY_GAP <= width)
    return fit;
  fit.swatch_gap = SWATCH_GAP_TIGHT;
  fit.entry_gap = ENTRY_GAP_TIGHT;
  fixed += (int) (2 * n_entries) * SWATCH_GAP_TIGHT + (int) (n_entries - 1) * ENTRY_GAP_TIGHT;
  others = labels - longest;
  if (fixed + labels > width)
    fit.label_max = MAX (0, MAX (width - fixed - others, (width - fixed) / (int) n_entries));
  return fit;
}

/* x: where it begins, from the end of the line that is read first. Returns where it ends. */
static int
append_entry (GtkSnapshot                    *snapshot,
              PangoLayout                    *layout,
              const struct plot_geometry     *geometry,
              const struct legend_fit        *fit,
              const struct plot_legend_entry *entry,
              int                             x,
              const GdkRGBA                  *label_color,
              const GdkRGBA                  *reading_color)
{
  int label_width = MIN (plot_text_get_width (layout, entry->label), fit->label_max);
  int reading_width = plot_text_get_number_width (layout, entry->reading);
  int y = geometry->line_height + TEXT_GAP / 2;
  int label_x = x + SWATCH_WIDTH + fit->swatch_gap;
  int reading_x = label_x + label_width + fit->swatch_gap;
  int end = reading_x + reading_width;

  append_swatch (snapshot, geometry->rtl ? geometry->width - x - SWATCH_WIDTH : x, y + geometry->line_height / 2, entry);
  plot_text_append_cut (snapshot, layout, entry->label, label_width, geometry->rtl ? geometry->width - label_x - label_width : label_x, y, label_color);
  plot_text_append_number (snapshot, layout, entry->reading, geometry->rtl ? geometry->width - end : reading_x, y, reading_color);
  return end;
}

void
plot_draw_legend (GtkSnapshot                    *snapshot,
                  GtkWidget                      *widget,
                  PangoLayout                    *layout,
                  const struct plot_geometry     *geometry,
                  const char                     *title,
                  const char                     *ago,
                  const struct plot_legend_entry *entries,
                  guint                           n_entries)
{
  GdkRGBA text = plot_draw_get_color (widget, COLOR_TEXT);
  GdkRGBA dim = plot_draw_get_color (widget, COLOR_DIM);
  struct legend_fit fit = fit_legend (layout, geometry->width, entries, n_entries);
  int right = (int) geometry->area.size.width;
  int x = 0;

  plot_text_append (snapshot, layout, title, geometry->rtl ? geometry->width - plot_text_get_width (layout, title) : 0, 0, &text);
  if (ago)
    plot_text_append (snapshot, layout, ago, geometry->rtl ? 0 : right - plot_text_get_width (layout, ago), 0, &dim);
  for (guint i = 0; i < n_entries; i++)
    x = append_entry (snapshot, layout, geometry, &fit, &entries[i], x, &dim, &text) + fit.entry_gap;
}

void
plot_draw_cursor (GtkSnapshot           *snapshot,
                  GtkWidget             *widget,
                  const graphene_rect_t *area,
                  float                  x)
{
  GdkRGBA color = plot_draw_get_color (widget, COLOR_DIM);

  gtk_snapshot_append_color (snapshot, &color, &GRAPHENE_RECT_INIT (floorf (x), area->origin.y, 1, area->size.height));
}

void
plot_draw_dot (GtkSnapshot           *snapshot,
               const graphene_rect_t *area,
               float                  x,
               float                  fraction,
               const GdkRGBA         *color)
{
  float y = area->origin.y + area->size.height - 1 - (area->size.height - 1) * fraction;
  GskRoundedRect circle;

  gsk_rounded_rect_init_from_rect (&circle, &GRAPHENE_RECT_INIT (x - DOT_RADIUS, y - DOT_RADIUS, 2 * DOT_RADIUS, 2 * DOT_RADIUS),
                                   DOT_RADIUS);
  gtk_snapshot_push_rounded_clip (snapshot, &circle);
  gtk_snapshot_append_color (snapshot, color, &circle.bounds);
  gtk_snapshot_pop (snapshot);
}

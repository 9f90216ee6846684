/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a plot looks: geometry, text, lines. Stateless; plot.c decides what is drawn, and when.
 *
 *   title                      12 s ago
 *   -- Read 64 ms  - - Write 21 ms
 *   +------------------------+ 100 ms
 *   |        area            |  50 ms
 *   +------------------------+
 *   60 s        30 s       now          */
#pragma once

#include <gtk/gtk.h>

#include "plot-math.h"

G_BEGIN_DECLS

struct plot_geometry
{
  int width;
  int line_height; /* of one line of text */
  gboolean rtl;    /* of the text; time always runs to the right */
  graphene_rect_t area;
};

enum plot_pattern
{
  PLOT_PATTERN_SOLID, /* and filled below */
  PLOT_PATTERN_DASHED,
  PLOT_PATTERN_DOTTED,
};

struct plot_stroke
{
  GdkRGBA color;
  enum plot_pattern pattern;
  size_t gap_columns; /* columns without a sample that part the line */
};

struct plot_legend_entry
{
  const char *label;
  char *reading;
  GdkRGBA color;
  enum plot_pattern pattern;
};

/* A caption-sized layout in the widget's font. */
PangoLayout *plot_draw_create_layout (GtkWidget *widget);
/* The height of everything but the area. */
int plot_draw_get_text_height (PangoLayout *layout);
void plot_draw_get_geometry (PangoLayout          *layout,
                             int                   width,
                             int                   height,
                             gboolean              rtl,
                             struct plot_geometry *ret);
/* Mapped, and not scrolled out of sight. */
gboolean plot_draw_is_in_sight (GtkWidget *widget);
/* A named colour of the style sheet. */
GdkRGBA plot_draw_get_color (GtkWidget  *widget,
                             const char *name);

void plot_draw_axis (GtkSnapshot                *snapshot,
                     GtkWidget                  *widget,
                     PangoLayout                *layout,
                     const struct plot_geometry *geometry,
                     enum plot_unit              unit,
                     double                      top,
                     const char                 *left_text,    /* of the time axis */
                     const char                 *middle_text);
/* columns: positions on the axis, from 0 to 1. */
void plot_draw_line (cairo_t                  *cr,
                     const graphene_rect_t    *area,
                     const struct plot_column *columns,
                     size_t                    n_columns,
                     const struct plot_stroke *stroke);
/* A triangle that points down at a moment, in the colour that is set. top: of the triangle. */
#define PLOT_MARK_SIZE 8
void plot_draw_mark (cairo_t *cr,
                     double   x,
                     double   top);
/* What is stroked then is dotted, as the line from a mark down. */
void plot_draw_set_dots (cairo_t *cr);
/* ago: what moment the readings are of; NULL: now. */
void plot_draw_legend (GtkSnapshot                    *snapshot,
                       GtkWidget                      *widget,
                       PangoLayout                    *layout,
                       const struct plot_geometry     *geometry,
                       const char                     *title,
                       const char                     *ago,
                       const struct plot_legend_entry *entries,
                       guint                           n_entries);
void plot_draw_cursor (GtkSnapshot           *snapshot,
                       GtkWidget             *widget,
                       const graphene_rect_t *area,
                       float                  x);
/* fraction: of the axis, from the bottom. */
void plot_draw_dot (GtkSnapshot           *snapshot,
                    const graphene_rect_t *area,
                    float                  x,
                    float                  fraction,
                    const GdkRGBA         *color);

G_END_DECLS

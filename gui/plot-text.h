/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of a plot. It is shaped once: most of it comes again with each frame, and shaping takes longer than drawing.
 *
 * layout is what plot_draw_create_layout() gives; what is shaped is kept with it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Of one line, in pixels. */
int  plot_text_get_height (PangoLayout *layout);
int  plot_text_get_width  (PangoLayout *layout,
                           const char  *text);

/* x and y: of its upper left corner. */
void plot_text_append (GtkSnapshot   *snapshot,
                       PangoLayout   *layout,
                       const char    *text,
                       int            x,
                       int            y,
                       const GdkRGBA *color);
/* Ends in an ellipsis where it is wider than width. */
void plot_text_append_cut (GtkSnapshot   *snapshot,
                           PangoLayout   *layout,
                           const char    *text,
                           int            width,
                           int            x,
                           int            y,
                           const GdkRGBA *color);

/* The same for a number with its unit, "64 ms", which is another one each time: put together out of its digits, which are not. */
int  plot_text_get_number_width (PangoLayout *layout,
                                 const char  *number);
void plot_text_append_number (GtkSnapshot   *snapshot,
                              PangoLayout   *layout,
                              const char    *number,
                              int            x,
                              int            y,
                              const GdkRGBA *color);

G_END_DECLS

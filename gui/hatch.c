/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hatch.h"

#define STRIPE 6.0
#define GROUND_OPACITY 0.25f

void
hatch_fill (cairo_t               *cr,
            const graphene_rect_t *area,
            const GdkRGBA         *color)
{
  double left = (double) area->origin.x, top = (double) area->origin.y, width = (double) area->size.width, height = (double) area->size.height;
  GdkRGBA ground = *color;

  ground.alpha *= GROUND_OPACITY;
  cairo_save (cr);
  cairo_clip (cr);
  gdk_cairo_set_source_rgba (cr, &ground);
  cairo_paint (cr);
  gdk_cairo_set_source_rgba (cr, color);
  cairo_set_line_width (cr, STRIPE / 2);
  for (double x = left - height; x < left + width; x += STRIPE)
    {
      cairo_move_to (cr, x, top + height);
      cairo_line_to (cr, x + height, top);
    }
  cairo_stroke (cr);
  cairo_restore (cr);
}

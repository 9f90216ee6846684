/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the last periods of a process look; rhythm-chart.c decides when they are drawn.
 *
 *   //  Waits                70 ms
 *   ::  Pauses              442 ms
 *   --  next_start    asked 118 ms after it
 *   +--------------------------+ 500 ms
 *   |  a column each           |
 *   +--------------------------+ 0
 *   8.2 s earlier     asked last        */
#pragma once

#include <gtk/gtk.h>

#include "pattern.h"

G_BEGIN_DECLS

struct rhythm_scene
{
  GtkWidget *widget;
  const struct pattern *p; /* of at least one period */
  PangoLayout *layout;
  int line_height; /* of one line of text */
  int axis_width;  /* of what stands beside the columns, with the gap */
};

int             rhythm_draw_get_height (const struct rhythm_scene *self);
/* Sets axis_width. */
void            rhythm_draw_measure (struct rhythm_scene *self);
/* Where the columns are; beside them is what their height means. */
graphene_rect_t rhythm_draw_get_area (const struct rhythm_scene *self);
void            rhythm_draw_get_extent (const struct rhythm_scene *self,
                                        guint                      period,
                                        double                    *ret_begin,
                                        double                    *ret_end);

/* The columns and their axes. */
void rhythm_draw_columns (const struct rhythm_scene *self,
                          GtkSnapshot               *snapshot);
/* The names of the parts, with the figures of that period. */
void rhythm_draw_legend (const struct rhythm_scene *self,
                         GtkSnapshot               *snapshot,
                         guint                      period);

G_END_DECLS

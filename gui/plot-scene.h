/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A plot as it is drawn: what has not changed since is not drawn again. */
#pragma once

#include <gtk/gtk.h>

#include "plot-draw.h"
#include "plot-view.h"

G_BEGIN_DECLS

/* All zero is the start. */
struct plot_scene
{
  struct plot_geometry geometry;
  PangoLayout *layout; /* caption-sized, for all text; plot_scene_get_layout() */
  double top;          /* of the value axis; 0: not known yet */
  gint64 begin_us;     /* of the lines */
  /* Each is dropped when what it shows changes. */
  GskRenderNode *axis_node;
  GskRenderNode *lines_node;
  GskRenderNode *legend_node;
};

/* Lets go of everything; it can be used again, and is allocated first. */
void plot_scene_clear (struct plot_scene *s);
PangoLayout *plot_scene_get_layout (struct plot_scene *s,
                                    GtkWidget         *plot);
void plot_scene_allocate (struct plot_scene *s,
                          GtkWidget         *plot,
                          int                width,
                          int                height);
/* All is drawn anew. */
void plot_scene_drop (struct plot_scene *s);
/* Where the lines begin now, plot_view_begin_us(). */
gint64 plot_scene_get_begin_us (const struct plot_scene *s,
                                const struct plot_view  *view);
void plot_scene_append (struct plot_scene      *s,
                        GtkWidget              *plot,
                        GtkSnapshot            *snapshot,
                        const struct plot_view *view,
                        const char             *title);

G_END_DECLS

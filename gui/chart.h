/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What charts with text and a row of parts have in common: a layout in the widget's font, a drawing that is kept until data, size or style
 * change, and a cursor on one part, which pointer and arrow keys move and which is read out. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define BRIO_TYPE_CHART (brio_chart_get_type ())
G_DECLARE_DERIVABLE_TYPE (BrioChart, brio_chart, BRIO, CHART, GtkWidget)

struct _BrioChartClass
{
  GtkWidgetClass parent_class;

  int min_width; /* px */
  int (*get_height) (BrioChart *self); /* px */
  /* What is kept. */
  void (*draw) (BrioChart *self, GtkSnapshot *snapshot);
  /* What is on top of it in each frame. NULL: nothing. */
  void (*draw_over) (BrioChart *self, GtkSnapshot *snapshot);

  /* The parts; all three or none. */
  guint (*get_n) (BrioChart *self);
  guint (*find) (BrioChart *self, double x); /* px; there is one */
  char *(*get_reading) (BrioChart *self, int part); /* below 0: of all; "": there is none. Free with g_free(). */
};

/* The chart's. */
PangoLayout *brio_chart_get_layout (BrioChart *self);
/* Of that layout, px. */
int          brio_chart_get_line_height (BrioChart *self);

/* The data are others. label: for a user that cannot see it. */
void         brio_chart_change (BrioChart  *self,
                                const char *label);

/* The part that is read out; below 0: none. Beyond the last: that. */
int          brio_chart_get_cursor (BrioChart *self);
void         brio_chart_set_cursor (BrioChart *self,
                                    int        part);
/* What is said of that part, or of all. Free with g_free(). */
char        *brio_chart_get_reading (BrioChart *self);

G_END_DECLS

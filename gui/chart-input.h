/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a chart is read out: the pointer and the arrow keys move a cursor, Escape and going away end it; the wheel with Ctrl, two fingers,
 * + and - change the time that it is over. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct
{
  void (*point) (GtkWidget *chart, double x);   /* the pointer is there, in pixels from the left */
  void (*move) (GtkWidget *chart, int steps);   /* above 0: to the right */
  gboolean (*leave) (GtkWidget *chart);         /* FALSE: there was no cursor */
  gboolean (*zoom) (GtkWidget *chart, int steps); /* above 0: a shorter time. FALSE: not here. NULL: never */
} BrioChartInput;

/* Once. input is static. */
void chart_input_set_up (GtkWidget            *chart,
                         const BrioChartInput *input);

G_END_DECLS

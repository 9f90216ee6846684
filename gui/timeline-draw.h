/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a start's timeline looks. Stateless; timeline.c decides what is drawn, and when. */
#pragma once

#include <gtk/gtk.h>

#include "timeline-math.h"

G_BEGIN_DECLS

struct timeline_picture
{
  GtkWidget *widget; /* as wide as the picture */
  PangoLayout *layout;
  int line_height; /* of text */
  const struct timeline *t;
  gint64 best_us; /* 0 or less: not known */
  const struct timeline_mark *marks;
  guint n_marks;
  int cursor; /* a slice; below 0: none */
};

/* All but the read-out; t has a slice at least. */
void timeline_draw_picture (const struct timeline_picture *p,
                            GtkSnapshot                   *snapshot);
/* The lanes' titles, their figures at the cursor or over all, and the cursor. */
void timeline_draw_reading (const struct timeline_picture *p,
                            GtkSnapshot                   *snapshot);
/* Looks at line_height, t, which need have no slice, and marks alone. */
int  timeline_draw_get_height (const struct timeline_picture *p);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What waits is hatched, wherever it is drawn: so it differs from the rest without its colour. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Fills the current path, which lies within area, and drops it. */
void hatch_fill (cairo_t               *cr,
                 const graphene_rect_t *area,
                 const GdkRGBA         *color);

G_END_DECLS

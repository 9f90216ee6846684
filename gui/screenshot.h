/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A picture of a widget as it is drawn now, for reports, tests and documentation. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Of a mapped widget, in its size. Free with g_object_unref(). */
GdkTexture *screenshot_take (GtkWidget  *widget,
                             GError    **error);
/* Writes it as a PNG. */
gboolean screenshot_save (GtkWidget  *widget,
                          const char *path,
                          GError    **error);
/* Whether something in it is shown only until something else is known. */
gboolean screenshot_is_early (GtkWidget *widget);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A widget alone, in a window. */
#pragma once

#include <adwaita.h>
#include <stdbool.h>

#include "object-device.h"

/* Shows a widget in a window of its own. */
GtkWindow *show(GtkWidget *child, int width, int height);
/* As the dashboard's pages do: it may be higher than the window. */
GtkWindow *show_on_page(GtkWidget *child, int width, int height);
/* Destroys the window. True if the child is gone with it. */
bool destroy(GtkWindow *window);
/* A disk with settings by Brio and by the kernel. */
BrioDevice *make_device(void);
/* The first widget of a type below another, or NULL. title: of a row; NULL: any. */
GtkWidget *find(GtkWidget *w, GType type, const char *title);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keys of the application's actions; help-overlay.ui lists them. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

void shortcuts_set_up (GtkApplication *application);

G_END_DECLS

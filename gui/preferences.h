/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window of preferences does: its switch is the service brio-session. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* builder: of preferences.ui. Nothing of it is held when the window has gone. */
void preferences_set_up (GtkBuilder *builder);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The small windows over the dashboard's. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

void dialogs_show_preferences (GtkWindow *parent);
/* What the pages and the words are. It needs no network and no other program. */
void dialogs_show_help (GtkWindow *parent);
/* Made when it is asked for, which GtkApplication's own is not. GTK deprecates this kind of window from 4.18 on, for one of libadwaita 1.8. */
void dialogs_show_shortcuts (GtkWindow *parent);
/* With what is asked for first where something does not work. */
void dialogs_show_about (GtkWindow  *parent,
                         BrioClient *client);

G_END_DECLS

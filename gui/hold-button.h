/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The button that ends what an application has asked Brio for. */
#pragma once

#include <gtk/gtk.h>

#include "client.h"

G_BEGIN_DECLS

/* Lives no longer than the client. What the daemon refuses is told in the window. */
GtkWidget *hold_button_new (BrioClient *client);
/* Which hold it releases from now on. */
void       hold_button_set (GtkWidget              *button,
                            const struct brio_hold *hold);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The button that ends what an application has asked Brio for, and the list of all of that. */
#pragma once

#include <gtk/gtk.h>

#include "client.h"

G_BEGIN_DECLS

/* Lives no longer than the client. What the daemon refuses is told in the window. */
GtkWidget *hold_button_new (BrioClient *client);
/* Which hold it releases from now on. */
void       hold_button_set (GtkWidget              *button,
                            const struct brio_hold *hold);
/* A row for each hold in place of those before: why, by which application, what it asks for, and the button. FALSE: there is none. */
gboolean   hold_button_list (GtkListBox *list,
                             BrioClient *client);

G_END_DECLS

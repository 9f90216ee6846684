/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user keeps as a file. What came of it is said with the action "win.notify" of the widget's window. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks for the place; name is proposed. Takes the contents. */
void file_saving_ask (GtkWidget  *widget,
                      const char *title,
                      const char *name,
                      GBytes     *contents);
/* Takes the contents. */
void file_saving_write (GtkWidget *widget,
                        GFile     *file,
                        GBytes    *contents);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What can be done with a process of the table, or with a group of them: by the second button of the mouse, or the menu key. */
#pragma once

#include <gtk/gtk.h>

#include "client.h"
#include "process-rows.h"

G_BEGIN_DECLS

/* Once, for a view whose model is a GtkSingleSelection of the rows. around: a widget that the menu lies in. */
void process_menu_attach (GtkColumnView   *view,
                          BrioProcessRows *rows,
                          GMenuModel      *menu,
                          GtkWidget       *around);

/* Whose rules of programs it shows. Once, before there are rows. */
void process_menu_set_client (GtkColumnView *view,
                              BrioClient    *client);

/* For what is selected; at: in the coordinates of the widget around. */
void process_menu_open (GtkColumnView      *view,
                        const GdkRectangle *at);

G_END_DECLS

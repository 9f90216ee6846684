/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in the first column of the table of processes: icon and name of an application or a program, what tells one from another of that name,
 * and whether it unfolds. */
#pragma once

#include <gtk/gtk.h>

#include "object-process.h"
#include "process-cell.h"

G_BEGIN_DECLS

/* item: of the list, whose activation unfolds it. place_column: while it is shown, the place need not be. */
GtkWidget *process_name_new (GtkListItem         *item,
                             ProcessCellStyle    *name,
                             ProcessCellStyle    *place,
                             GtkColumnViewColumn *place_column);
void process_name_show (GtkWidget   *widget,
                        BrioProcess *process,
                        const char  *name,
                        const char  *place);
/* The one that says the name. */
BrioProcessCell *process_name_get_cell (GtkWidget *widget);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A start in a list: whose, when, how long, compared with what it can be, and why. */
#pragma once

#include <adwaita.h>

#include "object-startup.h"

G_BEGIN_DECLS

#define BRIO_TYPE_STARTUP_ROW (brio_startup_row_get_type ())
G_DECLARE_FINAL_TYPE (BrioStartupRow, brio_startup_row, BRIO, STARTUP_ROW, AdwBin)

/* named: with the application's icon and name; else with the day, for a list of one application's starts. */
GtkWidget *brio_startup_row_new (gboolean named);

/* full_us: of the bar, 0: by itself. */
void brio_startup_row_show (BrioStartupRow *self,
                            BrioStartup    *startup,
                            gint64          full_us);

G_END_DECLS

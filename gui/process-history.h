/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much a process read and wrote lately, a bar for each second: the largest is as high as there is room. */
#pragma once

#include <gtk/gtk.h>

#include "object-process.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PROCESS_HISTORY (brio_process_history_get_type ())
G_DECLARE_FINAL_TYPE (BrioProcessHistory, brio_process_history, BRIO, PROCESS_HISTORY, GtkWidget)

GtkWidget *brio_process_history_new (void);
/* NULL: none. */
void brio_process_history_show (BrioProcessHistory *self,
                                BrioProcess        *process);

G_END_DECLS

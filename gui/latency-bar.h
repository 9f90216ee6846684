/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long a start took: a bar, of it the part waited hatched, with marks for the best and the usual. */
#pragma once

#include <gtk/gtk.h>

#include "object-startup.h"

G_BEGIN_DECLS

#define BRIO_TYPE_LATENCY_BAR (brio_latency_bar_get_type ())
G_DECLARE_FINAL_TYPE (BrioLatencyBar, brio_latency_bar, BRIO, LATENCY_BAR, GtkWidget)

/* full_us: how long the whole bar is; 0: as long as it takes for this start. */
void brio_latency_bar_set (BrioLatencyBar *self,
                           BrioStartup    *startup,
                           gint64          full_us);

G_END_DECLS

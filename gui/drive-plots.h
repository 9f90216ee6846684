/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plots of one drive, or, where the figures are wanted, a table in the place of each. Property "as-table". */
#pragma once

#include <adwaita.h>

#include "object-device.h"

G_BEGIN_DECLS

#define BRIO_TYPE_DRIVE_PLOTS (brio_drive_plots_get_type ())
G_DECLARE_FINAL_TYPE (BrioDrivePlots, brio_drive_plots, BRIO, DRIVE_PLOTS, AdwBin)

/* NULL: nothing. Before the drive is let go. */
void brio_drive_plots_set_device (BrioDrivePlots *self,
                                  BrioDevice     *device);
/* How long a time they are over. */
void brio_drive_plots_set_span (BrioDrivePlots *self,
                                int             span_s);
/* Shows the samples that came since, and says whether that draws anything. */
gboolean brio_drive_plots_refresh (BrioDrivePlots *self);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sidebar beside the content where there is room for both, and over it, on demand, where there is not: what
 * AdwOverlaySplitView does from libadwaita 1.4 on, whose predecessors are deprecated there.
 *
 * Properties: sidebar, content (widgets); collapsed (read-only: there is no room for both); show-sidebar (while collapsed);
 * sidebar-enabled (else the content is alone). */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* From here on there is room for both, in pixels. */
#define BRIO_SPLIT_WIDE_PX 720

#define BRIO_TYPE_SPLIT (brio_split_get_type ())
G_DECLARE_FINAL_TYPE (BrioSplit, brio_split, BRIO, SPLIT, GtkWidget)

gboolean brio_split_get_collapsed (BrioSplit *self);
gboolean brio_split_get_show_sidebar (BrioSplit *self);
void     brio_split_set_show_sidebar (BrioSplit *self,
                                      gboolean   show);
void     brio_split_set_sidebar_enabled (BrioSplit *self,
                                         gboolean   enabled);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sidebar beside the content where there is room for both, and over it, on demand, where there is not. From libadwaita 1.5 on an
 * AdwOverlaySplitView is what moves it; before that there is none.
 *
 * Properties: sidebar, content (widgets); collapsed (read-only: the sidebar is not beside the content); pinned (it is wanted there where
 * there is room); show-sidebar (where there is none: over the content); sidebar-enabled (else the content is alone). */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* From here on there is room for both, in pixels; where large text needs a wider sidebar, from so much more on. */
#define BRIO_SPLIT_WIDE_PX 720

#define BRIO_TYPE_SPLIT (brio_split_get_type ())
G_DECLARE_FINAL_TYPE (BrioSplit, brio_split, BRIO, SPLIT, GtkWidget)

gboolean brio_split_get_collapsed (BrioSplit *self);
gboolean brio_split_get_show_sidebar (BrioSplit *self);
/* TRUE where there is room for both: pins it. */
void     brio_split_set_show_sidebar (BrioSplit *self,
                                      gboolean   show);
void     brio_split_set_pinned (BrioSplit *self,
                                gboolean   pinned);
/* Brings the sidebar, or puts it away: beside the content where there is room, else over it. */
void     brio_split_toggle (BrioSplit *self);
void     brio_split_set_sidebar_enabled (BrioSplit *self,
                                         gboolean   enabled);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What AdwOverlaySplitView is in newer versions of libadwaita, with the properties that BrioSplit needs of it: sidebar, content (widgets); collapsed (the sidebar
 * is over the content, where it is shown at all); show-sidebar (follows collapsed, and can then be set); min-sidebar-width (in pixels).
 * Not AdwFlap: it leaves the focus behind what is over it, and as it folds it lays the content out anew for each width in between. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define BRIO_TYPE_SLIDE (brio_slide_get_type ())
G_DECLARE_FINAL_TYPE (BrioSlide, brio_slide, BRIO, SLIDE, GtkWidget)

G_END_DECLS

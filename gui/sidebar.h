/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of a view stack's pages, with their icons: what AdwViewSwitcher is for as long as there are few.
 * Property "stack". Signal "activated": the user chose a page, be it the one that is shown. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_SIDEBAR (brio_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (BrioSidebar, brio_sidebar, BRIO, SIDEBAR, AdwBin)

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The first page: a card a drive. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_OVERVIEW (brio_page_overview_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageOverview, brio_page_overview, BRIO, PAGE_OVERVIEW, AdwBin)

G_END_DECLS

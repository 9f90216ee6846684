/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long applications take to start, against their best: the last start of each, and one of them in detail. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_STARTUPS (brio_page_startups_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageStartups, brio_page_startups, BRIO, PAGE_STARTUPS, AdwBin)

G_END_DECLS

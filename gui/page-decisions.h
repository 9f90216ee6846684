/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Brio changed, why, and what came of it, newest first; what is in force can be undone. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_DECISIONS (brio_page_decisions_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageDecisions, brio_page_decisions, BRIO, PAGE_DECISIONS, AdwBin)

/* Writes those that are listed into the file, and says so; format: "csv" or "json". */
void        brio_page_decisions_save (BrioPageDecisions *self,
                                      GFile             *file,
                                      const char        *format);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown while there is no daemon to talk to: what is wrong, and the command that helps. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_ABSENT (brio_page_absent_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageAbsent, brio_page_absent, BRIO, PAGE_ABSENT, AdwBin)

/* title and description are translated; command is for a terminal. */
void brio_page_absent_show (BrioPageAbsent *self,
                            const char     *title,
                            const char     *description,
                            const char     *command);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window comes back as it was left: its size, whether it is maximised, the page, the list of pages, and what each page keeps. */
#pragma once

#include <adwaita.h>

#include "split.h"

G_BEGIN_DECLS

/* Once, before the window is shown: takes what was kept, and keeps what changes for as long as the window is there. */
void window_state_keep (GtkWindow    *window,
                        BrioSplit    *split,
                        AdwViewStack *pages,
                        GSettings    *settings);

G_END_DECLS

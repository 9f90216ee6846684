/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands in the window until the user has read it once: what Brio will do, and that it can only give advice. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_WELCOME (brio_page_welcome_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageWelcome, brio_page_welcome, BRIO, PAGE_WELCOME, AdwBin)

/* Signal "done": the user goes on; where they asked for advice alone, the daemon has agreed. */

/* Once. */
void brio_page_welcome_set_client (BrioPageWelcome *self,
                                   BrioClient      *client);

G_END_DECLS

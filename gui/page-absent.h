/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown while there is no daemon to talk to: what is wrong, and the command that helps. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE_ABSENT (brio_page_absent_get_type ())
G_DECLARE_FINAL_TYPE (BrioPageAbsent, brio_page_absent, BRIO, PAGE_ABSENT, AdwBin)

/* Once. */
void brio_page_absent_set_client (BrioPageAbsent *self,
                                  BrioClient     *client);

G_END_DECLS

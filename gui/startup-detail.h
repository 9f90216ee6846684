/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One application's starts: figures, how one of them went, what was in its way, what Brio changed meanwhile, and all that are known. */
#pragma once

#include <adwaita.h>

#include "client.h"
#include "object-startup.h"

G_BEGIN_DECLS

#define BRIO_TYPE_STARTUP_DETAIL (brio_startup_detail_get_type ())
G_DECLARE_FINAL_TYPE (BrioStartupDetail, brio_startup_detail, BRIO, STARTUP_DETAIL, AdwBin)

/* Once. */
void brio_startup_detail_set_client (BrioStartupDetail *self,
                                     BrioClient        *client);

/* Asks the daemon, and shows the newest start. Again for the same application: takes up what is new, and stays at the start that the
 * reader chose. NULL: lets go of what is shown. */
void brio_startup_detail_load (BrioStartupDetail *self,
                               const char        *application);

/* Shows the start of that application that began then, or the newest where that is not known. */
void brio_startup_detail_choose (BrioStartupDetail *self,
                                 const char        *application,
                                 gint64             time_us);

G_END_DECLS

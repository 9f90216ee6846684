/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Brio changed while an application started: the decisions that fell into it, as a list; hidden where there are none. */
#pragma once

#include <adwaita.h>

#include "client.h"
#include "timeline-math.h"

G_BEGIN_DECLS

#define BRIO_TYPE_STARTUP_CHANGES (brio_startup_changes_get_type ())
G_DECLARE_FINAL_TYPE (BrioStartupChanges, brio_startup_changes, BRIO, STARTUP_CHANGES, AdwPreferencesGroup)

/* Asks the daemon for the decisions of those numbers (at), and shows them beside how long after the begin they were; then emits "loaded". */
void brio_startup_changes_load (BrioStartupChanges *self,
                                BrioClient         *client,
                                gint64              begin_us,
                                GVariant           *sequences);
/* None, and no call. */
void brio_startup_changes_forget (BrioStartupChanges *self);

/* When they were. */
const struct timeline_mark *brio_startup_changes_get_marks (BrioStartupChanges *self,
                                                            guint              *ret_n);

G_END_DECLS

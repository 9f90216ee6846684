/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How one start went: its timeline, or the same as a table. */
#pragma once

#include <adwaita.h>

#include "client.h"
#include "object-startup.h"
#include "timeline-math.h"

G_BEGIN_DECLS

#define BRIO_TYPE_STARTUP_COURSE (brio_startup_course_get_type ())
G_DECLARE_FINAL_TYPE (BrioStartupCourse, brio_startup_course, BRIO, STARTUP_COURSE, AdwPreferencesGroup)

/* Asks the daemon how that start of the application went, and shows it; then emits "told" with its begin (gint64, microseconds of
 * CLOCK_REALTIME) and the numbers of the decisions that fell into it (GVariant, at). */
void brio_startup_course_load (BrioStartupCourse *self,
                               BrioClient        *client,
                               const char        *application,
                               BrioStartup       *startup);
/* No call, and what it was of. What is shown stays. */
void brio_startup_course_forget (BrioStartupCourse *self);

/* Moments in which Brio changed something or read ahead, n of them. */
void brio_startup_course_mark (BrioStartupCourse *self,
                               const struct timeline_mark *marks,
                               guint              n_marks);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which starts are worth a notification, and how seldom. No GTK, no clock. */
#pragma once

#include "object-startup.h"

G_BEGIN_DECLS

/* Of the same kind, cold or warm, the one that is judged among them: with fewer there is nothing usual yet. */
#define SLOW_START_KNOWN_MIN 5
/* "Much longer": times what is usual. */
#define SLOW_START_FACTOR 2
/* And by so much that a person who waits loses the thread: the second limit of Nielsen, Usability Engineering (1993), 5.5. */
#define SLOW_START_EXCESS_US (1 * G_USEC_PER_SEC)
/* Between two notifications, and between two of the same application. */
#define SLOW_START_PAUSE_US (G_GINT64_CONSTANT (600) * G_USEC_PER_SEC)
#define SLOW_START_APPLICATION_PAUSE_US (G_GINT64_CONSTANT (6 * 3600) * G_USEC_PER_SEC)

/* Whether somebody who started it from a launcher waited much longer than usual, because of others: by the daemon's own figures. It took
 * at least twice the median of its kind (cold or warm) and a second more, at least what 95 of 100 of them do not exceed (p95, this
 * one among them), at least half of what it took over the median it waited for the drive, and it is known who had the drive. */
gboolean slow_start_is_worth_telling (BrioStartup *startup);

typedef struct _SlowStartLimit SlowStartLimit;

/* Free with slow_start_limit_free(). */
SlowStartLimit *slow_start_limit_new (void);
void            slow_start_limit_free (SlowStartLimit *self);
/* Whether there may be a notification about this application now (a monotonic time); if so, there was one now. */
gboolean        slow_start_limit_take (SlowStartLimit *self,
                                       const char     *application,
                                       gint64          now_us);

/* "Firefox took 4.72 s to start"; name is the application's. Free with g_free(). */
char *slow_start_title (BrioStartup *startup,
                        const char  *name);
/* What is usual, and who was to blame. Free with g_free(). */
char *slow_start_body (BrioStartup *startup);

G_END_DECLS

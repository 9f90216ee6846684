/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The I/O priority of a process of one's own: all of its threads. No GTK. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As ioprio_set(2) has them. One that is set is what Brio leaves as it is. */
#define PROCESS_PRIORITY_UNSET 0u                   /* Brio may let it step back */
#define PROCESS_PRIORITY_USUAL ((2u << 13) | 4u)    /* the level that an unset one counts as */
#define PROCESS_PRIORITY_LAST (3u << 13)            /* class idle */

/* Of its first thread; -errno where it is gone. */
int process_priority_get (guint32 pid);
/* Returns 0, or -errno: -EPERM: another user's; -ESRCH: it is gone. */
int process_priority_set (guint32 pid,
                          guint   priority);

G_END_DECLS

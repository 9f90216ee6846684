/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decisions as marks in the histories of the drives that they are about. No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* devices: of BrioDevice. decision: as the daemon tells it, a{sv}; one that changed nothing has no mark. realtime_us: CLOCK_REALTIME minus the
 * clock of the samples. */
void decision_marks_add (GListModel *devices,
                         GVariant   *decision,
                         gint64      realtime_us);

/* decisions: aa{sv}, the newest last, of which those from since_us on are taken. */
void decision_marks_load (GListModel *devices,
                          GVariant   *decisions,
                          gint64      realtime_us,
                          gint64      since_us);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells of starts that took much longer than usual, where the user wants that. */
#pragma once

#include <gio/gio.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_NOTIFIER (brio_notifier_get_type ())
G_DECLARE_FINAL_TYPE (BrioNotifier, brio_notifier, BRIO, NOTIFIER, GObject)

/* The one notification: a newer one takes its place, so that they never pile up. */
#define BRIO_NOTIFIER_ID "slow-start"

/* Signal "notification" (GNotification *): there is one to send. */

/* Free with g_object_unref(). */
BrioNotifier *brio_notifier_new (BrioClient *client,
                                 GSettings  *settings);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether the list is of just these objects in this order. */
gboolean list_is (GListStore *list,
                  GPtrArray  *wanted);
/* Makes a list one of just these objects in this order, in one change, of which what stays at its beginning and at its end is no part. Returns
 * whether there was anything to change. */
gboolean list_follow (GListStore *list,
                      GPtrArray  *wanted);

G_END_DECLS

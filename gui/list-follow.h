/* SPDX-License-Identifier: GPL-3.0-or-later */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Makes a list one of just these objects, in one change: those that stay keep their order, and what comes is behind them in its own. */
void list_follow (GListStore *list,
                  GPtrArray  *wanted);

G_END_DECLS

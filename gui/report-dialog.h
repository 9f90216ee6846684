/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What goes into a report is asked for, made, and shown while it is made. */
#pragma once

#include "window.h"

G_BEGIN_DECLS

/* One at a time. */
void    report_dialog_make_async (BrioWindow         *window,
                                  BrioClient         *client,
                                  GAsyncReadyCallback callback,
                                  gpointer            userdata);
/* The archive; free with g_bytes_unref(). NULL: the user ended it, or closed the window. */
GBytes *report_dialog_make_finish (GAsyncResult *result,
                                   GError      **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is saved to ask for help with: an archive of the report, a recording and a picture of each page. */
#pragma once

#include "window.h"

G_BEGIN_DECLS

/* Shows each page in turn, and at last the one that was shown before. One at a time. recording: NULL: none. */
void    report_archive_make_async (BrioWindow         *window,
                                   BrioClient         *client,
                                   GBytes             *recording,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            userdata);
/* Free with g_bytes_unref(). A page that is not drawn is left out; NULL only where it was cancelled. */
GBytes *report_archive_make_finish (GAsyncResult *result,
                                    GError      **error);

G_END_DECLS

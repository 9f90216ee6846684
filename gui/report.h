/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is asked for where something does not work, as text, in English. */
#pragma once

#include "client.h"

G_BEGIN_DECLS

/* Versions, the kernel, mode and drives, some lines. Free with g_free(). */
char *report_format_summary (BrioClient *client);

/* The same, what the daemon says of itself (sources, policies, rules for programs, holds, what set the mode), each
 * drive with its settings, laws and findings, and what the daemon says of decisions, advice, starts, streams and processes. */
void  report_make_async (BrioClient         *client,
                         GCancellable       *cancellable,
                         GAsyncReadyCallback callback,
                         gpointer            userdata);
/* Free with g_free(). What the daemon did not tell has its error in the text; NULL only where it was cancelled. */
char *report_make_finish (GAsyncResult *result,
                          GError      **error);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-session, which tells of slow starts whether or not the dashboard runs, as the user's systemd has it. No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Whether it is enabled, which means at each login. */
void     session_service_ask_async  (GCancellable       *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer            userdata);
/* Enables and starts it, or disables and stops it. */
void     session_service_set_async  (gboolean            on,
                                     GCancellable       *cancellable,
                                     GAsyncReadyCallback callback,
                                     gpointer            userdata);
/* Of both. Returns FALSE with the error; ret_on (NULL: not wanted): how it is now. */
gboolean session_service_finish     (GAsyncResult *result,
                                     gboolean     *ret_on,
                                     GError      **error);
/* Whether nothing can be switched here: no systemd of the user's, or no such unit. */
gboolean session_service_is_lacking (const GError *error);
/* A sentence for people. Free with g_free(). */
char    *session_service_explain    (const GError *error);

G_END_DECLS

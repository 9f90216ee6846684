/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The window: header, pages, and what is shown instead of them while there is no daemon. */
#pragma once

#include <adwaita.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_WINDOW (brio_window_get_type ())
G_DECLARE_FINAL_TYPE (BrioWindow, brio_window, BRIO, WINDOW, AdwApplicationWindow)

/* settings: where is kept how the window is, and that its first page was read; NULL: neither. */
BrioWindow *brio_window_new (GtkApplication *application,
                             BrioClient     *client,
                             GSettings      *settings);

/* What is shown: "welcome", "connecting", "absent" or "pages". */
const char *brio_window_get_shown (BrioWindow *self);
/* The pages are there, and nothing else fades out. */
gboolean brio_window_is_settled (BrioWindow *self);

/* Of AdwViewStackPage. Free with g_object_unref(). */
GListModel *brio_window_list_pages (BrioWindow *self);
/* "overview", "processes", ...; another name changes nothing. */
void brio_window_show_page (BrioWindow *self,
                            const char *name);
/* The name of the page that is shown, or would be. */
const char *brio_window_get_page (BrioWindow *self);

/* The start of that application that began then, on the page of start-ups. */
void brio_window_show_startup (BrioWindow *self,
                               const char *application,
                               gint64      time_us);

/* Of the page that is shown: one of what it has, and those that match. */
void brio_window_show_detail (BrioWindow *self,
                              const char *name);
void brio_window_search (BrioWindow *self,
                         const char *text);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window asks of a page. A new page implements this, stands in window.ui, and is made known in window.c's class_init(). */
#pragma once

#include <gtk/gtk.h>

#include "client.h"

G_BEGIN_DECLS

#define BRIO_TYPE_PAGE (brio_page_get_type ())
G_DECLARE_INTERFACE (BrioPage, brio_page, BRIO, PAGE, GtkWidget)

/* Signal "detail-changed": get_detail_title() or get_search_bar() would answer otherwise. All but set_client may be left out. A search bar has an AdwClamp
 * with the entry, where search is left out. */
struct _BrioPageInterface
{
  GTypeInterface parent;

  void (*set_client) (BrioPage *self, BrioClient *client);
  GtkSearchBar *(*get_search_bar) (BrioPage *self);
  void (*search) (BrioPage *self, const char *text);
  void (*show_detail) (BrioPage *self, const char *name);
  const char *(*get_detail_title) (BrioPage *self);
  void (*set_settings) (BrioPage *self, GSettings *settings);
  void (*show_detail_at) (BrioPage *self, const char *name, gint64 time_us);
};

/* Once. */
void          brio_page_set_client (BrioPage   *self,
                                    BrioClient *client);
/* NULL: nothing to search now. */
GtkSearchBar *brio_page_get_search_bar (BrioPage *self);
/* As if it were typed into the search. */
void          brio_page_search (BrioPage   *self,
                                const char *text);
/* Shows the one of that name, as soon as it is known; NULL: all of them again. */
void          brio_page_show_detail (BrioPage   *self,
                                     const char *name);
/* The one of that name as it was then (CLOCK_REALTIME). */
void          brio_page_show_detail_at (BrioPage   *self,
                                        const char *name,
                                        gint64      time_us);
/* What it shows one of, translated; NULL while it shows them all. */
const char   *brio_page_get_detail_title (BrioPage *self);
/* Once: what was chosen on it comes from there, and is kept there. */
void          brio_page_set_settings (BrioPage  *self,
                                      GSettings *settings);
/* For pages and what they have. Whether it is in a window that is minimised, or out of sight on Wayland: such a widget is mapped, and is not seen. */
gboolean      brio_page_is_minimised (GtkWidget *widget);
/* The icon of an AdwStatusPage, static, from when that is first shown: one as large is an SVG, whose library takes 6 MiB. */
void          brio_page_set_status_icon (GtkWidget  *status_page,
                                         const char *icon_name);
/* What an AdwStatusPage says, as it is: errors may have what looks like markup. */
void          brio_page_set_status_text (GtkWidget  *status_page,
                                         const char *text);
/* For pages. */
void          brio_page_emit_detail_changed (BrioPage *self);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page.h"

#include <adwaita.h>

/* The second is GDK_TOPLEVEL_STATE_SUSPENDED, since GTK 4.12: on Wayland nothing tells of the first. */
#define STATES_UNSEEN (GDK_TOPLEVEL_STATE_MINIMIZED | 1 << 16)

enum
{
  DETAIL_CHANGED,
  N_SIGNALS
};

G_DEFINE_INTERFACE (BrioPage, brio_page, GTK_TYPE_WIDGET)

static guint signals[N_SIGNALS];

static void
brio_page_default_init (BrioPageInterface *iface)
{
  signals[DETAIL_CHANGED] = g_signal_new ("detail-changed", G_TYPE_FROM_INTERFACE (iface), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                                          G_TYPE_NONE, 0);
}

void
brio_page_set_client (BrioPage   *self,
                      BrioClient *client)
{
  g_return_if_fail (BRIO_IS_PAGE (self));

  BRIO_PAGE_GET_IFACE (self)->set_client (self, client);
}

GtkSearchBar *
brio_page_get_search_bar (BrioPage *self)
{
  BrioPageInterface *iface;

  g_return_val_if_fail (BRIO_IS_PAGE (self), NULL);

  iface = BRIO_PAGE_GET_IFACE (self);
  return iface->get_search_bar ? iface->get_search_bar (self) : NULL;
}

void
brio_page_search (BrioPage   *self,
                  const char *text)
{
  BrioPageInterface *iface;
  GtkSearchBar *bar;

  g_return_if_fail (BRIO_IS_PAGE (self));

  iface = BRIO_PAGE_GET_IFACE (self);
  bar = brio_page_get_search_bar (self);
  if (iface->search)
    iface->search (self, text);
  else if (bar)
    {
      gtk_search_bar_set_search_mode (bar, TRUE);
      gtk_editable_set_text (GTK_EDITABLE (adw_clamp_get_child (ADW_CLAMP (gtk_search_bar_get_child (bar)))), text);
    }
}

void
brio_page_show_detail (BrioPage   *self,
                       const char *name)
{
  BrioPageInterface *iface;

  g_return_if_fail (BRIO_IS_PAGE (self));

  iface = BRIO_PAGE_GET_IFACE (self);
  if (iface->show_detail)
    iface->show_detail (self, name);
}

void
brio_page_show_detail_at (BrioPage   *self,
                          const char *name,
                          gint64      time_us)
{
  BrioPageInterface *iface;

  g_return_if_fail (BRIO_IS_PAGE (self));

  iface = BRIO_PAGE_GET_IFACE (self);
  if (iface->show_detail_at)
    iface->show_detail_at (self, name, time_us);
}

const char *
brio_page_get_detail_title (BrioPage *self)
{
  BrioPageInterface *iface;

  g_return_val_if_fail (BRIO_IS_PAGE (self), NULL);

  iface = BRIO_PAGE_GET_IFACE (self);
  return iface->get_detail_title ? iface->get_detail_title (self) : NULL;
}

void
brio_page_set_settings (BrioPage  *self,
                        GSettings *settings)
{
  BrioPageInterface *iface;

  g_return_if_fail (BRIO_IS_PAGE (self));

  iface = BRIO_PAGE_GET_IFACE (self);
  if (iface->set_settings)
    iface->set_settings (self, settings);
}

void
brio_page_emit_detail_changed (BrioPage *self)
{
  g_return_if_fail (BRIO_IS_PAGE (self));

  g_signal_emit (self, signals[DETAIL_CHANGED], 0);
}

gboolean
brio_page_is_minimised (GtkWidget *widget)
{
  GtkNative *native = gtk_widget_get_native (widget);
  GdkSurface *surface = native ? gtk_native_get_surface (native) : NULL;

  return GDK_IS_TOPLEVEL (surface) && gdk_toplevel_get_state (GDK_TOPLEVEL (surface)) & STATES_UNSEEN;
}

static void
on_status_page_mapped (GtkWidget *status_page,
                       gpointer   icon_name)
{
  adw_status_page_set_icon_name (ADW_STATUS_PAGE (status_page), icon_name);
}

void
brio_page_set_status_icon (GtkWidget  *status_page,
                           const char *icon_name)
{
  g_return_if_fail (ADW_IS_STATUS_PAGE (status_page));

  g_signal_connect (status_page, "map", G_CALLBACK (on_status_page_mapped), (gpointer) icon_name);
}

void
brio_page_set_status_text (GtkWidget  *status_page,
                           const char *text)
{
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  g_return_if_fail (ADW_IS_STATUS_PAGE (status_page));

  adw_status_page_set_description (ADW_STATUS_PAGE (status_page), escaped);
}

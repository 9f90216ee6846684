/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-absent.h"

#include <glib/gi18n.h>

#include "page.h"

#define START_COMMAND "sudo systemctl start briod"
#define RESTART_COMMAND "sudo systemctl restart briod"

struct _BrioPageAbsent
{
  AdwBin parent_instance;

  AdwStatusPage *status;
  GtkLabel *command;
};

G_DEFINE_FINAL_TYPE (BrioPageAbsent, brio_page_absent, ADW_TYPE_BIN)

static void
on_copy (BrioPageAbsent *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), gtk_label_get_label (self->command));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", _("Copied: paste it into a terminal"));
}

static void
show (BrioPageAbsent *self,
      BrioClient     *client)
{
  gboolean other_version = brio_client_get_state (client) == BRIO_CLIENT_MISMATCH;
  const char *detail = brio_client_get_detail (client);

  adw_status_page_set_title (self->status, other_version ? _("Another Version Is Running") : _("Brio’s Daemon Is Not Running"));
  adw_status_page_set_description (self->status, other_version || *detail
                                                   ? detail
                                                   : _("It watches the drives and tunes them. Start it with this command:"));
  gtk_label_set_label (self->command, other_version ? RESTART_COMMAND : START_COMMAND);
}

static void
on_client_changed (BrioPageAbsent *self,
                   GParamSpec     *pspec,
                   BrioClient     *client)
{
  (void) pspec;
  show (self, client);
}

void
brio_page_absent_set_client (BrioPageAbsent *self,
                             BrioClient     *client)
{
  g_return_if_fail (BRIO_IS_PAGE_ABSENT (self));

  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_client_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::detail", G_CALLBACK (on_client_changed), self, G_CONNECT_SWAPPED);
  show (self, client);
}

static void
brio_page_absent_class_init (BrioPageAbsentClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-absent.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, command);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
}

static void
brio_page_absent_init (BrioPageAbsent *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (GTK_WIDGET (self->status), "org.brio.Brio-symbolic");
}

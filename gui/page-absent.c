/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "page-absent.h"

#include <glib/gi18n.h>

#include "page.h"

#define START_COMMAND "sudo systemctl start briod"
#define RESTART_COMMAND "sudo systemctl restart briod"

struct _BrioPageAbsent
{
  AdwBin parent_instance;

  BrioClient *client;
  GCancellable *starting; /* while systemd is asked; NULL: it is not */

  AdwStatusPage *status;
  GtkButton *start;
  GtkLabel *command;
};

G_DEFINE_FINAL_TYPE (BrioPageAbsent, brio_page_absent, ADW_TYPE_BIN)

static void
on_copy (BrioPageAbsent *self)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), gtk_label_get_label (self->command));
  gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", _("Copied: paste it into a terminal"));
}

static gboolean
is_other_version (BrioPageAbsent *self)
{
  return brio_client_get_state (self->client) == BRIO_CLIENT_MISMATCH;
}

static void
on_started (GObject      *source,
            GAsyncResult *result,
            gpointer      userdata)
{
  g_autoptr (BrioPageAbsent) self = userdata; /* held for the call */
  g_autoptr (GError) error = NULL;
  gboolean started = brio_client_start_daemon_finish (BRIO_CLIENT (source), result, &error);

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  g_clear_object (&self->starting);
  gtk_widget_set_sensitive (GTK_WIDGET (self->start), TRUE);
  if (!started)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.notify", "s", error->message);
}

static void
on_start (BrioPageAbsent *self)
{
  if (self->starting)
    return;
  self->starting = g_cancellable_new ();
  gtk_widget_set_sensitive (GTK_WIDGET (self->start), FALSE);
  brio_client_start_daemon_async (self->client, is_other_version (self), self->starting, on_started, g_object_ref (self));
}

static void
show (BrioPageAbsent *self,
      BrioClient     *client)
{
  gboolean other_version = is_other_version (self);
  const char *detail = brio_client_get_detail (client);

  adw_status_page_set_title (self->status, other_version ? _("Another Version Is Running") : _("Brio’s Daemon Is Not Running"));
  brio_page_set_status_text (GTK_WIDGET (self->status), other_version || *detail ? detail : _("It watches the drives and tunes them."));
  gtk_button_set_label (self->start, other_version ? _("Start It Anew") : _("Start Brio"));
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

  g_return_if_fail (!self->client);

  self->client = g_object_ref (client);
  g_signal_connect_object (client, "notify::state", G_CALLBACK (on_client_changed), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (client, "notify::detail", G_CALLBACK (on_client_changed), self, G_CONNECT_SWAPPED);
  show (self, client);
}

/* What had it is out of sight, and starting is what one comes here for. */
static void
brio_page_absent_map (GtkWidget *widget)
{
  GTK_WIDGET_CLASS (brio_page_absent_parent_class)->map (widget);
  gtk_widget_grab_focus (GTK_WIDGET (BRIO_PAGE_ABSENT (widget)->start));
}

static void
brio_page_absent_dispose (GObject *object)
{
  BrioPageAbsent *self = BRIO_PAGE_ABSENT (object);

  g_cancellable_cancel (self->starting);
  g_clear_object (&self->starting);
  g_clear_object (&self->client);

  G_OBJECT_CLASS (brio_page_absent_parent_class)->dispose (object);
}

static void
brio_page_absent_class_init (BrioPageAbsentClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_page_absent_dispose;
  widget_class->map = brio_page_absent_map;
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/page-absent.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, status);
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, start);
  gtk_widget_class_bind_template_child (widget_class, BrioPageAbsent, command);
  gtk_widget_class_bind_template_callback (widget_class, on_copy);
  gtk_widget_class_bind_template_callback (widget_class, on_start);
}

static void
brio_page_absent_init (BrioPageAbsent *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  brio_page_set_status_icon (GTK_WIDGET (self->status), "org.brio.Brio-symbolic");
}

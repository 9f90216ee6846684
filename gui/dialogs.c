/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dialogs.h"

#include <glib/gi18n.h>

#include "config.h"
#include "settings.h"

static GtkBuilder *
build (const char *name,
       GtkWindow  *parent)
{
  g_autofree char *path = g_strdup_printf ("/org/brio/Brio/%s.ui", name);
  GtkBuilder *builder = gtk_builder_new_from_resource (path);
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, name));
  int width, height, room, unused;

  gtk_window_get_default_size (window, &width, &height);
  gtk_window_get_default_size (parent, &room, &unused);
  gtk_window_set_default_size (window, MIN (width, room), height); /* over a narrow one it is no wider */
  gtk_window_set_transient_for (window, parent);
  return builder;
}

void
dialogs_show_preferences (GtkWindow *parent,
                          GSettings *settings)
{
  g_autoptr (GtkBuilder) builder = build ("preferences", parent);
  GObject *notify = gtk_builder_get_object (builder, "notify");

  if (settings)
    g_settings_bind (settings, SETTINGS_NOTIFY, notify, "active", G_SETTINGS_BIND_DEFAULT);
  else
    gtk_widget_set_sensitive (GTK_WIDGET (notify), FALSE);
  gtk_window_present (GTK_WINDOW (gtk_builder_get_object (builder, "preferences")));
}

void
dialogs_show_help (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = build ("help", parent);

  gtk_window_present (GTK_WINDOW (gtk_builder_get_object (builder, "help")));
}

void
dialogs_show_shortcuts (GtkWindow *parent)
{
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource ("/org/brio/Brio/shortcuts.ui");
  GtkWindow *window = GTK_WINDOW (gtk_builder_get_object (builder, "shortcuts"));

  gtk_window_set_transient_for (window, parent); /* as wide as its columns */
  gtk_window_present (window);
}

/* In English: it is for who is asked for help. */
static char *
describe (BrioClient *client)
{
  GString *text = g_string_new ("brio " BRIO_VERSION "\n");
  const char *missing = brio_client_get_requests_missing (client);
  GListModel *devices = brio_client_get_devices (client);

  g_string_append_printf (text, "briod %s, mode %s\n", *brio_client_get_version (client) ? brio_client_get_version (client) : "(not running)",
                          *brio_client_get_mode (client) ? brio_client_get_mode (client) : "(not known)");
  if (*missing)
    g_string_append_printf (text, "single requests cannot be seen: %s\n", missing);
  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);

      g_string_append_printf (text, "%s: %s\n", brio_device_get_name (device), brio_device_get_workload (device));
    }
  g_string_append_printf (text, "GTK %u.%u.%u, libadwaita %u.%u.%u\n", gtk_get_major_version (), gtk_get_minor_version (),
                          gtk_get_micro_version (), adw_get_major_version (), adw_get_minor_version (), adw_get_micro_version ());
  return g_string_free (text, FALSE);
}

void
dialogs_show_about (GtkWindow  *parent,
                    BrioClient *client)
{
  g_autofree char *about = describe (client);

  adw_show_about_window (parent,
                         "application-icon", "org.brio.Brio",
                         "application-name", _("Brio"),
                         "developer-name", _("The Brio developers"),
                         "version", BRIO_VERSION,
                         "comments", _("Shows what waits for the drives, and what Brio did about it"),
                         "debug-info", about,
                         "debug-info-filename", "brio.txt",
                         "license-type", GTK_LICENSE_GPL_3_0,
                         NULL);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection to the bus, and whether the daemon is there. */
#include "client-private.h"

#include <glib/gi18n.h>

#include "names.h"

/* How long to wait before the bus or the daemon is tried again after a failure. */
#define RETRY_SECONDS 2

static void
on_name_appeared (GDBusConnection *connection,
                  const char      *name,
                  const char      *owner,
                  gpointer         userdata)
{
  BrioClient *self = userdata;

  (void) connection;
  (void) name;
  /* A daemon that replaces another leaves no time without an owner. */
  brio_client_objects_stop (self);
  g_free (self->owner);
  self->owner = g_strdup (owner);
  brio_client_objects_start (self);
}

static void
on_name_vanished (GDBusConnection *connection,
                  const char      *name,
                  gpointer         userdata)
{
  BrioClient *self = userdata;

  (void) name;
  brio_client_objects_stop (self);
  g_clear_pointer (&self->owner, g_free);
  if (connection)
    brio_client_set_state (self, BRIO_CLIENT_ABSENT, NULL);
}

void
brio_client_bus_stop (BrioClient *self)
{
  g_clear_handle_id (&self->name_watch, g_bus_unwatch_name);
  brio_client_objects_stop (self);
  g_clear_pointer (&self->owner, g_free);
  if (self->connection)
    g_clear_signal_handler (&self->closed_handler, self->connection);
  g_clear_object (&self->connection);
}

static void
on_connection_closed (GDBusConnection *connection,
                      gboolean         remote_peer_vanished,
                      GError          *error,
                      gpointer         userdata)
{
  BrioClient *self = userdata;

  (void) connection;
  (void) remote_peer_vanished;
  (void) error;
  brio_client_bus_stop (self);
  brio_client_set_state (self, BRIO_CLIENT_ABSENT, _("The message bus has gone."));
  brio_client_retry_later (self);
}

static void
on_connected (GObject      *source,
              GAsyncResult *result,
              gpointer      userdata)
{
  g_autoptr (BrioClient) self = userdata; /* held for the call */
  g_autoptr (GDBusConnection) connection = NULL;
  g_autoptr (GError) error = NULL;

  (void) source;
  connection = self->address ? g_dbus_connection_new_for_address_finish (result, &error) : g_bus_get_finish (result, &error);
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (!connection)
    {
      g_autofree char *detail = g_strdup_printf (_("The message bus cannot be reached: %s"), error->message);

      brio_client_set_state (self, BRIO_CLIENT_ABSENT, detail);
      brio_client_retry_later (self);
      return;
    }
  g_dbus_connection_set_exit_on_close (connection, FALSE);
  self->connection = g_steal_pointer (&connection);
  self->closed_handler = g_signal_connect (self->connection, "closed", G_CALLBACK (on_connection_closed), self);
  self->name_watch = g_bus_watch_name_on_connection (self->connection, BRIO_BUS_NAME, G_BUS_NAME_WATCHER_FLAGS_NONE,
                                                     on_name_appeared, on_name_vanished, self, NULL);
}

static void
connect_bus (BrioClient *self)
{
  if (self->address)
    g_dbus_connection_new_for_address (self->address,
                                       G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT
                                         | G_DBUS_CONNECTION_FLAGS_MESSAGE_BUS_CONNECTION,
                                       NULL, self->connecting, on_connected, g_object_ref (self));
  else
    g_bus_get (self->bus_type, self->connecting, on_connected, g_object_ref (self));
}

static gboolean
on_retry (gpointer userdata)
{
  BrioClient *self = userdata;

  self->retry_source = 0;
  if (!self->connection)
    connect_bus (self);
  else if (self->owner)
    brio_client_objects_start (self);
  return G_SOURCE_REMOVE;
}

void
brio_client_retry_later (BrioClient *self)
{
  if (self->retry_source == 0)
    self->retry_source = g_timeout_add_seconds (RETRY_SECONDS, on_retry, self);
}

void
brio_client_start (BrioClient *self)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));
  g_return_if_fail (!self->connection);

  connect_bus (self);
}

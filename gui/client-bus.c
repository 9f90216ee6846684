/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection to the bus, and whether the daemon is there. */
#include "client-private.h"

#include <glib/gi18n.h>

#include "names.h"

/* How long to wait before the bus or the daemon is tried again after a failure. */
#define RETRY_SECONDS 2

#define SYSTEMD_NAME "org.freedesktop.systemd1"
#define DAEMON_UNIT "briod.service"
/* A person types a password meanwhile. */
#define START_TIMEOUT_MS (3 * 60 * 1000)

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

static char *
explain_start (const GError *error)
{
  g_autofree char *remote = g_dbus_error_get_remote_error (error);
  g_autoptr (GError) plain = NULL;

  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER))
    return g_strdup (_("Here is no systemd that could start it: use the command."));
  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_AUTH_FAILED)
      || g_strcmp0 (remote, "org.freedesktop.DBus.Error.InteractiveAuthorizationRequired") == 0)
    return g_strdup (_("Administrator permission is needed: try again, or use the command."));
  plain = g_error_copy (error);
  g_dbus_error_strip_remote_error (plain);
  /* Translators: %s is what systemd says, in its language */
  return g_strdup_printf (_("It could not be started: %s"), plain->message);
}

static void
on_started (GObject      *source,
            GAsyncResult *result,
            gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  g_autoptr (GVariant) job = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  job = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (job)
    {
      g_task_return_boolean (task, TRUE);
      return;
    }
  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  text = explain_start (error);
  g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_FAILED, "%s", text);
}

void
brio_client_start_daemon_async (BrioClient         *self,
                                gboolean            restart,
                                GCancellable       *cancellable,
                                GAsyncReadyCallback callback,
                                gpointer            userdata)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, userdata);

  g_return_if_fail (BRIO_IS_CLIENT (self));

  g_task_set_source_tag (task, brio_client_start_daemon_async);
  if (!self->connection)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_NOT_CONNECTED, "%s", _("Here is no systemd that could start it: use the command."));
      return;
    }
  g_dbus_connection_call (self->connection, SYSTEMD_NAME, "/org/freedesktop/systemd1", SYSTEMD_NAME ".Manager", restart ? "RestartUnit" : "StartUnit",
                          g_variant_new ("(ss)", DAEMON_UNIT, "replace"), G_VARIANT_TYPE ("(o)"), G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION,
                          START_TIMEOUT_MS, cancellable, on_started, g_steal_pointer (&task));
}

gboolean
brio_client_start_daemon_finish (BrioClient   *self,
                                 GAsyncResult *result,
                                 GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

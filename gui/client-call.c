/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of the Manager. */
#include "client-private.h"

#include "names.h"

/* What these calls return the daemon has in memory; more than a second is more than an interval between two looks. */
#define CALL_TIMEOUT_MS 5000

static void
on_reply (GObject      *source,
          GAsyncResult *result,
          gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  g_autoptr (GVariant) reply = NULL;
  GError *error = NULL;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (reply) /* a method that returns nothing has an empty one */
    g_task_return_pointer (task, g_variant_n_children (reply) > 0 ? g_variant_get_child_value (reply, 0) : g_variant_ref (reply),
                           (GDestroyNotify) g_variant_unref);
  else
    g_task_return_error (task, error);
}

static void
call (BrioClient         *self,
      const char         *object_path,
      const char         *interface,
      const char         *method,
      GVariant           *parameters,
      const char         *reply_type,
      GDBusCallFlags      flags,
      int                 timeout_ms,
      GCancellable       *cancellable,
      GAsyncReadyCallback callback,
      gpointer            userdata)
{
  g_autoptr (GVariant) held = parameters ? g_variant_ref_sink (parameters) : NULL;
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, userdata);

  g_task_set_source_tag (task, call);
  if (!self->connection || !self->owner)
    {
      g_task_return_new_error (task, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN, "%s", "not connected");
      return;
    }
  g_dbus_connection_call (self->connection, self->owner, object_path, interface, method, held,
                          G_VARIANT_TYPE (reply_type), flags, timeout_ms, cancellable, on_reply, g_steal_pointer (&task));
}

void
brio_client_call_async (BrioClient         *self,
                        const char         *method,
                        GVariant           *parameters,
                        const char         *reply_type,
                        GCancellable       *cancellable,
                        GAsyncReadyCallback callback,
                        gpointer            userdata)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  call (self, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, method, parameters, reply_type, G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_TIMEOUT_MS,
        cancellable, callback, userdata);
}

void
brio_client_read_device_async (BrioClient         *self,
                               BrioDevice         *device,
                               GCancellable       *cancellable,
                               GAsyncReadyCallback callback,
                               gpointer            userdata)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  call (self, brio_device_get_object_path (device), "org.freedesktop.DBus.Properties", "GetAll", g_variant_new ("(s)", BRIO_DEVICE_INTERFACE),
        "(a{sv})", G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_TIMEOUT_MS, cancellable, callback, userdata);
}

/* No timeout: the user may take a while to find the password. */
void
brio_client_call_authorized_async (BrioClient         *self,
                                   const char         *method,
                                   GVariant           *parameters,
                                   const char         *reply_type,
                                   GCancellable       *cancellable,
                                   GAsyncReadyCallback callback,
                                   gpointer            userdata)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  call (self, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, method, parameters, reply_type, G_DBUS_CALL_FLAGS_ALLOW_INTERACTIVE_AUTHORIZATION,
        G_MAXINT, cancellable, callback, userdata);
}

GVariant *
brio_client_call_finish (BrioClient   *self,
                         GAsyncResult *result,
                         GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

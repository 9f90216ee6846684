/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes: asked for while somebody looks, since asking makes the daemon look closer. */
#include "client-private.h"

#include "names.h"

/* More than a second is more than an interval between two looks. */
#define PROCESSES_TIMEOUT_MS 5000

static void
on_processes (GObject      *source,
              GAsyncResult *result,
              gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  g_autoptr (GVariant) reply = NULL;
  GError *error = NULL;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (reply)
    g_task_return_pointer (task, g_variant_get_child_value (reply, 0), (GDestroyNotify) g_variant_unref);
  else
    g_task_return_error (task, error);
}

void
brio_client_get_processes_async (BrioClient         *self,
                                 GCancellable       *cancellable,
                                 GAsyncReadyCallback callback,
                                 gpointer            userdata)
{
  g_autoptr (GTask) task = NULL;

  g_return_if_fail (BRIO_IS_CLIENT (self));

  task = g_task_new (self, cancellable, callback, userdata);
  g_task_set_source_tag (task, brio_client_get_processes_async);
  if (!self->connection || !self->owner)
    {
      g_task_return_new_error (task, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN, "%s", "not connected");
      return;
    }
  g_dbus_connection_call (self->connection, self->owner, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, "GetProcesses",
                          g_variant_new ("(u)", 0u), G_VARIANT_TYPE ("(aa{sv})"), G_DBUS_CALL_FLAGS_NO_AUTO_START,
                          PROCESSES_TIMEOUT_MS, cancellable, on_processes, g_steal_pointer (&task));
}

GVariant *
brio_client_get_processes_finish (BrioClient   *self,
                                  GAsyncResult *result,
                                  GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

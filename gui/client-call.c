/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Calls of the Manager. */
#include "client-private.h"

#include <glib/gi18n.h>

#include "names.h"

/* What these calls return the daemon has in memory; more than a second is more than an interval between two looks. */
#define CALL_TIMEOUT_MS 5000

/* How an answer is read that is too long for the main loop. */
struct reading
{
  BrioClientRead read;
  GDestroyNotify free;
  GVariant *answer;
};

static void
free_reading (gpointer data)
{
  struct reading *reading = data;

  g_clear_pointer (&reading->answer, g_variant_unref);
  g_free (reading);
}

/* In a thread of its own, where the answer is freed, too: that takes as long. */
static void
read_answer (GTask        *task,
             gpointer      source,
             gpointer      data,
             GCancellable *cancellable)
{
  struct reading *reading = data;
  gpointer read = reading->read (reading->answer);

  (void) source;
  (void) cancellable;
  g_clear_pointer (&reading->answer, g_variant_unref);
  g_task_return_pointer (task, read, reading->free);
}

static void
on_read (GTask *task)
{
  BRIO_CLIENT (g_task_get_source_object (task))->n_calls--;
}

static void
on_reply (GObject      *source,
          GAsyncResult *result,
          gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  g_autoptr (GVariant) reply = NULL;
  struct reading *reading = g_task_get_task_data (task);
  GError *error = NULL;

  reply = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  if (reply && reading)
    {
      g_signal_connect (task, "notify::completed", G_CALLBACK (on_read), NULL);
      reading->answer = g_variant_get_child_value (reply, 0);
      g_clear_pointer (&reply, g_variant_unref);
      g_task_run_in_thread (task, read_answer);
      return;
    }
  BRIO_CLIENT (g_task_get_source_object (task))->n_calls--;
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
      struct reading     *reading,
      GCancellable       *cancellable,
      GAsyncReadyCallback callback,
      gpointer            userdata)
{
  g_autoptr (GVariant) held = parameters ? g_variant_ref_sink (parameters) : NULL;
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, userdata);

  g_task_set_source_tag (task, call);
  if (reading)
    g_task_set_task_data (task, reading, free_reading);
  if (!self->connection || !self->owner)
    {
      g_task_return_new_error (task, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN, "%s", "not connected");
      return;
    }
  self->n_calls++;
  g_dbus_connection_call (self->connection, self->owner, object_path, interface, method, held,
                          G_VARIANT_TYPE (reply_type), flags, timeout_ms, cancellable, on_reply, g_steal_pointer (&task));
}

gboolean
brio_client_is_waiting (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), FALSE);

  return self->n_calls > 0;
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
        NULL, cancellable, callback, userdata);
}

void
brio_client_call_read_async (BrioClient         *self,
                             const char         *method,
                             GVariant           *parameters,
                             const char         *reply_type,
                             BrioClientRead      read,
                             GDestroyNotify      free,
                             GCancellable       *cancellable,
                             GAsyncReadyCallback callback,
                             gpointer            userdata)
{
  struct reading *reading;

  g_return_if_fail (BRIO_IS_CLIENT (self));

  reading = g_new (struct reading, 1);
  *reading = (struct reading){ read, free, NULL };
  call (self, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, method, parameters, reply_type, G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_TIMEOUT_MS,
        reading, cancellable, callback, userdata);
}

gpointer
brio_client_call_read_finish (BrioClient   *self,
                              GAsyncResult *result,
                              GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
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
        "(a{sv})", G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_TIMEOUT_MS, NULL, cancellable, callback, userdata);
}

void
brio_client_read_manager_async (BrioClient         *self,
                                GCancellable       *cancellable,
                                GAsyncReadyCallback callback,
                                gpointer            userdata)
{
  g_return_if_fail (BRIO_IS_CLIENT (self));

  call (self, BRIO_OBJECT_PATH, "org.freedesktop.DBus.Properties", "GetAll", g_variant_new ("(s)", BRIO_MANAGER_INTERFACE), "(a{sv})",
        G_DBUS_CALL_FLAGS_NO_AUTO_START, CALL_TIMEOUT_MS, NULL, cancellable, callback, userdata);
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
        G_MAXINT, NULL, cancellable, callback, userdata);
}

GVariant *
brio_client_call_finish (BrioClient   *self,
                         GAsyncResult *result,
                         GError      **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
brio_client_set_mode_async (BrioClient         *self,
                            const char         *mode,
                            GCancellable       *cancellable,
                            GAsyncReadyCallback callback,
                            gpointer            userdata)
{
  brio_client_call_authorized_async (self, mode ? "SetMode" : "ResetMode", mode ? g_variant_new ("(s)", mode) : NULL, "()", cancellable,
                                     callback, userdata);
}

gboolean
brio_client_set_mode_finish (BrioClient   *self,
                             GAsyncResult *result,
                             GError      **error)
{
  g_autoptr (GVariant) nothing = brio_client_call_finish (self, result, error);

  return nothing != NULL;
}

/* The daemon's own words are. */
static gboolean
speaks_english (void)
{
  const char *language = g_get_language_names ()[0];

  return g_str_has_prefix (language, "C") || g_str_has_prefix (language, "en") || g_str_equal (language, "POSIX");
}

gboolean
brio_client_is_refusal (const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error (error);

  return g_strcmp0 (name, BRIO_ERROR_NOT_AUTHORIZED) == 0 || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
}

char *
brio_client_explain_error (const GError *error)
{
  g_autofree char *name = g_dbus_error_get_remote_error (error);
  g_autoptr (GError) stripped = g_error_copy (error);

  if (brio_client_is_refusal (error))
    return g_strdup (_("Administrator permission is needed"));
  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN)
      || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY))
    return g_strdup (_("The daemon went away: try again when it is back"));
  if (g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_UNKNOWN_METHOD))
    return g_strdup (_("The running daemon is older than this window and cannot tell that: start it anew with “sudo systemctl restart briod”"));
  g_dbus_error_strip_remote_error (stripped);
  /* Translators: %s is the error's name on the bus */
  return g_strdup_printf (_("Failed: %s. “journalctl -u briod” tells more"), speaks_english () || !name ? stripped->message : name);
}

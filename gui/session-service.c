/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session-service.h"

#include <glib/gi18n.h>

#define UNIT "brio-session.service"
#define SYSTEMD "org.freedesktop.systemd1"
#define TIMEOUT_MS 10000

/* What is asked one after the other, as systemctl does; a list ends with NULL. */
static const char *const asks[] = { "GetUnitFileState", NULL };
static const char *const switches_on[] = { "EnableUnitFiles", "Reload", "StartUnit", NULL };
static const char *const switches_off[] = { "DisableUnitFiles", "Reload", "StopUnit", NULL };

struct talk
{
  GDBusConnection *bus;      /* of the session; NULL: not yet */
  const char *const *method; /* the next one */
  gboolean on;               /* how it will be; of what was asked: is */
};

static void
talk_free (gpointer data)
{
  struct talk *talk = data;

  g_clear_object (&talk->bus);
  g_free (talk);
}

static GVariant *
make_parameters (const char *method)
{
  const char *const units[] = { UNIT, NULL };

  if (g_str_equal (method, "GetUnitFileState"))
    return g_variant_new ("(s)", UNIT);
  if (g_str_equal (method, "EnableUnitFiles")) /* for good, and without force */
    return g_variant_new ("(^asbb)", units, FALSE, FALSE);
  if (g_str_equal (method, "DisableUnitFiles"))
    return g_variant_new ("(^asb)", units, FALSE);
  return g_str_equal (method, "Reload") ? NULL : g_variant_new ("(ss)", UNIT, "replace");
}

static gboolean
is_named (const GError *error,
          const char   *name)
{
  g_autofree char *remote = g_dbus_error_get_remote_error (error);

  return g_strcmp0 (remote, name) == 0;
}

static void say_next (GTask *task);

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  struct talk *talk = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) answer = g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  const char *state;

  /* One that does not run, and is not known since it is disabled, is as wanted. */
  if (error && !(g_str_equal (*talk->method, "StopUnit") && is_named (error, SYSTEMD ".NoSuchUnit")))
    {
      g_task_return_error (task, g_steal_pointer (&error));
      return;
    }
  if (answer && g_variant_is_of_type (answer, G_VARIANT_TYPE ("(s)")))
    {
      g_variant_get (answer, "(&s)", &state);
      talk->on = g_str_has_prefix (state, "enabled");
    }
  talk->method++;
  say_next (g_steal_pointer (&task));
}

/* Takes the task. */
static void
say_next (GTask *task)
{
  struct talk *talk = g_task_get_task_data (task);

  if (*talk->method)
    {
      g_dbus_connection_call (talk->bus, SYSTEMD, "/org/freedesktop/systemd1", SYSTEMD ".Manager", *talk->method, make_parameters (*talk->method), NULL,
                              G_DBUS_CALL_FLAGS_NO_AUTO_START, TIMEOUT_MS, g_task_get_cancellable (task), on_answer, task);
      return;
    }
  g_task_return_boolean (task, talk->on);
  g_object_unref (task);
}

static void
on_bus (GObject      *source,
        GAsyncResult *result,
        gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  struct talk *talk = g_task_get_task_data (task);
  g_autoptr (GError) error = NULL;

  (void) source;
  talk->bus = g_bus_get_finish (result, &error);
  if (talk->bus)
    say_next (g_steal_pointer (&task));
  else /* whatever the reason: what would be asked is not there */
    g_task_return_new_error (task, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN, "%s", error->message);
}

static void
begin (const char *const  *methods,
       gboolean            on,
       GCancellable       *cancellable,
       GAsyncReadyCallback callback,
       gpointer            userdata)
{
  GTask *task = g_task_new (NULL, cancellable, callback, userdata);
  struct talk *talk = g_new0 (struct talk, 1);

  talk->method = methods;
  talk->on = on;
  g_task_set_task_data (task, talk, talk_free);
  g_bus_get (G_BUS_TYPE_SESSION, cancellable, on_bus, task);
}

void
session_service_ask_async (GCancellable       *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer            userdata)
{
  begin (asks, FALSE, cancellable, callback, userdata);
}

void
session_service_set_async (gboolean            on,
                           GCancellable       *cancellable,
                           GAsyncReadyCallback callback,
                           gpointer            userdata)
{
  begin (on ? switches_on : switches_off, on, cancellable, callback, userdata);
}

gboolean
session_service_finish (GAsyncResult *result,
                        gboolean     *ret_on,
                        GError      **error)
{
  g_autoptr (GError) failed = NULL;
  gboolean on = g_task_propagate_boolean (G_TASK (result), &failed);

  if (failed)
    {
      g_propagate_error (error, g_steal_pointer (&failed));
      return FALSE;
    }
  if (ret_on)
    *ret_on = on;
  return TRUE;
}

static gboolean
is_without_systemd (const GError *error)
{
  return g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER);
}

gboolean
session_service_is_lacking (const GError *error)
{
  return is_without_systemd (error) || g_error_matches (error, G_DBUS_ERROR, G_DBUS_ERROR_FILE_NOT_FOUND) || is_named (error, SYSTEMD ".NoSuchUnit");
}

char *
session_service_explain (const GError *error)
{
  g_autoptr (GError) stripped = g_error_copy (error);

  if (is_without_systemd (error))
    return g_strdup (_("This session has no systemd that could run the service brio-session, which tells of them."));
  if (session_service_is_lacking (error))
    return g_strdup (_("The service brio-session, which tells of them, is not installed."));
  g_dbus_error_strip_remote_error (stripped);
  /* Translators: %s is systemd's own word */
  return g_strdup_printf (_("The service brio-session could not be switched: %s"), stripped->message);
}

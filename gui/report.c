/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report.h"

#include <adwaita.h>
#include <sys/utsname.h>

#include "config.h"

static const struct question
{
  const char *method, *parameters; /* as GVariant text */
} questions[] = {
  { "GetDecisions", "(uint64 0,)" },
  { "GetAdvice", NULL },
  { "GetStartups", "('',)" },
  { "GetPrefetch", "('',)" },
  { "GetStreams", NULL },
  { "GetProcesses", "(uint32 0,)" },
};

struct report
{
  GString *text;
  gboolean began; /* the daemon was asked for what is of no drive */
  guint drives, asked; /* how many drives were read and questions asked */
};

static void ask_next (GTask *task);

char *
report_format_summary (BrioClient *client)
{
  GString *text = g_string_new ("brio " BRIO_VERSION "\n");
  const char *missing = brio_client_get_requests_missing (client);
  GListModel *devices = brio_client_get_devices (client);
  struct utsname system;

  if (uname (&system) == 0)
    g_string_append_printf (text, "%s %s %s %s\n", system.sysname, system.release, system.version, system.machine);
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

static void
free_report (struct report *r)
{
  g_string_free (r->text, TRUE);
  g_free (r);
}

static void
append_line (GString    *text,
             const char *before,
             GVariant   *value)
{
  g_string_append (text, before);
  g_variant_print_string (value, text, FALSE);
  g_string_append_c (text, '\n');
}

/* Of a dictionary: a list has a line for each of its entries. */
static void
append_pair (GString    *text,
             const char *key,
             GVariant   *value)
{
  gboolean is_list = g_variant_is_of_type (value, G_VARIANT_TYPE_ARRAY);

  g_string_append_printf (text, "%s:%s", key, is_list ? "\n" : " ");
  if (!is_list)
    append_line (text, "", value);
  for (gsize i = 0; is_list && i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i);

      append_line (text, "  ", child);
    }
}

/* A line for each entry of a list, or key of a dictionary. */
static void
append_lines (GString  *text,
              GVariant *value)
{
  for (gsize i = 0; i < g_variant_n_children (value); i++)
    {
      g_autoptr (GVariant) child = g_variant_get_child_value (value, i), inner = NULL;
      const char *key;

      if (g_variant_is_of_type (child, G_VARIANT_TYPE ("{sv}")))
        {
          g_variant_get (child, "{&sv}", &key, &inner);
          append_pair (text, key, inner);
        }
      else
        append_line (text, "", child);
    }
}

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autoptr (GTask) task = userdata;
  struct report *r = g_task_get_task_data (task);
  g_autoptr (GVariant) answer = NULL;
  g_autoptr (GError) error = NULL;

  answer = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (g_task_return_error_if_cancelled (task))
    return;
  if (answer)
    append_lines (r->text, answer);
  else
    g_string_append_printf (r->text, "%s\n", error->message);
  ask_next (task);
}

static void
ask_next (GTask *task)
{
  BrioClient *client = g_task_get_source_object (task);
  struct report *r = g_task_get_task_data (task);
  GListModel *devices = brio_client_get_devices (client);

  if (!r->began)
    {
      r->began = TRUE;
      g_string_append (r->text, "\n== briod\n");
      brio_client_read_manager_async (client, g_task_get_cancellable (task), on_answer, g_object_ref (task));
    }
  else if (r->drives < g_list_model_get_n_items (devices))
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, r->drives++);

      g_string_append_printf (r->text, "\n== %s\n", brio_device_get_name (device));
      brio_client_read_device_async (client, device, g_task_get_cancellable (task), on_answer, g_object_ref (task));
    }
  else if (r->asked < G_N_ELEMENTS (questions))
    {
      const struct question *q = &questions[r->asked++];
      GVariant *parameters = q->parameters ? g_variant_parse (NULL, q->parameters, NULL, NULL, NULL) : NULL;

      g_string_append_printf (r->text, "\n== %s\n", q->method);
      brio_client_call_async (client, q->method, parameters, "(aa{sv})", g_task_get_cancellable (task), on_answer, g_object_ref (task));
      g_clear_pointer (&parameters, g_variant_unref);
    }
  else
    g_task_return_pointer (task, g_strdup (r->text->str), g_free);
}

void
report_make_async (BrioClient         *client,
                   GCancellable       *cancellable,
                   GAsyncReadyCallback callback,
                   gpointer            userdata)
{
  g_autoptr (GTask) task = g_task_new (client, cancellable, callback, userdata);
  struct report *r = g_new0 (struct report, 1);
  g_autofree char *summary = report_format_summary (client);

  r->text = g_string_new (summary);
  g_task_set_task_data (task, r, (GDestroyNotify) free_report);
  ask_next (task);
}

char *
report_make_finish (GAsyncResult *result,
                    GError      **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

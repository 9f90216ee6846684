/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-lower.h"

#include <glib/gi18n.h>

#include "statement-words.h"

struct asking
{
  GtkWidget *window; /* held for the call */
  char *name;
};

static void
asking_free (struct asking *asking)
{
  g_object_unref (asking->window);
  g_free (asking->name);
  g_free (asking);
}

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  struct asking *asking = userdata;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) outcome = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  g_autofree char *text = NULL, *why = outcome ? statement_words (outcome, "refusal") : NULL;
  const char *id = "";

  if (outcome && g_variant_lookup (outcome, "id", "&s", &id) && *id)
    {
      /* Translators: %s is a process's name */
      text = g_strdup_printf (_("“%s” lets others go first now"), asking->name);
      gtk_widget_activate_action (asking->window, "win.notify-undo", "(ssv)", text, "win.undo", g_variant_new_string (id));
    }
  else
    {
      /* Translators: a process's name, and why: "it is a kernel thread, which works for others" */
      text = why ? g_strdup_printf (_("“%s” keeps its priority: %s"), asking->name, why) : brio_client_explain_error (error);
      gtk_widget_activate_action (asking->window, "win.notify", "s", text);
    }
  asking_free (asking);
}

void
process_lower (BrioClient *client,
               GtkWidget  *window,
               uint32_t    pid,
               const char *name)
{
  struct asking *asking = g_new (struct asking, 1);

  *asking = (struct asking) { .window = g_object_ref (window), .name = g_strdup (name) };
  brio_client_call_authorized_async (client, "LowerPriority", g_variant_new ("(u)", pid), "(a{sv})", NULL, on_answer, asking);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program-rules-ask.h"

#include <glib/gi18n.h>

#include "program-rules.h"

struct asking
{
  GtkWidget *window; /* held for the call */
  GVariant *undo;    /* NULL: it is one */
  const char *done;
};

static void
asking_free (struct asking *asking)
{
  g_object_unref (asking->window);
  g_clear_pointer (&asking->undo, g_variant_unref);
  g_free (asking);
}

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  struct asking *asking = userdata;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) nothing = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  g_autofree char *text = nothing ? g_strdup (asking->done) : brio_client_explain_error (error);

  if (nothing && asking->undo)
    gtk_widget_activate_action (asking->window, "win.notify-undo", "(ssv)", text, PROGRAM_RULES_ACTION,
                                g_variant_new ("(@a(ss)b)", asking->undo, FALSE));
  else
    gtk_widget_activate_action (asking->window, "win.notify", "s", text);
  asking_free (asking);
}

void
program_rules_ask (BrioClient *client,
                   GtkWidget  *window,
                   GVariant   *parameter)
{
  g_autoptr (GVariant) wanted = NULL;
  struct asking *asking;
  const char *rule;
  gboolean undoable;

  g_variant_get (parameter, "(@a(ss)b)", &wanted, &undoable);
  if (g_variant_n_children (wanted) == 0)
    return;
  g_variant_get_child (wanted, 0, "(&s&s)", NULL, &rule);
  asking = g_new (struct asking, 1);
  *asking = (struct asking) { .window = g_object_ref (window), .done = undoable ? program_rules_describe (rule) : _("As it was before") };
  if (undoable)
    asking->undo = g_variant_ref_sink (program_rules_undo (brio_client_get_program_rules (client), wanted));
  brio_client_call_authorized_async (client, "SetProgramRules", g_variant_new ("(@a(ss))", wanted), "()", NULL, on_answer, asking);
}

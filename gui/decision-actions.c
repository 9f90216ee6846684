/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-actions.h"

#include <glib/gi18n.h>

struct _BrioDecisionActions
{
  GObject parent_instance;

  BrioClient *client;
  GtkWidget *widget; /* weak */
  GHashTable *busy;  /* ids under way */
};

enum
{
  CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioDecisionActions, brio_decision_actions, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

struct call
{
  BrioDecisionActions *actions; /* held for the call */
  char *id;
  const char *done; /* what is said when it has been */
};

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  g_autofree struct call *call = userdata;
  g_autoptr (BrioDecisionActions) self = call->actions;
  g_autofree char *id = call->id, *text = NULL;
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;

  reply = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  text = reply ? g_strdup (call->done) : brio_client_explain_error (error);
  g_hash_table_remove (self->busy, id);
  if (self->widget)
    gtk_widget_activate_action (self->widget, "win.notify", "s", text);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
ask (BrioDecisionActions *self,
     const char          *method,
     const char          *id,
     const char          *done)
{
  struct call *call;

  if (!g_hash_table_add (self->busy, g_strdup (id)))
    return;
  call = g_new (struct call, 1);
  *call = (struct call) { .actions = g_object_ref (self), .id = g_strdup (id), .done = done };
  brio_client_call_authorized_async (self->client, method, g_variant_new ("(s)", id), "()", NULL, on_answer, call);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
brio_decision_actions_undo (BrioDecisionActions *self,
                            const char          *id)
{
  g_return_if_fail (BRIO_IS_DECISION_ACTIONS (self));

  ask (self, "Undo", id, _("Undone: Brio leaves it alone until the mode is set again"));
}

void
brio_decision_actions_apply (BrioDecisionActions *self,
                             const char          *id)
{
  g_return_if_fail (BRIO_IS_DECISION_ACTIONS (self));

  ask (self, "Apply", id, _("Applied: the page of decisions can undo it"));
}

gboolean
brio_decision_actions_is_busy (BrioDecisionActions *self,
                               const char          *id)
{
  g_return_val_if_fail (BRIO_IS_DECISION_ACTIONS (self), FALSE);

  return g_hash_table_contains (self->busy, id);
}

static void
brio_decision_actions_finalize (GObject *object)
{
  BrioDecisionActions *self = BRIO_DECISION_ACTIONS (object);

  g_clear_weak_pointer (&self->widget);
  g_hash_table_unref (self->busy);
  g_object_unref (self->client);

  G_OBJECT_CLASS (brio_decision_actions_parent_class)->finalize (object);
}

static void
brio_decision_actions_class_init (BrioDecisionActionsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_decision_actions_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_decision_actions_init (BrioDecisionActions *self)
{
  self->busy = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

BrioDecisionActions *
brio_decision_actions_new (BrioClient *client,
                           GtkWidget  *widget)
{
  BrioDecisionActions *self = g_object_new (BRIO_TYPE_DECISION_ACTIONS, NULL);

  self->client = g_object_ref (client);
  g_set_weak_pointer (&self->widget, widget);
  return self;
}

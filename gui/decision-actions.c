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
  const char *done;     /* what is said when it has been */
  BrioDecision *advice; /* that is applied; NULL: none */
  char *made;           /* the id of the decision that came of it; NULL: none yet */
  gulong handler;       /* awaits that */
};

static void
call_free (struct call *call)
{
  g_clear_signal_handler (&call->handler, call->actions->client);
  g_clear_object (&call->advice);
  g_object_unref (call->actions);
  g_free (call->made);
  g_free (call->id);
  g_free (call);
}

static void
say (BrioDecisionActions *self,
     const char          *text,
     const char          *undo)
{
  if (!self->widget)
    return;
  if (undo)
    gtk_widget_activate_action (self->widget, "win.notify-undo", "(ssv)", text, "win.undo", g_variant_new_string (undo));
  else
    gtk_widget_activate_action (self->widget, "win.notify", "s", text);
}

static void
on_answer (GObject      *source,
           GAsyncResult *result,
           gpointer      userdata)
{
  struct call *call = userdata;
  g_autoptr (BrioDecisionActions) self = g_object_ref (call->actions);
  g_autofree char *text = NULL;
  g_autoptr (GVariant) reply = NULL;
  g_autoptr (GError) error = NULL;

  reply = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  text = reply ? g_strdup (call->done) : brio_client_explain_error (error);
  g_hash_table_remove (self->busy, call->id);
  say (self, text, reply ? call->made : NULL);
  call_free (call);
  g_signal_emit (self, signals[CHANGED], 0);
}

/* The decision that the advice becomes is told before the call is answered. */
static void
on_made (BrioClient  *client,
         GVariant    *entry,
         struct call *call)
{
  g_autoptr (BrioDecision) decision = brio_decision_new (entry);

  (void) client;
  if (!decision || !brio_decision_is_about_same (decision, call->advice)
      || !g_str_equal (brio_decision_get_text (decision, BRIO_DECISION_RESULT), "applied"))
    return;
  g_free (call->made);
  call->made = g_strdup (brio_decision_get_text (decision, BRIO_DECISION_ID));
}

static void
ask (BrioDecisionActions *self,
     const char          *method,
     const char          *id,
     const char          *done,
     BrioDecision        *advice)
{
  struct call *call;

  if (!g_hash_table_add (self->busy, g_strdup (id)))
    return;
  call = g_new (struct call, 1);
  *call = (struct call) { .actions = g_object_ref (self), .id = g_strdup (id), .done = done };
  if (advice)
    {
      call->advice = g_object_ref (advice);
      call->handler = g_signal_connect (self->client, "told::DecisionMade", G_CALLBACK (on_made), call);
    }
  brio_client_call_authorized_async (self->client, method, g_variant_new ("(s)", id), "()", NULL, on_answer, call);
  g_signal_emit (self, signals[CHANGED], 0);
}

#define UNDONE _("Undone. Brio will not change this until you choose a mode again.")

void
brio_decision_actions_undo (BrioDecisionActions *self,
                            const char          *id)
{
  g_return_if_fail (BRIO_IS_DECISION_ACTIONS (self));

  ask (self, "Undo", id, UNDONE, NULL);
}

/* One after the other, so that a password is asked for once. */
struct several
{
  BrioDecisionActions *actions; /* held until the last has been answered */
  GPtrArray *left;              /* the last of them is under way */
  guint done;
  GString *failed; /* what they are about */
  char *why;       /* of the last that failed; NULL: none did */
};

static const char *
get_id (BrioDecision *decision)
{
  return brio_decision_get_text (decision, BRIO_DECISION_ID);
}

static void
end_several (struct several *several)
{
  g_autofree char *text = NULL;

  if (several->why && several->done > 0)
    /* Translators: %s is processes, as "fio (4242), tar (17)", and why it failed */
    text = g_strdup_printf (_("Undone, except for %s. %s"), several->failed->str, several->why);
  say (several->actions, several->why && several->done == 0 ? several->why : text ? text : UNDONE, NULL);
  g_object_unref (several->actions);
  g_ptr_array_unref (several->left);
  g_string_free (several->failed, TRUE);
  g_free (several->why);
  g_free (several);
}

/* It is over with the last of those that are left. */
static void
drop_last (struct several *several,
           gboolean        done)
{
  BrioDecision *decision = several->left->pdata[several->left->len - 1];

  several->done += done;
  if (!done)
    g_string_append_printf (several->failed, "%s%s (%u)", several->failed->len > 0 ? ", " : "", brio_decision_get_text (decision, BRIO_DECISION_PROCESS),
                            brio_decision_get_pid (decision));
  g_hash_table_remove (several->actions->busy, get_id (decision));
  g_ptr_array_set_size (several->left, (int) several->left->len - 1);
}

static void ask_next (struct several *several);

static void
on_one_answered (GObject      *source,
                 GAsyncResult *result,
                 gpointer      userdata)
{
  struct several *several = userdata;
  g_autoptr (BrioDecisionActions) self = g_object_ref (several->actions);
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply = brio_client_call_finish (BRIO_CLIENT (source), result, &error);

  drop_last (several, reply != NULL);
  if (!reply)
    {
      g_free (several->why);
      several->why = brio_client_explain_error (error);
    }
  while (!reply && brio_client_is_refusal (error) && several->left->len > 0)
    drop_last (several, FALSE);
  if (several->left->len > 0)
    ask_next (several);
  else
    end_several (several);
  g_signal_emit (self, signals[CHANGED], 0);
}

static void
ask_next (struct several *several)
{
  const char *id = get_id (several->left->pdata[several->left->len - 1]);

  brio_client_call_authorized_async (several->actions->client, "Undo", g_variant_new ("(s)", id), "()", NULL, on_one_answered, several);
}

void
brio_decision_actions_undo_all (BrioDecisionActions *self,
                                GPtrArray           *decisions)
{
  struct several *several;

  g_return_if_fail (BRIO_IS_DECISION_ACTIONS (self));

  if (decisions->len == 1)
    {
      brio_decision_actions_undo (self, get_id (decisions->pdata[0]));
      return;
    }
  for (guint i = 0; i < decisions->len; i++)
    if (brio_decision_actions_is_busy (self, get_id (decisions->pdata[i])))
      return;
  if (decisions->len == 0)
    return;
  several = g_new (struct several, 1);
  *several = (struct several){ .actions = g_object_ref (self), .left = g_ptr_array_new_with_free_func (g_object_unref), .failed = g_string_new (NULL) };
  for (guint i = decisions->len; i-- > 0;) /* the first is asked for first */
    {
      g_ptr_array_add (several->left, g_object_ref (decisions->pdata[i]));
      g_hash_table_add (self->busy, g_strdup (get_id (decisions->pdata[i])));
    }
  ask_next (several);
  g_signal_emit (self, signals[CHANGED], 0);
}

void
brio_decision_actions_apply (BrioDecisionActions *self,
                             BrioDecision        *advice)
{
  g_return_if_fail (BRIO_IS_DECISION_ACTIONS (self));

  ask (self, "Apply", brio_decision_get_text (advice, BRIO_DECISION_ID), _("Applied"), advice);
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

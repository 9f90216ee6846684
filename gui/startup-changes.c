/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "startup-changes.h"

#include <glib/gi18n.h>

#include "decision-group-words.h"
#include "decision-groups.h"
#include "law-words.h"
#include "list-box.h"
#include "variant.h"
#include "words.h"

struct _BrioStartupChanges
{
  AdwPreferencesGroup parent_instance;

  GCancellable *cancellable; /* of the call; NULL: none */
  gint64 begin_us;
  GVariant *sequences; /* at: of the decisions that are wanted */
  GArray *marks;       /* struct timeline_mark */

  GtkListBox *list;
};

G_DEFINE_FINAL_TYPE (BrioStartupChanges, brio_startup_changes, ADW_TYPE_PREFERENCES_GROUP)

enum
{
  LOADED,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

static gboolean
is_wanted (BrioStartupChanges *self,
           gint64              sequence)
{
  for (gsize i = 0; i < g_variant_n_children (self->sequences); i++)
    {
      guint64 wanted;

      g_variant_get_child (self->sequences, i, "t", &wanted);
      if ((guint64) sequence == wanted)
        return TRUE;
    }
  return FALSE;
}

static void
add_change (BrioStartupChanges *self,
            BrioDecisionGroup  *group)
{
  BrioDecision *first = brio_decision_group_get (group, brio_decision_group_get_n (group) - 1);
  g_autofree char *title = decision_group_words_title (group), *tooltip = tunable_words_explain (brio_decision_get_text (first, BRIO_DECISION_TUNABLE));
  g_autofree char *duration = words_duration (MAX (brio_decision_get_time_us (first) - self->begin_us, 0));
  /* Translators: how long after the begin of a start */
  g_autofree char *when = g_strdup_printf (_("at %s"), duration);
  GtkWidget *row = list_box_add_row (self->list, title, decision_group_words_reason (group)), *label = gtk_label_new (when);

  gtk_widget_set_tooltip_text (row, tooltip);
  gtk_widget_add_css_class (label, "numeric");
  gtk_widget_add_css_class (label, "dim-label");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
}

/* Those by which programs of a drive let others go first are one row, as on page Decisions. */
static void
add_changes (BrioStartupChanges *self,
             GListModel         *decisions)
{
  g_autoptr (GListModel) groups = decision_groups_new (decisions);

  for (guint i = g_list_model_get_n_items (groups); i-- > 0;)
    {
      g_autoptr (BrioDecisionGroup) group = g_list_model_get_item (groups, i);

      add_change (self, group);
    }
}

static void
on_decisions (GObject      *source,
              GAsyncResult *result,
              gpointer      userdata)
{
  g_autoptr (BrioStartupChanges) self = userdata; /* held for the call */
  g_autoptr (GListStore) wanted = g_list_store_new (BRIO_TYPE_DECISION); /* newest first */
  g_autoptr (GVariant) decisions = NULL;
  g_autoptr (GError) error = NULL;

  decisions = brio_client_call_finish (BRIO_CLIENT (source), result, &error);
  if (!decisions)
    return; /* what the start did is there without */
  for (gsize i = 0; i < g_variant_n_children (decisions); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (decisions, i);
      g_autoptr (BrioDecision) decision = NULL;
      gint64 since_us = variant_number (entry, "time_usec") - self->begin_us;
      struct timeline_mark mark;

      if (!is_wanted (self, variant_number (entry, "sequence")))
        continue;
      decision = brio_decision_new (entry);
      if (!decision)
        continue;
      mark = (struct timeline_mark) { since_us, brio_decision_is_read_ahead (decision) };
      g_array_append_val (self->marks, mark);
      g_list_store_insert (wanted, 0, decision);
    }
  add_changes (self, G_LIST_MODEL (wanted));
  gtk_widget_set_visible (GTK_WIDGET (self), self->marks->len > 0);
  g_signal_emit (self, signals[LOADED], 0);
}

static void
forget_call (BrioStartupChanges *self)
{
  g_cancellable_cancel (self->cancellable);
  g_clear_object (&self->cancellable);
  g_clear_pointer (&self->sequences, g_variant_unref);
}

void
brio_startup_changes_forget (BrioStartupChanges *self)
{
  g_return_if_fail (BRIO_IS_STARTUP_CHANGES (self));

  forget_call (self);
  g_array_set_size (self->marks, 0);
  list_box_clear (self->list);
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

void
brio_startup_changes_load (BrioStartupChanges *self,
                           BrioClient         *client,
                           gint64              begin_us,
                           GVariant           *sequences)
{
  guint64 first;

  g_return_if_fail (BRIO_IS_STARTUP_CHANGES (self));

  brio_startup_changes_forget (self);
  if (g_variant_n_children (sequences) == 0)
    return;
  self->begin_us = begin_us;
  self->sequences = g_variant_ref (sequences);
  self->cancellable = g_cancellable_new ();
  g_variant_get_child (sequences, 0, "t", &first);
  brio_client_call_async (client, "GetDecisions", g_variant_new ("(t)", first > 0 ? first - 1 : 0), "(aa{sv})", self->cancellable,
                          on_decisions, g_object_ref (self));
}

const struct timeline_mark *
brio_startup_changes_get_marks (BrioStartupChanges *self,
                                guint              *ret_n)
{
  g_return_val_if_fail (BRIO_IS_STARTUP_CHANGES (self), NULL);

  *ret_n = self->marks->len;
  return (const struct timeline_mark *) (gpointer) self->marks->data;
}

static void
brio_startup_changes_dispose (GObject *object)
{
  forget_call (BRIO_STARTUP_CHANGES (object));

  G_OBJECT_CLASS (brio_startup_changes_parent_class)->dispose (object);
}

static void
brio_startup_changes_finalize (GObject *object)
{
  g_array_unref (BRIO_STARTUP_CHANGES (object)->marks);

  G_OBJECT_CLASS (brio_startup_changes_parent_class)->finalize (object);
}

static void
brio_startup_changes_class_init (BrioStartupChangesClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = brio_startup_changes_dispose;
  object_class->finalize = brio_startup_changes_finalize;

  signals[LOADED] = g_signal_new ("loaded", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/startup-changes.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioStartupChanges, list);
}

static void
brio_startup_changes_init (BrioStartupChanges *self)
{
  self->marks = g_array_new (FALSE, FALSE, sizeof (struct timeline_mark));
  gtk_widget_init_template (GTK_WIDGET (self));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-row.h"

#include <glib/gi18n.h>

#include "accessible.h"
#include "decision-group-words.h"
#include "decision-words.h"
#include "law-words.h"
#include "startup-words.h"

struct _BrioDecisionRow
{
  AdwBin parent_instance;

  BrioDecisionActions *actions;
  BrioDecisionGroup *group;
  GPtrArray *followed; /* its decisions, as it had them */

  GtkLabel *day;
  GtkLabel *title;
  GtkLabel *when;
  GtkLabel *summary;
  GtkLabel *reason;
  GtkExpander *details;
  GtkLabel *formula;
  GtkExpander *several;
  GtkBox *each;
  GtkLabel *effect;
  GtkWidget *undo;
  GtkWidget *apply;
};

G_DEFINE_FINAL_TYPE (BrioDecisionRow, brio_decision_row, ADW_TYPE_BIN)

static void
show_text (GtkLabel   *label,
           const char *text)
{
  gtk_label_set_label (label, text);
  gtk_widget_set_visible (GTK_WIDGET (label), *text);
}

static BrioDecision *
get_newest (BrioDecisionRow *self)
{
  return brio_decision_group_get (self->group, 0);
}

static BrioDecision *
get_oldest (BrioDecisionGroup *group)
{
  return brio_decision_group_get (group, brio_decision_group_get_n (group) - 1);
}

static gboolean
is_busy (BrioDecisionRow *self)
{
  for (guint i = 0; i < brio_decision_group_get_n (self->group); i++)
    if (brio_decision_actions_is_busy (self->actions, brio_decision_get_text (brio_decision_group_get (self->group, i), BRIO_DECISION_ID)))
      return TRUE;
  return FALSE;
}

static gboolean
is_any_in_force (BrioDecisionGroup *group)
{
  for (guint i = 0; i < brio_decision_group_get_n (group); i++)
    if (brio_decision_is_in_force (brio_decision_group_get (group, i)))
      return TRUE;
  return FALSE;
}

/* What is behind the words of a label. */
static char *
explain (BrioDecisionRow *self,
         GtkWidget       *label)
{
  if (label == GTK_WIDGET (self->title))
    return tunable_words_explain (brio_decision_get_text (get_newest (self), BRIO_DECISION_TUNABLE));
  return startup_words_when_exactly (brio_decision_get_time_us (get_newest (self)));
}

/* Asked for by the pointer: a text that is set looks each time for what is under the pointer. */
static gboolean
on_query_tooltip (BrioDecisionRow *self,
                  int              x,
                  int              y,
                  gboolean         from_keyboard,
                  GtkTooltip      *tooltip,
                  GtkWidget       *label)
{
  g_autofree char *text = self->group ? explain (self, label) : NULL;

  (void) x;
  (void) y;
  (void) from_keyboard;
  gtk_tooltip_set_text (tooltip, text);
  return text && *text;
}

static void
describe (BrioDecisionRow *self,
          GtkLabel        *label)
{
  g_autofree char *text = explain (self, GTK_WIDGET (label));

  gtk_accessible_update_property (GTK_ACCESSIBLE (label), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, text, -1);
}

static void
show_busy (BrioDecisionRow *self)
{
  gboolean busy;

  if (!self->group)
    return;
  busy = is_busy (self);
  gtk_widget_set_sensitive (self->undo, !busy);
  gtk_widget_set_sensitive (self->apply, !busy);
}

static void
show_group (BrioDecisionRow *self)
{
  g_autoptr (BrioDecisionGroup) given = brio_decision_group_get_given (self->group);
  BrioDecision *d = brio_decision_group_get (given, 0);
  gboolean alone = brio_decision_group_is_one (self->group);
  const char *reason = decision_group_words_reason (self->group);
  g_autofree char *details = alone ? decision_group_words_details (self->group) : g_strdup ("");
  g_autofree char *title = decision_group_words_title (self->group), *summary = decision_words_summary (given);
  g_autofree char *effect = alone ? decision_words_effect (d) : g_strdup ("");
  g_autofree char *day = brio_decision_group_begins_day (self->group) ? decision_words_day (d) : g_strdup ("");
  g_autofree char *when = decision_words_when (get_newest (self)), *label = NULL, *undo = NULL, *apply = NULL;

  show_text (self->day, day);
  show_text (self->title, title);
  show_text (self->when, when);
  describe (self, self->title);
  describe (self, self->when);
  show_text (self->summary, summary);
  show_text (self->reason, reason);
  gtk_label_set_label (self->formula, details);
  gtk_widget_set_visible (GTK_WIDGET (self->details), *details);
  gtk_widget_set_visible (GTK_WIDGET (self->several), !alone);
  show_text (self->effect, effect);
  gtk_button_set_label (GTK_BUTTON (self->undo), alone ? _("Undo") : _("Undo All"));
  gtk_widget_set_visible (self->undo, is_any_in_force (self->group));
  gtk_widget_set_visible (self->apply, alone && g_str_equal (brio_decision_get_text (d, BRIO_DECISION_RESULT), "advised"));
  /* Translators: what a button does, for screen readers; %s is a decision, as "rsync lets others go first" */
  undo = g_strdup_printf (_("Undo: %s"), title);
  accessible_name (self->undo, undo);
  /* Translators: what a button does, for screen readers; %s is a piece of advice, as "Wait for the next read: 8000 → 5000 µs" */
  apply = g_strdup_printf (_("Apply %s"), title);
  accessible_name (self->apply, apply);
  accessible_name_of (GTK_WIDGET (self->details), _("Details"), title);
  accessible_name_of (GTK_WIDGET (self->several), _("Each of Them"), title);
  /* Translators: a decision for screen readers: what, on what and how it went, why */
  label = g_strdup_printf (_("%s, %s, %s"), title, summary, reason);
  accessible_name_row (GTK_WIDGET (self), label);
  show_busy (self);
}

static gboolean
has_same_id (BrioDecision *a,
             BrioDecision *b)
{
  return g_str_equal (brio_decision_get_text (a, BRIO_DECISION_ID), brio_decision_get_text (b, BRIO_DECISION_ID));
}

/* Their rows are made when they are unfolded. */
static void
show_each (BrioDecisionRow *self)
{
  g_autoptr (GPtrArray) parts = brio_decision_group_split (self->group);
  guint n = gtk_expander_get_expanded (self->several) ? parts->len : 0;
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->each)), *next;

  for (guint i = 0; i < n; i++)
    {
      next = row ? gtk_widget_get_next_sibling (row) : NULL;
      if (!row)
        {
          row = brio_decision_row_new (self->actions);
          gtk_box_append (self->each, row);
        }
      brio_decision_row_show (BRIO_DECISION_ROW (row), parts->pdata[i]);
      row = next;
    }
  for (; row; row = next)
    {
      next = gtk_widget_get_next_sibling (row);
      gtk_box_remove (self->each, row);
    }
}

static void
on_unfolded (BrioDecisionRow *self)
{
  if (self->group)
    show_each (self);
}

static void
unfollow (BrioDecisionRow *self)
{
  for (guint i = 0; i < self->followed->len; i++)
    g_signal_handlers_disconnect_by_func (self->followed->pdata[i], show_group, self);
  g_ptr_array_set_size (self->followed, 0);
}

/* It has these decisions from now on. */
static void
on_changed (BrioDecisionRow *self)
{
  unfollow (self);
  for (guint i = 0; i < brio_decision_group_get_n (self->group); i++)
    {
      BrioDecision *decision = brio_decision_group_get (self->group, i);

      g_signal_connect_swapped (decision, "notify::in-force", G_CALLBACK (show_group), self);
      g_ptr_array_add (self->followed, g_object_ref (decision));
    }
  show_group (self);
  show_each (self);
}

void
brio_decision_row_show (BrioDecisionRow   *self,
                        BrioDecisionGroup *group)
{
  g_return_if_fail (BRIO_IS_DECISION_ROW (self));

  unfollow (self);
  if (self->group)
    g_signal_handlers_disconnect_by_data (self->group, self);
  if (!group || !self->group || !has_same_id (get_oldest (group), get_oldest (self->group)))
    {
      gtk_expander_set_expanded (self->details, FALSE);
      gtk_expander_set_expanded (self->several, FALSE);
    }
  g_set_object (&self->group, group);
  if (!group)
    return;
  g_signal_connect_swapped (group, "notify", G_CALLBACK (show_group), self);
  g_signal_connect_swapped (group, "changed", G_CALLBACK (on_changed), self);
  on_changed (self);
}

static void
on_undo (BrioDecisionRow *self)
{
  g_autoptr (GPtrArray) decisions = g_ptr_array_new ();

  for (guint i = 0; self->group && i < brio_decision_group_get_n (self->group); i++)
    if (brio_decision_is_in_force (brio_decision_group_get (self->group, i)))
      g_ptr_array_add (decisions, brio_decision_group_get (self->group, i));
  brio_decision_actions_undo_all (self->actions, decisions);
}

static void
on_apply (BrioDecisionRow *self)
{
  if (self->group)
    brio_decision_actions_apply (self->actions, get_newest (self));
}

static void
brio_decision_row_dispose (GObject *object)
{
  brio_decision_row_show (BRIO_DECISION_ROW (object), NULL);
  g_clear_object (&BRIO_DECISION_ROW (object)->actions);

  G_OBJECT_CLASS (brio_decision_row_parent_class)->dispose (object);
}

static void
brio_decision_row_finalize (GObject *object)
{
  g_ptr_array_unref (BRIO_DECISION_ROW (object)->followed);

  G_OBJECT_CLASS (brio_decision_row_parent_class)->finalize (object);
}

static void
brio_decision_row_class_init (BrioDecisionRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = brio_decision_row_dispose;
  G_OBJECT_CLASS (klass)->finalize = brio_decision_row_finalize;

  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_template_from_resource (widget_class, "/org/brio/Brio/decision-row.ui");
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, day);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, title);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, when);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, summary);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, reason);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, details);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, formula);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, several);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, each);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, effect);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, undo);
  gtk_widget_class_bind_template_child (widget_class, BrioDecisionRow, apply);
  gtk_widget_class_bind_template_callback (widget_class, on_query_tooltip);
  gtk_widget_class_bind_template_callback (widget_class, on_unfolded);
  gtk_widget_class_bind_template_callback (widget_class, on_undo);
  gtk_widget_class_bind_template_callback (widget_class, on_apply);
}

static void
brio_decision_row_init (BrioDecisionRow *self)
{
  self->followed = g_ptr_array_new_with_free_func (g_object_unref);
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
brio_decision_row_new (BrioDecisionActions *actions)
{
  BrioDecisionRow *self = g_object_new (BRIO_TYPE_DECISION_ROW, NULL);

  self->actions = g_object_ref (actions);
  g_signal_connect_object (actions, "changed", G_CALLBACK (show_busy), self, G_CONNECT_SWAPPED);
  return GTK_WIDGET (self);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-decision.h"

#include "search.h"
#include "variant.h"

struct _BrioDecision
{
  GObject parent_instance;

  char *texts[BRIO_DECISION_N_TEXTS];
  char *setting; /* what it is about: of two with the same one the later holds */
  gint64 sequence, time_us;
  guint32 pid;
  gboolean in_force;
};

enum
{
  PROP_0,
  PROP_IN_FORCE,
  N_PROPS
};

static GParamSpec *props[N_PROPS];

G_DEFINE_FINAL_TYPE (BrioDecision, brio_decision, G_TYPE_OBJECT)

static void
brio_decision_get_property (GObject    *object,
                            guint       prop_id,
                            GValue     *value,
                            GParamSpec *pspec)
{
  if (prop_id == PROP_IN_FORCE)
    g_value_set_boolean (value, BRIO_DECISION (object)->in_force);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_decision_finalize (GObject *object)
{
  BrioDecision *self = BRIO_DECISION (object);

  for (guint i = 0; i < BRIO_DECISION_N_TEXTS; i++)
    g_free (self->texts[i]);
  g_free (self->setting);

  G_OBJECT_CLASS (brio_decision_parent_class)->finalize (object);
}

static void
brio_decision_class_init (BrioDecisionClass *klass)
{
  G_OBJECT_CLASS (klass)->get_property = brio_decision_get_property;
  G_OBJECT_CLASS (klass)->finalize = brio_decision_finalize;

  props[PROP_IN_FORCE] = g_param_spec_boolean ("in-force", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
}

static void
brio_decision_init (BrioDecision *self)
{
  (void) self;
}

BrioDecision *
brio_decision_new (GVariant *entry)
{
  static const char *const keys[BRIO_DECISION_N_TEXTS] = {
    [BRIO_DECISION_ID] = "id",           [BRIO_DECISION_DRIVE] = "device",      [BRIO_DECISION_TUNABLE] = "tunable",
    [BRIO_DECISION_UNIT] = "unit",       [BRIO_DECISION_OLD] = "old",           [BRIO_DECISION_NEW] = "new",
    [BRIO_DECISION_LAW] = "law",         [BRIO_DECISION_RESULT] = "result",     [BRIO_DECISION_ERROR] = "error",
    [BRIO_DECISION_REASON] = "reason",   [BRIO_DECISION_EFFECT] = "effect",     [BRIO_DECISION_EXPECTED] = "expected",
    [BRIO_DECISION_OUTCOME] = "outcome", [BRIO_DECISION_PROCESS] = "process",
  };
  BrioDecision *self;

  if (!*variant_text (entry, "id"))
    return NULL;
  self = g_object_new (BRIO_TYPE_DECISION, NULL);
  for (guint i = 0; i < BRIO_DECISION_N_TEXTS; i++)
    self->texts[i] = g_strdup (variant_text (entry, keys[i]));
  self->sequence = variant_number (entry, "sequence");
  self->time_us = MAX (0, variant_number (entry, "time_usec"));
  self->pid = (guint32) CLAMP (variant_number (entry, "pid"), 0, G_MAXUINT32);
  /* A process has one priority, whatever the drive because of which. */
  self->setting = self->pid ? g_strdup_printf ("%u", self->pid)
                            : g_strdup_printf ("%s/%s", self->texts[BRIO_DECISION_DRIVE], self->texts[BRIO_DECISION_TUNABLE]);
  return self;
}

const char *
brio_decision_get_text (BrioDecision    *self,
                        BrioDecisionText text)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  return self->texts[text];
}

gint64
brio_decision_get_sequence (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), -1);

  return self->sequence;
}

gint64
brio_decision_get_time_us (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), 0);

  return self->time_us;
}

guint32
brio_decision_get_pid (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), 0);

  return self->pid;
}

gboolean
brio_decision_is_in_force (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), FALSE);

  return self->in_force;
}

gboolean
brio_decision_matches (BrioDecision *self,
                       const char   *search)
{
  static const BrioDecisionText searched[] = { BRIO_DECISION_DRIVE, BRIO_DECISION_TUNABLE, BRIO_DECISION_NEW,    BRIO_DECISION_LAW,
                                               BRIO_DECISION_RESULT, BRIO_DECISION_REASON, BRIO_DECISION_EFFECT, BRIO_DECISION_PROCESS };
  g_autoptr (GString) all = g_string_new (NULL);

  g_return_val_if_fail (BRIO_IS_DECISION (self), FALSE);

  for (guint i = 0; i < G_N_ELEMENTS (searched); i++)
    {
      g_string_append (all, self->texts[searched[i]]);
      g_string_append_c (all, '\n');
    }
  return search_matches (all->str, search);
}

static void
set_in_force (BrioDecision *self,
              gboolean      in_force)
{
  if (self->in_force == in_force)
    return;
  self->in_force = in_force;
  g_object_notify_by_pspec (G_OBJECT (self), props[PROP_IN_FORCE]);
}

struct _BrioDecisions
{
  GObject parent_instance;

  GListStore *list;     /* newest first */
  GHashTable *in_force; /* setting → BrioDecision */
};

static void brio_decisions_list_model_init (GListModelInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (BrioDecisions, brio_decisions, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, brio_decisions_list_model_init))

static GType
get_item_type (GListModel *model)
{
  (void) model;
  return BRIO_TYPE_DECISION;
}

static guint
get_n_items (GListModel *model)
{
  return g_list_model_get_n_items (G_LIST_MODEL (BRIO_DECISIONS (model)->list));
}

static gpointer
get_item (GListModel *model,
          guint       position)
{
  return g_list_model_get_item (G_LIST_MODEL (BRIO_DECISIONS (model)->list), position);
}

static void
brio_decisions_list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

static void
brio_decisions_finalize (GObject *object)
{
  BrioDecisions *self = BRIO_DECISIONS (object);

  g_hash_table_unref (self->in_force);
  g_object_unref (self->list);

  G_OBJECT_CLASS (brio_decisions_parent_class)->finalize (object);
}

static void
brio_decisions_class_init (BrioDecisionsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_decisions_finalize;
}

static void
brio_decisions_init (BrioDecisions *self)
{
  self->list = g_list_store_new (BRIO_TYPE_DECISION);
  self->in_force = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  g_signal_connect_object (self->list, "items-changed", G_CALLBACK (g_list_model_items_changed), self, G_CONNECT_SWAPPED);
}

BrioDecisions *
brio_decisions_new (void)
{
  return g_object_new (BRIO_TYPE_DECISIONS, NULL);
}

/* What was refused or only advised leaves what holds as it is; everything else ends it. */
static void
note_in_force (BrioDecisions *self,
               BrioDecision  *fresh)
{
  const char *result = fresh->texts[BRIO_DECISION_RESULT];
  BrioDecision *before;

  if (g_str_equal (result, "failed") || g_str_equal (result, "advised"))
    return;
  before = g_hash_table_lookup (self->in_force, fresh->setting);
  if (before)
    set_in_force (before, FALSE);
  if (g_str_equal (result, "applied"))
    {
      set_in_force (fresh, TRUE);
      g_hash_table_replace (self->in_force, g_strdup (fresh->setting), g_object_ref (fresh));
    }
  else
    g_hash_table_remove (self->in_force, fresh->setting);
}

void
brio_decisions_load (BrioDecisions *self,
                     GVariant      *entries)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GPtrArray) reversed = g_ptr_array_new ();
  gsize n = g_variant_n_children (entries);

  g_return_if_fail (BRIO_IS_DECISIONS (self));

  g_hash_table_remove_all (self->in_force);
  for (gsize i = n > BRIO_DECISIONS_MAX ? n - BRIO_DECISIONS_MAX : 0; i < n; i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      BrioDecision *decision = brio_decision_new (entry);

      if (!decision)
        continue;
      g_ptr_array_add (fresh, decision);
      note_in_force (self, decision);
    }
  for (guint i = fresh->len; i > 0; i--)
    g_ptr_array_add (reversed, fresh->pdata[i - 1]);
  g_list_store_splice (self->list, 0, get_n_items (G_LIST_MODEL (self)), reversed->pdata, reversed->len);
}

void
brio_decisions_take (BrioDecisions *self,
                     GVariant      *entry)
{
  g_autoptr (BrioDecision) fresh = brio_decision_new (entry);
  guint n = get_n_items (G_LIST_MODEL (self));
  gboolean newest = n == 0;

  if (!fresh)
    return;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (BrioDecision) known = get_item (G_LIST_MODEL (self), i);

      if (known->sequence < fresh->sequence)
        {
          newest = i == 0;
          break; /* all that follow are older */
        }
      if (known->sequence != fresh->sequence)
        continue;
      if (known->in_force)
        {
          fresh->in_force = TRUE;
          g_hash_table_replace (self->in_force, g_strdup (fresh->setting), g_object_ref (fresh));
        }
      g_list_store_splice (self->list, i, 1, (gpointer *) &fresh, 1);
      return;
    }
  if (!newest)
    return; /* a trial of one that has left the list */
  if (n >= BRIO_DECISIONS_MAX)
    g_list_store_remove (self->list, n - 1);
  note_in_force (self, fresh);
  g_list_store_insert (self->list, 0, fresh);
}

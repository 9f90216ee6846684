/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-decision.h"

#include <string.h>

#include "law-words.h"
#include "search.h"
#include "statement-words.h"
#include "variant.h"

struct _BrioDecision
{
  GObject parent_instance;

  char *texts[BRIO_DECISION_N_TEXTS]; /* as they were told */
  char *words[BRIO_DECISION_N_TEXTS]; /* made of statements; NULL: there are none */
  char *formula;                      /* of the reason; NULL: there are no statements */
  char *setting; /* what it is about: of two with the same one the later holds */
  gint64 sequence, time_us, p95_before_us, p95_after_us;
  guint32 pid;
  gboolean in_force;
  gboolean on_request; /* it undoes another, as a user asked */
  const char *ended;   /* interned */
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
    {
      g_free (self->texts[i]);
      g_free (self->words[i]);
    }
  g_free (self->formula);
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

static void
take_number (BrioDecision *self,
             const char   *key,
             gint64        value)
{
  if (g_str_equal (key, "sequence"))
    self->sequence = value;
  else if (g_str_equal (key, "time_usec"))
    self->time_us = MAX (0, value);
  else if (g_str_equal (key, "p95_before_usec"))
    self->p95_before_us = value;
  else if (g_str_equal (key, "p95_after_usec"))
    self->p95_after_us = value;
  else if (g_str_equal (key, "pid"))
    self->pid = (guint32) CLAMP (value, 0, G_MAXUINT32);
}

static const char *const text_keys[BRIO_DECISION_N_TEXTS] = {
  [BRIO_DECISION_ID] = "id",           [BRIO_DECISION_DRIVE] = "device",      [BRIO_DECISION_TUNABLE] = "tunable",
  [BRIO_DECISION_UNIT] = "unit",       [BRIO_DECISION_OLD] = "old",           [BRIO_DECISION_NEW] = "new",
  [BRIO_DECISION_LAW] = "law",         [BRIO_DECISION_RESULT] = "result",     [BRIO_DECISION_ERROR] = "error",
  [BRIO_DECISION_REASON] = "reason",   [BRIO_DECISION_EFFECT] = "effect",     [BRIO_DECISION_EXPECTED] = "expected",
  [BRIO_DECISION_OUTCOME] = "outcome", [BRIO_DECISION_PROCESS] = "process",   [BRIO_DECISION_APPLICATION] = "application",
};

static void
take_text (BrioDecision *self,
           const char   *key,
           const char   *value)
{
  for (guint i = 0; i < BRIO_DECISION_N_TEXTS; i++)
    if (g_str_equal (text_keys[i], key) && !self->texts[i])
      self->texts[i] = g_strdup (value);
}

/* The sentence in English is there by then: the daemon tells it first. */
static void
take_statements (BrioDecision *self,
                 const char   *key,
                 GVariant     *value)
{
  for (guint i = 0; i < BRIO_DECISION_N_TEXTS; i++)
    if (g_str_has_prefix (key, text_keys[i]) && g_str_equal (key + strlen (text_keys[i]), "_data") && self->texts[i] && !self->words[i])
      {
        self->words[i] = statement_words_of (value, self->texts[i]);
        if (i == BRIO_DECISION_REASON)
          {
            self->formula = statement_words_formula_of (value);
            self->on_request = statement_words_is_undone (value);
          }
      }
}

/* Each entry is looked at once: to look each key up takes seconds with thousands of decisions. */
BrioDecision *
brio_decision_new (GVariant *entry)
{
  g_autoptr (BrioDecision) self = g_object_new (BRIO_TYPE_DECISION, NULL);
  const char *key;
  GVariantIter iter;
  GVariant *value;

  self->sequence = -1;
  self->ended = "";
  g_variant_iter_init (&iter, entry);
  while (g_variant_iter_loop (&iter, "{&sv}", &key, &value))
    if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
      take_text (self, key, g_variant_get_string (value, NULL));
    else if (g_variant_is_of_type (value, G_VARIANT_TYPE ("aa{sv}")))
      take_statements (self, key, value);
    else
      take_number (self, key, variant_to_number (value));
  for (guint i = 0; i < BRIO_DECISION_N_TEXTS; i++)
    if (!self->texts[i])
      self->texts[i] = g_strdup ("");
  if (!*self->texts[BRIO_DECISION_ID])
    return NULL;
  /* A process has one priority, whatever the drive because of which. */
  self->setting = self->pid ? g_strdup_printf ("%u/%s", self->pid, self->texts[BRIO_DECISION_TUNABLE])
                            : g_strdup_printf ("%s/%s", self->texts[BRIO_DECISION_DRIVE], self->texts[BRIO_DECISION_TUNABLE]);
  return g_steal_pointer (&self);
}

const char *
brio_decision_get_text (BrioDecision    *self,
                        BrioDecisionText text)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  return self->texts[text];
}

const char *
brio_decision_get_words (BrioDecision    *self,
                         BrioDecisionText text)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  if (text == BRIO_DECISION_TUNABLE)
    return tunable_words_name (self->texts[text]);
  if (text == BRIO_DECISION_LAW)
    return law_words_name (self->texts[text]);
  return self->words[text] ? self->words[text] : self->texts[text];
}

const char *
brio_decision_get_formula (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  return self->formula ? self->formula : "";
}

gboolean
brio_decision_get_p95 (BrioDecision *self,
                       gint64       *ret_before_us,
                       gint64       *ret_after_us)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), FALSE);

  if (self->p95_before_us <= 0 || self->p95_after_us <= 0)
    return FALSE;
  *ret_before_us = self->p95_before_us;
  *ret_after_us = self->p95_after_us;
  return TRUE;
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

GDateTime *
brio_decision_get_local_time (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  return self->time_us > 0 ? g_date_time_new_from_unix_local (self->time_us / G_USEC_PER_SEC) : NULL;
}

guint32
brio_decision_get_pid (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), 0);

  return self->pid;
}

const char *
brio_decision_get_result (BrioDecision *self)
{
  const char *result;

  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  result = self->texts[BRIO_DECISION_RESULT];
  return self->on_request && g_str_equal (result, "restored") ? "undone" : result;
}

gboolean
brio_decision_is_in_force (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), FALSE);

  return self->in_force;
}

const char *
brio_decision_get_ended (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), NULL);

  return self->ended;
}

gboolean
brio_decision_is_about_same (BrioDecision *self,
                             BrioDecision *other)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self) && BRIO_IS_DECISION (other), FALSE);

  return g_str_equal (self->setting, other->setting);
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
    g_string_append_printf (all, "%s\n%s\n", self->texts[searched[i]], brio_decision_get_words (self, searched[i]));
  return search_matches (all->str, search);
}

gboolean
brio_decision_is_read_ahead (BrioDecision *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION (self), FALSE);

  return g_str_equal (self->texts[BRIO_DECISION_TUNABLE], "read-ahead");
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
  GVariant *loading;    /* aa{sv}, of which what is at left and later has been taken; NULL: all of it */
  gsize left, oldest;
  GHashTable *settled; /* setting → result of the oldest decision about it that has been taken, interned */
  guint source;
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

  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->loading, g_variant_unref);
  g_hash_table_unref (self->settled);
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
  self->settled = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_signal_connect_object (self->list, "items-changed", G_CALLBACK (g_list_model_items_changed), self, G_CONNECT_SWAPPED);
}

BrioDecisions *
brio_decisions_new (void)
{
  return g_object_new (BRIO_TYPE_DECISIONS, NULL);
}

/* What was refused or only advised leaves what holds as it is; everything else ends it. */
static gboolean
changes_setting (BrioDecision *decision)
{
  const char *result = decision->texts[BRIO_DECISION_RESULT];

  return !g_str_equal (result, "failed") && !g_str_equal (result, "advised");
}

static gboolean
is_applied (BrioDecision *decision)
{
  return g_str_equal (decision->texts[BRIO_DECISION_RESULT], "applied") && !brio_decision_is_read_ahead (decision);
}

static void
note_in_force (BrioDecisions *self,
               BrioDecision  *fresh)
{
  BrioDecision *before;

  if (!changes_setting (fresh))
    return;
  before = g_hash_table_lookup (self->in_force, fresh->setting);
  if (before)
    {
      before->ended = g_intern_string (brio_decision_get_result (fresh));
      set_in_force (before, FALSE);
    }
  if (is_applied (fresh))
    {
      set_in_force (fresh, TRUE);
      g_hash_table_replace (self->in_force, g_strdup (fresh->setting), g_object_ref (fresh));
    }
  else
    g_hash_table_remove (self->in_force, fresh->setting);
}

/* The same from the newest to the oldest. */
static void
settle (BrioDecisions *self,
        BrioDecision  *older)
{
  const char *ended;
  gboolean first;

  if (!changes_setting (older))
    return;
  ended = g_hash_table_lookup (self->settled, older->setting);
  first = g_hash_table_replace (self->settled, g_strdup (older->setting), (gpointer) g_intern_string (brio_decision_get_result (older)));
  if (!is_applied (older))
    return;
  if (!first)
    {
      older->ended = ended;
      return;
    }
  set_in_force (older, TRUE);
  g_hash_table_replace (self->in_force, g_strdup (older->setting), g_object_ref (older));
}

/* Puts the next ones at position and after, instead of so many that are there. */
static void
load_some (BrioDecisions *self,
           guint          position,
           guint          removed,
           gsize          n)
{
  g_autoptr (GPtrArray) older = g_ptr_array_new_with_free_func (g_object_unref);

  for (; n > 0 && self->left > self->oldest; n--)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (self->loading, --self->left);
      BrioDecision *decision = brio_decision_new (entry);

      if (!decision)
        continue;
      g_ptr_array_add (older, decision);
      settle (self, decision);
    }
  if (self->left == self->oldest)
    {
      g_clear_pointer (&self->loading, g_variant_unref);
      g_hash_table_remove_all (self->settled);
    }
  g_list_store_splice (self->list, position, removed, older->pdata, older->len);
}

static gboolean
on_idle (gpointer userdata)
{
  BrioDecisions *self = userdata;

  load_some (self, get_n_items (G_LIST_MODEL (self)), 0, BRIO_DECISIONS_AT_ONCE);
  if (self->loading)
    return G_SOURCE_CONTINUE;
  self->source = 0;
  return G_SOURCE_REMOVE;
}

static void
load_rest (BrioDecisions *self)
{
  g_clear_handle_id (&self->source, g_source_remove);
  if (self->loading)
    load_some (self, get_n_items (G_LIST_MODEL (self)), 0, G_MAXSIZE);
}

void
brio_decisions_load (BrioDecisions *self,
                     GVariant      *entries)
{
  gsize n = g_variant_n_children (entries);

  g_return_if_fail (BRIO_IS_DECISIONS (self));

  g_clear_handle_id (&self->source, g_source_remove);
  g_clear_pointer (&self->loading, g_variant_unref);
  g_hash_table_remove_all (self->in_force);
  g_hash_table_remove_all (self->settled);
  self->loading = g_variant_ref (entries);
  self->left = n;
  self->oldest = n > BRIO_DECISIONS_MAX ? n - BRIO_DECISIONS_MAX : 0;
  load_some (self, 0, get_n_items (G_LIST_MODEL (self)), BRIO_DECISIONS_AT_ONCE);
  if (self->loading)
    self->source = g_idle_add (on_idle, self);
}

void
brio_decisions_take (BrioDecisions *self,
                     GVariant      *entry)
{
  g_autoptr (BrioDecision) fresh = brio_decision_new (entry);
  gboolean newest;
  guint n;

  if (!fresh)
    return;
  load_rest (self);
  n = get_n_items (G_LIST_MODEL (self));
  newest = n == 0;
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
      fresh->ended = known->ended;
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

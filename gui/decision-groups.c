/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "decision-groups.h"

/* A longer pause than a process has between two times that it steps back beside the same load. */
#define PAUSE_US (5 * 60 * G_USEC_PER_SEC)

struct _BrioDecisionGroup
{
  GObject parent_instance;

  GPtrArray *decisions;
  gboolean begins_day;
};

enum
{
  PROP_0,
  PROP_BEGINS_DAY,
  N_PROPS
};

enum
{
  CHANGED,
  N_SIGNALS
};

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

G_DEFINE_FINAL_TYPE (BrioDecisionGroup, brio_decision_group, G_TYPE_OBJECT)

static void
brio_decision_group_get_property (GObject    *object,
                                  guint       prop_id,
                                  GValue     *value,
                                  GParamSpec *pspec)
{
  if (prop_id == PROP_BEGINS_DAY)
    g_value_set_boolean (value, BRIO_DECISION_GROUP (object)->begins_day);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_decision_group_finalize (GObject *object)
{
  g_ptr_array_unref (BRIO_DECISION_GROUP (object)->decisions);

  G_OBJECT_CLASS (brio_decision_group_parent_class)->finalize (object);
}

static void
brio_decision_group_class_init (BrioDecisionGroupClass *klass)
{
  G_OBJECT_CLASS (klass)->get_property = brio_decision_group_get_property;
  G_OBJECT_CLASS (klass)->finalize = brio_decision_group_finalize;

  props[PROP_BEGINS_DAY] = g_param_spec_boolean ("begins-day", NULL, NULL, FALSE, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, props);
  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_decision_group_init (BrioDecisionGroup *self)
{
  self->decisions = g_ptr_array_new_with_free_func (g_object_unref);
}

BrioDecisionGroup *
brio_decision_group_new (BrioDecision *decision)
{
  BrioDecisionGroup *self = g_object_new (BRIO_TYPE_DECISION_GROUP, NULL);

  g_ptr_array_add (self->decisions, g_object_ref (decision));
  return self;
}

guint
brio_decision_group_get_n (BrioDecisionGroup *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION_GROUP (self), 0);

  return self->decisions->len;
}

BrioDecision *
brio_decision_group_get (BrioDecisionGroup *self,
                         guint              i)
{
  g_return_val_if_fail (BRIO_IS_DECISION_GROUP (self) && i < self->decisions->len, NULL);

  return self->decisions->pdata[i];
}

gboolean
brio_decision_group_begins_day (BrioDecisionGroup *self)
{
  g_return_val_if_fail (BRIO_IS_DECISION_GROUP (self), FALSE);

  return self->begins_day;
}

static gboolean
is_of_priority (BrioDecision *decision,
                const char   *result)
{
  return g_str_equal (brio_decision_get_text (decision, BRIO_DECISION_TUNABLE), "ioprio")
         && g_str_equal (brio_decision_get_text (decision, BRIO_DECISION_RESULT), result);
}

gboolean
decision_gives_priority (BrioDecision *decision)
{
  return is_of_priority (decision, "applied");
}

gboolean
decision_takes_priority_back (BrioDecision *decision)
{
  return is_of_priority (decision, "restored") || is_of_priority (decision, "gone");
}

gboolean
decision_is_of_first (BrioDecision *decision)
{
  return g_str_has_prefix (brio_decision_get_text (decision, decision_gives_priority (decision) ? BRIO_DECISION_NEW : BRIO_DECISION_OLD), "RT/");
}

BrioDecisionGroup *
brio_decision_group_pick (BrioDecisionGroup *self,
                          gboolean         (*is_meant) (BrioDecision *decision))
{
  g_autoptr (BrioDecisionGroup) picked = g_object_new (BRIO_TYPE_DECISION_GROUP, NULL);

  g_return_val_if_fail (BRIO_IS_DECISION_GROUP (self), NULL);

  for (guint i = 0; i < self->decisions->len; i++)
    if (is_meant (self->decisions->pdata[i]))
      g_ptr_array_add (picked->decisions, g_object_ref (self->decisions->pdata[i]));
  return picked->decisions->len > 0 ? g_steal_pointer (&picked) : NULL;
}

BrioDecisionGroup *
brio_decision_group_get_given (BrioDecisionGroup *self)
{
  BrioDecisionGroup *given = brio_decision_group_pick (self, decision_gives_priority);

  return given ? given : g_object_ref (self);
}

GPtrArray *
brio_decision_group_split (BrioDecisionGroup *self)
{
  GPtrArray *parts = g_ptr_array_new_with_free_func (g_object_unref);
  g_autoptr (GHashTable) ends = g_hash_table_new (NULL, NULL); /* process → the part whose begin comes next */

  g_return_val_if_fail (BRIO_IS_DECISION_GROUP (self), parts);

  for (guint i = 0; i < self->decisions->len; i++)
    {
      BrioDecision *decision = self->decisions->pdata[i];
      gpointer process = GUINT_TO_POINTER (brio_decision_get_pid (decision));
      BrioDecisionGroup *part = decision_gives_priority (decision) ? g_hash_table_lookup (ends, process) : NULL;

      g_hash_table_remove (ends, process);
      if (part)
        g_ptr_array_add (part->decisions, g_object_ref (decision));
      else
        g_ptr_array_add (parts, part = brio_decision_group_new (decision));
      if (process && decision_takes_priority_back (decision))
        g_hash_table_insert (ends, process, part);
    }
  return parts;
}

gboolean
brio_decision_group_is_one (BrioDecisionGroup *self)
{
  g_autoptr (GPtrArray) parts = brio_decision_group_split (self);

  return parts->len == 1;
}

/* Local; 0: not known. */
static int
get_hour (BrioDecision *decision)
{
  g_autoptr (GDateTime) time = brio_decision_get_local_time (decision);

  return time ? (g_date_time_get_year (time) * 1000 + g_date_time_get_day_of_year (time)) * 24 + g_date_time_get_hour (time) : 0;
}

static int
get_day (BrioDecision *decision)
{
  return get_hour (decision) / 24;
}

static gboolean
is_about_priority (BrioDecision *decision)
{
  return decision_gives_priority (decision) || decision_takes_priority_back (decision);
}

/* Of neighbours. An hour's end ends a group, so that none grows without end. */
static gboolean
is_taken_as_one (BrioDecision *newer,
                 BrioDecision *older)
{
  return is_about_priority (newer) && is_about_priority (older)
         && g_str_equal (brio_decision_get_text (newer, BRIO_DECISION_DRIVE), brio_decision_get_text (older, BRIO_DECISION_DRIVE))
         && ABS (brio_decision_get_time_us (newer) - brio_decision_get_time_us (older)) < PAUSE_US && get_hour (newer) == get_hour (older);
}

/* Of those from begin to end of the list, which follow those of the groups that are there already. */
static void
add_groups (GPtrArray  *groups,
            GListModel *decisions,
            guint       begin,
            guint       end)
{
  g_autoptr (BrioDecision) before = begin > 0 ? g_list_model_get_item (decisions, begin - 1) : NULL;
  BrioDecisionGroup *group = groups->len > 0 ? groups->pdata[groups->len - 1] : NULL;
  int day = before ? get_day (before) : 0;

  for (guint i = begin; i < end; i++)
    {
      g_autoptr (BrioDecision) decision = g_list_model_get_item (decisions, i);

      if (group && is_taken_as_one (group->decisions->pdata[group->decisions->len - 1], decision))
        g_ptr_array_add (group->decisions, g_object_ref (decision));
      else
        {
          group = brio_decision_group_new (decision);
          group->begins_day = get_day (decision) != day;
          g_ptr_array_add (groups, group);
        }
      day = get_day (decision);
    }
}

/* What a trial found makes another object of the same decision. */
static gboolean
is_same (BrioDecision *a,
         BrioDecision *b)
{
  return a == b || (brio_decision_get_sequence (a) >= 0 && brio_decision_get_sequence (a) == brio_decision_get_sequence (b));
}

/* What comes later is newer, and what goes away is mostly the oldest: so one of these two stays. */
static gboolean
goes_by_same (BrioDecisionGroup *a,
              BrioDecisionGroup *b)
{
  return is_same (a->decisions->pdata[a->decisions->len - 1], b->decisions->pdata[b->decisions->len - 1])
         || is_same (a->decisions->pdata[0], b->decisions->pdata[0]);
}

static gboolean
has_same (BrioDecisionGroup *a,
          BrioDecisionGroup *b)
{
  if (a->decisions->len != b->decisions->len)
    return FALSE;
  for (guint i = 0; i < a->decisions->len; i++)
    if (a->decisions->pdata[i] != b->decisions->pdata[i])
      return FALSE;
  return TRUE;
}

/* The one that is there stays, and takes over the decisions: a list would take another one for another row, and fold it. */
static gboolean
keep (GListStore        *groups,
      guint              position,
      BrioDecisionGroup *made)
{
  g_autoptr (BrioDecisionGroup) group = g_list_model_get_item (G_LIST_MODEL (groups), position);

  if (!goes_by_same (group, made))
    return FALSE;
  if (group->begins_day != made->begins_day)
    {
      group->begins_day = made->begins_day;
      g_object_notify_by_pspec (G_OBJECT (group), props[PROP_BEGINS_DAY]);
    }
  if (!has_same (group, made))
    {
      GPtrArray *before = group->decisions;

      group->decisions = made->decisions;
      made->decisions = before;
      g_signal_emit (group, signals[CHANGED], 0);
    }
  return TRUE;
}

static guint
get_size (GListStore *groups,
          guint       position)
{
  g_autoptr (BrioDecisionGroup) group = g_list_model_get_item (G_LIST_MODEL (groups), position);

  return group->decisions->len;
}

/* Made anew from the group before what has changed, which may go on with it, to the one behind. */
static void
on_changed (GListModel *decisions,
            guint       position,
            guint       removed,
            guint       added,
            GListStore *groups)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (groups)), first = 0, last, begin = 0, end;
  g_autoptr (GPtrArray) made = g_ptr_array_new_with_free_func (g_object_unref);
  guint kept = 0, kept_last = 0;

  while (first < n && begin + get_size (groups, first) < position)
    begin += get_size (groups, first++);
  for (last = first, end = begin; last < n && end <= position + removed; last++)
    end += get_size (groups, last);
  add_groups (made, decisions, begin, end + added - removed);
  while (kept < made->len && first + kept < last && keep (groups, first + kept, made->pdata[kept]))
    kept++;
  while (kept + kept_last < made->len && first + kept + kept_last < last && keep (groups, last - 1 - kept_last, made->pdata[made->len - 1 - kept_last]))
    kept_last++;
  g_list_store_splice (groups, first + kept, last - first - kept - kept_last, made->len > 0 ? made->pdata + kept : NULL, made->len - kept - kept_last);
}

GListModel *
decision_groups_new (GListModel *decisions)
{
  GListStore *groups = g_list_store_new (BRIO_TYPE_DECISION_GROUP);

  g_signal_connect_object (decisions, "items-changed", G_CALLBACK (on_changed), groups, 0);
  on_changed (decisions, 0, 0, g_list_model_get_n_items (decisions), groups);
  return G_LIST_MODEL (groups);
}

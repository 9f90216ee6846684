/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-rows.h"

#include <string.h>

#include "app-info.h"
#include "list-follow.h"

struct group
{
  BrioProcess *row;
  GPtrArray *members; /* none owned: the list of all has them */
  gboolean unfolded;  /* as it was chosen; a search unfolds all */
};

struct _BrioProcessRows
{
  GObject parent_instance;

  GListStore *all;    /* as they were told */
  GListStore *list;   /* what is shown */
  GHashTable *groups; /* key -> struct group, each with one process at least */
  char **words;       /* that are searched for */
  guint observed, others;
};

enum
{
  REORDER,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioProcessRows, brio_process_rows, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

static void
free_group (gpointer group)
{
  g_object_unref (((struct group *) group)->row);
  g_ptr_array_unref (((struct group *) group)->members);
  g_free (group);
}

static void
brio_process_rows_finalize (GObject *object)
{
  BrioProcessRows *self = BRIO_PROCESS_ROWS (object);

  g_hash_table_unref (self->groups);
  g_object_unref (self->list);
  g_object_unref (self->all);
  g_strfreev (self->words);

  G_OBJECT_CLASS (brio_process_rows_parent_class)->finalize (object);
}

static void
brio_process_rows_class_init (BrioProcessRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_process_rows_finalize;

  signals[REORDER] = g_signal_new ("reorder", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_process_rows_init (BrioProcessRows *self)
{
  self->all = g_list_store_new (BRIO_TYPE_PROCESS);
  self->list = g_list_store_new (BRIO_TYPE_PROCESS);
  self->groups = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_ref_string_release, free_group);
  self->words = g_new0 (char *, 1);
}

BrioProcessRows *
brio_process_rows_new (void)
{
  return g_object_new (BRIO_TYPE_PROCESS_ROWS, NULL);
}

GListModel *
brio_process_rows_get_list (BrioProcessRows *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_ROWS (self), NULL);

  return G_LIST_MODEL (self->list);
}

/* By its unit, else by its program's name. A unit is an application's also where no desktop file is found. */
static void
look_for_application (BrioProcess *process)
{
  const char *unit = brio_process_get_unit (process), *name = brio_process_get_name (process), *id;
  gboolean is_one = brio_process_get_others (process) == 0;
  GAppInfo *info = is_one && (*unit || *name) ? app_info_find (*unit ? unit : name) : NULL;
  g_autofree char *found = NULL;

  if (!info)
    {
      brio_process_set_application (process, *unit ? unit : NULL, *unit ? app_info_get_name (unit) : NULL);
      return;
    }
  id = g_app_info_get_id (info);
  found = g_strndup (id, strlen (id) - (g_str_has_suffix (id, ".desktop") ? strlen (".desktop") : 0));
  brio_process_set_application (process, found, app_info_get_text (info));
}

static struct group *
add_group (BrioProcessRows *self,
           GRefString      *key,
           BrioProcess     *first)
{
  struct group *group = g_new (struct group, 1);
  g_autofree char *label = brio_process_dup_label (first);

  *group = (struct group){ brio_process_new_group (label), g_ptr_array_new (), FALSE };
  brio_process_set_application (group->row, brio_process_get_application (first), label);
  g_hash_table_insert (self->groups, g_ref_string_acquire (key), group);
  return group;
}

static gboolean
add_member (struct group *group,
            BrioProcess  *process)
{
  g_ptr_array_add (group->members, process);
  return brio_process_set_group (process, group->row);
}

/* alone: key -> the one that has it so far. Returns whether a process came into another group, or out of one. */
static gboolean
put_into_group (BrioProcessRows *self,
                GHashTable      *alone,
                BrioProcess     *process)
{
  GRefString *key = brio_process_get_group_key (process);
  struct group *group = key ? g_hash_table_lookup (self->groups, key) : NULL;
  BrioProcess *other = key && !group ? g_hash_table_lookup (alone, key) : NULL;
  gboolean changed = FALSE;

  if (other)
    {
      group = add_group (self, key, other);
      changed = add_member (group, other);
    }
  if (group)
    return add_member (group, process) | changed;
  if (key)
    g_hash_table_insert (alone, key, process);
  return brio_process_set_group (process, NULL);
}

static gboolean
is_empty (gpointer key,
          gpointer group,
          gpointer unused)
{
  (void) key;
  (void) unused;
  return ((struct group *) group)->members->len == 0;
}

/* A group that was made stays until its last process has gone, so that its row does not come and go. */
static gboolean
put_into_groups (BrioProcessRows *self)
{
  g_autoptr (GHashTable) alone = g_hash_table_new (NULL, NULL);
  gboolean changed = FALSE;
  GHashTableIter iter;
  gpointer group;

  g_hash_table_iter_init (&iter, self->groups);
  while (g_hash_table_iter_next (&iter, NULL, &group))
    g_ptr_array_set_size (((struct group *) group)->members, 0);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->all)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->all), i);

      if (!brio_process_is_looked_for (process))
        look_for_application (process);
      changed |= put_into_group (self, alone, process);
    }
  g_hash_table_foreach_remove (self->groups, is_empty, NULL);
  return changed;
}

static BrioProcessChange
sum_groups (BrioProcessRows *self)
{
  BrioProcessChange all = BRIO_PROCESS_SAME;
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->groups);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      struct group *group = value;
      BrioProcessChange change = brio_process_sum (group->row, group->members);

      all = MAX (all, change);
    }
  return all;
}

static void
for_each (BrioProcessRows *self,
          void           (*func) (BrioProcess *))
{
  GHashTableIter iter;
  gpointer group;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->all)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->all), i);

      func (process);
    }
  g_hash_table_iter_init (&iter, self->groups);
  while (g_hash_table_iter_next (&iter, NULL, &group))
    func (((struct group *) group)->row);
}

static void
unfold_groups (BrioProcessRows *self,
               gboolean         searching)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->groups);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      struct group *group = value;

      brio_process_set_unfolded (group->row, group->unfolded || searching);
    }
}

static void
show (BrioProcessRows *self)
{
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  g_autoptr (GHashTable) shown = g_hash_table_new (NULL, NULL);
  gboolean searching = *self->words != NULL;

  unfold_groups (self, searching);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->all)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->all), i);
      BrioProcess *group = brio_process_get_group (process);

      if (searching && !brio_process_matches (process, (const char *const *) self->words))
        continue;
      if (group && g_hash_table_add (shown, group))
        g_ptr_array_add (wanted, group);
      if (!group || brio_process_is_unfolded (group))
        g_ptr_array_add (wanted, process);
    }
  list_follow (self->list, wanted);
}

void
brio_process_rows_take (BrioProcessRows *self,
                        GPtrArray       *told)
{
  BrioProcessChange change, sums;
  gboolean regrouped;

  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  change = brio_processes_merge (self->all, told, &self->observed, &self->others);
  regrouped = put_into_groups (self);
  sums = sum_groups (self);
  for_each (self, brio_process_note);
  if (regrouped || MAX (change, sums) != BRIO_PROCESS_SAME)
    g_signal_emit (self, signals[REORDER], 0);
  show (self);
}

void
brio_process_rows_search (BrioProcessRows   *self,
                          const char *const *words)
{
  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  g_strfreev (self->words);
  self->words = g_strdupv ((char **) words);
  show (self);
}

void
brio_process_rows_toggle (BrioProcessRows *self,
                          BrioProcess     *row)
{
  GHashTableIter iter;
  gpointer value;

  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  g_hash_table_iter_init (&iter, self->groups);
  while (!*self->words && g_hash_table_iter_next (&iter, NULL, &value))
    {
      struct group *group = value;

      if (group->row == row)
        group->unfolded = !group->unfolded;
    }
  show (self);
}

void
brio_process_rows_pause (BrioProcessRows *self)
{
  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  for_each (self, brio_process_forget_history);
}

guint
brio_process_rows_get_n (BrioProcessRows *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_ROWS (self), 0);

  return g_list_model_get_n_items (G_LIST_MODEL (self->all));
}

guint
brio_process_rows_get_observed (BrioProcessRows *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_ROWS (self), 0);

  return self->observed;
}

guint
brio_process_rows_get_others (BrioProcessRows *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS_ROWS (self), 0);

  return self->others;
}

GPtrArray *
brio_process_rows_get_processes (BrioProcessRows *self,
                                 BrioProcess     *row)
{
  GPtrArray *processes = g_ptr_array_new_with_free_func (g_object_unref);

  g_return_val_if_fail (BRIO_IS_PROCESS_ROWS (self), processes);

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->all)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->all), i);

      if (process == row || brio_process_get_group (process) == row)
        g_ptr_array_add (processes, g_steal_pointer (&process));
    }
  return processes;
}

/* The row that it is placed by. */
static BrioProcess *
get_place (BrioProcess *process)
{
  BrioProcess *group = brio_process_get_group (process);

  return group ? group : process;
}

int
brio_process_rows_compare (BrioProcess     *a,
                           BrioProcess     *b,
                           GCompareDataFunc compare,
                           gpointer         userdata)
{
  BrioProcess *x = get_place (a), *y = get_place (b);

  if (x != y)
    return compare (x, y, userdata);
  if (a == x || b == x)
    return (b == x) - (a == x);
  return compare (a, b, userdata);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "process-rows.h"

#include <string.h>

#include "app-info.h"
#include "list-follow.h"

struct group
{
  BrioProcess *row;
  GPtrArray *members; /* none owned: the list of all has them. In order */
  gboolean unfolded;  /* as it was chosen; a search unfolds all */
};

struct place
{
  BrioProcess *row;
  struct group *group; /* whose row it is; NULL: a process that is in none */
};

struct _BrioProcessRows
{
  GObject parent_instance;

  GCompareDataFunc compare;
  gpointer userdata;
  GDestroyNotify free_userdata;

  GListStore *all;    /* as they were told */
  GHashTable *groups; /* key -> struct group, each with one process at least */
  GArray *places;     /* struct place: groups, and processes of none, in order */
  GListStore *list;   /* what is shown of these */
  char **words;       /* that are searched for */
  guint observed, others;
};

enum
{
  FOUND_OTHERS,
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

  g_object_unref (self->list);
  g_array_unref (self->places);
  g_hash_table_unref (self->groups);
  g_object_unref (self->all);
  g_strfreev (self->words);
  if (self->free_userdata)
    self->free_userdata (self->userdata);

  G_OBJECT_CLASS (brio_process_rows_parent_class)->finalize (object);
}

static void
brio_process_rows_class_init (BrioProcessRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_process_rows_finalize;

  signals[FOUND_OTHERS] = g_signal_new ("found-others", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_process_rows_init (BrioProcessRows *self)
{
  self->all = g_list_store_new (BRIO_TYPE_PROCESS);
  self->list = g_list_store_new (BRIO_TYPE_PROCESS);
  self->groups = g_hash_table_new_full (NULL, NULL, (GDestroyNotify) g_ref_string_release, free_group);
  self->places = g_array_new (FALSE, FALSE, sizeof (struct place));
  self->words = g_new0 (char *, 1);
}

BrioProcessRows *
brio_process_rows_new (GCompareDataFunc compare,
                       gpointer         userdata,
                       GDestroyNotify   free_userdata)
{
  BrioProcessRows *self = g_object_new (BRIO_TYPE_PROCESS_ROWS, NULL);

  self->compare = compare;
  self->userdata = userdata;
  self->free_userdata = free_userdata;
  return self;
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

static void
add_member (struct group *group,
            BrioProcess  *process)
{
  g_ptr_array_add (group->members, process);
  brio_process_set_group (process, group->row);
}

/* alone: key -> the one that has it so far. */
static void
put_into_group (BrioProcessRows *self,
                GHashTable      *alone,
                BrioProcess     *process)
{
  GRefString *key = brio_process_get_group_key (process);
  struct group *group = key ? g_hash_table_lookup (self->groups, key) : NULL;
  BrioProcess *other = key && !group ? g_hash_table_lookup (alone, key) : NULL;

  if (other)
    {
      group = add_group (self, key, other);
      add_member (group, other);
    }
  if (group)
    {
      add_member (group, process);
      return;
    }
  if (key)
    g_hash_table_insert (alone, key, process);
  brio_process_set_group (process, NULL);
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
static void
put_into_groups (BrioProcessRows *self)
{
  g_autoptr (GHashTable) alone = g_hash_table_new (NULL, NULL);
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
      put_into_group (self, alone, process);
    }
  g_hash_table_foreach_remove (self->groups, is_empty, NULL);
}

/* In the order in which they were told. */
static void
place_rows (BrioProcessRows *self)
{
  g_array_set_size (self->places, 0);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->all)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (self->all), i);
      gboolean alone = !brio_process_get_group (process);
      struct group *group = alone ? NULL : g_hash_table_lookup (self->groups, brio_process_get_group_key (process));
      struct place place = { alone ? process : group->row, group };

      if (alone || group->members->pdata[0] == process)
        g_array_append_val (self->places, place);
    }
}

static int
compare_places (gconstpointer a,
                gconstpointer b,
                gpointer      rows)
{
  const struct place *x = a, *y = b;
  BrioProcessRows *self = rows;

  return self->compare (x->row, y->row, self->userdata);
}

static int
compare_members (gconstpointer a,
                 gconstpointer b,
                 gpointer      rows)
{
  BrioProcess *const *x = a, *const *y = b;
  BrioProcessRows *self = rows;

  return self->compare (*x, *y, self->userdata);
}

static void
sort_rows (BrioProcessRows *self)
{
  GHashTableIter iter;
  gpointer group;

  g_array_sort_with_data (self->places, compare_places, self);
  g_hash_table_iter_init (&iter, self->groups);
  while (g_hash_table_iter_next (&iter, NULL, &group))
    g_ptr_array_sort_with_data (((struct group *) group)->members, compare_members, self);
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

static gboolean
is_found (BrioProcessRows *self,
          BrioProcess     *process)
{
  return !*self->words || brio_process_matches (process, (const char *const *) self->words);
}

/* The row of a group, where any of it is found, and below it what is, where it is unfolded. */
static void
add_group_rows (BrioProcessRows *self,
                struct group    *group,
                GPtrArray       *wanted)
{
  guint first = wanted->len;

  for (guint i = 0; i < group->members->len; i++)
    {
      if (!is_found (self, group->members->pdata[i]))
        continue;
      if (wanted->len == first)
        g_ptr_array_add (wanted, group->row);
      if (!brio_process_is_unfolded (group->row))
        return;
      g_ptr_array_add (wanted, group->members->pdata[i]);
    }
}

/* What is in order stays so: nothing is sorted. Free with g_ptr_array_unref(). */
static GPtrArray *
find_rows (BrioProcessRows *self)
{
  GPtrArray *wanted = g_ptr_array_new ();

  unfold_groups (self, *self->words != NULL);
  for (guint i = 0; i < self->places->len; i++)
    {
      struct place *place = &g_array_index (self->places, struct place, i);

      if (place->group)
        add_group_rows (self, place->group, wanted);
      else if (is_found (self, place->row))
        g_ptr_array_add (wanted, place->row);
    }
  return wanted;
}

static void
show (BrioProcessRows *self)
{
  g_autoptr (GPtrArray) wanted = find_rows (self);

  list_follow (self->list, wanted);
}

void
brio_process_rows_take (BrioProcessRows *self,
                        GPtrArray       *told)
{
  BrioProcessChange change, sums;

  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  change = brio_processes_merge (self->all, told, &self->observed, &self->others);
  if (change >= BRIO_PROCESS_OTHER_WORDS)
    {
      put_into_groups (self);
      place_rows (self);
    }
  sums = sum_groups (self);
  for_each (self, brio_process_note);
  if (MAX (change, sums) == BRIO_PROCESS_SAME)
    return;
  sort_rows (self);
  show (self);
}

void
brio_process_rows_sort (BrioProcessRows *self)
{
  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  sort_rows (self);
  show (self);
}

void
brio_process_rows_search (BrioProcessRows   *self,
                          const char *const *words)
{
  g_autoptr (GPtrArray) wanted = NULL;

  g_return_if_fail (BRIO_IS_PROCESS_ROWS (self));

  g_strfreev (self->words);
  self->words = g_strdupv ((char **) words);
  wanted = find_rows (self);
  if (list_is (self->list, wanted))
    return;
  g_signal_emit (self, signals[FOUND_OTHERS], 0);
  list_follow (self->list, wanted);
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

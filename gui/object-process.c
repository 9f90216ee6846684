/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-process.h"

#include <pwd.h>

#include "search.h"
#include "variant.h"

struct _BrioProcess
{
  GObject parent_instance;

  guint32 pid;
  char *name, *user, *drive, *io_class;
  guint32 io_level;
  gboolean inferred, observed, random;
  gint64 figures[BRIO_PROCESS_N_FIGURES];
};

enum
{
  CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioProcess, brio_process, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

static void
brio_process_finalize (GObject *object)
{
  BrioProcess *self = BRIO_PROCESS (object);

  g_free (self->name);
  g_free (self->user);
  g_free (self->drive);
  g_free (self->io_class);

  G_OBJECT_CLASS (brio_process_parent_class)->finalize (object);
}

static void
brio_process_class_init (BrioProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_process_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_process_init (BrioProcess *self)
{
  (void) self;
}

/* Each user is looked up once: a directory server may be slow. */
static const char *
user_name (guint32 uid)
{
  static GHashTable *names;
  char *name;

  if (!names)
    names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  name = g_hash_table_lookup (names, GUINT_TO_POINTER (uid));
  if (!name)
    {
      const struct passwd *entry = getpwuid (uid);

      name = entry ? g_utf8_make_valid (entry->pw_name, -1) : g_strdup_printf ("%u", uid);
      g_hash_table_insert (names, GUINT_TO_POINTER (uid), name);
    }
  return name;
}

static void
take_text (char      **field,
           const char *value)
{
  if (g_strcmp0 (*field, value) == 0)
    return;
  g_free (*field);
  *field = g_strdup (value);
}

/* Of a figure that is not told without single requests; 0 says that there was no request to measure. */
static gint64
latency (GVariant   *entry,
         const char *key)
{
  gint64 value = variant_number (entry, key);

  return value > 0 ? value : -1;
}

static void
take (BrioProcess *self,
      GVariant    *entry)
{
  gint64 reads = variant_number (entry, "reads_per_second"), writes = variant_number (entry, "writes_per_second");
  guint32 uid, level;

  take_text (&self->name, variant_text (entry, "name"));
  take_text (&self->drive, variant_text (entry, "device"));
  take_text (&self->io_class, variant_text (entry, "io_class"));
  take_text (&self->user, g_variant_lookup (entry, "uid", "u", &uid) ? user_name (uid) : "");
  self->io_level = g_variant_lookup (entry, "io_level", "u", &level) ? level : 0;
  self->inferred = variant_flag (entry, "inferred");
  self->observed = reads >= 0 && writes >= 0;
  self->random = variant_flag (entry, "seeks");
  self->figures[BRIO_PROCESS_READ] = variant_number (entry, "read_bytes_per_second");
  self->figures[BRIO_PROCESS_WRITE] = variant_number (entry, "write_bytes_per_second");
  self->figures[BRIO_PROCESS_WAIT] = variant_number (entry, "wait_permille");
  self->figures[BRIO_PROCESS_REQUESTS] = self->observed ? MIN (reads, G_MAXINT32) + MIN (writes, G_MAXINT32) : -1;
  self->figures[BRIO_PROCESS_LATENCY] = latency (entry, "read_latency_usec");
  self->figures[BRIO_PROCESS_P99] = latency (entry, "read_latency_p99_usec");
}

BrioProcess *
brio_process_new (GVariant *entry)
{
  BrioProcess *self;
  guint32 pid;

  if (!g_variant_lookup (entry, "pid", "u", &pid) || pid == 0)
    return NULL;
  self = g_object_new (BRIO_TYPE_PROCESS, NULL);
  self->pid = pid;
  take (self, entry);
  return self;
}

void
brio_process_update (BrioProcess *self,
                     GVariant    *entry)
{
  g_return_if_fail (BRIO_IS_PROCESS (self));

  take (self, entry);
  g_signal_emit (self, signals[CHANGED], 0);
}

uint32_t
brio_process_get_pid (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), 0);

  return self->pid;
}

const char *
brio_process_get_name (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->name;
}

const char *
brio_process_get_user (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->user;
}

const char *
brio_process_get_drive (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->drive;
}

gboolean
brio_process_is_inferred (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->inferred;
}

gboolean
brio_process_is_observed (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->observed;
}

gboolean
brio_process_is_random (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->random;
}

const char *
brio_process_get_io_class (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->io_class;
}

uint32_t
brio_process_get_io_level (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), 0);

  return self->io_level;
}

gint64
brio_process_get_figure (BrioProcess      *self,
                         BrioProcessFigure figure)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), -1);

  return self->figures[figure];
}

gboolean
brio_process_matches (BrioProcess *self,
                      const char  *search)
{
  g_autofree char *all = NULL;

  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  all = g_strdup_printf ("%s\n%s\n%s\n%u", self->name, self->user, self->drive, self->pid);
  return search_matches (all, search);
}

/* The entry of each number; of several the last. */
static GHashTable *
index_entries (GVariant *entries)
{
  GHashTable *by_pid = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_variant_unref);

  for (gsize i = 0; i < g_variant_n_children (entries); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      guint32 pid;

      if (g_variant_lookup (entry, "pid", "u", &pid) && pid != 0)
        g_hash_table_replace (by_pid, GUINT_TO_POINTER (pid), g_steal_pointer (&entry));
    }
  return by_pid;
}

/* Removes those that are gone, and returns how many are left. Those have their entry taken out of by_pid and kept in the
 * array at their place. */
static guint
remove_missing (GListStore *list,
                GHashTable *by_pid,
                GPtrArray  *kept)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list));)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (list), i);
      GVariant *entry = g_hash_table_lookup (by_pid, GUINT_TO_POINTER (process->pid));

      if (entry)
        {
          g_ptr_array_add (kept, g_variant_ref (entry));
          g_hash_table_remove (by_pid, GUINT_TO_POINTER (process->pid));
          i++;
        }
      else
        g_list_store_remove (list, i);
    }
  return kept->len;
}

/* In the daemon's order, so that the same answer always makes the same list. */
static void
add_fresh (GListStore *list,
           GHashTable *by_pid,
           GVariant   *entries)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; i < g_variant_n_children (entries); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      guint32 pid;

      if (g_variant_lookup (entry, "pid", "u", &pid) && g_hash_table_remove (by_pid, GUINT_TO_POINTER (pid)))
        g_ptr_array_add (fresh, brio_process_new (entry));
    }
  g_list_store_splice (list, g_list_model_get_n_items (G_LIST_MODEL (list)), 0, fresh->pdata, fresh->len);
}

/* What a sorted list above has sorted must not change before it is told to sort anew: figures come last. */
guint
brio_processes_merge (GListStore *list,
                      GVariant   *entries)
{
  g_autoptr (GHashTable) by_pid = index_entries (entries);
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func ((GDestroyNotify) g_variant_unref);
  guint n_kept = remove_missing (list, by_pid, kept), observed = 0;

  add_fresh (list, by_pid, entries);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (list), i);

      if (i < n_kept)
        brio_process_update (process, kept->pdata[i]);
      observed += process->observed;
    }
  return observed;
}

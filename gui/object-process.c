/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-process-private.h"

#include <glib/gi18n.h>
#include <pwd.h>
#include <string.h>

#include "list-follow.h"
#include "search.h"
#include "variant.h"

/* In place of a number, for those of other users on a drive: none that a process has. */
#define IS_OTHERS 0x80000000u
#define OTHERS_OF(drive) (IS_OTHERS | g_str_hash (drive))

enum
{
  CHANGED,
  MOVED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioProcess, brio_process, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

void
brio_process_forget_made (BrioProcess *self)
{
  g_clear_pointer (&self->searched, g_free);
  for (guint i = 0; i < BRIO_PROCESS_N_KEYS; i++)
    g_clear_pointer (&self->keys[i], g_free);
}

void
brio_process_forget_application (BrioProcess *self)
{
  self->looked_for = FALSE;
  g_clear_pointer (&self->application, g_ref_string_release);
  g_clear_pointer (&self->title, g_ref_string_release);
  g_clear_pointer (&self->key, g_ref_string_release);
}

void
brio_process_changed (BrioProcess *self)
{
  g_signal_emit (self, signals[CHANGED], 0);
}

void
brio_process_moved (BrioProcess *self)
{
  g_signal_emit (self, signals[MOVED], 0);
}

static void
brio_process_finalize (GObject *object)
{
  BrioProcess *self = BRIO_PROCESS (object);

  brio_process_forget_made (self);
  g_clear_object (&self->group);
  brio_process_forget_application (self);
  g_clear_pointer (&self->told.name, g_ref_string_release);
  g_clear_pointer (&self->told.application, g_ref_string_release);
  g_clear_pointer (&self->told.drive, g_ref_string_release);
  g_clear_pointer (&self->told.io_class, g_ref_string_release);

  G_OBJECT_CLASS (brio_process_parent_class)->finalize (object);
}

static void
brio_process_class_init (BrioProcessClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_process_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[MOVED] = g_signal_new ("moved", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_process_init (BrioProcess *self)
{
  (void) self;
}

/* Each user is looked up once: a directory server may be slow. In any thread. */
static const char *
user_name (guint32 uid)
{
  static GMutex lock;
  static GHashTable *names;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);
  char *name;

  (void) locker;
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

/* As the bus tells it. */
struct entry
{
  const char *name, *application, *device, *io_class;
  gint64 pid, uid, io_level, others;
  gboolean inferred, seeks;
  gint64 read_bytes, write_bytes, wait, reads, writes, latency, p99;
};

static const struct variant_field fields[] = {
  { "pid", 'n', G_STRUCT_OFFSET (struct entry, pid) },
  { "name", 's', G_STRUCT_OFFSET (struct entry, name) },
  { "application", 's', G_STRUCT_OFFSET (struct entry, application) },
  { "device", 's', G_STRUCT_OFFSET (struct entry, device) },
  { "uid", 'n', G_STRUCT_OFFSET (struct entry, uid) },
  { "others", 'n', G_STRUCT_OFFSET (struct entry, others) },
  { "io_class", 's', G_STRUCT_OFFSET (struct entry, io_class) },
  { "io_level", 'n', G_STRUCT_OFFSET (struct entry, io_level) },
  { "inferred", 'b', G_STRUCT_OFFSET (struct entry, inferred) },
  { "seeks", 'b', G_STRUCT_OFFSET (struct entry, seeks) },
  { "read_bytes_per_second", 'n', G_STRUCT_OFFSET (struct entry, read_bytes) },
  { "write_bytes_per_second", 'n', G_STRUCT_OFFSET (struct entry, write_bytes) },
  { "wait_permille", 'n', G_STRUCT_OFFSET (struct entry, wait) },
  { "reads_per_second", 'n', G_STRUCT_OFFSET (struct entry, reads) },
  { "writes_per_second", 'n', G_STRUCT_OFFSET (struct entry, writes) },
  { "read_latency_usec", 'n', G_STRUCT_OFFSET (struct entry, latency) },
  { "read_latency_p99_usec", 'n', G_STRUCT_OFFSET (struct entry, p99) },
};

static gboolean
is_u32 (gint64 number)
{
  return number >= 0 && number <= G_MAXUINT32;
}

static void
take (struct told        *told,
      const struct entry *entry)
{
  told->others = is_u32 (entry->others) ? (guint32) entry->others : 0;
  told->name = g_ref_string_new_intern (entry->name);
  told->application = g_ref_string_new_intern (entry->application);
  told->drive = g_ref_string_new_intern (entry->device);
  told->io_class = g_ref_string_new_intern (entry->io_class);
  told->user = is_u32 (entry->uid) ? user_name ((guint32) entry->uid) : "";
  told->io_level = is_u32 (entry->io_level) ? (guint32) entry->io_level : 0;
  told->inferred = entry->inferred;
  told->observed = entry->reads >= 0 && entry->writes >= 0;
  told->random = entry->seeks;
  told->figures[BRIO_PROCESS_TOTAL] = MIN (MAX (entry->read_bytes, 0), G_MAXINT64 / 2) + MIN (MAX (entry->write_bytes, 0), G_MAXINT64 / 2);
  told->figures[BRIO_PROCESS_READ] = entry->read_bytes;
  told->figures[BRIO_PROCESS_WRITE] = entry->write_bytes;
  told->figures[BRIO_PROCESS_WAIT] = entry->wait;
  told->figures[BRIO_PROCESS_REQUESTS] = told->observed ? MIN (entry->reads, G_MAXINT32) + MIN (entry->writes, G_MAXINT32) : -1;
  /* Of figures that are not told without single requests; 0 says that there was no request to measure. */
  told->figures[BRIO_PROCESS_LATENCY] = entry->latency > 0 ? entry->latency : -1;
  told->figures[BRIO_PROCESS_P99] = entry->p99 > 0 ? entry->p99 : -1;
}

BrioProcess *
brio_process_new (GVariant *entry)
{
  g_autofree char *name = NULL;
  BrioProcess *self;
  struct entry e;

  variant_read (entry, fields, G_N_ELEMENTS (fields), &e);
  if (e.others > 0 && is_u32 (e.others))
    {
      e.pid = OTHERS_OF (e.device);
      /* Translators: processes of other users, who are not told */
      name = g_strdup_printf (ngettext ("%u process of other users", "%u processes of other users", (gulong) e.others), (guint) e.others);
      e.name = name;
    }
  if (e.pid <= 0 || !is_u32 (e.pid))
    return NULL;
  self = g_object_new (BRIO_TYPE_PROCESS, NULL);
  self->pid = (guint32) e.pid;
  take (&self->told, &e);
  return self;
}

/* Equal texts are the same. */
static gboolean
has_same_words (const struct told *a,
                const struct told *b)
{
  return a->name == b->name && a->application == b->application && a->drive == b->drive && a->io_class == b->io_class && g_str_equal (a->user, b->user)
         && a->io_level == b->io_level && a->inferred == b->inferred && a->observed == b->observed && a->random == b->random;
}

BrioProcessChange
brio_process_update (BrioProcess *self,
                     BrioProcess *newer)
{
  struct told old;
  gboolean same_words, same_figures;

  g_return_val_if_fail (BRIO_IS_PROCESS (self) && BRIO_IS_PROCESS (newer), BRIO_PROCESS_SAME);

  old = self->told;
  same_words = has_same_words (&old, &newer->told);
  same_figures = memcmp (old.figures, newer->told.figures, sizeof (old.figures)) == 0;
  if (same_words && same_figures)
    return BRIO_PROCESS_SAME;
  self->told = newer->told;
  newer->told = old;
  if (!same_words)
    {
      brio_process_forget_made (self);
      if (!brio_process_is_group (self))
        brio_process_forget_application (self);
    }
  brio_process_changed (self);
  return same_words ? BRIO_PROCESS_OTHER_FIGURES : BRIO_PROCESS_OTHER_WORDS;
}

uint32_t
brio_process_get_pid (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), 0);

  return self->pid & IS_OTHERS ? 0 : self->pid;
}

uint32_t
brio_process_get_others (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), 0);

  return self->told.others;
}

const char *
brio_process_get_name (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->told.name;
}

const char *
brio_process_get_user (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->told.user;
}

const char *
brio_process_get_drive (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->told.drive;
}

gboolean
brio_process_is_inferred (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->told.inferred;
}

gboolean
brio_process_is_observed (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->told.observed;
}

gboolean
brio_process_is_random (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  return self->told.random;
}

const char *
brio_process_get_io_class (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), NULL);

  return self->told.io_class;
}

uint32_t
brio_process_get_io_level (BrioProcess *self)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), 0);

  return self->told.io_level;
}

gint64
brio_process_get_figure (BrioProcess      *self,
                         BrioProcessFigure figure)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), -1);

  return self->told.figures[figure];
}

const char *
brio_process_get_key (BrioProcess *self,
                      guint        i)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self) && i < BRIO_PROCESS_N_KEYS, NULL);

  return self->keys[i];
}

void
brio_process_set_key (BrioProcess *self,
                      guint        i,
                      char        *key)
{
  g_return_if_fail (BRIO_IS_PROCESS (self) && i < BRIO_PROCESS_N_KEYS);

  g_free (self->keys[i]);
  self->keys[i] = key;
}

gboolean
brio_process_matches (BrioProcess       *self,
                      const char *const *words)
{
  g_return_val_if_fail (BRIO_IS_PROCESS (self), FALSE);

  if (!self->searched)
    {
      g_autofree char *all = g_strdup_printf ("%s\n%s\n%s\n%s\n%u", self->told.name, self->title ? self->title : "", self->told.user,
                                              self->told.drive, brio_process_get_pid (self));

      self->searched = g_utf8_casefold (all, -1);
    }
  return search_has_words (self->searched, words);
}

GPtrArray *
brio_processes_read (GVariant *entries)
{
  GPtrArray *told = g_ptr_array_new_with_free_func (g_object_unref);
  GVariantIter iter;
  GVariant *entry;

  g_variant_iter_init (&iter, entries);
  while ((entry = g_variant_iter_next_value (&iter)))
    {
      BrioProcess *process = brio_process_new (entry);

      if (process)
        g_ptr_array_add (told, process);
      g_variant_unref (entry);
    }
  return told;
}

/* Of each number; of several the last. */
static GHashTable *
index_processes (GPtrArray *told)
{
  GHashTable *by_pid = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < told->len; i++)
    g_hash_table_replace (by_pid, GUINT_TO_POINTER (BRIO_PROCESS (told->pdata[i])->pid), told->pdata[i]);
  return by_pid;
}

BrioProcessChange
brio_processes_merge (GListStore *list,
                      GPtrArray  *told,
                      guint      *ret_observed,
                      guint      *ret_others)
{
  g_autoptr (GHashTable) by_pid = index_processes (told);
  g_autoptr (GPtrArray) wanted = g_ptr_array_new ();
  BrioProcessChange all = BRIO_PROCESS_SAME;

  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    {
      g_autoptr (BrioProcess) process = g_list_model_get_item (G_LIST_MODEL (list), i);
      BrioProcessChange change;
      gpointer newer;

      if (!g_hash_table_steal_extended (by_pid, GUINT_TO_POINTER (process->pid), NULL, &newer))
        continue;
      change = brio_process_update (process, newer);
      all = MAX (all, change);
      g_ptr_array_add (wanted, process);
    }
  /* In the daemon's order, so that the same answer always makes the same list. */
  for (guint i = 0; i < told->len; i++)
    {
      gpointer fresh;

      if (g_hash_table_steal_extended (by_pid, GUINT_TO_POINTER (BRIO_PROCESS (told->pdata[i])->pid), NULL, &fresh))
        g_ptr_array_add (wanted, fresh);
    }
  if (list_follow (list, wanted))
    all = BRIO_PROCESS_OTHERS;
  *ret_observed = *ret_others = 0;
  for (guint i = 0; i < wanted->len; i++)
    {
      *ret_observed += BRIO_PROCESS (wanted->pdata[i])->told.observed;
      *ret_others += BRIO_PROCESS (wanted->pdata[i])->told.others;
    }
  return all;
}

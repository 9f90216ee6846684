/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-startup.h"

#include <glib/gi18n.h>

#include <string.h>

#include "search.h"
#include "variant.h"

struct _BrioStartup
{
  GObject parent_instance;

  char *application, *drive;
  gint64 time_us;
  gboolean cold, measured, launched;
  int waited_permille;
  gint64 figures[BRIO_STARTUP_N_FIGURES];
  gint64 cold_starts, warm_starts; /* known, of which the usual figures are: of cold ones if there are any; -1: not told */
  GArray *culprits; /* of BrioCulprit */
  BrioStartupWorth worth;
};

enum
{
  CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioStartup, brio_startup, G_TYPE_OBJECT)

static guint signals[N_SIGNALS];

static void
clear_culprit (gpointer data)
{
  g_free (((BrioCulprit *) data)->name);
}

static void
brio_startup_finalize (GObject *object)
{
  BrioStartup *self = BRIO_STARTUP (object);

  g_free (self->application);
  g_free (self->drive);
  g_array_unref (self->culprits);

  G_OBJECT_CLASS (brio_startup_parent_class)->finalize (object);
}

static void
brio_startup_class_init (BrioStartupClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = brio_startup_finalize;

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
brio_startup_init (BrioStartup *self)
{
  self->culprits = g_array_new (FALSE, FALSE, sizeof (BrioCulprit));
  g_array_set_clear_func (self->culprits, clear_culprit);
}

static void
take_culprits (BrioStartup *self,
               GVariant    *entry)
{
  g_autoptr (GVariant) culprits = NULL;
  GVariantIter iter;
  const char *name;
  guint32 pid;
  guint64 permille;

  if (!g_variant_lookup (entry, "culprits", "@a(sut)", &culprits))
    return;
  g_variant_iter_init (&iter, culprits);
  while (g_variant_iter_next (&iter, "(&sut)", &name, &pid, &permille))
    {
      BrioCulprit culprit = { g_strdup (pid ? name : _("another user’s process")), pid, (int) MIN (permille, 1000) };

      g_array_append_val (self->culprits, culprit);
    }
}

BrioStartup *
brio_startup_new (GVariant *entry)
{
  static const char *const keys[BRIO_STARTUP_N_FIGURES] = {
    [BRIO_STARTUP_LATENCY] = "latency_usec", [BRIO_STARTUP_WAITED] = "waited_usec",        [BRIO_STARTUP_USUAL] = "usual_usec",
    [BRIO_STARTUP_P95] = "p95_usec",         [BRIO_STARTUP_BEST] = "best_usec",            [BRIO_STARTUP_READ_BYTES] = "read_bytes",
    [BRIO_STARTUP_FAULTS] = "faults",        [BRIO_STARTUP_PROCESSES] = "processes",       [BRIO_STARTUP_STARTS] = "starts",
    [BRIO_STARTUP_WARM_USUAL] = "warm_usual_usec", [BRIO_STARTUP_WARM_P95] = "warm_p95_usec",
  };
  const char *application = variant_text (entry, "application");
  BrioStartup *self;

  if (!*application)
    return NULL;
  self = g_object_new (BRIO_TYPE_STARTUP, NULL);
  self->application = g_strdup (application);
  self->drive = g_strdup (variant_text (entry, "device"));
  self->time_us = variant_number (entry, "time_usec");
  self->cold = variant_flag (entry, "cold");
  self->measured = variant_flag (entry, "measured");
  self->launched = variant_flag (entry, "launched");
  self->waited_permille = (int) CLAMP (variant_number (entry, "waited_permille"), 0, 1000);
  self->cold_starts = variant_number (entry, "cold_starts");
  self->warm_starts = variant_number (entry, "warm_starts");
  for (guint i = 0; i < BRIO_STARTUP_N_FIGURES; i++)
    self->figures[i] = variant_number (entry, keys[i]);
  take_culprits (self, entry);
  return self;
}

const char *
brio_startup_get_application (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), NULL);

  return self->application;
}

gint64
brio_startup_get_time_us (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), -1);

  return self->time_us;
}

gboolean
brio_startup_is_cold (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), FALSE);

  return self->cold;
}

gboolean
brio_startup_is_measured (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), FALSE);

  return self->measured;
}

gboolean
brio_startup_is_launched (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), FALSE);

  return self->launched;
}

const char *
brio_startup_get_drive (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), NULL);

  return self->drive;
}

gint64
brio_startup_get_figure (BrioStartup      *self,
                         BrioStartupFigure figure)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), -1);

  return self->figures[figure];
}

int
brio_startup_get_waited_permille (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), 0);

  return self->waited_permille;
}

guint
brio_startup_get_culprits (BrioStartup        *self,
                           const BrioCulprit **ret)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), 0);

  *ret = (const BrioCulprit *) (gpointer) self->culprits->data;
  return self->culprits->len;
}

BrioStartupWorth
brio_startup_worth_read (GVariant *entry)
{
  if (variant_number (entry, "helped_starts") <= 0 || variant_number (entry, "unhelped_starts") <= 0)
    return (BrioStartupWorth){ 0 };
  return (BrioStartupWorth){ variant_number (entry, "helped_usec"), variant_number (entry, "unhelped_usec"), variant_number (entry, "unhelped_starts") };
}

BrioStartupWorth
brio_startup_worth_find (GVariant   *prefetch,
                         const char *application)
{
  for (gsize i = 0; prefetch && i < g_variant_n_children (prefetch); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (prefetch, i);
      BrioStartupWorth worth = brio_startup_worth_read (entry);

      if (worth.controls > 0 && g_str_equal (variant_text (entry, "application"), application))
        return worth;
    }
  return (BrioStartupWorth){ 0 };
}

BrioStartupWorth
brio_startup_get_worth (BrioStartup *self)
{
  g_return_val_if_fail (BRIO_IS_STARTUP (self), (BrioStartupWorth){ 0 });

  return self->worth;
}

void
brio_startup_get_usual (BrioStartup      *self,
                        BrioStartupUsual *ret)
{
  g_return_if_fail (BRIO_IS_STARTUP (self));

  if (self->cold)
    *ret = (BrioStartupUsual){ self->cold_starts, self->figures[BRIO_STARTUP_USUAL], self->figures[BRIO_STARTUP_P95] };
  else
    *ret = (BrioStartupUsual){ self->warm_starts, self->figures[BRIO_STARTUP_WARM_USUAL], self->figures[BRIO_STARTUP_WARM_P95] };
}

double
brio_startup_get_factor (BrioStartup *self)
{
  gint64 best, latency;

  g_return_val_if_fail (BRIO_IS_STARTUP (self), 0);

  best = self->figures[BRIO_STARTUP_BEST];
  latency = self->figures[BRIO_STARTUP_LATENCY];
  if (best <= 0 || latency <= 0 || self->cold != (self->cold_starts > 0))
    return 0;
  if ((self->cold ? self->cold_starts : self->warm_starts) == 1)
    return 0; /* it is its own best */
  return (double) latency / (double) best;
}

gboolean
brio_startup_matches (BrioStartup *self,
                      const char  *name,
                      const char  *search)
{
  const BrioCulprit *culprits;
  g_autofree char *all = NULL;

  g_return_val_if_fail (BRIO_IS_STARTUP (self), FALSE);

  all = g_strdup_printf ("%s\n%s\n%s\n%s", self->application, name, self->drive,
                         brio_startup_get_culprits (self, &culprits) > 0 ? culprits[0].name : "");
  return search_matches (all, search);
}

void
brio_startups_load (GListStore *list,
                    GVariant   *entries)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);

  for (gsize i = 0; i < g_variant_n_children (entries); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      BrioStartup *startup = brio_startup_new (entry);

      if (startup)
        g_ptr_array_add (fresh, startup);
    }
  g_list_store_splice (list, 0, g_list_model_get_n_items (G_LIST_MODEL (list)), fresh->pdata, fresh->len);
}

void
brio_startups_take (GListStore *list,
                    GVariant   *entry)
{
  g_autoptr (BrioStartup) fresh = brio_startup_new (entry);
  GListModel *model = G_LIST_MODEL (list);

  if (!fresh)
    return;
  for (guint i = 0; i < g_list_model_get_n_items (model); i++)
    {
      g_autoptr (BrioStartup) known = g_list_model_get_item (model, i);

      if (!g_str_equal (known->application, fresh->application))
        continue;
      g_list_store_splice (list, i, 1, (gpointer *) &fresh, 1);
      return;
    }
  g_list_store_append (list, fresh);
}

static void
set_worth (BrioStartup     *self,
           BrioStartupWorth worth)
{
  if (memcmp (&self->worth, &worth, sizeof (worth)) == 0)
    return;
  self->worth = worth;
  g_signal_emit (self, signals[CHANGED], 0);
}

void
brio_startups_take_prefetch (GListStore *list,
                             GVariant   *prefetch)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (list)); i++)
    {
      g_autoptr (BrioStartup) startup = g_list_model_get_item (G_LIST_MODEL (list), i);

      set_worth (startup, brio_startup_worth_find (prefetch, startup->application));
    }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "done.h"

#include <glib/gi18n.h>

#include "app-info.h"
#include "object-device.h"
#include "object-tunable.h"
#include "startup-words.h"
#include "variant.h"
#include "words.h"

struct done
{
  gint64 midnight_us;      /* CLOCK_REALTIME; 0: nothing was loaded */
  gint64 since_us;         /* what was before is not known; 0: all of the day is */
  guint starts;            /* that were helped */
  GHashTable *by_name;     /* application → how many of them */
  GHashTable *made_room;   /* starts that others made room for: the program, with its process's number */
  GHashTable *stepped;     /* numbers of processes that have stepped back */
  guint settings, priorities; /* that were put back */
};

struct done *
done_new (void)
{
  struct done *self = g_new0 (struct done, 1);

  self->by_name = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->made_room = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->stepped = g_hash_table_new (NULL, NULL);
  return self;
}

struct done *
done_free (struct done *self)
{
  if (!self)
    return NULL;
  g_hash_table_unref (self->by_name);
  g_hash_table_unref (self->made_room);
  g_hash_table_unref (self->stepped);
  g_free (self);
  return NULL;
}

static gint64
get_midnight_us (GDateTime *now)
{
  g_autoptr (GTimeZone) zone = g_time_zone_new_local ();
  g_autoptr (GDateTime) midnight = g_date_time_new (zone, g_date_time_get_year (now), g_date_time_get_month (now), g_date_time_get_day_of_month (now), 0, 0, 0);

  return midnight ? g_date_time_to_unix (midnight) * G_USEC_PER_SEC : 0;
}

/* As the bus tells it. */
struct entry
{
  const char *tunable, *law, *result, *application;
  gint64 time_us, pid;
};

static void
take_start (struct done *self,
            const char  *application)
{
  self->starts++;
  if (*application)
    g_hash_table_replace (self->by_name, g_strdup (application), GUINT_TO_POINTER (GPOINTER_TO_UINT (g_hash_table_lookup (self->by_name, application)) + 1));
}

static void
take_priority (struct done        *self,
               const struct entry *e)
{
  if (g_str_equal (e->result, "applied") && !g_str_equal (e->law, "stream-guard")) /* what plays goes first itself */
    g_hash_table_add (self->stepped, GUINT_TO_POINTER ((guint) e->pid));
  else if (!g_str_equal (e->result, "failed") && !g_str_equal (e->result, "advised"))
    g_hash_table_remove (self->stepped, GUINT_TO_POINTER ((guint) e->pid));
}

static void
take_room (struct done *self,
           GVariant    *told)
{
  g_autoptr (GVariant) data = g_variant_lookup_value (told, "reason_data", G_VARIANT_TYPE ("aa{sv}"));

  for (gsize i = 0; data && i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) statement = g_variant_get_child_value (data, i);

      if (g_str_equal (variant_text (statement, "id"), "makes-room"))
        g_hash_table_add (self->made_room, g_strdup (variant_text (statement, "starting")));
    }
}

/* Returns when it was made. */
static gint64
take (struct done *self,
      GVariant    *told)
{
  static const struct variant_field fields[] = {
    { "law", 's', G_STRUCT_OFFSET (struct entry, law) },
    { "tunable", 's', G_STRUCT_OFFSET (struct entry, tunable) },         { "result", 's', G_STRUCT_OFFSET (struct entry, result) },
    { "application", 's', G_STRUCT_OFFSET (struct entry, application) }, { "time_usec", 'n', G_STRUCT_OFFSET (struct entry, time_us) },
    { "pid", 'n', G_STRUCT_OFFSET (struct entry, pid) },
  };
  gboolean priority;
  struct entry e;

  variant_read (told, fields, G_N_ELEMENTS (fields), &e);
  priority = g_str_equal (e.tunable, "ioprio");
  if (priority && e.pid > 0)
    take_priority (self, &e); /* of whatever day: it may stand still */
  if (e.time_us < self->midnight_us)
    return e.time_us;
  if (g_str_equal (e.tunable, "read-ahead") && g_str_equal (e.result, "applied"))
    take_start (self, e.application);
  else if (g_str_equal (e.law, "startup-guard") && g_str_equal (e.result, "applied"))
    take_room (self, told);
  else if (g_str_equal (e.result, "restored"))
    *(priority ? &self->priorities : &self->settings) += 1;
  return e.time_us;
}

void
done_load (struct done *self,
           GVariant    *entries,
           guint        limit,
           gint64       start_us,
           GDateTime   *now)
{
  gsize n = g_variant_n_children (entries), oldest = n > limit ? n - limit : 0;

  g_hash_table_remove_all (self->by_name);
  g_hash_table_remove_all (self->made_room);
  g_hash_table_remove_all (self->stepped);
  self->starts = self->settings = self->priorities = 0;
  self->midnight_us = get_midnight_us (now);
  self->since_us = start_us > self->midnight_us ? start_us : 0;
  for (gsize i = oldest; i < n; i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (entries, i);
      gint64 time_us = take (self, entry);

      if (i == oldest && n >= limit && time_us > self->midnight_us)
        self->since_us = time_us;
    }
}

gboolean
done_is_of_today (const struct done *self,
                  GDateTime         *now)
{
  return self->midnight_us == get_midnight_us (now);
}

void
done_take (struct done *self,
           GVariant    *entry)
{
  take (self, entry);
}

char *
done_words_title (const struct done *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *since = NULL;

  if (self->since_us == 0)
    return g_strdup (_("Done for You Today"));
  since = startup_words_when (self->since_us, now);
  /* Translators: %s is a time of today */
  return g_strdup_printf (_("Done for You since %s"), since);
}

/* What measured starts of an application took with help and without, and how often it was helped today. */
struct gain
{
  const char *application;
  gint64 helped_us, unhelped_us, saved_us; /* saved: of all of them together */
};

/* The one that saved most, and in ret_saved_us what all of them did. FALSE: nothing is known of any. */
static gboolean
find_gain (const struct done *self,
           GVariant          *prefetch,
           struct gain       *ret_best,
           gint64            *ret_saved_us)
{
  gint64 saved_us = 0;
  gboolean found = FALSE;

  for (gsize i = 0; prefetch && i < g_variant_n_children (prefetch); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (prefetch, i);
      BrioStartupWorth worth = brio_startup_worth_read (entry);
      gpointer key = NULL, times = NULL;
      gint64 gain_us;

      if (!g_hash_table_lookup_extended (self->by_name, variant_text (entry, "application"), &key, &times) || worth.unhelped_us <= worth.helped_us)
        continue;
      gain_us = (worth.unhelped_us - worth.helped_us) * GPOINTER_TO_UINT (times);
      saved_us += gain_us;
      if (!found || gain_us > ret_best->saved_us)
        *ret_best = (struct gain) { key, worth.helped_us, worth.unhelped_us, gain_us };
      found = TRUE;
    }
  *ret_saved_us = saved_us;
  return found;
}

/* NULL: none was. */
static char *
format_helped (const struct done *self,
               GVariant          *prefetch)
{
  g_autofree char *starts = NULL, *helped = NULL, *unhelped = NULL, *saved = NULL, *one = NULL, *all = NULL;
  struct gain best;
  gint64 saved_us;

  if (self->starts == 0)
    return NULL;
  starts = g_strdup_printf (ngettext ("%u start was helped.", "%u starts were helped.", self->starts), self->starts);
  if (!find_gain (self, prefetch, &best, &saved_us))
    /* Translators: %s is a sentence, as "3 starts were helped." */
    return g_strdup_printf (_("%s How long they would have taken without help is not known yet: now and then one is left without, to compare."), starts);
  helped = words_duration (best.helped_us);
  unhelped = words_duration (best.unhelped_us);
  saved = words_duration (saved_us);
  /* Translators: an application, and two durations that were measured: "Firefox takes 4.1 s instead of 20 s without help." */
  one = g_strdup_printf (_("%s takes %s instead of %s without help."), app_info_get_name (best.application), helped, unhelped);
  /* Translators: %s is a duration, an estimate */
  all = g_strdup_printf (_("Together they saved about %s."), saved);
  /* Translators: three sentences: how many starts were helped, what the best of it was, what they saved together */
  return g_strdup_printf (_("%s %s %s"), starts, one, all);
}

/* Two sentences, of which each may be NULL. */
static char *
join (const char *first,
      const char *second)
{
  if (first && second)
    /* Translators: two sentences, one after the other */
    return g_strdup_printf (_("%s %s"), first, second);
  return g_strdup (first ? first : second);
}

char *
done_words_starts (const struct done *self,
                   GVariant          *prefetch)
{
  guint n = g_hash_table_size (self->made_room);
  g_autofree char *helped = format_helped (self, prefetch);
  g_autofree char *room = n == 0 ? NULL : g_strdup_printf (ngettext ("Other programs made room for %u start.", "Other programs made room for %u starts.", n), n);

  if (!helped && !room)
    return g_strdup (_("No application’s start was helped yet. What one reads is remembered, and read ahead when it starts again."));
  return join (helped, room);
}

/* How many settings are Brio's, and the drives that have any. */
static guint
count_settings (GListModel *devices,
                char      **ret_drives)
{
  g_autoptr (GString) drives = g_string_new (NULL);
  guint all = 0;

  for (guint i = 0; i < g_list_model_get_n_items (devices); i++)
    {
      g_autoptr (BrioDevice) device = g_list_model_get_item (devices, i);
      GListModel *tunables = brio_device_get_tunables (device);
      guint n = 0;

      for (guint k = 0; k < g_list_model_get_n_items (tunables); k++)
        {
          g_autoptr (BrioTunable) tunable = g_list_model_get_item (tunables, k);

          n += g_str_equal (brio_tunable_get_owner (tunable), "brio");
        }
      if (n > 0)
        g_string_append_printf (drives, "%s%s", drives->len ? ", " : "", brio_device_get_name (device));
      all += n;
    }
  *ret_drives = g_strdup (drives->str);
  return all;
}

/* What is held, by which application, and why. */
static char *
format_hold (const struct brio_hold *hold)
{
  const char *application = *hold->application ? app_info_get_name (hold->application) : _("An application");
  g_autofree char *asked = NULL;

  if (g_str_equal (hold->mode, "pause"))
    /* Translators: %s is an application */
    asked = g_strdup_printf (_("%s has asked Brio to pause: every setting stays as it is."), application);
  else if (g_str_equal (hold->mode, "throughput"))
    /* Translators: %s is an application */
    asked = g_strdup_printf (_("%s has asked for throughput: nothing that costs some is done."), application);
  else
    /* Translators: %s is an application */
    asked = g_strdup_printf (_("%s has asked for the normal behaviour."), application);
  /* Translators: a sentence, and why an application asks for that, in its own words: "Firefox has asked for … Its reason: “A build needs the drive”." */
  return *hold->reason ? g_strdup_printf (_("%s Its reason: “%s”."), asked, hold->reason) : g_steal_pointer (&asked);
}

char *
done_words_active (const struct done      *self,
                   GListModel             *devices,
                   const char             *mode,
                   const struct brio_hold *hold)
{
  guint settings, stepped = g_hash_table_size (self->stepped);
  g_autofree char *drives = NULL, *changed = NULL, *back = NULL, *held = NULL, *active = NULL;

  if (g_str_equal (mode, "off"))
    return g_strdup (_("Brio is switched off: it watches, and changes nothing."));
  if (g_str_equal (mode, "advise"))
    return g_strdup (_("Brio only advises, and changes nothing."));
  held = hold ? format_hold (hold) : NULL;
  if (hold && g_str_equal (hold->mode, "pause"))
    return g_steal_pointer (&held);
  settings = count_settings (devices, &drives);
  if (settings > 0)
    /* Translators: how many settings, and the drives that have them: "2 settings of sda, sdb are changed." */
    changed = g_strdup_printf (ngettext ("%u setting of %s is changed.", "%u settings of %s are changed.", settings), settings, drives);
  if (stepped > 0)
    back = g_strdup_printf (ngettext ("%u program lets others go first.", "%u programs let others go first.", stepped), stepped);
  active = changed || back ? join (changed, back) : g_strdup (_("Nothing is changed: no drive needs it."));
  return join (held, active);
}

char *
done_words_back (const struct done *self)
{
  g_autofree char *settings = g_strdup_printf (ngettext ("%u setting", "%u settings", self->settings), self->settings);
  g_autofree char *priorities = g_strdup_printf (ngettext ("the priority of %u program", "the priorities of %u programs", self->priorities), self->priorities);

  if (self->settings > 0 && self->priorities > 0)
    /* Translators: "12 settings", "the priorities of 3 programs" */
    return g_strdup_printf (_("%s and %s are as they were before."), settings, priorities);
  if (self->settings > 0 || self->priorities > 0)
    /* Translators: %s is "12 settings", or "the priorities of 3 programs" */
    return g_strdup_printf (_("Put back as before: %s."), self->settings > 0 ? settings : priorities);
  return g_strdup (_("Nothing yet. What Brio changes it puts back when it is needed no more."));
}

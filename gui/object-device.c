/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-device.h"

#include <math.h>
#include <string.h>

#include "object-tunable.h"
#include "statement-words.h"
#include "variant.h"

/* A record may be from the past (the daemon fills a gap) but not from the future, by more than the clocks of two CPUs
 * may disagree. */
#define SAMPLE_AGE_MAX_US (60 * 60 * (gint64) G_USEC_PER_SEC)
#define SAMPLE_FUTURE_MAX_US G_USEC_PER_SEC

/* Over how long "right now" is: long enough for a number that can be read, short enough to be now. */
#define RECENT_US (2 * G_USEC_PER_SEC)
/* Records within RECENT_US at the fastest rate. */
#define RECENT_MAX 20

enum
{
  PROP_0,
  PROP_NAME,
  PROP_MODEL,
  PROP_CLASS,
  PROP_SCHEDULER,
  PROP_AWAITED_SCHEDULER,
  PROP_WORKLOAD,
  PROP_STATE,
  PROP_REASON,
  PROP_LAWS,
  PROP_FORMULA,
  PROP_FINDING,
  PROP_WAITING,
  N_STRINGS,
  PROP_TUNABLES = N_STRINGS,
  N_PROPS
};

/* Requests and the time that they took together, of one record. */
struct recent
{
  gint64  t_us;
  guint64 reads, read_us;
  guint64 writes, write_us;
  guint32 read_p99_us, foremost_p99_us, write_p99_us;
};

struct _BrioDevice
{
  GObject parent_instance;

  char *object_path;
  char *strings[N_STRINGS]; /* by property id */
  GListStore *tunables;
  struct history *history;
  struct recent recent[RECENT_MAX];
  guint n_recent; /* ever; modulo RECENT_MAX the next slot */
  GVariant *reason;         /* its statements; NULL: none were told */
  GVariant *found;          /* the same of the finding */
};

G_DEFINE_FINAL_TYPE (BrioDevice, brio_device, G_TYPE_OBJECT)

static GParamSpec *props[N_PROPS];

static const struct
{
  const char *bus;
  const char *name;
} strings[N_STRINGS] = {
  [PROP_NAME] = { "Name", "name" },
  [PROP_MODEL] = { "Model", "model" },
  [PROP_CLASS] = { "Class", "class" },
  [PROP_SCHEDULER] = { "Scheduler", "scheduler" },
  [PROP_AWAITED_SCHEDULER] = { "AwaitedScheduler", "awaited-scheduler" },
  [PROP_WORKLOAD] = { "Workload", "workload" },
  [PROP_STATE] = { "State", "state" },
  [PROP_REASON] = { "Reason", "reason" },
  [PROP_LAWS] = { NULL, "laws" }, /* as the next */
  [PROP_FORMULA] = { NULL, "formula" }, /* out of ReasonData */
  [PROP_FINDING] = { NULL, "finding" }, /* out of Verdicts, as the next */
  [PROP_WAITING] = { NULL, "waiting" },
};

static void
brio_device_get_property (GObject    *object,
                          guint       prop_id,
                          GValue     *value,
                          GParamSpec *pspec)
{
  BrioDevice *self = BRIO_DEVICE (object);

  if (prop_id == PROP_TUNABLES)
    g_value_set_object (value, self->tunables);
  else if (prop_id > PROP_0 && prop_id < N_STRINGS)
    g_value_set_string (value, self->strings[prop_id]);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
}

static void
brio_device_finalize (GObject *object)
{
  BrioDevice *self = BRIO_DEVICE (object);

  g_free (self->object_path);
  for (guint i = PROP_NAME; i < N_STRINGS; i++)
    g_free (self->strings[i]);
  g_clear_object (&self->tunables);
  g_clear_pointer (&self->reason, g_variant_unref);
  g_clear_pointer (&self->found, g_variant_unref);
  self->history = history_free (self->history);

  G_OBJECT_CLASS (brio_device_parent_class)->finalize (object);
}

static void
brio_device_class_init (BrioDeviceClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->get_property = brio_device_get_property;
  object_class->finalize = brio_device_finalize;

  for (guint i = PROP_NAME; i < N_STRINGS; i++)
    props[i] = g_param_spec_string (strings[i].name, NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  props[PROP_TUNABLES] =
    g_param_spec_object ("tunables", NULL, NULL, G_TYPE_LIST_MODEL, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
brio_device_init (BrioDevice *self)
{
  for (guint i = PROP_NAME; i < N_STRINGS; i++)
    self->strings[i] = g_strdup ("");
  self->tunables = g_list_store_new (BRIO_TYPE_TUNABLE);
  self->history = history_new (_BRIO_CHANNEL_MAX, BRIO_DEVICE_SAMPLES_MAX, BRIO_DEVICE_BUCKETS_MAX, BRIO_DEVICE_BUCKET_US);
  if (!self->history)
    g_error ("out of memory");
}

BrioDevice *
brio_device_new (const char *object_path)
{
  BrioDevice *self = g_object_new (BRIO_TYPE_DEVICE, NULL);

  self->object_path = g_strdup (object_path);
  return self;
}

static BrioTunable *
find_tunable (BrioDevice *self,
              const char *name)
{
  guint n = g_list_model_get_n_items (G_LIST_MODEL (self->tunables));

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (BrioTunable) tunable = g_list_model_get_item (G_LIST_MODEL (self->tunables), i);

      if (g_str_equal (brio_tunable_get_name (tunable), name))
        return tunable; /* the list keeps it */
    }
  return NULL;
}

static void
remove_missing_tunables (BrioDevice *self,
                         GVariant   *tunables)
{
  for (guint i = g_list_model_get_n_items (G_LIST_MODEL (self->tunables)); i > 0; i--)
    {
      g_autoptr (BrioTunable) tunable = g_list_model_get_item (G_LIST_MODEL (self->tunables), i - 1);
      g_autoptr (GVariant) entry = g_variant_lookup_value (tunables, brio_tunable_get_name (tunable), NULL);

      if (!entry)
        g_list_store_remove (self->tunables, i - 1);
    }
}

static int
compare_tunables (gconstpointer a,
                  gconstpointer b,
                  gpointer      unused)
{
  (void) unused;
  return strcmp (brio_tunable_get_name ((BrioTunable *) a), brio_tunable_get_name ((BrioTunable *) b));
}

static void
update_tunables (BrioDevice *self,
                 GVariant   *tunables)
{
  const char *name, *initial, *wanted, *current, *owner;
  GVariantIter iter;

  remove_missing_tunables (self, tunables);
  g_variant_iter_init (&iter, tunables);
  while (g_variant_iter_next (&iter, "{&s(&s&s&s&s)}", &name, &initial, &wanted, &current, &owner))
    {
      BrioTunable *tunable = find_tunable (self, name);
      g_autoptr (BrioTunable) fresh = NULL;

      if (!tunable)
        tunable = fresh = brio_tunable_new (name);
      brio_tunable_update (tunable, initial, wanted, current, owner);
      if (fresh)
        g_list_store_insert_sorted (self->tunables, fresh, compare_tunables, NULL);
    }
}

static void
take_string (BrioDevice *self,
             guint       prop,
             const char *value)
{
  if (g_str_equal (self->strings[prop], value))
    return;
  g_free (self->strings[prop]);
  self->strings[prop] = g_strdup (value);
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

static void
take_statements (GVariant  **statements,
                 GVariant   *dictionary,
                 const char *key)
{
  g_clear_pointer (statements, g_variant_unref);
  *statements = dictionary ? g_variant_lookup_value (dictionary, key, G_VARIANT_TYPE ("aa{sv}")) : NULL;
}

/* The first is the strongest. */
static void
take_verdicts (BrioDevice *self,
               GVariant   *verdicts)
{
  g_autoptr (GVariant) first = g_variant_n_children (verdicts) > 0 ? g_variant_get_child_value (verdicts, 0) : NULL;
  g_autofree char *finding = first ? statement_words (first, "sentence") : g_strdup (""), *waiting = NULL;

  for (gsize i = 0; i < g_variant_n_children (verdicts) && !waiting; i++)
    {
      g_autoptr (GVariant) verdict = g_variant_get_child_value (verdicts, i);

      if (g_str_equal (variant_text (verdict, "kind"), "victim"))
        waiting = statement_words_waiting (verdict);
    }
  take_statements (&self->found, first, "sentence_data");
  take_string (self, PROP_FINDING, finding);
  take_string (self, PROP_WAITING, waiting ? waiting : "");
}

static void
take_reason (BrioDevice *self,
             GVariant   *properties,
             const char *sentence)
{
  g_autofree char *words = NULL, *laws = NULL, *formula = NULL;

  take_statements (&self->reason, properties, "ReasonData");
  words = statement_words_of (self->reason, sentence);
  laws = statement_words_laws_of (self->reason);
  formula = statement_words_formula_of (self->reason);
  take_string (self, PROP_REASON, words);
  take_string (self, PROP_LAWS, laws);
  take_string (self, PROP_FORMULA, formula);
}

void
brio_device_update (BrioDevice *self,
                    GVariant   *properties)
{
  g_autoptr (GVariant) tunables = NULL;
  g_autoptr (GVariant) verdicts = NULL;

  g_return_if_fail (BRIO_IS_DEVICE (self));
  g_return_if_fail (g_variant_is_of_type (properties, G_VARIANT_TYPE_VARDICT));

  g_object_freeze_notify (G_OBJECT (self));
  for (guint i = PROP_NAME; i < N_STRINGS; i++)
    {
      const char *value;

      if (!strings[i].bus || !g_variant_lookup (properties, strings[i].bus, "&s", &value))
        continue;
      if (i == PROP_REASON)
        take_reason (self, properties, value);
      else
        take_string (self, i, value);
    }
  verdicts = g_variant_lookup_value (properties, "Verdicts", G_VARIANT_TYPE ("aa{sv}"));
  if (verdicts)
    take_verdicts (self, verdicts);
  tunables = g_variant_lookup_value (properties, "Tunables", G_VARIANT_TYPE ("a{s(ssss)}"));
  if (tunables)
    update_tunables (self, tunables);
  g_object_thaw_notify (G_OBJECT (self));
}

static float
nan_for_none (guint32 us)
{
  return us > 0 ? (float) us : NAN;
}

gboolean
brio_device_add_sample (BrioDevice               *self,
                        const struct brio_sample *sample,
                        gint64                    now_us)
{
  gint64 t_us = (gint64) (sample->t_ns / 1000);
  float values[_BRIO_CHANNEL_MAX] = {
    [BRIO_CHANNEL_READ_MEDIAN_US] = nan_for_none (sample->read_median_us),
    [BRIO_CHANNEL_READ_P99_US] = nan_for_none (sample->read_p99_us),
    [BRIO_CHANNEL_READ_MEAN_US] = sample->read_median_us > 0 ? NAN : nan_for_none (sample->read_latency_us),
    [BRIO_CHANNEL_WRITE_MEDIAN_US] = nan_for_none (sample->write_median_us),
    [BRIO_CHANNEL_WRITE_P99_US] = nan_for_none (sample->write_p99_us),
    [BRIO_CHANNEL_WRITE_MEAN_US] = sample->write_median_us > 0 ? NAN : nan_for_none (sample->write_latency_us),
    [BRIO_CHANNEL_READ_BYTES_PER_S] = (float) sample->read_bytes_per_s,
    [BRIO_CHANNEL_WRITE_BYTES_PER_S] = (float) sample->write_bytes_per_s,
    [BRIO_CHANNEL_DEPTH] = (float) sample->depth_milli / 1000,
  };

  g_return_val_if_fail (BRIO_IS_DEVICE (self), FALSE);

  if (t_us < now_us - SAMPLE_AGE_MAX_US || t_us > now_us + SAMPLE_FUTURE_MAX_US)
    return FALSE;
  if (!history_append (self->history, t_us, values))
    return FALSE;
  /* A rate below one a second still was a request, else there would be no latency. */
  self->recent[self->n_recent++ % RECENT_MAX] = (struct recent) {
    .t_us = t_us,
    .reads = sample->read_latency_us > 0 ? MAX (sample->read_iops, 1) : 0,
    .read_us = (guint64) MAX (sample->read_iops, 1) * sample->read_latency_us,
    .writes = sample->write_latency_us > 0 ? MAX (sample->write_iops, 1) : 0,
    .write_us = (guint64) MAX (sample->write_iops, 1) * sample->write_latency_us,
    .read_p99_us = sample->read_p99_us,
    .foremost_p99_us = sample->foremost_p99_us,
    .write_p99_us = sample->write_p99_us,
  };
  return TRUE;
}

void
brio_device_end_samples (BrioDevice *self)
{
  g_return_if_fail (BRIO_IS_DEVICE (self));

  self->n_recent = 0;
}

void
brio_device_get_recent (BrioDevice            *self,
                        struct response_facts *ret)
{
  const struct recent *newest;
  struct recent sum = { 0 };

  g_return_if_fail (BRIO_IS_DEVICE (self));

  *ret = (struct response_facts) { .unknown = self->n_recent == 0, .waits = *self->strings[PROP_WAITING] != '\0' };
  if (self->n_recent == 0)
    return;
  newest = &self->recent[(self->n_recent - 1) % RECENT_MAX];
  for (guint i = 0; i < MIN (self->n_recent, RECENT_MAX); i++)
    {
      const struct recent *r = &self->recent[i];

      if (r->t_us <= newest->t_us - RECENT_US)
        continue;
      sum.reads += r->reads;
      sum.read_us += r->read_us;
      sum.writes += r->writes;
      sum.write_us += r->write_us;
    }
  ret->read_mean_us = sum.reads > 0 ? (guint32) (sum.read_us / sum.reads) : 0;
  ret->write_mean_us = sum.writes > 0 ? (guint32) (sum.write_us / sum.writes) : 0;
  ret->read_p99_us = newest->foremost_p99_us > 0 ? newest->foremost_p99_us : newest->read_p99_us;
  ret->others_yield = ret->read_p99_us < newest->read_p99_us;
  ret->write_p99_us = newest->write_p99_us;
}

const char *
brio_device_get_object_path (BrioDevice *self)
{
  g_return_val_if_fail (BRIO_IS_DEVICE (self), NULL);

  return self->object_path;
}

#define DEFINE_STRING_GETTER(name, prop)        \
  const char *                                  \
  brio_device_get_##name (BrioDevice *self)     \
  {                                             \
    g_return_val_if_fail (BRIO_IS_DEVICE (self), NULL); \
                                                \
    return self->strings[prop];                 \
  }

DEFINE_STRING_GETTER (name, PROP_NAME)
DEFINE_STRING_GETTER (class, PROP_CLASS)
DEFINE_STRING_GETTER (scheduler, PROP_SCHEDULER)
DEFINE_STRING_GETTER (awaited_scheduler, PROP_AWAITED_SCHEDULER)
DEFINE_STRING_GETTER (workload, PROP_WORKLOAD)
DEFINE_STRING_GETTER (state, PROP_STATE)
DEFINE_STRING_GETTER (reason, PROP_REASON)
DEFINE_STRING_GETTER (laws, PROP_LAWS)
DEFINE_STRING_GETTER (formula, PROP_FORMULA)
DEFINE_STRING_GETTER (finding, PROP_FINDING)
DEFINE_STRING_GETTER (waiting, PROP_WAITING)

gboolean
brio_device_is_finding_in_reason (BrioDevice *self)
{
  g_return_val_if_fail (BRIO_IS_DEVICE (self), FALSE);

  return statement_words_has_first_of (self->reason, self->found);
}

const char *
brio_device_get_title (BrioDevice *self)
{
  g_return_val_if_fail (BRIO_IS_DEVICE (self), NULL);

  return self->strings[*self->strings[PROP_MODEL] ? PROP_MODEL : PROP_NAME];
}

GListModel *
brio_device_get_tunables (BrioDevice *self)
{
  g_return_val_if_fail (BRIO_IS_DEVICE (self), NULL);

  return G_LIST_MODEL (self->tunables);
}

void
brio_device_mark (BrioDevice *self,
                  gint64      t_us)
{
  g_return_if_fail (BRIO_IS_DEVICE (self));

  history_mark (self->history, t_us);
}

const struct history *
brio_device_get_history (BrioDevice *self)
{
  g_return_val_if_fail (BRIO_IS_DEVICE (self), NULL);

  return self->history;
}

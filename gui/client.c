/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client-private.h"

enum
{
  PROP_0,
  PROP_STATE,
  PROP_MODE,
  PROP_MODE_ORIGIN,
  PROP_VERSION,
  PROP_DETAIL,
  N_PROPS
};

enum
{
  SAMPLED,
  TOLD,
  HOLDS_CHANGED,
  PROGRAM_RULES_CHANGED,
  PREFETCH_CHANGED,
  N_SIGNALS
};

G_DEFINE_FINAL_TYPE (BrioClient, brio_client, G_TYPE_OBJECT)

static GParamSpec *props[N_PROPS];
static guint signals[N_SIGNALS];

GType
brio_client_state_get_type (void)
{
  static gsize type = 0;

  if (g_once_init_enter (&type))
    {
      static const GEnumValue values[] = {
        { BRIO_CLIENT_CONNECTING, "BRIO_CLIENT_CONNECTING", "connecting" },
        { BRIO_CLIENT_CONNECTED, "BRIO_CLIENT_CONNECTED", "connected" },
        { BRIO_CLIENT_ABSENT, "BRIO_CLIENT_ABSENT", "absent" },
        { BRIO_CLIENT_MISMATCH, "BRIO_CLIENT_MISMATCH", "mismatch" },
        { 0, NULL, NULL },
      };

      g_once_init_leave (&type, g_enum_register_static ("BrioClientState", values));
    }
  return type;
}

static void
set_string (BrioClient *self,
            char      **field,
            const char *value,
            guint       prop)
{
  if (g_str_equal (*field, value))
    return;
  g_free (*field);
  *field = g_strdup (value);
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

/* NULL: not known. */
static void
set_list (BrioClient *self,
          GVariant  **field,
          GVariant   *list,
          guint       changed)
{
  g_clear_pointer (field, g_variant_unref);
  *field = list ? g_variant_ref (list) : NULL;
  g_signal_emit (self, signals[changed], 0);
}

void
brio_client_set_state (BrioClient     *self,
                       BrioClientState state,
                       const char     *detail)
{
  g_object_freeze_notify (G_OBJECT (self));
  set_string (self, &self->detail, detail ? detail : "", PROP_DETAIL);
  if (state != BRIO_CLIENT_CONNECTED)
    {
      set_string (self, &self->mode, "", PROP_MODE);
      set_string (self, &self->mode_origin, "", PROP_MODE_ORIGIN);
      set_string (self, &self->version, "", PROP_VERSION);
      g_free (self->requests_missing);
      self->requests_missing = g_strdup ("");
      self->memory_untold = FALSE;
      self->daemon_start_us = 0;
      g_clear_pointer (&self->policies, g_variant_unref);
      set_list (self, &self->holds, NULL, HOLDS_CHANGED);
      set_list (self, &self->program_rules, NULL, PROGRAM_RULES_CHANGED);
      set_list (self, &self->prefetch, NULL, PREFETCH_CHANGED);
    }
  if (self->state != state)
    {
      self->state = state;
      g_object_notify_by_pspec (G_OBJECT (self), props[PROP_STATE]);
    }
  g_object_thaw_notify (G_OBJECT (self));
}

void
brio_client_set_prefetch (BrioClient *self,
                          GVariant   *prefetch)
{
  set_list (self, &self->prefetch, prefetch, PREFETCH_CHANGED);
}

/* What is missing where no source of single requests does its work; and whether delays are accounted. */
static void
take_sources (BrioClient *self,
              GVariant   *sources)
{
  static const char *const of_requests[] = { "bpf", "tracefs", "blktrace", NULL };
  const char *name, *state, *detail, *missing = "";
  gboolean told = FALSE;
  GVariantIter iter;

  self->memory_untold = FALSE;
  g_variant_iter_init (&iter, sources);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &name, &state, &detail))
    {
      if (g_str_equal (name, "taskstats"))
        self->memory_untold = !g_str_equal (state, "works");
      if (!g_strv_contains (of_requests, name))
        continue;
      told |= !g_str_equal (state, "unavailable");
      missing = detail;
    }
  g_free (self->requests_missing);
  self->requests_missing = g_strdup (told ? "" : missing);
}

void
brio_client_update_manager (BrioClient *self,
                            GVariant   *properties)
{
  g_autoptr (GVariant) sources = NULL;
  g_autoptr (GVariant) holds = NULL;
  g_autoptr (GVariant) policies = NULL;
  g_autoptr (GVariant) rules = NULL;
  g_autoptr (GVariant) counters = NULL;
  const char *value;
  guint64 uptime_us;

  if (g_variant_lookup (properties, "Mode", "&s", &value))
    set_string (self, &self->mode, value, PROP_MODE);
  if (g_variant_lookup (properties, "ModeOrigin", "&s", &value))
    set_string (self, &self->mode_origin, value, PROP_MODE_ORIGIN);
  if (g_variant_lookup (properties, "Version", "&s", &value))
    set_string (self, &self->version, value, PROP_VERSION);
  if (g_variant_lookup (properties, "Sources", "@a(sss)", &sources))
    take_sources (self, sources);
  if (g_variant_lookup (properties, "Policies", "@a(sss)", &policies))
    {
      g_clear_pointer (&self->policies, g_variant_unref);
      self->policies = g_steal_pointer (&policies);
    }
  if (g_variant_lookup (properties, "Counters", "@a{st}", &counters) && g_variant_lookup (counters, "uptime_usec", "t", &uptime_us))
    self->daemon_start_us = g_get_real_time () - (gint64) MIN (uptime_us, (guint64) g_get_real_time ());
  if (g_variant_lookup (properties, "ActiveHolds", "@a(usss)", &holds))
    set_list (self, &self->holds, holds, HOLDS_CHANGED);
  if (g_variant_lookup (properties, "ProgramRules", "@a(sss)", &rules))
    set_list (self, &self->program_rules, rules, PROGRAM_RULES_CHANGED);
}

static void
brio_client_get_property (GObject    *object,
                          guint       prop_id,
                          GValue     *value,
                          GParamSpec *pspec)
{
  BrioClient *self = BRIO_CLIENT (object);

  switch (prop_id)
    {
    case PROP_STATE:
      g_value_set_enum (value, self->state);
      break;
    case PROP_MODE:
      g_value_set_string (value, self->mode);
      break;
    case PROP_MODE_ORIGIN:
      g_value_set_string (value, self->mode_origin);
      break;
    case PROP_VERSION:
      g_value_set_string (value, self->version);
      break;
    case PROP_DETAIL:
      g_value_set_string (value, self->detail);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
    }
}

static void
brio_client_dispose (GObject *object)
{
  BrioClient *self = BRIO_CLIENT (object);

  g_cancellable_cancel (self->connecting);
  g_clear_handle_id (&self->retry_source, g_source_remove);
  brio_client_bus_stop (self);

  G_OBJECT_CLASS (brio_client_parent_class)->dispose (object);
}

static void
brio_client_finalize (GObject *object)
{
  BrioClient *self = BRIO_CLIENT (object);

  g_clear_object (&self->connecting);
  g_clear_object (&self->devices);
  g_free (self->address);
  g_free (self->mode);
  g_free (self->mode_origin);
  g_free (self->version);
  g_free (self->detail);
  g_free (self->requests_missing);
  g_clear_pointer (&self->holds, g_variant_unref);
  g_clear_pointer (&self->policies, g_variant_unref);
  g_clear_pointer (&self->program_rules, g_variant_unref);
  g_clear_pointer (&self->prefetch, g_variant_unref);

  G_OBJECT_CLASS (brio_client_parent_class)->finalize (object);
}

static void
brio_client_class_init (BrioClientClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->get_property = brio_client_get_property;
  object_class->dispose = brio_client_dispose;
  object_class->finalize = brio_client_finalize;

  props[PROP_STATE] = g_param_spec_enum ("state", NULL, NULL, BRIO_TYPE_CLIENT_STATE, BRIO_CLIENT_CONNECTING, flags);
  props[PROP_MODE] = g_param_spec_string ("mode", NULL, NULL, "", flags);
  props[PROP_MODE_ORIGIN] = g_param_spec_string ("mode-origin", NULL, NULL, "", flags);
  props[PROP_VERSION] = g_param_spec_string ("version", NULL, NULL, "", flags);
  props[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, "", flags);
  g_object_class_install_properties (object_class, N_PROPS, props);

  signals[SAMPLED] = g_signal_new ("sampled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[HOLDS_CHANGED] =
    g_signal_new ("holds-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PROGRAM_RULES_CHANGED] =
    g_signal_new ("program-rules-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[PREFETCH_CHANGED] =
    g_signal_new ("prefetch-changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[TOLD] = g_signal_new ("told", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                                G_TYPE_NONE, 1, G_TYPE_VARIANT);
}

static void
brio_client_init (BrioClient *self)
{
  self->connecting = g_cancellable_new ();
  self->sampling = TRUE;
  self->devices = g_list_store_new (BRIO_TYPE_DEVICE);
  self->mode = g_strdup ("");
  self->mode_origin = g_strdup ("");
  self->version = g_strdup ("");
  self->detail = g_strdup ("");
  self->requests_missing = g_strdup ("");
}

BrioClient *
brio_client_new (const char *bus)
{
  BrioClient *self = g_object_new (BRIO_TYPE_CLIENT, NULL);

  if (!bus || *bus == '\0' || g_str_equal (bus, "system"))
    self->bus_type = G_BUS_TYPE_SYSTEM;
  else if (g_str_equal (bus, "session"))
    self->bus_type = G_BUS_TYPE_SESSION;
  else
    self->address = g_strdup (bus);
  return self;
}

void
brio_client_emit_sampled (BrioClient *self)
{
  g_signal_emit (self, signals[SAMPLED], 0);
}

void
brio_client_emit_told (BrioClient *self,
                       const char *signal_name,
                       GVariant   *entry)
{
  g_signal_emit (self, signals[TOLD], g_quark_from_string (signal_name), entry);
}

BrioClientState
brio_client_get_state (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), BRIO_CLIENT_ABSENT);

  return self->state;
}

const char *
brio_client_get_mode (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->mode;
}

const char *
brio_client_get_mode_origin (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->mode_origin;
}

GVariant *
brio_client_get_holds (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->holds;
}

gboolean
brio_client_find_hold (BrioClient       *self,
                       struct brio_hold *ret)
{
  static const char *const strongest[] = { "pause", "throughput", "interactive" };
  guint place = G_N_ELEMENTS (strongest);
  struct brio_hold hold;
  GVariantIter iter;

  g_return_val_if_fail (BRIO_IS_CLIENT (self), FALSE);

  if (!self->holds)
    return FALSE;
  g_variant_iter_init (&iter, self->holds);
  while (g_variant_iter_next (&iter, "(u&s&s&s)", &hold.cookie, &hold.mode, &hold.reason, &hold.application))
    for (guint i = 0; i < place; i++)
      if (g_str_equal (hold.mode, strongest[i]))
        {
          place = i;
          *ret = hold;
        }
  return place < G_N_ELEMENTS (strongest);
}

const char *
brio_client_get_hold (BrioClient *self)
{
  struct brio_hold hold;

  return brio_client_find_hold (self, &hold) ? hold.mode : "";
}

gint64
brio_client_get_daemon_start_us (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), 0);

  return self->daemon_start_us;
}

GVariant *
brio_client_get_program_rules (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->program_rules;
}

GVariant *
brio_client_get_prefetch (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->prefetch;
}

GVariant *
brio_client_get_policies (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->policies;
}

const char *
brio_client_get_version (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->version;
}

const char *
brio_client_get_detail (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->detail;
}

const char *
brio_client_get_requests_missing (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return self->requests_missing;
}

gboolean
brio_client_is_memory_untold (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), FALSE);

  return self->memory_untold;
}

GListModel *
brio_client_get_devices (BrioClient *self)
{
  g_return_val_if_fail (BRIO_IS_CLIENT (self), NULL);

  return G_LIST_MODEL (self->devices);
}

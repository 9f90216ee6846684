/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "object-tunable.h"

enum
{
  PROP_0,
  PROP_NAME,
  PROP_INITIAL,
  PROP_WANTED,
  PROP_CURRENT,
  PROP_OWNER,
  N_PROPS
};

struct _BrioTunable
{
  GObject parent_instance;

  char *values[N_PROPS]; /* by property id */
};

G_DEFINE_FINAL_TYPE (BrioTunable, brio_tunable, G_TYPE_OBJECT)

static GParamSpec *props[N_PROPS];

static void
brio_tunable_get_property (GObject    *object,
                           guint       prop_id,
                           GValue     *value,
                           GParamSpec *pspec)
{
  if (prop_id == PROP_0 || prop_id >= N_PROPS)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, prop_id, pspec);
  else
    g_value_set_string (value, BRIO_TUNABLE (object)->values[prop_id]);
}

static void
brio_tunable_finalize (GObject *object)
{
  for (guint i = 0; i < N_PROPS; i++)
    g_free (BRIO_TUNABLE (object)->values[i]);

  G_OBJECT_CLASS (brio_tunable_parent_class)->finalize (object);
}

static void
brio_tunable_class_init (BrioTunableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const char *const names[N_PROPS] = {
    [PROP_NAME] = "name", [PROP_INITIAL] = "initial", [PROP_WANTED] = "wanted", [PROP_CURRENT] = "current", [PROP_OWNER] = "owner",
  };

  object_class->get_property = brio_tunable_get_property;
  object_class->finalize = brio_tunable_finalize;

  for (guint i = PROP_NAME; i < N_PROPS; i++)
    props[i] = g_param_spec_string (names[i], NULL, NULL, "", G_PARAM_READABLE | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, props);
}

static void
brio_tunable_init (BrioTunable *self)
{
  for (guint i = PROP_NAME; i < N_PROPS; i++)
    self->values[i] = g_strdup ("");
}

BrioTunable *
brio_tunable_new (const char *name)
{
  BrioTunable *self = g_object_new (BRIO_TYPE_TUNABLE, NULL);

  g_free (self->values[PROP_NAME]);
  self->values[PROP_NAME] = g_strdup (name);
  return self;
}

static void
set_value (BrioTunable *self,
           guint        prop,
           const char  *value)
{
  if (g_str_equal (self->values[prop], value))
    return;
  g_free (self->values[prop]);
  self->values[prop] = g_strdup (value);
  g_object_notify_by_pspec (G_OBJECT (self), props[prop]);
}

void
brio_tunable_update (BrioTunable *self,
                     const char  *initial,
                     const char  *wanted,
                     const char  *current,
                     const char  *owner)
{
  g_return_if_fail (BRIO_IS_TUNABLE (self));

  g_object_freeze_notify (G_OBJECT (self));
  set_value (self, PROP_INITIAL, initial);
  set_value (self, PROP_WANTED, wanted);
  set_value (self, PROP_CURRENT, current);
  set_value (self, PROP_OWNER, owner);
  g_object_thaw_notify (G_OBJECT (self));
}

const char *
brio_tunable_get_name (BrioTunable *self)
{
  g_return_val_if_fail (BRIO_IS_TUNABLE (self), NULL);

  return self->values[PROP_NAME];
}

const char *
brio_tunable_get_initial (BrioTunable *self)
{
  g_return_val_if_fail (BRIO_IS_TUNABLE (self), NULL);

  return self->values[PROP_INITIAL];
}

const char *
brio_tunable_get_current (BrioTunable *self)
{
  g_return_val_if_fail (BRIO_IS_TUNABLE (self), NULL);

  return self->values[PROP_CURRENT];
}

const char *
brio_tunable_get_owner (BrioTunable *self)
{
  g_return_val_if_fail (BRIO_IS_TUNABLE (self), NULL);

  return self->values[PROP_OWNER];
}

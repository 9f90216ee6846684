/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "variant.h"

const char *
variant_text (GVariant   *entry,
              const char *key)
{
  const char *value;

  return g_variant_lookup (entry, key, "&s", &value) ? value : "";
}

gboolean
variant_flag (GVariant   *entry,
              const char *key)
{
  gboolean value;

  return g_variant_lookup (entry, key, "b", &value) && value;
}

gint64
variant_to_number (GVariant *value)
{
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_UINT64))
    return (gint64) MIN (g_variant_get_uint64 (value), (guint64) G_MAXINT64);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32))
    return g_variant_get_uint32 (value);
  return -1;
}

gint64
variant_number (GVariant   *entry,
                const char *key)
{
  g_autoptr (GVariant) value = g_variant_lookup_value (entry, key, NULL);

  return value ? variant_to_number (value) : -1;
}

gint64
variant_signed (GVariant   *entry,
                const char *key)
{
  gint64 value;

  return g_variant_lookup (entry, key, "x", &value) ? value : 0;
}

static void
read_value (GVariant                   *value,
            const struct variant_field *field,
            gpointer                    target)
{
  if (field->type == 's' && g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    G_STRUCT_MEMBER (const char *, target, field->offset) = g_variant_get_string (value, NULL);
  else if (field->type == 'b' && g_variant_is_of_type (value, G_VARIANT_TYPE_BOOLEAN))
    G_STRUCT_MEMBER (gboolean, target, field->offset) = g_variant_get_boolean (value);
  else if (field->type == 'n' && g_variant_is_of_type (value, G_VARIANT_TYPE_UINT64))
    G_STRUCT_MEMBER (gint64, target, field->offset) = (gint64) MIN (g_variant_get_uint64 (value), (guint64) G_MAXINT64);
  else if (field->type == 'n' && g_variant_is_of_type (value, G_VARIANT_TYPE_UINT32))
    G_STRUCT_MEMBER (gint64, target, field->offset) = g_variant_get_uint32 (value);
}

void
variant_read (GVariant                   *entry,
              const struct variant_field *fields,
              gsize                       n,
              gpointer                    target)
{
  GVariantIter iter;
  const char *key;
  GVariant *value;

  for (gsize i = 0; i < n; i++)
    if (fields[i].type == 's')
      G_STRUCT_MEMBER (const char *, target, fields[i].offset) = "";
    else if (fields[i].type == 'b')
      G_STRUCT_MEMBER (gboolean, target, fields[i].offset) = FALSE;
    else
      G_STRUCT_MEMBER (gint64, target, fields[i].offset) = -1;
  g_variant_iter_init (&iter, entry);
  while (g_variant_iter_next (&iter, "{&sv}", &key, &value))
    {
      for (gsize i = 0; i < n; i++)
        if (g_str_equal (fields[i].key, key))
          read_value (value, &fields[i], target);
      g_variant_unref (value);
    }
}

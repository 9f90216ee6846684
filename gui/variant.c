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
variant_number (GVariant   *entry,
                const char *key)
{
  guint64 value;
  guint32 small;

  if (g_variant_lookup (entry, key, "t", &value))
    return (gint64) MIN (value, (guint64) G_MAXINT64);
  if (g_variant_lookup (entry, key, "u", &small))
    return small;
  return -1;
}

gint64
variant_signed (GVariant   *entry,
                const char *key)
{
  gint64 value;

  return g_variant_lookup (entry, key, "x", &value) ? value : 0;
}

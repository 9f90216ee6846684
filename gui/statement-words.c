/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statement-words.h"

#include <glib/gi18n.h>
#include <langinfo.h>

#include "statement.h"
#include "variant.h"

#define TEXT_MAX 2048

static gboolean add_statements (GVariant *data,
                                guint     depth,
                                char     *buf,
                                gsize     size);

/* FALSE where it is missing or of another type. text, of TEXT_MAX bytes, keeps what is in ret. */
static gboolean
read_argument (GVariant                 *entry,
               const struct parameter *p,
               guint                     depth,
               char                     *text,
               struct argument          *ret)
{
  char key[PARAMETER_KEY_MAX];
  g_autoptr (GVariant) value = g_variant_lookup_value (entry, parameter_key (p, key), NULL);

  *text = '\0';
  if (!value)
    return FALSE;
  if (argument_is_number (p->kind))
    {
      *ret = argument_of_number (g_variant_is_of_type (value, G_VARIANT_TYPE_INT64) ? g_variant_get_int64 (value) : 0);
      return g_variant_is_of_type (value, G_VARIANT_TYPE_INT64);
    }
  *ret = argument_of_text (text);
  if (g_variant_is_of_type (value, G_VARIANT_TYPE_STRING))
    return g_strlcpy (text, g_variant_get_string (value, NULL), TEXT_MAX) < TEXT_MAX;
  return g_variant_is_of_type (value, G_VARIANT_TYPE ("aa{sv}")) && add_statements (value, depth + 1, text, TEXT_MAX);
}

static gboolean
add_statement (GVariant *entry,
               guint     depth,
               char     *buf,
               gsize     size)
{
  const struct statement *s = statement_find (variant_text (entry, "id"));
  struct argument arguments[STATEMENT_ARGUMENTS_MAX];
  char texts[STATEMENT_ARGUMENTS_MAX][TEXT_MAX];
  struct parameter p;
  guint n = 0;

  if (g_str_equal (variant_text (entry, "id"), "text"))
    return g_strlcat (buf, variant_text (entry, "text"), size) < size;
  if (!s)
    return FALSE;
  for (; n < STATEMENT_ARGUMENTS_MAX && statement_parameter (s, n, &p); n++)
    if (!read_argument (entry, &p, depth, texts[n], &arguments[n]))
      return FALSE;
  return statement_append (buf, size, (enum statement_id) (s - statement_get (0)), arguments, n);
}

static gboolean
add_statements (GVariant *data,
                guint     depth,
                char     *buf,
                gsize     size)
{
  if (depth >= STATEMENT_DEPTH_MAX)
    return FALSE;
  for (gsize i = 0; i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (data, i);

      if (!add_statement (entry, depth, buf, size))
        return FALSE;
    }
  return TRUE;
}

static const char *
translate (const char *text)
{
  return *text ? gettext (text) : text;
}

char *
statement_words_of (GVariant   *data,
                    const char *sentence)
{
  const struct statement_language language = { .translate = translate, .decimal = *nl_langinfo (RADIXCHAR) };
  char text[TEXT_MAX] = "", told[2 * TEXT_MAX];

  if (!data || g_variant_n_children (data) == 0 || !add_statements (data, 0, text, sizeof (text)))
    return g_strdup (sentence);
  return g_strdup (statement_tell (text, &language, told, sizeof (told)));
}

char *
statement_words (GVariant   *entry,
                 const char *key)
{
  g_autofree char *data_key = g_strconcat (key, "_data", NULL);
  g_autoptr (GVariant) data = g_variant_lookup_value (entry, data_key, G_VARIANT_TYPE ("aa{sv}"));

  return statement_words_of (data, variant_text (entry, key));
}

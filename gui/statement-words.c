/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "statement-words.h"

#include <glib/gi18n.h>
#include <langinfo.h>
#include <string.h>

#include "app-info.h"
#include "law-words.h"
#include "names.h"
#include "statement.h"
#include "variant.h"
#include "words.h"

#define TEXT_MAX 2048

/* How a value is computed, and what is said behind that: for those who want to know. */
static const struct formula
{
  enum statement_id id;
  const char *plain; /* what of it is said to all */
} formulas[] = {
  { SAY_IDLE_LIMIT, "" },
  { SAY_IDLE_IN_VAIN, "" },
  { SAY_IDLE_TOO_SHORT, "" },
  { SAY_HOLE_FILLER, "" },
  { SAY_SLICE_COUNT, "" },
  { SAY_SLICE_SHARE, "" },
  { SAY_READAHEAD, N_("of each file more is read at a time, so that the heads move less often") },
  { SAY_STREAM_WAIT, N_("; it goes first, and others wait less for it in between") },
  { SAY_WRITE_ONE, N_(", so that the drive has one request at a time") },
  { SAY_WRITE_BOUND_HALF, "" },
  { SAY_IDLE_AHEAD, N_("the drive is quiet, and if a crowd of readers comes, bfq or cfq is not to wait for each of them") },
  { SAY_HOLE_FILLER_ENDS, "; {why}" },
  { SAY_SLICE_SPARED, N_("; bfq serves it out of turn, so that shorter turns gain nothing") },
  { SAY_THROUGHPUT, N_(", and {why}, so that no turn is cut short for another process") },
};

static gboolean add_statements (GVariant *data,
                                guint     depth,
                                char     *buf,
                                gsize     size);

static const char *
quote (const char *name)
{
  /* Translators: the name of a law, setting or priority within a sentence: “Waits for readers” */
  g_autofree char *quoted = g_strdup_printf (_("“%s”"), name);

  return g_intern_string (quoted);
}

/* The daemon has a reverse domain name for an application and the kernel's for a priority, and people have others. */
static const char *
name_argument (const char *key,
               const char *text)
{
  const char *priority = g_str_equal (key, "priority") ? words_priority (text) : text;

  if (priority != text)
    return quote (priority);
  return g_str_equal (text, BRIO_SESSION) || (strchr (text, '.') && app_info_find (text)) ? app_info_get_name (text) : text;
}

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
    return g_strlcpy (text, name_argument (key, g_variant_get_string (value, NULL)), TEXT_MAX) < TEXT_MAX;
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

const char *
statement_words_nth_formula (guint        i,
                             const char **ret_plain)
{
  if (i >= G_N_ELEMENTS (formulas))
    return NULL;
  *ret_plain = formulas[i].plain;
  return statement_get (formulas[i].id)->id;
}

/* By its English sentence; NULL: it is none. */
static const struct formula *
find_formula (const char *text)
{
  for (guint i = 0; i < G_N_ELEMENTS (formulas); i++)
    if (text == statement_get (formulas[i].id)->text)
      return &formulas[i];
  return NULL;
}

/* What a trial compared names files, and stands beside what was set; what 95 of 100 reads took does, too, or is not what it was decided on. */
static const char *
translate_plain (const char *text)
{
  const struct formula *formula = find_formula (text);

  if (formula)
    return translate (formula->plain);
  return text == statement_get (SAY_TRIAL_CHANGE)->text || text == statement_get (SAY_TRIAL_P95)->text ? "" : translate (text);
}

static const char *
quote_name (enum argument_kind kind,
            const char        *id)
{
  return quote (kind == ARGUMENT_LAW ? law_words_name (id) : tunable_words_name (id));
}

static char *
tell (const char               *text,
      struct statement_language language)
{
  const char *radix = nl_langinfo (RADIXCHAR);
  char told[2 * TEXT_MAX];

  language.decimal = strlen (radix) == 1 ? *radix : 0; /* there is room for one byte */
  return g_strdup (statement_tell (text, &language, told, sizeof (told)));
}

char *
statement_words_of (GVariant   *data,
                    const char *sentence)
{
  char text[TEXT_MAX] = "";

  if (!data || g_variant_n_children (data) == 0 || !add_statements (data, 0, text, sizeof (text)))
    return g_strdup (sentence);
  return tell (text, (struct statement_language) { .translate = translate_plain, .name = quote_name });
}

char *
statement_words_laws_of (GVariant *data)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (gsize i = 0; data && i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (data, i);
      const char *name = law_words_name (variant_text (entry, "law"));

      if (statement_find (variant_text (entry, "id")) == statement_get (SAY_LAW_SAYS) && !g_ptr_array_find_with_equal_func (names, name, g_str_equal, NULL))
        g_ptr_array_add (names, (char *) name);
    }
  if (names->len < 2)
    return g_strdup ("");
  g_ptr_array_add (names, NULL);
  return g_strjoinv (" · ", (char **) names->pdata);
}

/* Those within other statements, too. */
static void
add_formulas (GVariant *data,
              guint     depth,
              char     *buf,
              gsize     size)
{
  for (gsize i = 0; depth < STATEMENT_DEPTH_MAX && i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (data, i);
      const struct statement *s = statement_find (variant_text (entry, "id"));
      GVariantIter iter;
      GVariant *value;

      if (s && find_formula (s->text))
        {
          add_statement (entry, depth, buf, size);
          continue;
        }
      g_variant_iter_init (&iter, entry);
      while (g_variant_iter_loop (&iter, "{&sv}", NULL, &value))
        if (g_variant_is_of_type (value, G_VARIANT_TYPE ("aa{sv}")))
          add_formulas (value, depth + 1, buf, size);
    }
}

char *
statement_words_formula_of (GVariant *data)
{
  g_autofree char *told = NULL;
  char text[TEXT_MAX] = "";

  if (data)
    add_formulas (data, 0, text, sizeof (text));
  told = tell (text, (struct statement_language) { .translate = translate });
  return g_strdup (told + strspn (told, ";:, ")); /* which join it to the plain sentence */
}

static gboolean
has_statement (GVariant   *data,
               const char *id,
               guint       depth)
{
  for (gsize i = 0; depth < STATEMENT_DEPTH_MAX && i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (data, i);
      gboolean found = g_str_equal (variant_text (entry, "id"), id);
      GVariantIter iter;
      GVariant *value;

      g_variant_iter_init (&iter, entry);
      while (g_variant_iter_loop (&iter, "{&sv}", NULL, &value))
        found |= g_variant_is_of_type (value, G_VARIANT_TYPE ("aa{sv}")) && has_statement (value, id, depth + 1);
      if (found)
        return TRUE;
    }
  return FALSE;
}

gboolean
statement_words_has_first_of (GVariant *data,
                              GVariant *others)
{
  g_autoptr (GVariant) first = others && g_variant_n_children (others) > 0 ? g_variant_get_child_value (others, 0) : NULL;

  return data && first && has_statement (data, variant_text (first, "id"), 0);
}

gboolean
statement_words_is_undone (GVariant *data)
{
  return has_statement (data, statement_get (SAY_UNDONE)->id, 0);
}

/* A program that a statement names, as people know it; "" where it names none. Free with g_free(). */
static char *
dup_program (GVariant   *entry,
             const char *key)
{
  const char *name = variant_text (entry, key);
  g_autoptr (GVariant) data = g_variant_lookup_value (entry, key, G_VARIANT_TYPE ("aa{sv}"));

  return data ? statement_words_of (data, "") : g_strdup (app_info_find (name) ? app_info_get_name (name) : name);
}

char *
statement_words_waiting (GVariant *verdict)
{
  g_autoptr (GVariant) data = g_variant_lookup_value (verdict, "sentence_data", G_VARIANT_TYPE ("aa{sv}"));
  g_autofree char *victim = g_strdup (""), *culprit = g_strdup ("");

  for (gsize i = 0; data && i < g_variant_n_children (data); i++)
    {
      g_autoptr (GVariant) entry = g_variant_get_child_value (data, i);
      const char *id = variant_text (entry, "id");
      gboolean guess = g_str_equal (id, statement_get (SAY_VICTIM_GUESS)->id);

      if (guess || g_str_equal (id, statement_get (SAY_VICTIM)->id))
        {
          g_free (victim);
          victim = dup_program (entry, "process");
        }
      if (guess || g_str_equal (id, statement_get (SAY_VICTIM_OF)->id) || g_str_equal (id, statement_get (SAY_VICTIM_OF_KERNEL_FOR)->id))
        {
          g_free (culprit);
          culprit = dup_program (entry, guess ? "culprit" : "process");
        }
    }
  if (!*victim) /* an older daemon does not tell */
    return g_strdup (_("A program waits for this drive"));
  /* Translators: of a drive: which program waits for it, which one has it meanwhile: "Firefox waits, mostly for rsync" */
  return *culprit ? g_strdup_printf (_("%s waits, mostly for %s"), victim, culprit) : g_strdup_printf (_("%s waits"), victim);
}

char *
statement_words (GVariant   *entry,
                 const char *key)
{
  g_autofree char *data_key = g_strconcat (key, "_data", NULL);
  g_autoptr (GVariant) data = g_variant_lookup_value (entry, data_key, G_VARIANT_TYPE ("aa{sv}"));

  return statement_words_of (data, variant_text (entry, key));
}

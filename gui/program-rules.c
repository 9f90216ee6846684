/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "program-rules.h"

#include <glib/gi18n.h>

#define MIXED "mixed"

/* The last one holds: a policy's stand behind those that were set, and are stronger. kept_alone: only those that were set. */
static const char *
find (GVariant   *rules,
      const char *program,
      gboolean    kept_alone)
{
  const char *name, *rule, *file, *found = "";
  GVariantIter iter;

  if (!rules)
    return "";
  g_variant_iter_init (&iter, rules);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &name, &rule, &file))
    if (g_str_equal (name, program) && (!kept_alone || *file == '\0'))
      found = rule;
  return found;
}

const char *
program_rules_of_all (GVariant          *rules,
                      const char *const *programs)
{
  const char *rule = *programs ? find (rules, *programs, FALSE) : "";

  for (; *programs; programs++)
    if (!g_str_equal (find (rules, *programs, FALSE), rule))
      return MIXED;
  return rule;
}

GVariant *
program_rules_make (GVariant          *rules,
                    const char *const *programs,
                    const char        *rule)
{
  GVariantBuilder wanted;

  g_variant_builder_init (&wanted, G_VARIANT_TYPE ("a(ss)"));
  for (; *programs; programs++)
    if (!g_str_equal (find (rules, *programs, FALSE), rule))
      g_variant_builder_add (&wanted, "(ss)", *programs, rule);
  return g_variant_builder_end (&wanted);
}

GVariant *
program_rules_undo (GVariant *rules,
                    GVariant *wanted)
{
  GVariantBuilder before;
  GVariantIter iter;
  const char *program;

  g_variant_builder_init (&before, G_VARIANT_TYPE ("a(ss)"));
  g_variant_iter_init (&iter, wanted);
  while (g_variant_iter_next (&iter, "(&s&s)", &program, NULL))
    g_variant_builder_add (&before, "(ss)", program, find (rules, program, TRUE));
  return g_variant_builder_end (&before);
}

const char *
program_rules_describe (const char *rule)
{
  if (g_str_equal (rule, "never"))
    return _("Never slowed down");
  return g_str_equal (rule, "always") ? _("Waits for all others") : _("Brio decides how it shares the drive");
}

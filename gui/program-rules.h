/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Programs that are never slowed down, or always wait: what the daemon tells of them, a(sss) (brio_client_get_program_rules()), and what it is asked,
 * a(ss): program and rule, "" to take it back. No GTK. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The rule that they all have, "never" or "always"; "": none; "mixed": they differ. rules: NULL, not told. */
const char *program_rules_of_all   (GVariant          *rules,
                                    const char *const *programs);
/* What to ask for, so that each has that rule; nothing of those that have it. Floating. */
GVariant   *program_rules_make     (GVariant          *rules,
                                    const char *const *programs,
                                    const char        *rule);
/* What takes that back, as rules are now. Floating. */
GVariant   *program_rules_undo     (GVariant *rules,
                                    GVariant *wanted);
/* What a rule means, a sentence without a full stop. */
const char *program_rules_describe (const char *rule);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the user types into a search. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether every word of it occurs in the text, whatever the case. */
gboolean search_matches (const char *text,
                         const char *search);

/* The same in two steps, for where it is asked of many texts: its words, which g_strfreev() frees, and whether each occurs in a text that
 * g_utf8_casefold() has made. */
char   **search_words (const char *search);
gboolean search_has_words (const char        *folded,
                           const char *const *words);

G_END_DECLS

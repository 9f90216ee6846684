/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "search.h"

#include <string.h>

char **
search_words (const char *search)
{
  g_autofree char *wanted = g_utf8_casefold (search, -1);

  return g_strsplit_set (wanted, " \t", -1);
}

gboolean
search_has_words (const char        *folded,
                  const char *const *words)
{
  for (guint i = 0; words[i]; i++)
    if (!strstr (folded, words[i]))
      return FALSE;
  return TRUE;
}

gboolean
search_matches (const char *text,
                const char *search)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);
  g_auto (GStrv) words = search_words (search);

  return search_has_words (folded, (const char *const *) words);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What somebody types into a search. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Whether every word of it occurs in the text, whatever the case. */
gboolean search_matches (const char *text,
                         const char *search);

G_END_DECLS

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What Brio did for the person today, out of its decisions and what it measured of starts; and the sentences that say so. No GTK. */
#pragma once

#include "client.h"

G_BEGIN_DECLS

struct done;

struct done *done_new (void);
struct done *done_free (struct done *self);

/* Takes what GetDecisions() answers, aa{sv}, in place of what is known. limit: as many as it tells at most, of which those
 * before are not known. start_us: when the daemon was started (CLOCK_REALTIME), which tells only of what came after; 0: not known. */
void     done_load (struct done *self,
                    GVariant    *entries,
                    guint        limit,
                    gint64       start_us,
                    GDateTime   *now);
/* Whether what was taken is of today still; else all must be loaded anew. */
gboolean done_is_of_today (const struct done *self,
                           GDateTime         *now);
/* Takes one more of today, a{sv}. */
void     done_take (struct done *self,
                    GVariant    *entry);

/* Translated; free with g_free(). prefetch: what GetPrefetch() answers, aa{sv}; NULL: nothing. What a start takes without help is told where
 * starts were measured that were not helped, and never else. */
char *done_words_title (const struct done *self);
char *done_words_starts (const struct done *self,
                         GVariant          *prefetch);
/* What is active right now. devices: of BrioDevice. hold: the strongest, NULL for none. */
char *done_words_active (const struct done      *self,
                         GListModel             *devices,
                         const char             *mode,
                         const struct brio_hold *hold);
/* What was put back. */
char *done_words_back (const struct done *self);

G_END_DECLS

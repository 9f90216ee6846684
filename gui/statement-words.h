/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences of the daemon in the language of the window, out of their statements on the bus. Free what is returned with g_free(). No GTK. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* The sentence under key ("reason") in a dictionary, out of what is under "reason_data", with the names of laws and settings for people and without
 * formulas; as it stands there, in English, of a daemon that does not tell statements, or tells one that is not known. "" where there is none. */
char *statement_words (GVariant   *entry,
                       const char *key);
/* The same of a value of type aa{sv}, NULL for none, and the English sentence. */
char *statement_words_of (GVariant   *data,
                          const char *sentence);
/* The names of the laws that a reason is of, "Larger pieces · Choice of scheduler"; "" where it is not of several. */
char *statement_words_laws_of (GVariant *data);
/* How a value was computed: "slice_idle_us = min(…) = 5000 µs", "" where none was. */
char *statement_words_formula_of (GVariant *data);
/* Whether the statements, or those within them, have the first of others, whatever its arguments; either may be NULL. */
gboolean statement_words_has_first_of (GVariant *data,
                                       GVariant *others);
/* Whether a decision's reason is that it was to be undone. */
gboolean statement_words_is_undone (GVariant *data);
/* Of a verdict that a process is a victim: "Firefox waits, mostly for rsync". */
char *statement_words_waiting (GVariant *verdict);
/* The i-th statement that belongs to a formula, and what of it is said in the plain sentence, in English; NULL: there are no more. */
const char *statement_words_nth_formula (guint        i,
                                         const char **ret_plain);

G_END_DECLS

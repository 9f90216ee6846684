/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words of the bus interface as people say them, translated. A word that is not known is returned as it came: the
 * daemon may be newer. No GTK. */
#pragma once

#include <glib.h>

/* A word of the bus, and what people say instead; "" where they say nothing. A table ends with { 0 }. */
struct word
{
  const char *word, *label;
};

/* Translated. without: what is returned where there is no such word, which a newer daemon may have. */
const char *words_label (const struct word *table, const char *word, const char *without);

const char *words_device_class (const char *word);
const char *words_device_class_icon (const char *word);
const char *words_state (const char *word);
const char *words_workload (const char *word);
/* The mode with what the strongest hold ("" for none) makes of it: "Automatic · paused". Free with g_free(). */
char *words_mode_held (const char *mode, const char *hold);
/* What a mode does, in a few words; "" for one that is not known. */
const char *words_mode_meaning (const char *word);
/* Where the mode is from, brio_client_get_mode_origin(), in a few words; "" for one that is not known. */
const char *words_mode_origin (const char *word);
/* Of a hold: "pause" */
const char *words_hold (const char *word);
const char *words_owner (const char *word);
/* The priority of a process's I/O, of its class ("best-effort") and level: "Normal 7"; "" for a class that is not known. */
const char *words_io_class (const char *word, guint level);
/* The same of one as decisions have it, "BE/7". */
const char *words_priority (const char *told);
/* A duration as plots write it, "1.2 s"; below 0: "–". Free with g_free(). */
char *words_duration (gint64 us);
/* Puts part behind what *text says, in the direction of the language; either may be empty. Replaces *text, which the caller frees. */
void words_add (char **text, const char *part);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences mention processes. Each mention carries the user whose process it is, so that the sentence can be told to a reader
 * without the processes that this reader may not see. Marked by control characters, which no name has (str_make_text()). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MENTION_MAX 128 /* an application's id, a pid, a user and the marks */

/* Stands for the name of what a reader may not see; in a sentence the statement "not-seen" does. */
#define MENTION_NOT_SEEN "another user's process"

/* "mpv (4711)", or "mpv" for tgid 0, with its user (PROCESS_UID_UNKNOWN: only readers that see all see it). Returns buf. */
const char *mention(char buf[static MENTION_MAX], const char *name, int32_t tgid, uint32_t uid);

/* Whether a reader sees the processes of a user. */
typedef bool (*mention_sees_fn)(const void *reader, uint32_t uid);

/* A text of statements (statement.h), longest, as it is told. */
#define MENTION_TOLD_MAX 2048

/* The text with the names that the reader sees; the statement "not-seen" stands for what it does not. Returns ret, cut to size. */
char *mention_mask(const char *sentence, mention_sees_fn sees, const void *reader, char *ret, size_t size);

/* The sentence as it is told to that reader, in English. Returns ret, cut to size. */
char *mention_tell(const char *sentence, mention_sees_fn sees, const void *reader, char *ret, size_t size);

/* The same for a reader that sees all. */
char *mention_tell_all(const char *sentence, char *ret, size_t size);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All of a drive's settings as one text, to compare byte by byte. */
#pragma once

#include <stdbool.h>

/* "path:value" a line, sorted, of every file below dir; a file that cannot be read shows its error. Returns a text that
 * the caller frees. */
char *queue_dump(const char *dir);

/* True if all is as in an earlier dump; prints both where it is not. */
bool queue_is_untouched(const char *dir, const char *before);

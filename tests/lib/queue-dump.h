/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All of a drive's settings as one text, to compare byte by byte. */
#pragma once

#include <stddef.h>

/* "path:value" a line, sorted, of every file below dir; a file that cannot be read shows its error. Returns a text that
 * the caller frees. */
char *queue_dump(const char *dir);

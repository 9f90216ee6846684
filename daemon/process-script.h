/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which script an interpreter runs: that is what was started. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Whether a program of that name (without its directory) runs scripts: python3.11, bash. */
bool process_script_is_interpreter(const char *name);

/* arguments: what it was called with, each with its NUL, size bytes; the first is its own name. Returns its script (of `-m NAME` that), within arguments, or
 * NULL where it runs none: a command that was given as text, or what it reads from its input. */
const char *process_script_find(const char *name, const char *arguments, size_t size);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The terminal as a screen: taken over by terminal_enter(), given back on every way out, crashes included. */
#pragma once

#include <stdbool.h>

/* Switches to the alternate screen and, where stdin is a terminal, to keys without echo. Returns 0 or -errno. */
int terminal_enter(void);
/* Puts back what terminal_enter() found. Harmless when there is nothing to put back. */
void terminal_leave(void);
/* Lines and columns of stdout, 24 and 80 where it does not say. */
void terminal_size(unsigned *ret_lines, unsigned *ret_columns);

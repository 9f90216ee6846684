/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the verbs that look at one thing do: print it as JSON or for people. Both return an exit code. */
#pragma once

#include "cli.h"
#include "format.h"
#include "value.h"

typedef void (*show_print_fn)(const struct output *o, struct json_object *shown);

/* With --json the value itself, otherwise what print() makes of it. */
int show_value(const struct cli_invocation *inv, struct json_object *shown, show_print_fn print);

/* The same for one property of the Manager (in snake case), which is asked for it. */
int show_manager_property(const struct cli_invocation *inv, const char *key, show_print_fn print);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the daemon for rules of programs, says what came of it, and offers the way back. */
#pragma once

#include <gtk/gtk.h>

#include "client.h"

G_BEGIN_DECLS

/* The window's action: rules (program-rules.h), and whether the way back is offered. */
#define PROGRAM_RULES_ACTION "win.program-rules"
#define PROGRAM_RULES_TYPE "(a(ss)b)"

/* What it does. window: a widget with the actions "win.notify" and "win.notify-undo". */
void program_rules_ask (BrioClient *client,
                        GtkWidget  *window,
                        GVariant   *parameter);

G_END_DECLS

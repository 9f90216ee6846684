/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Asks the daemon to lower a process's I/O priority now, says what came of it, and offers the way back. */
#pragma once

#include <gtk/gtk.h>

#include "client.h"

G_BEGIN_DECLS

/* name: the process's. window: as of program_rules_ask(). */
void process_lower (BrioClient *client,
                    GtkWidget  *window,
                    uint32_t    pid,
                    const char *name);

G_END_DECLS

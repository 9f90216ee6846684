/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A made-up systemd of the user's, on the bus of gui-env.h, which becomes the session's. */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

struct fake_systemd {
        GDBusConnection *bus;
        guint owner;
        const char *state;                   /* of each unit */
        const char *fails, *error, *message; /* a method, with that; NULL: none does */
        GString *calls;                      /* "Reload() StartUnit(...) " */
};
extern struct fake_systemd fake_systemd;

/* Begins anew. state NULL: the session has none; only before it had one. False where it does not come up. */
bool fake_systemd_begin(const char *state);

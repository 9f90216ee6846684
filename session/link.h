/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The two buses of a session's service, and what each of its parts asks of them. */
#pragma once

#include <systemd/sd-bus.h>

#include "name-owner.h"

struct link {
        sd_bus *session, *system;
        struct name_owner briod; /* on the system's bus */
};

/* A call of the daemon's Manager that does not start it; fn gets the answer, or an error. Returns 0 or -errno. */
int link_call_manager(struct link *l, sd_bus_message_handler_t fn, void *userdata, const char *method, const char *types, ...);

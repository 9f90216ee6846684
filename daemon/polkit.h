/* SPDX-License-Identifier: GPL-3.0-or-later */
/* May this caller do that? Root and the daemon's own user may; on the system bus polkit answers for the others. */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>

#include "callers.h"

struct polkit;

/* callers must outlive it. ask: whether there may be a polkit to ask (the system bus). NULL without memory. */
struct polkit *polkit_new(struct callers *callers, bool ask);
struct polkit *polkit_free(struct polkit *p);

/* Returns 1: go on. 0: the bus or polkit was asked, and the handler is called again with the same message once it has answered; return 1
 * from the handler. Negative: refused or failed, error is set. */
int polkit_authorize(struct polkit *p, sd_bus_message *call, const char *action, sd_bus_message_handler_t handler, void *userdata,
                     sd_bus_error *error);

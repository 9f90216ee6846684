/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The owner of a name on a bus, as the bus's signal NameOwnerChanged tells it. */
#pragma once

#include <systemd/sd-bus.h>

/* The rule for sd_bus_add_match(). name: a literal. */
#define NAME_OWNER_MATCH(name)                                                                                    \
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus'," \
        "member='NameOwnerChanged',arg0='" name "'"

/* What such a signal says. Returns 1 where the name has an owner now, 0 where it has none, or -EBADMSG where another program sent it: any may send it to this
 * connection alone, and sd-bus lets it pass, since it does not know which names a sender has. */
int name_owner_read(sd_bus_message *m);

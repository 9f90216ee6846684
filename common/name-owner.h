/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The owner of a name on a bus. Any program may send a signal to one connection alone, and sd-bus lets it pass, whatever name a match has for its sender: it does not
 * know which names a sender has. */
#pragma once

#include <systemd/sd-bus.h>

#define NAME_OWNER_UNIQUE_MAX 256 /* bytes, as D-Bus has it */

/* The rule for sd_bus_add_match(). name: a literal. */
#define NAME_OWNER_MATCH(name)                                                                                    \
        "type='signal',sender='org.freedesktop.DBus',path='/org/freedesktop/DBus',interface='org.freedesktop.DBus'," \
        "member='NameOwnerChanged',arg0='" name "'"

/* What such a signal says. Returns 1 where the name has an owner now, 0 where it has none, or -EBADMSG where another than the bus sent it. */
int name_owner_read(sd_bus_message *m);

struct name_owner {
        const char *name;
        char unique[NAME_OWNER_UNIQUE_MAX]; /* empty: it has none, or that is not known yet */
};

/* From now on the connection gets signals of interfaces below the name (name.*) from its owner alone; it is called before it asks for any. o and the name
 * live as long as the connection. Returns 0 or -errno. */
int name_owner_guard(struct name_owner *o, sd_bus *bus, const char *name);

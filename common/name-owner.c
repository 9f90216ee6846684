/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "macro.h"
#include "name-owner.h"

int name_owner_read(sd_bus_message *m) {
        const char *name, *old, *new;

        if (!streq(sd_bus_message_get_sender(m), "org.freedesktop.DBus") || sd_bus_message_read(m, "sss", &name, &old, &new) < 0)
                return -EBADMSG;
        return *new != '\0';
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>

#include "macro.h"
#include "name-owner.h"
#include "str.h"

#define DBUS "org.freedesktop.DBus"
#define DBUS_PATH "/org/freedesktop/DBus"

static int read_change(sd_bus_message *m, const char **ret_name, const char **ret_new) {
        const char *old;

        return streq(sd_bus_message_get_sender(m), DBUS) && sd_bus_message_read(m, "sss", ret_name, &old, ret_new) >= 0 ? 0 : -EBADMSG;
}

int name_owner_read(sd_bus_message *m) {
        const char *name, *new;
        int r = read_change(m, &name, &new);

        return r < 0 ? r : *new != '\0';
}

static bool is_in_its_name(const struct name_owner *o, sd_bus_message *m) {
        const char *interface = sd_bus_message_get_interface(m), *rest = interface ? startswith(interface, o->name) : NULL;

        return rest && *rest == '.' && sd_bus_message_is_signal(m, NULL, NULL) > 0;
}

/* Each message comes through here first; 1: it goes no further. */
static int on_message(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct name_owner *o = userdata;
        const char *name, *new;

        if (sd_bus_message_is_signal(m, DBUS, "NameOwnerChanged") > 0) {
                if (read_change(m, &name, &new) >= 0 && streq(name, o->name))
                        str_copy(o->unique, sizeof(o->unique), new);
                return 0;
        }
        return is_in_its_name(o, m) && !streq(sd_bus_message_get_sender(m), o->unique);
}

static int on_owner(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        struct name_owner *o = userdata;
        const char *unique;

        if (!sd_bus_message_is_method_error(m, NULL) && sd_bus_message_read(m, "s", &unique) >= 0)
                str_copy(o->unique, sizeof(o->unique), unique);
        return 0;
}

static int on_change(sd_bus_message *m _unused_, void *userdata _unused_, sd_bus_error *error _unused_) {
        return 0; /* the filter has seen it */
}

int name_owner_guard(struct name_owner *o, sd_bus *bus, const char *name) {
        char rule[512];
        int r;

        *o = (struct name_owner){ .name = name };
        snprintf(rule, sizeof(rule), NAME_OWNER_MATCH("%s"), name);
        r = sd_bus_add_filter(bus, NULL, on_message, o);
        if (r >= 0)
                r = sd_bus_add_match_async(bus, NULL, rule, on_change, NULL, NULL);
        if (r >= 0)
                r = sd_bus_call_method_async(bus, NULL, DBUS, DBUS_PATH, DBUS, "GetNameOwner", on_owner, o, "s", name);
        return r < 0 ? r : 0;
}

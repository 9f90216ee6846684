/* SPDX-License-Identifier: GPL-3.0-or-later */
/* brio-abuse-peer ADDRESS: a service of sd-bus that takes briod's name on that bus and has its mode for a property and nothing else. Whatever else is
 * called is unknown. How it answers beside a flood is what no service of that bus can fall below. */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>

#include "macro.h"
#include "names.h"

static int get_mode(sd_bus *bus _unused_, const char *path _unused_, const char *interface _unused_, const char *property _unused_,
                    sd_bus_message *reply, void *userdata _unused_, sd_bus_error *error _unused_) {
        return sd_bus_message_append(reply, "s", "advise");
}

static const sd_bus_vtable vtable[] = {
        SD_BUS_VTABLE_START(0),
        SD_BUS_PROPERTY("Mode", "s", get_mode, 0, 0),
        SD_BUS_VTABLE_END,
};

static int serve(sd_bus *bus, const char *address) {
        int r = sd_bus_set_address(bus, address);

        if (r >= 0)
                r = sd_bus_set_bus_client(bus, true);
        if (r >= 0)
                r = sd_bus_start(bus);
        if (r >= 0)
                r = sd_bus_add_object_vtable(bus, NULL, BRIO_OBJECT_PATH, BRIO_MANAGER_INTERFACE, vtable, NULL);
        if (r >= 0)
                r = sd_bus_request_name(bus, BRIO_BUS_NAME, 0);
        if (r >= 0)
                sd_notify(false, "READY=1");
        while (r >= 0) {
                r = sd_bus_process(bus, NULL);
                if (r == 0)
                        r = sd_bus_wait(bus, UINT64_MAX);
        }
        return r;
}

int main(int argc, char **argv) {
        sd_bus *bus = NULL;
        int r;

        if (argc != 2) {
                fputs("Usage: brio-abuse-peer ADDRESS\n", stderr);
                return 2;
        }
        r = sd_bus_new(&bus);
        if (r >= 0)
                r = serve(bus, argv[1]);
        fprintf(stderr, "brio-abuse-peer: %s\n", strerror(-r));
        sd_bus_unref(bus);
        return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>

#include "macro.h"
#include "name-owner.h"
#include "peer.h"

#define DBUS "org.freedesktop.DBus"

void peer_unfollow(struct peer *p) {
        sd_bus_slot_unref(p->changes);
        sd_bus_slot_unref(p->question);
        *p = (struct peer){ 0 };
}

static void leave(struct peer *p) {
        peer_left_fn left = p->left;
        void *userdata = p->userdata;

        peer_unfollow(p);
        left(userdata);
}

/* A unique name has one owner, once: any change is its end. */
static int on_change(sd_bus_message *m, void *userdata, sd_bus_error *error _unused_) {
        if (name_owner_read(m) >= 0)
                leave(userdata);
        return 0;
}

static int on_match(sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_) {
        if (sd_bus_message_is_method_error(reply, NULL))
                leave(userdata);
        return 0;
}

/* It may have left before the bus had the match. */
static int on_owner(sd_bus_message *reply, void *userdata, sd_bus_error *error _unused_) {
        struct peer *p = userdata;
        int there = 0;

        p->question = sd_bus_slot_unref(p->question);
        if (sd_bus_message_is_method_error(reply, NULL) || sd_bus_message_read(reply, "b", &there) < 0 || !there)
                leave(p);
        return 0;
}

int peer_follow(struct peer *p, sd_bus *bus, const char *name, peer_left_fn left, void *userdata) {
        char rule[256];
        int r;

        *p = (struct peer){ .left = left, .userdata = userdata };
        snprintf(rule, sizeof(rule), NAME_OWNER_MATCH("%s"), name);
        r = sd_bus_add_match_async(bus, &p->changes, rule, on_change, on_match, p);
        if (r >= 0)
                r = sd_bus_call_method_async(bus, &p->question, DBUS, "/org/freedesktop/DBus", DBUS, "NameHasOwner", on_owner, p, "s", name);
        if (r < 0)
                peer_unfollow(p);
        return r < 0 ? r : 0;
}

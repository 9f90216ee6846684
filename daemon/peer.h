/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notices when a connection leaves the bus, without waiting for the bus (sd_bus_track asks and waits). */
#pragma once

#include <systemd/sd-bus.h>

typedef void (*peer_left_fn)(void *userdata);

/* All zero: follows nothing. It must stay where it is while it follows. */
struct peer {
        sd_bus_slot *changes, *question;
        peer_left_fn left;
        void *userdata;
};

/* Calls `left` once, later, when the connection of that unique name has left, or where the bus cannot tell. Returns 0 or -errno. */
int peer_follow(struct peer *p, sd_bus *bus, const char *name, peer_left_fn left, void *userdata);
/* May be called from `left`. */
void peer_unfollow(struct peer *p);

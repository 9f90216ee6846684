/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where `top` gets what it shows: a connection that ends with the daemon and comes back with it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <systemd/sd-event.h>

#include "client.h"
#include "stream.h"
#include "units.h"

#define TOP_DRIVES_MAX 256
#define TOP_PROCESSES 64 /* the busiest: more than a screen shows */

struct top_drive {
        struct brio_sample sample;
        nsec_t seen; /* CLOCK_MONOTONIC when it came */
};

struct top_link {
        sd_event *event;       /* borrowed */
        const struct cli_invocation *invocation;
        uint32_t interval_ms;
        uint32_t processes_limit; /* how many to ask for: TOP_PROCESSES, or 0 for all, to choose among */
        void (*on_change)(void *userdata); /* after samples came, or the daemon went */
        void *userdata;
        struct client client;
        struct stream stream;
        sd_event_source *stream_source;
        sd_bus_slot *devices_call, *processes_call, *manager_call;
        bool connected;
        int error;             /* why not: 0 or -errno; -EBADMSG: the daemon sends what we do not understand */
        struct json_object *devices, *processes; /* the last answers; NULL before the first */
        char mode[16];
        size_t n_drives;
        struct top_drive drives[TOP_DRIVES_MAX];
        uint64_t dropped; /* records that the daemon dropped because we were slow */
};

void top_link_init(struct top_link *l, sd_event *event, const struct cli_invocation *inv, uint32_t interval_ms);
void top_link_done(struct top_link *l);

/* Connects and fetches everything once. Returns 0 or -errno; `top_link_done()` or another try may follow either way. */
int top_link_connect(struct top_link *l);
void top_link_disconnect(struct top_link *l);

/* Asks for drives and processes anew; the answers come through the event loop. */
void top_link_poll(struct top_link *l);

/* Opens the stream anew with another interval. Returns 0 or -errno. */
int top_link_set_interval(struct top_link *l, uint32_t interval_ms);

/* The newest sample of a drive; NULL where none came within the last three intervals. */
const struct brio_sample *top_link_sample(const struct top_link *l, const char *device, nsec_t now);

nsec_t top_now(void);

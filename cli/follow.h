/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Going on with a signal of the Manager's, for as long as there is a bus. */
#pragma once

#include "client.h"

struct follow_config {
        const char *const *signals;         /* of the Manager; ended by NULL */
        sd_bus_message_handler_t on_signal;
        int (*show_past)(void *userdata, bool again); /* at the start, and again: after briod came back. Returns 0 or -errno */
        void *userdata;                     /* of both */
};

/* c: of client_open_observing(). Returns an exit code, after having said why. Says on stderr when briod goes away and when it is back. */
int follow(struct client *c, const struct follow_config *config);

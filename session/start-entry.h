/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A start as StartupFinished tells it. */
#pragma once

#include <systemd/sd-bus.h>

#include "slow.h"

struct start_entry {
        const char *application; /* the texts are the message's */
        uint64_t time_usec;
        struct slow_start slow;
};

/* Keys that are not known are passed over. Returns 0 or -errno. */
int start_entry_read(sd_bus_message *m, struct start_entry *ret);

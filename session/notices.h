/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tells of slow starts, whether or not the dashboard runs; a click opens that start there. */
#pragma once

#include "link.h"
#include "slow.h"

#define NOTICES_MAX 16 /* that a click is known of; the oldest makes room */

struct notices {
        struct link *link;
        struct slow_limit limit;
        struct notice {
                uint32_t id; /* the notification server's; 0: there is no answer yet */
                char application[SLOW_APPLICATION_SIZE];
                uint64_t time_usec; /* of the start */
        } told[NOTICES_MAX];
        size_t next;
};

/* Returns 0 or -errno. n has to stay where it is as long as the buses. */
int notices_watch(struct notices *n, struct link *l);

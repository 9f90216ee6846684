/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a caller is told of processes: the one place that decides it, for calls, properties and signals. Each user is told of the own
 * processes; root, the daemon's own user, and connections that Observe() has let see those of all users (polkit). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "callers.h"

/* Connections that signals with names go to. */
#define AUDIENCE_MAX 128
#define AUDIENCE_PER_USER_MAX 16

struct reader {
        uint32_t uid; /* PROCESS_UID_UNKNOWN: sees no user's */
        bool all;
};

/* Whether it is told of that user's processes; a mention_sees_fn. */
bool reader_sees(const void *reader, uint32_t uid);

struct audience;

/* Both must outlive it. NULL without memory. */
struct audience *audience_new(sd_bus *connection, struct callers *callers);
struct audience *audience_free(struct audience *a);

/* The reader that a call is answered to. Returns as callers_get_user(). */
int audience_get_reader(struct audience *a, sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata, struct reader *ret,
                        sd_bus_error *error);

/* The reader that a message of ours goes to, as far as it is known: a property cannot wait until the bus has said whose a connection is.
 * A broadcast signal goes to a reader that sees no user's. */
struct reader audience_reader_of(const struct audience *a, sd_bus_message *answer);

/* From now on the connection of that name is told signals, until it leaves the bus. Returns 0, -EDQUOT with AUDIENCE_PER_USER_MAX of this
 * user's (root: no bound), -ENOSPC with AUDIENCE_MAX, or -errno. */
int audience_add(struct audience *a, const char *name, const struct reader *reader);

/* Calls fn for each of them. */
typedef void (*audience_fn)(void *userdata, const char *name, const struct reader *reader);
void audience_each(const struct audience *a, audience_fn fn, void *userdata);

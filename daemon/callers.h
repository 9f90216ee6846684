/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connections that call the daemon: which user each belongs to, and whether a call is let in. The bus is asked for a user
 * without waiting for its answer. */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>

/* A text in a call may have as many bytes, and its path: a file name, a reason, an id. */
#define CALL_TEXT_MAX 512

/* A call may have as many values, each container one as well: the rules of all programs, all drives. */
#define CALL_VALUES_MAX 1024

/* A connection's unique name with its end: ":1." and a number of 64 bits. */
#define CALLER_NAME_MAX 32

struct callers;

/* Whether the call has no more values than that, and no longer text. */
bool callers_values_fit(sd_bus_message *call);

/* From now on each call passes here before its object sees it: one with more values, a longer text or path gets Error.InvalidArgument, one beyond its user's
 * budget (200 at once, 100 a second; root has no bound) Error.LimitReached. The connection must outlive it. Returns 0 or -errno. */
int callers_new(sd_bus *connection, struct callers **ret);
struct callers *callers_free(struct callers *c);

/* The user of a call's sender. Returns 1 and the user; 0 while the bus is asked: the handler gets the same call again with the
 * answer, and returns 1 now; negative: error is set. */
int callers_get_user(struct callers *c, sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata, uid_t *ret_uid,
                     sd_bus_error *error);

/* The user of the connection of that name, where the bus has been asked for it before. */
bool callers_know(const struct callers *c, const char *name, uid_t *ret_uid);

/* Gives a call to its handler once more, and the handler's error to the caller. */
void callers_call_again(sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection to briod. A call here never starts the daemon: looking must not change what it looks at. */
#pragma once

#include <stdbool.h>
#include <systemd/sd-bus.h>

#include "cli.h"
#include "name-owner.h"
#include "value.h"

struct client {
        sd_bus *bus;
        const char *spec;      /* as given, borrowed */
        sd_bus_error error;    /* of the last call */
        bool all;              /* as asked for with client_observe() */
        struct name_owner owner; /* client_believe_briod() */
};

#define _cleanup_client_ _cleanup_(client_close)

/* spec: "system", "session" or an address. Returns 0 or -errno (-ENOENT, -ECONNREFUSED: no such bus; -EINVAL: no address). */
int client_open(struct client *c, const char *spec);
void client_close(struct client *c);
/* As client_open(), and what is told of processes is what this user may see: of the own ones, and with --all of others', too, for which polkit
 * may ask for a password. Where that is refused, it says so on stderr and goes on. */
int client_open_observing(struct client *c, const struct cli_invocation *inv);
/* The same on the connection that there is, once more where briod is another. */
void client_observe(struct client *c);

/* From now on its signals come from briod alone; it is called before any is asked for. Returns 0 or -errno. */
int client_believe_briod(struct client *c);

/* Calls a method of the Manager. ret: its result (an array of them where it has several; NULL where it has none), or
 * NULL to drop it. Returns 0 or -errno, with the details in c->error. */
int client_call(struct client *c, struct json_object **ret, const char *method, const char *types, ...);

/* A message to the Manager to fill and send by oneself. */
int client_new_call(struct client *c, sd_bus_message **ret, const char *method);
/* The same for what client_decode_devices() decodes the answer of, and for the property Mode (a variant). */
int client_new_devices_call(struct client *c, sd_bus_message **ret);
int client_new_mode_call(struct client *c, sd_bus_message **ret);

/* All properties of the Manager, by key in snake case. */
int client_manager(struct client *c, struct json_object **ret);
/* Every drive with its properties, sorted by name. */
int client_devices(struct client *c, struct json_object **ret);
/* As client_devices(), from the answer to GetManagedObjects(). */
int client_decode_devices(sd_bus_message *m, struct json_object **ret);
/* One drive's properties. -ENOENT: there is no such drive. */
int client_device(struct client *c, const char *name, struct json_object **ret);

/* 0 where there is such a drive; NULL is any. */
int client_check_drive(struct client *c, const char *name);

/* What is known of this drive (NULL: of all) by GetDecisions(after); at most limit, the newest (0: all). -ENOENT: nothing is, and there is
 * no such drive. */
int client_decisions(struct client *c, uint64_t after, const char *device, size_t limit, struct json_object **ret);

/* Names the fields of a stream's "arrivals". */
void client_name_arrivals(struct json_object *stream);
/* GetStreams(), of this drive (NULL: of all). -ENOENT: as client_decisions(). */
int client_streams(struct client *c, const char *device, struct json_object **ret);

/* OpenSampleStream(). The caller owns the descriptor. timeout_us 0: the library's. */
int client_open_stream(struct client *c, uint32_t interval_ms, uint64_t timeout_us, int *ret_fd);

/* OpenRecording() of n drives, as people name them. The caller owns the descriptor. */
int client_open_recording(struct client *c, char **devices, size_t n, int *ret_fd);

/* Says on stderr what went wrong and what to do; r is what one of the above returned. Returns the exit code. */
int client_failed(const struct client *c, int r);
/* True if r means that the daemon's name has no owner. */
bool client_no_daemon(const struct client *c, int r);
/* For verbs that print without a daemon: the sentence that says so. */
#define CLIENT_NOT_RUNNING "briod is not running. Start it with `systemctl start briod`, or with `./dev run` in a source tree."

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a user is at the machine, from systemd-logind on the bus, as EVENT_PRESENCE. Never waits for an answer. */
#pragma once

#include <systemd/sd-bus.h>

#include "source.h"

struct source_logind;

/* What org.freedesktop.login1.Session says of one. */
struct session_facts {
        char id[16];
        uint32_t uid;
        char seat[32]; /* "": none, so it comes from another machine */
        char type[16]; /* "wayland", "x11", "tty" ... */
        char class[16];
        bool active;   /* in the foreground of its seat; one without a seat always is */
        bool idle;
};

#define PRESENCE_REASON_MAX 160

/* A user is there with a session in the foreground (or from afar) that is not idle. The reason, into ret_reason, is a
 * text of statements. */
enum presence presence_judge(const struct session_facts *sessions, size_t n, char ret_reason[PRESENCE_REASON_MAX]);

/* Called after what source_logind_presence() or source_logind_reason() returns has changed. */
typedef void (*presence_changed_fn)(void *userdata);

/* Knows nothing until it is connected. NULL without memory. */
struct source_logind *source_logind_new(struct event_sink sink, presence_changed_fn changed, void *userdata);

/* Free it before the bus. */
struct source_logind *source_logind_free(struct source_logind *s);

/* Begins to follow logind on that bus. Returns 0 also where there is none (probe says so), or -errno of the bus. */
int source_logind_connect(struct source_logind *s, sd_bus *bus);

/* Once a tick: asks again where something changed, at most once a second, and otherwise once a minute, since logind does not tell that
 * a terminal became idle. */
void source_logind_follow(struct source_logind *s, nsec_t now);

/* Whether the user has a session in the foreground, or one from afar, or one begins; true also where logind cannot say. */
bool source_logind_has_session(const struct source_logind *s, uint32_t uid);

enum presence source_logind_presence(const struct source_logind *s);
const char *source_logind_reason(const struct source_logind *s);

extern const struct source_ops source_logind_ops;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a user starts soon after a login: noted for ten minutes, and read ahead, for the user of the last login, while the machine rests. */
#pragma once

#include <systemd/sd-event.h>

#include "detector.h"
#include "prefetch-play.h"

struct prefetch_login;

/* Of an application something was read ahead after that login. */
typedef void (*prefetch_login_fn)(void *userdata, const struct subject *session, const char *application, const struct prefetch_result *result);

/* Returns 0 or -ENOMEM. */
int prefetch_login_new(sd_event *event, prefetch_login_fn told, void *userdata, const char *state_dir, struct prefetch_login **ret);
struct prefetch_login *prefetch_login_free(struct prefetch_login *l);

/* A user's session starts, as far as it is known: call it until it does no more, when its desktop is there, or the start is given up. What is started up to then is
 * the desktop's own. session: its first process. */
void prefetch_login_begin(struct prefetch_login *l, nsec_t now, const struct subject *session);

/* A user has started an application. */
void prefetch_login_note(struct prefetch_login *l, uint32_t uid, const char *application);

/* What was noted since the login is not to be kept. */
void prefetch_login_forget(struct prefetch_login *l);

/* Keeps what was noted once the time for it is over. Returns whether it is time to read ahead, as far as it knows. */
bool prefetch_login_look(struct prefetch_login *l, nsec_t now);

/* Begins to, unless its user has had what there is for now. Takes over places. limits: with the account, which outlives l. */
void prefetch_login_play(struct prefetch_login *l, struct prefetch_places *places, const struct prefetch_limits *limits);

/* For now: it begins anew when it is time again. */
void prefetch_login_stop(struct prefetch_login *l);

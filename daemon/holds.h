/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds that callers on the bus have: a mode with a reason for as long as its holder stays. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "controller.h"

#define HOLDS_MAX 64
#define HOLDS_PER_USER_MAX 16
#define HOLD_TEXT_MAX 256

struct hold_entry {
        uint32_t cookie; /* 0: free */
        enum hold mode;
        uid_t uid;
        char owner[64]; /* unique bus name */
        char reason[HOLD_TEXT_MAX], application_id[HOLD_TEXT_MAX];
};

struct holds {
        uint32_t last_cookie;
        struct hold_entry entries[HOLDS_MAX];
};

/* uid: the owner's user. Returns 0 and the cookie, -ENOSPC with HOLDS_MAX holds, -EDQUOT with HOLDS_PER_USER_MAX of this user's, or
 * -EINVAL where a text is too long. */
int holds_add(struct holds *h, const char *owner, uid_t uid, enum hold mode, const char *reason, const char *application_id, uint32_t *ret_cookie);

/* Takes that hold out into ret. owner: whose it must be; NULL: any caller's. -ENOENT: there is none. */
int holds_remove(struct holds *h, const char *owner, uint32_t cookie, struct hold_entry *ret);

/* Takes out one hold into ret. Returns false when there is none left. */
bool holds_take(struct holds *h, struct hold_entry *ret);

/* The strongest in force: pause, then throughput, then interactive; HOLD_NONE without holds. */
enum hold holds_strongest(const struct holds *h);

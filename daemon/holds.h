/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Holds that callers on the bus have: a mode with a reason for as long as its holder stays. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "controller.h"

#define HOLDS_MAX 64
#define HOLD_TEXT_MAX 256

struct hold_entry {
        uint32_t cookie; /* 0: free */
        enum hold mode;
        char owner[64];  /* unique bus name */
        char reason[HOLD_TEXT_MAX], application_id[HOLD_TEXT_MAX];
};

struct holds {
        uint32_t last_cookie;
        struct hold_entry entries[HOLDS_MAX];
};

/* Returns 0 and the cookie, -ENOSPC with HOLDS_MAX holds, or -EINVAL where a text is too long. */
int holds_add(struct holds *h, const char *owner, enum hold mode, const char *reason, const char *application_id, uint32_t *ret_cookie);

/* Ends the owner's hold. -ENOENT: no such hold of this owner's. */
int holds_remove(struct holds *h, const char *owner, uint32_t cookie);

/* Takes out one hold of this owner's (NULL: of anybody's) into ret. Returns false when there is none left. */
bool holds_take(struct holds *h, const char *owner, struct hold_entry *ret);

/* The strongest in force: pause, then throughput, then interactive; HOLD_NONE without holds. */
enum hold holds_strongest(const struct holds *h);

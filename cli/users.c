/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>

#include "macro.h"
#include "str.h"
#include "users.h"

struct user {
        uint32_t uid;
        char name[33]; /* useradd(8) makes none that is longer */
};

const char *user_name(uint32_t uid) {
        static struct user users[USERS_MAX];
        static size_t n, next;
        const struct passwd *entry;
        struct user *u;

        for (size_t i = 0; i < n; i++)
                if (users[i].uid == uid)
                        return users[i].name;
        u = &users[next];
        next = (next + 1) % USERS_MAX;
        n = MIN(n + 1, (size_t) USERS_MAX);
        u->uid = uid;
        entry = getpwuid(uid);
        if (entry)
                str_copy(u->name, sizeof(u->name), entry->pw_name);
        else
                snprintf(u->name, sizeof(u->name), "%" PRIu32, uid);
        return u->name;
}

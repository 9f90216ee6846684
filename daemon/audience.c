/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "audience.h"
#include "event.h"
#include "macro.h"
#include "peer.h"
#include "str.h"

struct member {
        char name[CALLER_NAME_MAX]; /* "": free */
        struct reader reader;
        struct peer peer;
};

struct audience {
        sd_bus *connection;
        struct callers *callers;
        struct member members[AUDIENCE_MAX];
};

static const struct reader stranger = { .uid = PROCESS_UID_UNKNOWN };

bool reader_sees(const void *reader, uint32_t uid) {
        const struct reader *r = reader;

        return r->all || (uid != PROCESS_UID_UNKNOWN && uid == r->uid);
}

static struct reader reader_of_user(uint32_t uid) {
        return (struct reader){ .uid = uid, .all = uid == 0 || uid == geteuid() };
}

static const struct member *find(const struct audience *a, const char *name) {
        for (size_t i = 0; i < AUDIENCE_MAX; i++)
                if (streq(a->members[i].name, name))
                        return &a->members[i];
        return NULL;
}

struct audience *audience_new(sd_bus *connection, struct callers *callers) {
        struct audience *a = calloc(1, sizeof(*a));

        if (a) {
                a->connection = connection;
                a->callers = callers;
        }
        return a;
}

struct audience *audience_free(struct audience *a) {
        for (size_t i = 0; a && i < AUDIENCE_MAX; i++)
                peer_unfollow(&a->members[i].peer);
        free(a);
        return NULL;
}

int audience_get_reader(struct audience *a, sd_bus_message *call, sd_bus_message_handler_t handler, void *userdata, struct reader *ret,
                        sd_bus_error *error) {
        const struct member *member = find(a, sd_bus_message_get_sender(call));
        uid_t uid;
        int r;

        if (member) {
                *ret = member->reader;
                return 1;
        }
        r = callers_get_user(a->callers, call, handler, userdata, &uid, error);
        if (r > 0)
                *ret = reader_of_user(uid);
        return r;
}

struct reader audience_reader_of(const struct audience *a, sd_bus_message *answer) {
        const char *name = sd_bus_message_get_destination(answer);
        const struct member *member = name ? find(a, name) : NULL;
        uid_t uid;

        if (member)
                return member->reader;
        return name && callers_know(a->callers, name, &uid) ? reader_of_user(uid) : stranger;
}

static void on_left(void *userdata) {
        struct member *m = userdata;

        *m = (struct member){ 0 };
}

int audience_add(struct audience *a, const char *name, const struct reader *reader) {
        struct member *m = (struct member *) find(a, name), *free_slot = NULL;
        unsigned of_this_user = 0;
        int r;

        if (m) {
                m->reader = *reader;
                return 0;
        }
        for (size_t i = 0; i < AUDIENCE_MAX; i++) {
                if (!*a->members[i].name)
                        free_slot = &a->members[i];
                else
                        of_this_user += a->members[i].reader.uid == reader->uid;
        }
        if (reader->uid != 0 && of_this_user >= AUDIENCE_PER_USER_MAX)
                return -EDQUOT;
        if (!free_slot || !str_copy(free_slot->name, sizeof(free_slot->name), name))
                return -ENOSPC;
        free_slot->reader = *reader;
        r = peer_follow(&free_slot->peer, a->connection, name, on_left, free_slot);
        if (r < 0)
                *free_slot = (struct member){ 0 };
        return r;
}

void audience_each(const struct audience *a, audience_fn fn, void *userdata) {
        for (size_t i = 0; i < AUDIENCE_MAX; i++)
                if (*a->members[i].name)
                        fn(userdata, a->members[i].name, &a->members[i].reader);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "holds.h"
#include "macro.h"
#include "str.h"

int holds_add(struct holds *h, const char *owner, uid_t uid, enum hold mode, const char *reason, const char *application_id, uint32_t *ret_cookie) {
        struct hold_entry *free_slot = NULL, entry = { .mode = mode, .uid = uid };
        unsigned of_this_user = 0;

        for (size_t i = 0; i < HOLDS_MAX; i++) {
                struct hold_entry *e = &h->entries[i];
                if (!e->cookie)
                        free_slot = e;
                else
                        of_this_user += e->uid == uid;
        }
        if (!free_slot)
                return -ENOSPC;
        if (of_this_user >= HOLDS_PER_USER_MAX)
                return -EDQUOT;
        if (!str_copy(entry.owner, sizeof(entry.owner), owner) || !str_copy(entry.reason, sizeof(entry.reason), reason) ||
            !str_copy(entry.application_id, sizeof(entry.application_id), application_id))
                return -EINVAL;
        str_make_text(entry.reason, sizeof(entry.reason));
        str_make_text(entry.application_id, sizeof(entry.application_id));
        if (++h->last_cookie == 0)
                h->last_cookie = 1;
        entry.cookie = h->last_cookie;
        *free_slot = entry;
        *ret_cookie = entry.cookie;
        return 0;
}

static void take(struct hold_entry *e, struct hold_entry *ret) {
        *ret = *e;
        *e = (struct hold_entry){ 0 };
}

int holds_remove(struct holds *h, const char *owner, uint32_t cookie, struct hold_entry *ret) {
        for (size_t i = 0; i < HOLDS_MAX; i++) {
                struct hold_entry *e = &h->entries[i];
                if (cookie && e->cookie == cookie && (!owner || streq(e->owner, owner))) {
                        take(e, ret);
                        return 0;
                }
        }
        return -ENOENT;
}

bool holds_take(struct holds *h, struct hold_entry *ret) {
        for (size_t i = 0; i < HOLDS_MAX; i++) {
                if (h->entries[i].cookie) {
                        take(&h->entries[i], ret);
                        return true;
                }
        }
        return false;
}

enum hold holds_strongest(const struct holds *h) {
        enum hold strongest = HOLD_NONE; /* the enumeration is in order of strength */

        for (size_t i = 0; i < HOLDS_MAX; i++)
                if (h->entries[i].cookie)
                        strongest = MAX(strongest, h->entries[i].mode);
        return strongest;
}

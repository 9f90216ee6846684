/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "macro.h"
#include "mention.h"
#include "statement.h"
#include "str.h"

/* BEGINS user BETWEEN name ENDS; start of text, unit separator and end of text of ASCII */
#define BEGINS '\x02'
#define BETWEEN '\x1f'
#define ENDS '\x03'

const char *mention(char buf[static MENTION_MAX], const char *name, int32_t tgid, uint32_t uid) {
        snprintf(buf, MENTION_MAX, "%c%" PRIu32 "%c%s", BEGINS, uid, BETWEEN, name);
        if (tgid > 0)
                str_append(buf, MENTION_MAX, " (%" PRId32 ")", tgid);
        str_append(buf, MENTION_MAX, "%c", ENDS);
        return buf;
}

/* The user of the mention that begins at p, and where its name begins; NULL where it was cut before that. */
static const char *read_user(const char *p, uint32_t *ret_uid) {
        uint64_t uid = 0;

        for (p++; *p >= '0' && *p <= '9' && uid <= UINT32_MAX; p++)
                uid = uid * 10 + (uint64_t) (*p - '0');
        *ret_uid = (uint32_t) MIN(uid, UINT32_MAX);
        return *p == BETWEEN ? p + 1 : NULL;
}

char *mention_mask(const char *sentence, mention_sees_fn sees, const void *reader, char *ret, size_t size) {
        const char *p = sentence;

        *ret = '\0';
        while (*p) {
                size_t plain = strcspn(p, "\x02");
                const char *name;
                uint32_t uid;
                size_t length;

                str_append(ret, size, "%.*s", (int) plain, p);
                p += plain;
                if (!*p)
                        break;
                name = read_user(p, &uid);
                if (!name) { /* cut in the midst of it */
                        SAY(ret, size, SAY_NOT_SEEN);
                        break;
                }
                length = strcspn(name, "\x03");
                if (sees(reader, uid))
                        str_append(ret, size, "%.*s", (int) length, name);
                else
                        SAY(ret, size, SAY_NOT_SEEN);
                p = name + length + (name[length] == ENDS);
        }
        return ret;
}

char *mention_tell(const char *sentence, mention_sees_fn sees, const void *reader, char *ret, size_t size) {
        char masked[MENTION_TOLD_MAX];

        return statement_tell(mention_mask(sentence, sees, reader, masked, sizeof(masked)), NULL, ret, size);
}

static bool sees_all(const void *reader _unused_, uint32_t uid _unused_) {
        return true;
}

char *mention_tell_all(const char *sentence, char *ret, size_t size) {
        return mention_tell(sentence, sees_all, NULL, ret, size);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "checksum.h"
#include "journal-line.h"
#include "str.h"

#define MAGIC "brio1"
#define CRC_DIGITS 8
#define FIELDS_MAX 10

static bool field_is_safe(const char *s) {
        for (; *s; s++)
                if ((unsigned char) *s < ' ')
                        return false;
        return true;
}

static const char *tunable_owner(enum tunable_id id) {
        const char *name = scheduler_to_string(tunable_get(id)->scheduler);

        return name ? name : "queue";
}

static enum tunable_id tunable_from_field(char *field) {
        char *colon = strchr(field, ':');

        if (!colon)
                return _TUNABLE_INVALID;
        *colon = '\0';
        return tunable_find(streq(field, "queue") ? SCHEDULER_ANY : scheduler_from_string(field), colon + 1);
}

int journal_line_format(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_entry *entry) {
        const struct journal_entry *e = entry;
        const char *owner = tunable_owner(e->tunable), *name = tunable_get(e->tunable)->name;
        size_t length;

        if (!field_is_safe(boot_id) || !field_is_safe(e->device) || !field_is_safe(e->scheduler) || !field_is_safe(e->original) ||
            !field_is_safe(e->before) || !field_is_safe(e->written))
                return -EINVAL;
        if (kind == JOURNAL_LINE_ORIGINAL)
                snprintf(buf, JOURNAL_LINE_MAX, MAGIC "\t%s\toriginal\t%s\t%llu\t%s:%s\t%s\t%s\t%s\t%s", boot_id, e->device, e->diskseq,
                         owner, name, e->scheduler, e->original, e->before, e->written);
        else
                snprintf(buf, JOURNAL_LINE_MAX, MAGIC "\t%s\tforget\t%s\t%s:%s", boot_id, e->device, owner, name);
        length = strlen(buf);
        if (length + 1 + CRC_DIGITS + 2 > JOURNAL_LINE_MAX)
                return -EINVAL;
        return (int) length + snprintf(buf + length, JOURNAL_LINE_MAX - length, "\t%08x\n", checksum_crc32c(0, buf, (size_t) length));
}

static int fill_original(char **fields, struct journal_entry *e) {
        uint64_t diskseq;

        if (str_parse_u64(fields[4], &diskseq) < 0)
                return -EBADMSG;
        e->diskseq = diskseq;
        e->tunable = tunable_from_field(fields[5]);
        if (e->tunable == _TUNABLE_INVALID || !str_copy(e->scheduler, sizeof(e->scheduler), fields[6]) ||
            !str_copy(e->original, sizeof(e->original), fields[7]) || !str_copy(e->before, sizeof(e->before), fields[8]) ||
            !str_copy(e->written, sizeof(e->written), fields[9]))
                return -EBADMSG;
        return JOURNAL_LINE_ORIGINAL;
}

int journal_line_parse(const char *line, size_t length, const char *boot_id, struct journal_entry *ret) {
        struct journal_entry e = {};
        char text[JOURNAL_LINE_MAX], crc[CRC_DIGITS + 1], *fields[FIELDS_MAX], *rest = text;
        size_t n = 0, body;
        int kind = -EBADMSG;

        if (length <= CRC_DIGITS + 1 || length >= sizeof(text))
                return -EBADMSG;
        memcpy(text, line, length);
        text[length] = '\0';
        body = length - CRC_DIGITS - 1;
        snprintf(crc, sizeof(crc), "%08x", checksum_crc32c(0, text, body));
        if (text[body] != '\t' || !streq(text + body + 1, crc))
                return -EBADMSG;
        text[body] = '\0';
        for (char *field; n < FIELDS_MAX && (field = strsep(&rest, "\t"));)
                fields[n++] = field;
        if (n < 5 || rest || !streq(fields[0], MAGIC) || !str_copy(e.device, sizeof(e.device), fields[3]))
                return -EBADMSG;
        if (!streq(fields[1], boot_id))
                return -ESTALE;
        if (n == FIELDS_MAX && streq(fields[2], "original"))
                kind = fill_original(fields, &e);
        else if (n == 5 && streq(fields[2], "forget")) {
                e.tunable = tunable_from_field(fields[4]);
                kind = e.tunable == _TUNABLE_INVALID ? -EBADMSG : JOURNAL_LINE_FORGET;
        }
        if (kind >= 0)
                *ret = e;
        return kind;
}

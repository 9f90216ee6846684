/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "checksum.h"
#include "journal-line.h"
#include "line-file.h"
#include "str.h"

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

/* The checksum and the newline. Returns the length. */
static int close_line(char *buf) {
        size_t length = strlen(buf);

        if (length + 1 + CHECKSUM_DIGITS + 2 > JOURNAL_LINE_MAX)
                return -EINVAL;
        return (int) length + snprintf(buf + length, JOURNAL_LINE_MAX - length, "\t%08x\n", checksum_crc32c(0, buf, length));
}

int journal_line_format(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_entry *entry) {
        const struct journal_entry *e = entry;
        const char *owner = tunable_owner(e->tunable), *name = tunable_get(e->tunable)->name;

        if (!field_is_safe(boot_id) || !field_is_safe(e->device) || !field_is_safe(e->scheduler) || !field_is_safe(e->original) ||
            !field_is_safe(e->before) || !field_is_safe(e->written))
                return -EINVAL;
        if (kind == JOURNAL_LINE_ORIGINAL)
                snprintf(buf, JOURNAL_LINE_MAX, LINE_MAGIC "\t%s\toriginal\t%s\t%llu\t%s:%s\t%s\t%s\t%s\t%s", boot_id, e->device, e->diskseq,
                         owner, name, e->scheduler, e->original, e->before, e->written);
        else
                snprintf(buf, JOURNAL_LINE_MAX, LINE_MAGIC "\t%s\tforget\t%s\t%s:%s", boot_id, e->device, owner, name);
        return close_line(buf);
}

int journal_line_format_priority(char *buf, const char *boot_id, enum journal_line_kind kind, const struct journal_priority *priority) {
        const struct journal_priority *p = priority;

        if (!field_is_safe(boot_id))
                return -EINVAL;
        if (kind == JOURNAL_LINE_PRIORITY)
                snprintf(buf, JOURNAL_LINE_MAX,
                         LINE_MAGIC "\t%s\tpriority\t%" PRId32 "\t%" PRIu64 "\t%" PRId32 "\t%" PRIu32 "\t%" PRIu64 "\t%" PRIu16 "\t%" PRIu16, boot_id,
                         p->tgid, p->start_ticks, p->session, p->cgroup, p->since_ticks, p->original, p->written);
        else
                snprintf(buf, JOURNAL_LINE_MAX, LINE_MAGIC "\t%s\treturn\t%" PRId32 "\t%" PRIu64, boot_id, p->tgid, p->start_ticks);
        return close_line(buf);
}

/* What no line that we wrote has is damage. Returns whether it fits. */
static bool take_text(const char *field, char *ret, size_t size) {
        return field_is_safe(field) && str_copy(ret, size, field);
}

static int fill_original(char **fields, struct journal_entry *e) {
        uint64_t diskseq;

        if (str_parse_u64(fields[4], &diskseq) < 0)
                return -EBADMSG;
        e->diskseq = diskseq;
        e->tunable = tunable_from_field(fields[5]);
        if (e->tunable == _TUNABLE_INVALID || !take_text(fields[3], e->device, sizeof(e->device)) || !take_text(fields[6], e->scheduler, sizeof(e->scheduler)) ||
            !take_text(fields[7], e->original, sizeof(e->original)) || !take_text(fields[8], e->before, sizeof(e->before)) ||
            !take_text(fields[9], e->written, sizeof(e->written)))
                return -EBADMSG;
        return JOURNAL_LINE_ORIGINAL;
}

static int fill_forgotten(char **fields, struct journal_entry *e) {
        e->tunable = tunable_from_field(fields[4]);
        if (e->tunable == _TUNABLE_INVALID || !take_text(fields[3], e->device, sizeof(e->device)))
                return -EBADMSG;
        return JOURNAL_LINE_FORGET;
}

static int fill_identity(char **fields, struct journal_priority *p) {
        uint64_t tgid;

        if (str_parse_u64_most(fields[3], INT32_MAX, &tgid) < 0 || tgid == 0 || str_parse_u64_most(fields[4], UINT64_MAX, &p->start_ticks) < 0)
                return -EBADMSG;
        p->tgid = (int32_t) tgid;
        return JOURNAL_LINE_RETURN;
}

static int fill_priority(char **fields, struct journal_priority *p) {
        uint64_t session, cgroup, original, written;

        if (fill_identity(fields, p) < 0 || str_parse_u64_most(fields[5], INT32_MAX, &session) < 0 || str_parse_u64_most(fields[6], UINT32_MAX, &cgroup) < 0 ||
            str_parse_u64_most(fields[7], UINT64_MAX, &p->since_ticks) < 0 || str_parse_u64_most(fields[8], UINT16_MAX, &original) < 0 ||
            str_parse_u64_most(fields[9], UINT16_MAX, &written) < 0)
                return -EBADMSG;
        p->session = (int32_t) session;
        p->cgroup = (uint32_t) cgroup;
        p->original = (uint16_t) original;
        p->written = (uint16_t) written;
        return JOURNAL_LINE_PRIORITY;
}

int journal_line_parse(const char *line, size_t length, const char *boot_id, union journal_record *ret) {
        union journal_record record = {};
        char text[JOURNAL_LINE_MAX], *fields[FIELDS_MAX];
        int n = line_split(line, length, text, sizeof(text), fields, FIELDS_MAX), kind = -EBADMSG;

        if (n < 5)
                return -EBADMSG;
        if (!streq(fields[1], boot_id))
                return -ESTALE;
        if (n == FIELDS_MAX && streq(fields[2], "original"))
                kind = fill_original(fields, &record.entry);
        else if (n == 5 && streq(fields[2], "forget"))
                kind = fill_forgotten(fields, &record.entry);
        else if (n == FIELDS_MAX && streq(fields[2], "priority"))
                kind = fill_priority(fields, &record.priority);
        else if (n == 5 && streq(fields[2], "return"))
                kind = fill_identity(fields, &record.priority);
        if (kind >= 0)
                *ret = record;
        return kind;
}

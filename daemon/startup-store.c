/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "fdio.h"
#include "line-file.h"
#include "macro.h"
#include "startup-store.h"
#include "str.h"

#define WORDS 9           /* before the numbers, with the magic */
#define NUMBERS 8
#define NUMBERS_FIRST 6   /* lines of earlier forms, which lack the last two or the last */
#define CULPRIT_FIELDS 3
#define FIELDS_MAX (WORDS + NUMBERS + CULPRIT_FIELDS * STARTUP_CULPRITS_SHOWN)
/* Every line of every application; more was not written by us. */
static const struct line_file file = {
        .name = "startups", .name_new = "startups.new", .name_damaged = "startups.damaged",
        .bytes_max = (size_t) STARTUP_APPLICATIONS_MAX * STARTUP_RECORDS_MAX * STARTUP_LINE_MAX,
};

size_t startup_line_format(char *buf, const struct startup_record *r) {
        const struct startup_view *s = &r->start;
        const uint64_t numbers[NUMBERS] = { s->latency / NSEC_PER_USEC, s->waited / NSEC_PER_USEC, s->read_bytes, s->requests, s->faults, s->processes,
                                     s->noticed / NSEC_PER_USEC, s->uid };
        char flags[5] = "";

        snprintf(flags, sizeof(flags), "%s%s%s%s", s->launched ? "l" : "", s->cold ? "c" : "", s->observed ? "o" : "", r->helped ? "h" : "");
        snprintf(buf, STARTUP_LINE_MAX, LINE_MAGIC "\tstart");
        line_add_number(buf, STARTUP_LINE_MAX, r->time_usec);
        line_add_text(buf, STARTUP_LINE_MAX, s->application);
        line_add_text(buf, STARTUP_LINE_MAX, r->device);
        line_add_number(buf, STARTUP_LINE_MAX, (uint64_t) s->tgid);
        line_add_text(buf, STARTUP_LINE_MAX, s->name);
        line_add_text(buf, STARTUP_LINE_MAX, startup_end_to_string(s->end));
        line_add_text(buf, STARTUP_LINE_MAX, flags);
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                line_add_number(buf, STARTUP_LINE_MAX, numbers[i]);
        for (size_t i = 0; i < s->n_culprits; i++) {
                line_add_text(buf, STARTUP_LINE_MAX, s->culprits[i].name);
                line_add_number(buf, STARTUP_LINE_MAX, (uint64_t) s->culprits[i].tgid);
                line_add_number(buf, STARTUP_LINE_MAX, s->culprits[i].permille);
        }
        return line_seal(buf, STARTUP_LINE_MAX);
}

static int take_culprit(char **fields, struct startup_culprit *ret) {
        uint64_t tgid = 0, permille = 0;
        int r = line_take_text(fields[0], ret->name, sizeof(ret->name));

        if (r == 0)
                r = str_parse_u64_most(fields[1], INT32_MAX, &tgid);
        if (r == 0)
                r = str_parse_u64_most(fields[2], 1000, &permille);
        ret->tgid = (int32_t) tgid;
        ret->permille = (uint16_t) permille;
        ret->uid = PROCESS_UID_UNKNOWN; /* it may long have ended */
        return r;
}

static int take_end(const char *field, enum startup_end *ret) {
        for (int e = 0; e < _STARTUP_END_MAX; e++)
                if (streq(field, startup_end_to_string((enum startup_end) e))) {
                        *ret = (enum startup_end) e;
                        return 0;
                }
        return -EBADMSG;
}

/* What there is of them in a line of n fields; culprits have three each, so that the form shows. 0: it has none. */
static size_t count_numbers(size_t n) {
        size_t numbers = NUMBERS_FIRST + (n - WORDS) % CULPRIT_FIELDS;

        return n >= WORDS + numbers ? numbers : 0;
}

static int take_fields(char **f, size_t n, size_t n_numbers, struct startup_record *ret) {
        static const uint64_t most[NUMBERS] = { UINT64_MAX / NSEC_PER_USEC, UINT64_MAX / NSEC_PER_USEC, UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                                UINT64_MAX / NSEC_PER_USEC, UINT32_MAX };
        struct startup_view *s = &ret->start;
        uint64_t numbers[NUMBERS] = { [NUMBERS - 1] = PROCESS_UID_UNKNOWN }, tgid = 0;
        int r = str_parse_u64_most(f[2], UINT64_MAX, &ret->time_usec);

        if (r == 0)
                r = line_take_text(f[3], s->application, sizeof(s->application));
        if (r == 0)
                r = line_take_text(f[4], ret->device, sizeof(ret->device));
        if (r == 0)
                r = str_parse_u64_most(f[5], INT32_MAX, &tgid);
        if (r == 0)
                r = line_take_text(f[6], s->name, sizeof(s->name));
        if (r == 0)
                r = take_end(f[7], &s->end);
        for (size_t i = 0; r == 0 && i < n_numbers; i++)
                r = str_parse_u64_most(f[WORDS + i], most[i], &numbers[i]);
        for (size_t at = WORDS + n_numbers; r == 0 && at < n; at += CULPRIT_FIELDS)
                r = take_culprit(f + at, &s->culprits[s->n_culprits++]);
        if (r < 0 || !*s->application)
                return -EBADMSG;
        s->tgid = (int32_t) tgid;
        s->launched = strchr(f[8], 'l');
        s->cold = strchr(f[8], 'c');
        s->observed = strchr(f[8], 'o');
        ret->helped = strchr(f[8], 'h');
        s->latency = numbers[0] * NSEC_PER_USEC;
        s->waited = numbers[1] * NSEC_PER_USEC;
        s->read_bytes = numbers[2];
        s->requests = (uint32_t) numbers[3];
        s->faults = (uint32_t) numbers[4];
        s->processes = (uint32_t) numbers[5];
        s->noticed = numbers[6] * NSEC_PER_USEC;
        s->uid = (uint32_t) numbers[7];
        return 0;
}

int startup_line_parse(const char *line, size_t length, struct startup_record *ret) {
        char text[STARTUP_LINE_MAX], *fields[FIELDS_MAX];
        struct startup_record record = { 0 };
        int n = line_split(line, length, text, sizeof(text), fields, ARRAY_SIZE(fields));
        size_t numbers = n >= WORDS ? count_numbers((size_t) n) : 0;

        if (numbers == 0 || !streq(fields[1], "start") || take_fields(fields, (size_t) n, numbers, &record) < 0)
                return -EBADMSG;
        *ret = record;
        return 0;
}

static int take(void *userdata, const char *line, size_t length) {
        struct startup_record r;

        if (startup_line_parse(line, length, &r) < 0)
                return -EBADMSG;
        startup_history_add(userdata, &r);
        return 0;
}

int startup_store_load(const char *dir, struct startup_history *h, size_t *ret_damaged) {
        return line_file_load(dir, &file, take, h, ret_damaged);
}

static int write_records(int fd, const void *userdata) {
        const struct startup_history *h = userdata;
        char line[STARTUP_LINE_MAX];

        for (size_t i = 0; i < STARTUP_APPLICATIONS_MAX; i++)
                for (size_t k = 0; k < h->applications[i].n; k++) {
                        size_t length = startup_line_format(line, &h->applications[i].records[k]);
                        int r = fdio_write_all(fd, line, length);
                        if (r < 0)
                                return r;
                }
        return 0;
}

int startup_store_save(const char *dir, const struct startup_history *h) {
        return line_file_save(dir, &file, write_records, h);
}

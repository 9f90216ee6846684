/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>

#include "checksum.h"
#include "fdio.h"
#include "macro.h"
#include "startup-store.h"
#include "str.h"

#define FILE_NAME "startups"
#define FILE_NAME_NEW "startups.new"
#define FILE_NAME_DAMAGED "startups.damaged"
#define MAGIC "brio1"
#define FIELDS 16         /* before the culprits, with the magic */
#define NUMBERS 7
#define CULPRIT_FIELDS 3
#define FIELDS_MAX (FIELDS + CULPRIT_FIELDS * STARTUP_CULPRITS_SHOWN)
/* Every line of every application; more was not written by us. */
#define FILE_BYTES_MAX ((size_t) STARTUP_APPLICATIONS_MAX * STARTUP_RECORDS_MAX * STARTUP_LINE_MAX)

/* Whatever a process is called, a line stays a line. */
static void add_text(char *line, const char *text) {
        size_t at = strlen(line) + 1;

        str_append(line, STARTUP_LINE_MAX, "\t%s", text);
        for (; at < STARTUP_LINE_MAX && line[at]; at++)
                if ((unsigned char) line[at] < ' ')
                        line[at] = '?';
}

static void add_number(char *line, uint64_t value) {
        str_append(line, STARTUP_LINE_MAX, "\t%" PRIu64, value);
}

size_t startup_line_format(char *buf, const struct startup_record *r) {
        const struct startup_view *s = &r->start;
        const uint64_t numbers[NUMBERS] = { s->latency / NSEC_PER_USEC, s->waited / NSEC_PER_USEC, s->read_bytes, s->requests, s->faults, s->processes,
                                     s->noticed / NSEC_PER_USEC };
        char flags[4] = "";

        snprintf(flags, sizeof(flags), "%s%s%s", s->launched ? "l" : "", s->cold ? "c" : "", s->observed ? "o" : "");
        snprintf(buf, STARTUP_LINE_MAX, MAGIC "\tstart");
        add_number(buf, r->time_usec);
        add_text(buf, s->application);
        add_text(buf, r->device);
        add_number(buf, (uint64_t) s->tgid);
        add_text(buf, s->name);
        add_text(buf, startup_end_to_string(s->end));
        add_text(buf, flags);
        for (size_t i = 0; i < ARRAY_SIZE(numbers); i++)
                add_number(buf, numbers[i]);
        for (size_t i = 0; i < s->n_culprits; i++) {
                add_text(buf, s->culprits[i].name);
                add_number(buf, (uint64_t) s->culprits[i].tgid);
                add_number(buf, s->culprits[i].permille);
        }
        str_append(buf, STARTUP_LINE_MAX, "\t%08x\n", checksum_crc32c(0, buf, strlen(buf)));
        return strlen(buf);
}

static int take_text(const char *field, char *ret, size_t size) {
        return str_is_text(field) && str_copy(ret, size, field) ? 0 : -EBADMSG;
}

static int take_number(const char *field, uint64_t most, uint64_t *ret) {
        return str_parse_u64(field, ret) < 0 || *ret > most ? -EBADMSG : 0;
}

static int take_culprit(char **fields, struct startup_culprit *ret) {
        uint64_t tgid = 0, permille = 0;
        int r = take_text(fields[0], ret->name, sizeof(ret->name));

        if (r == 0)
                r = take_number(fields[1], INT32_MAX, &tgid);
        if (r == 0)
                r = take_number(fields[2], 1000, &permille);
        ret->tgid = (int32_t) tgid;
        ret->permille = (uint16_t) permille;
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

static int take_fields(char **f, size_t n, struct startup_record *ret) {
        static const uint64_t most[NUMBERS] = { UINT64_MAX / NSEC_PER_USEC, UINT64_MAX / NSEC_PER_USEC, UINT64_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX,
                                                UINT64_MAX / NSEC_PER_USEC };
        struct startup_view *s = &ret->start;
        uint64_t numbers[NUMBERS], tgid = 0;
        int r = take_number(f[2], UINT64_MAX, &ret->time_usec);

        if (r == 0)
                r = take_text(f[3], s->application, sizeof(s->application));
        if (r == 0)
                r = take_text(f[4], ret->device, sizeof(ret->device));
        if (r == 0)
                r = take_number(f[5], INT32_MAX, &tgid);
        if (r == 0)
                r = take_text(f[6], s->name, sizeof(s->name));
        if (r == 0)
                r = take_end(f[7], &s->end);
        for (size_t i = 0; r == 0 && i < ARRAY_SIZE(numbers); i++)
                r = take_number(f[9 + i], most[i], &numbers[i]);
        for (size_t i = 0; r == 0 && FIELDS + i * CULPRIT_FIELDS < n; i++)
                r = take_culprit(f + FIELDS + i * CULPRIT_FIELDS, &s->culprits[s->n_culprits++]);
        if (r < 0 || !*s->application)
                return -EBADMSG;
        s->tgid = (int32_t) tgid;
        s->launched = strchr(f[8], 'l');
        s->cold = strchr(f[8], 'c');
        s->observed = strchr(f[8], 'o');
        s->latency = numbers[0] * NSEC_PER_USEC;
        s->waited = numbers[1] * NSEC_PER_USEC;
        s->read_bytes = numbers[2];
        s->requests = (uint32_t) numbers[3];
        s->faults = (uint32_t) numbers[4];
        s->processes = (uint32_t) numbers[5];
        s->noticed = numbers[6] * NSEC_PER_USEC;
        return 0;
}

int startup_line_parse(const char *line, size_t length, struct startup_record *ret) {
        char text[STARTUP_LINE_MAX], *fields[FIELDS_MAX], *rest = text;
        struct startup_record record = { 0 };
        size_t n = 0;

        if (length >= sizeof(text))
                return -EBADMSG;
        memcpy(text, line, length);
        text[length] = '\0';
        if (!checksum_unseal(text, length))
                return -EBADMSG;
        for (char *field; n < FIELDS_MAX && (field = strsep(&rest, "\t"));)
                fields[n++] = field;
        if (n < FIELDS || rest || (n - FIELDS) % CULPRIT_FIELDS != 0 || !streq(fields[0], MAGIC) || !streq(fields[1], "start") ||
            take_fields(fields, n, &record) < 0)
                return -EBADMSG;
        *ret = record;
        return 0;
}

/* The whole file, malloc'ed. Returns its size or -errno. */
static ssize_t read_file(int dir_fd, char **ret) {
        _cleanup_close_ int fd = openat(dir_fd, FILE_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
        _cleanup_free_ char *text = NULL;
        struct stat st;
        ssize_t n;

        if (fd < 0 || fstat(fd, &st) < 0)
                return -errno;
        if (!S_ISREG(st.st_mode) || (size_t) st.st_size > FILE_BYTES_MAX)
                return -EFBIG;
        text = malloc((size_t) st.st_size + 1);
        if (!text)
                return -ENOMEM;
        n = fdio_read_all(fd, text, (size_t) st.st_size);
        if (n >= 0)
                *ret = TAKE_PTR(text);
        return n;
}

int startup_store_load(const char *dir, struct startup_history *h, size_t *ret_damaged) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        _cleanup_free_ char *text = NULL;
        size_t damaged = 0;
        ssize_t n;

        if (dir_fd < 0)
                return -errno;
        n = read_file(dir_fd, &text);
        if (n == -ENOENT)
                n = 0;
        if (n == -EFBIG) { /* none of ours, as a whole */
                n = 0;
                damaged++;
        }
        if (n < 0)
                return (int) n;
        for (ssize_t at = 0; at < n;) {
                const char *end = memchr(text + at, '\n', (size_t) (n - at));
                size_t length = end ? (size_t) (end - text - at) : (size_t) (n - at);
                struct startup_record r;
                if (end && startup_line_parse(text + at, length, &r) == 0)
                        startup_history_add(h, &r);
                else
                        damaged++;
                at += (ssize_t) length + 1;
        }
        if (damaged > 0 && renameat(dir_fd, FILE_NAME, dir_fd, FILE_NAME_DAMAGED) < 0)
                return -errno;
        *ret_damaged = damaged;
        return 0;
}

static int write_records(int fd, const struct startup_history *h) {
        char line[STARTUP_LINE_MAX];

        for (size_t i = 0; i < STARTUP_APPLICATIONS_MAX; i++)
                for (size_t k = 0; k < h->applications[i].n; k++) {
                        size_t length = startup_line_format(line, &h->applications[i].records[k]);
                        int r = fdio_write_all(fd, line, length);
                        if (r < 0)
                                return r;
                }
        return fsync(fd) < 0 ? -errno : 0;
}

int startup_store_save(const char *dir, const struct startup_history *h) {
        _cleanup_close_ int dir_fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fd = -1;
        int r;

        if (dir_fd < 0)
                return -errno;
        fd = openat(dir_fd, FILE_NAME_NEW, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
        if (fd < 0)
                return -errno;
        r = write_records(fd, h);
        if (r == 0 && renameat(dir_fd, FILE_NAME_NEW, dir_fd, FILE_NAME) < 0)
                r = -errno;
        if (r < 0) {
                unlinkat(dir_fd, FILE_NAME_NEW, 0);
                return r;
        }
        return fsync(dir_fd) < 0 ? -errno : 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "blktrace-state.h"
#include "fdio.h"
#include "macro.h"
#include "str.h"

#define MAGIC "brio-blktrace-1"
#define LINE_MAX_BYTES 256
#define FILE_MAX_BYTES (BLKTRACE_DRIVES_MAX * LINE_MAX_BYTES)
enum { FIELD_MAGIC, FIELD_BOOT, FIELD_NAME, FIELD_INODE, FIELD_MADE, _FIELDS };

/* Between the note that a trace is about to be made, and its files. They are dated by a clock that a tick moves, so up to 10 ms early. */
#define MAKING_NS NSEC_PER_SEC
#define TICK_NS (10 * NSEC_PER_MSEC)

static bool is_name(const char *s) {
        return *s && *s != '.' && !strpbrk(s, "/ \t\n");
}

static int parse_line(char *line, const char *boot_id, struct blktrace_mark *ret) {
        struct blktrace_mark m = { 0 };
        char *fields[_FIELDS], *rest = line;

        for (int i = 0; i < _FIELDS; i++)
                if (!(fields[i] = strsep(&rest, " ")))
                        return -EBADMSG;
        if (rest || !streq(fields[FIELD_MAGIC], MAGIC) || !streq(fields[FIELD_BOOT], boot_id) || !is_name(fields[FIELD_NAME]) ||
            !str_copy(m.name, sizeof(m.name), fields[FIELD_NAME]) || str_parse_u64(fields[FIELD_INODE], &m.inode) < 0 ||
            str_parse_u64(fields[FIELD_MADE], &m.made) < 0)
                return -EBADMSG;
        *ret = m;
        return 0;
}

static size_t index_of(const struct blktrace_state *s, const char *name) {
        size_t i = 0;

        while (i < s->n && !streq(s->marks[i].name, name))
                i++;
        return i;
}

int blktrace_state_open(struct blktrace_state *s, const char *dir, const char *boot_id) {
        char path[PATH_MAX], text[FILE_MAX_BYTES + 1], *rest = text, *line;
        struct blktrace_mark mark;

        *s = (struct blktrace_state) { 0 };
        if (!str_copy(s->dir, sizeof(s->dir), dir) || !str_copy(s->boot_id, sizeof(s->boot_id), boot_id))
                return -ENAMETOOLONG;
        snprintf(path, sizeof(path), "%s/" BLKTRACE_STATE_FILE, dir);
        if (fdio_read_own(AT_FDCWD, path, text, sizeof(text)) < 0)
                return 0;
        while ((line = strsep(&rest, "\n")))
                if (s->n < ARRAY_SIZE(s->marks) && parse_line(line, boot_id, &mark) == 0 && index_of(s, mark.name) == s->n)
                        s->marks[s->n++] = mark;
        return 0;
}

const struct blktrace_mark *blktrace_state_find(const struct blktrace_state *s, const char *name) {
        size_t i = index_of(s, name);

        return i < s->n ? &s->marks[i] : NULL;
}

static int write_file(const struct blktrace_state *s, const char *path) {
        _cleanup_close_ int fd = fdio_create_own(AT_FDCWD, path, 0600);
        char line[LINE_MAX_BYTES];
        int r = MIN(fd, 0);

        for (size_t i = 0; i < s->n && r >= 0; i++) {
                snprintf(line, sizeof(line), MAGIC " %s %s %" PRIu64 " %" PRIu64 "\n", s->boot_id, s->marks[i].name, s->marks[i].inode,
                         s->marks[i].made);
                r = fdio_write_all(fd, line, strlen(line));
        }
        return r;
}

/* In one step, so that a kill in between leaves the old or the new. */
static int save(const struct blktrace_state *s) {
        char path[PATH_MAX], new[PATH_MAX];
        int r;

        snprintf(path, sizeof(path), "%s/" BLKTRACE_STATE_FILE, s->dir);
        snprintf(new, sizeof(new), "%s/" BLKTRACE_STATE_FILE ".new", s->dir);
        if (s->n == 0)
                return unlink(path) < 0 && errno != ENOENT ? -errno : 0;
        r = write_file(s, new);
        if (r >= 0 && rename(new, path) < 0)
                r = -errno;
        if (r < 0)
                unlink(new);
        return r;
}

int blktrace_state_note(struct blktrace_state *s, const struct blktrace_mark *mark) {
        size_t i = index_of(s, mark->name), n = s->n;
        struct blktrace_mark former;
        int r;

        if (!is_name(mark->name))
                return -EINVAL;
        if (i == ARRAY_SIZE(s->marks))
                return -ENOSPC;
        former = s->marks[i];
        s->marks[i] = *mark;
        s->n = MAX(n, i + 1);
        r = save(s);
        if (r < 0) {
                s->marks[i] = former;
                s->n = n;
        }
        return r;
}

int blktrace_state_forget(struct blktrace_state *s, const char *name) {
        size_t i = index_of(s, name);

        if (i == s->n)
                return 0;
        s->marks[i] = s->marks[--s->n];
        return save(s);
}

bool blktrace_mark_is(const struct blktrace_mark *mark, uint64_t inode, nsec_t made) {
        if (mark->inode != 0)
                return mark->inode == inode && mark->made == made;
        return made + TICK_NS >= mark->made && made <= mark->made + MAKING_NS;
}

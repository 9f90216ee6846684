/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "bfq-session.h"
#include "fdio.h"
#include "macro.h"
#include "str.h"

#define MAGIC "brio-bfq-log-1"
#define TRACER "blk"
#define NO_TRACER "nop"
#define CLOCK "mono" /* CLOCK_MONOTONIC, as all else that briod compares */
#define CATEGORY "notify" /* messages, and not the requests themselves */
#define ALL_CATEGORIES "0xffff" /* what blktrace(8) asks for unless told otherwise */
#define STATE_MAX (256 + BFQ_SESSION_DRIVES_MAX * BFQ_SESSION_NAME_MAX)

/* What there was, and what was taken. */
struct taken {
        char clock[32];
        size_t n;
        char names[BFQ_SESSION_DRIVES_MAX][BFQ_SESSION_NAME_MAX];
};

static void tracing_path(const struct bfq_session_places *p, const char *file, char *ret, size_t size) {
        snprintf(ret, size, "%s/%s", p->tracing, file);
}

static ssize_t tracing_read(const struct bfq_session_places *p, const char *file, char *ret, size_t size) {
        char path[PATH_MAX];

        tracing_path(p, file, path, sizeof(path));
        return fdio_read_at(AT_FDCWD, path, ret, size);
}

static int tracing_write(const struct bfq_session_places *p, const char *file, const char *text) {
        char path[PATH_MAX];

        tracing_path(p, file, path, sizeof(path));
        return fdio_write_at(AT_FDCWD, path, text);
}

static int drive_write(const struct bfq_session_places *p, const char *name, const char *file, const char *text) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s/trace/%s", p->block, name, file);
        return fdio_write_at(AT_FDCWD, path, text);
}

/* Whether it is traced, in whatever way: blktrace(8) shows here, too. */
static bool is_traced(const struct bfq_session_places *p, const char *name) {
        char path[PATH_MAX], text[16];

        snprintf(path, sizeof(path), "%s/%s/trace/enable", p->block, name);
        return fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || !streq(text, "0");
}

/* The files of a trace that blktrace(8), or another program with its ioctls, has begun; one that was begun through sysfs, as ours, has none. */
static bool is_blktraces(const struct bfq_session_places *p, const char *name) {
        char path[PATH_MAX];

        snprintf(path, sizeof(path), "%s/%s/dropped", p->debug, name);
        return access(path, F_OK) == 0;
}

static bool is_zero(char *line, const char *name) {
        size_t n = strlen(name);

        return strncmp(line, name, n) != 0 || streq(str_strip(line + n), "0");
}

/* What a CPU's buffer has, and had. */
static bool is_cpu_empty(const struct bfq_session_places *p, const char *cpu) {
        char file[NAME_MAX + 32], text[ATTRIBUTE_MAX], *rest = text, *line;
        bool empty = true;

        snprintf(file, sizeof(file), "per_cpu/%s/stats", cpu);
        if (tracing_read(p, file, text, sizeof(text)) < 0)
                return false;
        while ((line = strsep(&rest, "\n")))
                empty = empty && is_zero(line, "entries:") && is_zero(line, "overrun:");
        return empty;
}

/* Not from the file "trace", which says so, too: opening that, as a reader of it would, stops tracing on kernels before 5.9. */
static bool is_buffer_empty(const struct bfq_session_places *p) {
        const struct dirent *e;
        char path[PATH_MAX];
        _cleanup_closedir_ DIR *d = NULL;
        bool empty = true;

        tracing_path(p, "per_cpu", path, sizeof(path));
        d = opendir(path);
        if (!d)
                return false;
        while (empty && (e = readdir(d)))
                empty = *e->d_name == '.' || is_cpu_empty(p, e->d_name);
        return empty;
}

static bool has_word(char *text, const char *word) {
        const char *each;

        while ((each = strsep(&text, " \n")))
                if (streq(each, word))
                        return true;
        return false;
}

enum bfq_obstacle bfq_session_obstacle(const struct bfq_session_places *p) {
        char text[ATTRIBUTE_MAX], path[PATH_MAX];
        ssize_t n = tracing_read(p, "available_tracers", text, sizeof(text));

        if (n < 0)
                return n == -ENOENT ? BFQ_SESSION_NOT_MOUNTED : BFQ_SESSION_FORBIDDEN;
        if (!has_word(text, TRACER))
                return BFQ_SESSION_NOT_BUILT;
        tracing_path(p, "current_tracer", path, sizeof(path));
        if (access(path, W_OK) < 0)
                return BFQ_SESSION_FORBIDDEN;
        if (tracing_read(p, "current_tracer", text, sizeof(text)) < 0 || !streq(text, NO_TRACER))
                return BFQ_SESSION_IN_USE;
        if (tracing_read(p, "tracing_on", text, sizeof(text)) < 0 || !streq(text, "1"))
                return BFQ_SESSION_IN_USE;
        if (tracing_read(p, "set_event", text, sizeof(text)) != 0)
                return BFQ_SESSION_IN_USE;
        return is_buffer_empty(p) ? BFQ_SESSION_POSSIBLE : BFQ_SESSION_IN_USE;
}

const char *bfq_obstacle_to_sentence(enum bfq_obstacle o) {
        switch (o) {
        case BFQ_SESSION_POSSIBLE:
                return NULL;
        case BFQ_SESSION_NOT_MOUNTED:
                return "tracefs is not mounted; mount -t tracefs tracefs /sys/kernel/tracing does that";
        case BFQ_SESSION_NOT_BUILT:
                return "the kernel has no blk tracer (CONFIG_BLK_DEV_IO_TRACE)";
        case BFQ_SESSION_FORBIDDEN:
                return "briod may not choose the kernel's tracer: it needs to be root, and its unit to allow it";
        case BFQ_SESSION_IN_USE:
                return "another program uses the kernel's tracing, which is left alone; trace-cmd reset would end that";
        }
        return "";
}

static void state_path(const struct bfq_session_places *p, char *ret, size_t size) {
        snprintf(ret, size, "%s/" BFQ_SESSION_STATE_FILE, p->state_dir);
}

/* One line: the magic word, the boot, the clock that there was, and the drives. */
static int note(const struct bfq_session_places *p, const struct taken *t) {
        char path[PATH_MAX], new[PATH_MAX], text[STATE_MAX] = MAGIC;
        _cleanup_close_ int fd = -1;
        int r;

        str_append(text, sizeof(text), " %s %s", p->boot_id, t->clock);
        for (size_t i = 0; i < t->n; i++)
                str_append(text, sizeof(text), " %s", t->names[i]);
        if (!str_append(text, sizeof(text), "\n"))
                return -ENAMETOOLONG;
        state_path(p, path, sizeof(path));
        snprintf(new, sizeof(new), "%s/" BFQ_SESSION_STATE_FILE ".new", p->state_dir);
        fd = fdio_create_own(AT_FDCWD, new, 0600);
        r = fd < 0 ? fd : fdio_write_all(fd, text, strlen(text));
        return r < 0 ? r : rename(new, path) < 0 ? -errno : 0;
}

static bool is_name(const char *s) {
        return *s && *s != '.' && !strpbrk(s, "/ \t\n") && strlen(s) < BFQ_SESSION_NAME_MAX;
}

/* Of another boot, or damaged: nothing. */
static bool recall(const struct bfq_session_places *p, struct taken *ret) {
        char path[PATH_MAX], text[STATE_MAX], *rest = text;
        const char *magic, *boot, *clock, *name;

        *ret = (struct taken) { 0 };
        state_path(p, path, sizeof(path));
        if (fdio_read_own(AT_FDCWD, path, text, sizeof(text)) < 0)
                return false;
        magic = strsep(&rest, " ");
        boot = strsep(&rest, " ");
        clock = strsep(&rest, " ");
        if (!clock || !streq(magic, MAGIC) || !streq(boot, p->boot_id) || !str_copy(ret->clock, sizeof(ret->clock), clock))
                return false;
        while ((name = strsep(&rest, " ")))
                if (is_name(name) && ret->n < BFQ_SESSION_DRIVES_MAX)
                        str_copy(ret->names[ret->n++], BFQ_SESSION_NAME_MAX, name);
        return true;
}

/* "local [mono] boot": the one in brackets. */
static bool read_clock(const struct bfq_session_places *p, char *ret, size_t size) {
        char text[ATTRIBUTE_MAX], *begin, *end;

        if (tracing_read(p, "trace_clock", text, sizeof(text)) < 0 || !(begin = strchr(text, '[')) || !(end = strchr(begin, ']')))
                return false;
        *end = '\0';
        return str_copy(ret, size, begin + 1);
}

/* What is still to be read is dropped: without this it would be the next user's. */
static void empty_buffer(const struct bfq_session_places *p) {
        char path[PATH_MAX];
        int fd;

        tracing_path(p, "trace", path, sizeof(path));
        fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
        safe_close(fd);
}

/* Choosing what is told begins it, unless blktrace has begun at the same moment: then that was theirs to choose. */
static int take_drive(const struct bfq_session_places *p, const char *name) {
        int r = is_traced(p, name) ? -EBUSY : drive_write(p, name, "act_mask", CATEGORY);

        if (r < 0 || !is_blktraces(p, name))
                return r;
        (void) drive_write(p, name, "act_mask", ALL_CATEGORIES);
        return -EBUSY;
}

/* Returns 0, or why the tracer is still ours: another program may read its lines (EBUSY). */
static int put_back(const struct bfq_session_places *p, const struct taken *t) {
        char text[ATTRIBUTE_MAX];
        int r;

        for (size_t i = 0; i < t->n; i++)
                if (!is_blktraces(p, t->names[i])) /* the same file would end that */
                        (void) drive_write(p, t->names[i], "enable", "0");
        if (tracing_read(p, "current_tracer", text, sizeof(text)) < 0 || !streq(text, TRACER))
                return 0; /* another was chosen: the rest is the chooser's */
        r = tracing_write(p, "current_tracer", NO_TRACER);
        if (r < 0)
                return r;
        empty_buffer(p);
        if (!streq(t->clock, CLOCK))
                (void) tracing_write(p, "trace_clock", t->clock);
        return 0;
}

bool bfq_session_end(const struct bfq_session_places *p) {
        char path[PATH_MAX];
        struct taken t;
        bool found = recall(p, &t);

        if (found && put_back(p, &t) < 0)
                return true; /* noted still: the next end or begin tries again */
        state_path(p, path, sizeof(path));
        unlink(path);
        return found;
}

static int take(const struct bfq_session_places *p, const struct taken *t) {
        int r = tracing_write(p, "current_tracer", TRACER); /* first: that ours is chosen is how it is known what is to be put back */

        if (r >= 0 && !streq(t->clock, CLOCK))
                r = tracing_write(p, "trace_clock", CLOCK);
        for (size_t i = 0; i < t->n && r >= 0; i++)
                r = take_drive(p, t->names[i]);
        return r;
}

static int open_lines(const struct bfq_session_places *p) {
        char path[PATH_MAX];
        int fd;

        tracing_path(p, "trace_pipe", path, sizeof(path));
        fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        return fd < 0 ? -errno : fd;
}

int bfq_session_begin(const struct bfq_session_places *p, const char *const *names, size_t n) {
        struct taken t = { 0 };
        int r;

        if (n > BFQ_SESSION_DRIVES_MAX)
                return -EINVAL;
        bfq_session_end(p); /* what an earlier one could not put back */
        if (bfq_session_obstacle(p) != BFQ_SESSION_POSSIBLE)
                return -EBUSY;
        for (; t.n < n; t.n++) {
                if (!is_name(names[t.n]))
                        return -EINVAL;
                if (is_traced(p, names[t.n]))
                        return -EBUSY;
                str_copy(t.names[t.n], BFQ_SESSION_NAME_MAX, names[t.n]);
        }
        if (!read_clock(p, t.clock, sizeof(t.clock)))
                return -EBADMSG;
        r = note(p, &t);
        if (r < 0)
                return r;
        r = take(p, &t);
        if (r >= 0)
                r = open_lines(p);
        if (r < 0)
                bfq_session_end(p);
        return r;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <sys/vfs.h>
#include <tracefs/tracefs.h>

#include "fdio.h"
#include "macro.h"
#include "proc-scan.h"
#include "str.h"
#include "trace-format.h"
#include "trace-instance.h"

#define TRACING_DIR "/sys/kernel/tracing"
#define NAME_PREFIX "briod."

/* As long as a filter may be (kernel/trace/trace_events.c event_filter_write()). */
#define FILTER_MAX 4096

struct trace_instance {
        struct tracefs_instance *tracefs;
        bool on;
};

/* Without it libtracefs would mount it, which is not ours to do; and its own way to ask leaks memory (1.6). */
static bool is_mounted(void) {
        struct statfs fs;

        return statfs(TRACING_DIR, &fs) == 0 && fs.f_type == TRACEFS_MAGIC;
}

enum trace_obstacle trace_instance_obstacle(void) {
        char path[PATH_MAX];

        if (!is_mounted())
                return access(TRACING_DIR, X_OK) < 0 && errno == EACCES ? TRACE_FORBIDDEN : TRACE_NOT_MOUNTED;
        if (access(TRACING_DIR "/instances", W_OK) < 0)
                return errno == ENOENT ? TRACE_NO_EVENTS : TRACE_FORBIDDEN;
        snprintf(path, sizeof(path), TRACING_DIR "/events/block/%s/format", trace_kind_to_string(TRACE_RQ_COMPLETE));
        if (access(path, R_OK) < 0)
                return errno == ENOENT ? TRACE_NO_EVENTS : TRACE_FORBIDDEN;
        return TRACE_POSSIBLE;
}

/* When the process began, in ticks since boot; 0: there is none. With its number, that names it. */
static uint64_t start_of(uint64_t pid) {
        char path[PATH_MAX], text[ATTRIBUTE_MAX];
        struct proc_counters c;

        snprintf(path, sizeof(path), "/proc/%" PRIu64 "/stat", pid);
        if (fdio_read_at(AT_FDCWD, path, text, sizeof(text)) < 0 || proc_parse_stat(text, &c) < 0)
                return 0;
        return c.start_ticks;
}

/* Whether the name (briod.PID.TICKS.PURPOSE) is that of an instance of ours whose daemon is no more. */
static bool is_stale(const char *name) {
        const char *tail = startswith(name, NAME_PREFIX);
        char text[NAME_MAX], *start, *purpose;
        uint64_t pid, ticks;

        if (!tail || !str_copy(text, sizeof(text), tail))
                return false;
        start = strchr(text, '.');
        if (!start)
                return false;
        *start++ = '\0';
        purpose = strchr(start, '.');
        if (purpose)
                *purpose = '\0';
        return str_parse_u64(text, &pid) == 0 && str_parse_u64(start, &ticks) == 0 && start_of(pid) != ticks;
}

static bool destroy(const char *name) {
        struct tracefs_instance *stale = tracefs_instance_alloc(TRACING_DIR, name);
        bool gone = stale && tracefs_instance_destroy(stale) == 0;

        tracefs_instance_free(stale);
        return gone;
}

size_t trace_instance_clean_up(void) {
        char **names = is_mounted() ? tracefs_instances(NULL) : NULL;
        size_t n = 0;

        for (size_t i = 0; names && names[i]; i++)
                n += is_stale(names[i]) && destroy(names[i]);
        tracefs_list_free(names);
        return n;
}

char *trace_instance_read_header(void) {
        int size;

        return tracefs_instance_file_read(NULL, "events/header_page", &size);
}

char *trace_instance_read_format(struct trace_instance *i, const char *system, const char *event) {
        int size;

        return tracefs_event_file_read(i->tracefs, system, event, "format", &size);
}

/* Splits and requeues are rare, and one that is not told does little harm; everything else must be there. */
static bool is_needed(enum trace_kind kind) {
        return kind != TRACE_SPLIT && kind != TRACE_RQ_REQUEUE;
}

int trace_instance_read_formats(struct trace_instance *i, struct trace_formats *ret) {
        _cleanup_free_ char *header = trace_instance_read_header();
        struct trace_format_parser *p = trace_format_parser_new(header, ret);
        int r = 0;

        if (!p)
                return -ENOMEM;
        for (int k = 0; k < _TRACE_KIND_MAX && r >= 0; k++) {
                _cleanup_free_ char *text = trace_instance_read_format(i, "block", trace_kind_to_string((enum trace_kind) k));
                int parsed = text ? trace_format_parse(p, (enum trace_kind) k, text) : -ENODEV;
                if (parsed < 0 && is_needed((enum trace_kind) k))
                        r = -ENODEV;
        }
        trace_format_parser_free(p);
        return r;
}

int trace_instance_new(const char *purpose, unsigned buffer_kb, struct trace_instance **ret) {
        struct trace_instance *i;
        char name[NAME_MAX];
        int r;

        if (trace_instance_obstacle() != TRACE_POSSIBLE)
                return -ENODEV;
        tracefs_set_loglevel(TEP_LOG_NONE);
        i = calloc(1, sizeof(*i));
        if (!i)
                return -ENOMEM;
        snprintf(name, sizeof(name), NAME_PREFIX "%d.%" PRIu64 ".%s", (int) getpid(), start_of((uint64_t) getpid()), purpose);
        i->tracefs = tracefs_instance_create(name);
        if (!i->tracefs) {
                r = errno ? -errno : -EIO;
                free(i);
                return r;
        }
        errno = 0;
        if (tracefs_trace_off(i->tracefs) < 0 || tracefs_instance_file_write(i->tracefs, "trace_clock", "mono") < 0 ||
            tracefs_instance_set_buffer_size(i->tracefs, buffer_kb, -1) < 0) {
                r = errno ? -errno : -EIO;
                trace_instance_free(i);
                return r;
        }
        *ret = i;
        return 0;
}

struct trace_instance *trace_instance_free(struct trace_instance *i) {
        if (!i)
                return NULL;
        tracefs_trace_off(i->tracefs);
        tracefs_instance_destroy(i->tracefs);
        tracefs_instance_free(i->tracefs);
        free(i);
        return NULL;
}

static int write_filter(struct trace_instance *i, enum trace_kind kind, const uint32_t *devs, size_t n) {
        char filter[FILTER_MAX] = "";

        for (size_t k = 0; k < n; k++)
                if (!str_append(filter, sizeof(filter), "%sdev == %" PRIu32, k > 0 ? " || " : "", devs[k]))
                        return -E2BIG;
        errno = 0;
        if (tracefs_event_file_write(i->tracefs, "block", trace_kind_to_string(kind), "filter", filter) < 0)
                return errno ? -errno : -EIO;
        return 0;
}

static int switch_on(struct trace_instance *i) {
        i->on = tracefs_trace_on(i->tracefs) == 0;
        return i->on ? 0 : -EIO;
}

static int enable(struct trace_instance *i) {
        for (int k = 0; k < _TRACE_KIND_MAX; k++) {
                errno = 0;
                if (tracefs_event_enable(i->tracefs, "block", trace_kind_to_string((enum trace_kind) k)) < 0 &&
                    is_needed((enum trace_kind) k))
                        return errno ? -errno : -EIO;
        }
        return switch_on(i);
}

int trace_instance_watch(struct trace_instance *i, const uint32_t *queue, size_t n_queue, const uint32_t *others, size_t n_others) {
        int r = 0;

        if (n_others == 0) {
                i->on = false;
                return tracefs_trace_off(i->tracefs) < 0 ? -EIO : 0;
        }
        for (int k = 0; k < _TRACE_KIND_MAX && r >= 0; k++) {
                bool bio = k == TRACE_BIO_QUEUE || k == TRACE_SPLIT;
                r = write_filter(i, (enum trace_kind) k, bio ? queue : others, bio ? n_queue : n_others);
                if (!is_needed((enum trace_kind) k) && r == -ENOENT)
                        r = 0;
        }
        return r < 0 || i->on ? r : enable(i);
}

int trace_instance_follow(struct trace_instance *i, const struct trace_event *events, size_t n, int32_t tid) {
        char text[16];

        snprintf(text, sizeof(text), "%" PRId32, tid);
        errno = 0;
        if (tracefs_instance_file_append(i->tracefs, "set_event_pid", text) < 0)
                return errno ? -errno : -EIO;
        if (i->on)
                return 0;
        if (tracefs_instance_file_write(i->tracefs, "options/event-fork", "1") < 0)
                return errno ? -errno : -EIO;
        for (size_t k = 0; k < n; k++)
                if (tracefs_event_enable(i->tracefs, events[k].system, events[k].name) < 0)
                        return errno ? -errno : -EIO;
        return switch_on(i);
}

int trace_instance_open_cpu(struct trace_instance *i, unsigned cpu) {
        char path[64];
        int fd;

        snprintf(path, sizeof(path), "per_cpu/cpu%u/trace_pipe_raw", cpu);
        errno = 0;
        fd = tracefs_instance_file_open(i->tracefs, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
        return fd >= 0 ? fd : errno ? -errno : -ENOENT;
}

uint64_t trace_instance_lost(struct trace_instance *i, unsigned cpu) {
        static const char *const lines[] = { "\noverrun: ", "\ncommit overrun: ", "\ndropped events: " };
        _cleanup_free_ char *text = NULL;
        uint64_t sum = 0, value;
        char path[64];
        int size;

        snprintf(path, sizeof(path), "per_cpu/cpu%u/stats", cpu);
        text = tracefs_instance_file_read(i->tracefs, path, &size);
        for (size_t k = 0; text && k < ARRAY_SIZE(lines); k++) {
                char *at = strstr(text, lines[k]), digits[24];
                size_t n;
                if (!at)
                        continue;
                at += strlen(lines[k]);
                n = MIN(strcspn(at, "\n"), sizeof(digits) - 1);
                memcpy(digits, at, n);
                digits[n] = '\0';
                if (str_parse_u64(digits, &value) == 0)
                        sum += value;
        }
        return sum;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Through a tracing instance of our own, which is there while something starts. The kernel tells of the threads of starts alone, by their numbers; which start
 * a thread belongs to follows from the forks, that are told, too. */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "clock.h"
#include "macro.h"
#include "page-source.h"
#include "trace-filemap.h"
#include "trace-format.h"
#include "trace-instance.h"
#include "trace-merge.h"
#include "trace-page.h"

#define BUFFERS_KB 4096 /* of all CPUs together; they are read each 100 ms */
#define BUFFER_MIN_KB 256u
#define TASKS_MAX 4096 /* threads that are known; of a table of twice as many places */
#define THREAD_PLACES (2 * TASKS_MAX)
#define HEARD_MAX 131072 /* records in a look */

struct task {
        int32_t tid; /* 0: free */
        uint32_t start;
};

struct heard {
        nsec_t t;
        struct trace_filemap_record record;
};

struct page_tracefs {
        page_record_fn fn;
        void *userdata;
        struct trace_instance *instance; /* NULL: nothing starts */
        struct trace_filemap_format format;
        size_t n_cpus, page_bytes;
        int *cpus; /* descriptors */
        uint8_t *page;
        struct heard *heard;
        size_t n_heard, room;
        size_t n_tasks;
        struct task tasks[THREAD_PLACES];
        uint64_t lost;
};

static void detach(void *source) {
        struct page_tracefs *s = source;

        for (size_t i = 0; i < s->n_cpus; i++)
                safe_close(s->cpus[i]);
        free(TAKE_PTR(s->cpus));
        free(TAKE_PTR(s->page));
        free(TAKE_PTR(s->heard));
        s->n_cpus = s->n_heard = s->room = s->n_tasks = 0;
        memset(s->tasks, 0, sizeof(s->tasks));
        s->instance = trace_instance_free(s->instance);
}

static void close_source(void *source) {
        detach(source);
        free(source);
}

static int open_source(page_record_fn fn, void *userdata, void **ret) {
        struct page_tracefs *s;

        if (trace_instance_obstacle() != TRACE_POSSIBLE)
                return -ENODEV;
        s = calloc(1, sizeof(*s));
        if (!s)
                return -ENOMEM;
        s->fn = fn;
        s->userdata = userdata;
        *ret = s;
        return 0;
}

static int find_field(struct trace_format_parser *p, struct page_tracefs *s, enum trace_filemap_kind kind, const struct trace_wanted *wanted, size_t n) {
        _cleanup_free_ char *text = trace_instance_read_format(s->instance, trace_filemap_system(kind), trace_filemap_event(kind));
        int id = text ? trace_format_find(p, trace_filemap_system(kind), trace_filemap_event(kind), text, wanted, n) : -ENODEV;

        s->format.ids[kind] = (uint64_t) MAX(id, 0);
        return MIN(id, 0);
}

static int read_format(struct page_tracefs *s) {
        struct trace_filemap_format *f = &s->format;
        const struct trace_wanted page[] = { { "common_type", 2, &f->id }, { "common_pid", 4, &f->pid }, { "i_ino", 4, &f->ino },
                                             { "index", 4, &f->index }, { "s_dev", 4, &f->dev }, { "order", 1, &f->order } };
        const struct trace_wanted fork[] = { { "child_pid", 4, &f->child } };
        _cleanup_free_ char *header = trace_instance_read_header();
        struct trace_formats others;
        struct trace_format_parser *p = trace_format_parser_new(header, &others);
        int r;

        if (!p)
                return -ENOMEM;
        r = find_field(p, s, TRACE_FILEMAP_ADD, page, ARRAY_SIZE(page));
        if (r >= 0)
                r = find_field(p, s, TRACE_FILEMAP_FORK, fork, ARRAY_SIZE(fork));
        trace_format_parser_free(p);
        f->commit_bytes = others.commit_bytes;
        return r < 0 || f->ino.size == 0 || f->index.size == 0 || f->dev.size == 0 || f->child.size == 0 ? -ENODEV : 0;
}

static int open_cpus(struct page_tracefs *s, unsigned n) {
        s->cpus = calloc(n, sizeof(*s->cpus));
        s->page = malloc(s->page_bytes);
        if (!s->cpus || !s->page)
                return -ENOMEM;
        for (unsigned i = 0; i < n; i++) {
                int fd = trace_instance_open_cpu(s->instance, i);
                if (fd == -ENOENT) /* a number without a CPU */
                        continue;
                if (fd < 0)
                        return fd;
                s->cpus[s->n_cpus++] = fd;
        }
        return 0;
}

static int attach(void *source) {
        long pages = sysconf(_SC_PAGESIZE), processors = sysconf(_SC_NPROCESSORS_CONF);
        unsigned n = processors > 0 ? (unsigned) processors : 1;
        struct page_tracefs *s = source;
        int r;

        if (s->instance)
                return 0;
        s->page_bytes = pages > 0 ? MIN((size_t) pages, (size_t) TRACE_PAGE_BYTES_MAX) : TRACE_PAGE_BYTES_MAX;
        r = trace_instance_new("pages", MAX(BUFFERS_KB / n, BUFFER_MIN_KB), &s->instance);
        if (r >= 0)
                r = read_format(s);
        if (r >= 0)
                r = open_cpus(s, n);
        if (r < 0)
                detach(s);
        return r;
}

/* The place of a thread, or the free one where it would be. */
static struct task *find_task(struct page_tracefs *s, int32_t tid) {
        size_t i = (uint32_t) tid % THREAD_PLACES;

        while (s->tasks[i].tid && s->tasks[i].tid != tid)
                i = (i + 1) % THREAD_PLACES;
        return &s->tasks[i];
}

static void add_task(struct page_tracefs *s, int32_t tid, uint32_t start) {
        struct task *t = find_task(s, tid);

        if (t->tid == 0 && s->n_tasks == TASKS_MAX) {
                s->lost++;
                return;
        }
        s->n_tasks += t->tid == 0;
        *t = (struct task){ tid, start };
}

static void tell(struct page_tracefs *s, const struct trace_filemap_record *r) {
        uint32_t start = find_task(s, r->tid)->start;
        struct bpf_page_record page = { .ino = r->ino, .first = r->first, .dev = r->dev, .count = r->count, .start = start, .kind = BPF_PAGE_RANGE };

        if (start == 0)
                return;
        if (r->kind == TRACE_FILEMAP_FORK)
                add_task(s, r->child, start);
        else
                (void) s->fn(s->userdata, &page, sizeof(page));
}

static void hear(struct page_tracefs *s, const struct heard *h) {
        if (s->n_heard == s->room) {
                size_t more = MAX(2 * s->room, (size_t) 1024);
                struct heard *grown = more <= HEARD_MAX ? reallocarray(s->heard, more, sizeof(*grown)) : NULL;
                if (!grown) {
                        s->lost++;
                        return;
                }
                s->heard = grown;
                s->room = more;
        }
        s->heard[s->n_heard++] = *h;
}

/* So many pages at most: what is told meanwhile may have no end. */
static void read_cpu(struct page_tracefs *s, int fd, size_t pages) {
        struct trace_page page;
        struct trace_data d;
        struct heard h;
        ssize_t n;

        while (pages-- > 0 && (n = read(fd, s->page, s->page_bytes)) > 0 &&
               trace_page_begin(&page, s->page, (size_t) n, s->format.commit_bytes) == 0) {
                s->lost += page.lost;
                while (trace_page_next(&page, &d) > 0) {
                        h.t = d.t;
                        if (trace_filemap_parse(&s->format, d.data, d.size, &h.record) > 0)
                                hear(s, &h);
                }
        }
}

static int compare_times(const void *a, const void *b) {
        const struct heard *x = a, *y = b;

        return (x->t > y->t) - (x->t < y->t);
}

/* In the order of their times over all CPUs: a page comes behind the fork of the process that reads it. What was told while they were read waits for
 * the next look, and so does what is more than a look takes, each CPU its part. */
static void drain(void *source) {
        struct page_tracefs *s = source;
        nsec_t now = clock_now(CLOCK_MONOTONIC);
        size_t n = 0;

        if (!s->instance)
                return;
        for (size_t i = 0; i < s->n_cpus; i++)
                read_cpu(s, s->cpus[i], MAX(TRACE_LOOK_BYTES / s->page_bytes / s->n_cpus, 1u));
        if (s->n_heard == 0) /* qsort() wants an array */
                return;
        qsort(s->heard, s->n_heard, sizeof(*s->heard), compare_times);
        while (n < s->n_heard && s->heard[n].t <= now)
                tell(s, &s->heard[n++].record);
        s->n_heard -= n;
        memmove(s->heard, s->heard + n, s->n_heard * sizeof(*s->heard));
}

static int follow(void *source, size_t place _unused_, uint32_t number, int32_t tgid) {
        struct trace_event events[_TRACE_FILEMAP_KIND_MAX];
        struct page_tracefs *s = source;

        for (int k = 0; k < _TRACE_FILEMAP_KIND_MAX; k++)
                events[k] = (struct trace_event){ trace_filemap_system((enum trace_filemap_kind) k), trace_filemap_event((enum trace_filemap_kind) k) };
        add_task(s, tgid, number);
        return trace_instance_follow(s->instance, events, ARRAY_SIZE(events), tgid);
}

/* Its threads stay in the kernel's list until they end, or nothing starts any more. What they read is of no start then. */
static void leave(void *source _unused_, size_t place _unused_) {
}

static size_t list_tasks(void *source, uint32_t number, int32_t *ret, size_t max) {
        struct page_tracefs *s = source;
        size_t n = 0;

        for (size_t i = 0; i < THREAD_PLACES && n < max; i++)
                if (s->tasks[i].tid && s->tasks[i].start == number)
                        ret[n++] = s->tasks[i].tid;
        return n;
}

static uint64_t lost(void *source) {
        struct page_tracefs *s = source;

        return s->lost;
}

const struct page_source_ops page_source_tracefs = { .name = "tracefs", .open = open_source, .close = close_source, .attach = attach, .detach = detach,
                                                     .follow = follow, .leave = leave, .drain = drain, .list_tasks = list_tasks, .lost = lost };

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "clock.h"
#include "macro.h"
#include "source-drives.h"
#include "source-timer.h"
#include "source-tracefs.h"
#include "str.h"
#include "trace-instance.h"
#include "trace-merge.h"
#include "trace-numbers.h"
#include "trace-page.h"

#define BUFFERS_KB 32768   /* of all CPUs together */
#define BUFFER_MIN_KB 256u
#define BUFFER_MAX_KB 2048u


/* How often each CPU's count of lost records is read; after a page that says so, at once. */
#define LOST_INTERVAL_NS NSEC_PER_SEC

struct cpu {
        unsigned number;
        int fd;
        uint64_t lost;
        bool dry; /* there was no more in this look */
        struct trace_lane lane;
        struct trace_page page;
        uint8_t *bytes;
};

struct source_tracefs {
        struct event_sink sink;
        sd_event_source *timer;
        bool recorded; /* the machine is a tree of files */
        int error;     /* of the last start */
        size_t stale;  /* instances of others that were removed */

        struct trace_instance *instance; /* NULL: no drive is watched */
        struct trace_formats formats;
        struct trace_merge merge;
        size_t n_cpus, page_bytes;
        struct cpu *cpus;

        struct source_drives drives;
        struct trace_numbers numbers; /* of the drives and their partitions, in the filter */

        nsec_t since;     /* the instance is there */
        nsec_t lost_read; /* the counts of lost records were read */
        size_t pages_left;
        uint64_t lost, malformed;
        struct source_cost cost;
};

static void emit(struct source_tracefs *s, const struct event *e) {
        source_tell(&s->sink, &s->cost, e);
}

/* Asks the kernel how many it threw away, and tells what is new; for certain: that some are missing here, known before or not. */
static void tell_lost(struct source_tracefs *s, struct cpu *c, nsec_t now, bool certain) {
        uint64_t lost = trace_instance_lost(s->instance, c->number), more = lost > c->lost ? lost - c->lost : 0;
        struct event e = { .t = now, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = more };

        c->lost = lost;
        s->lost += more;
        if (more > 0 || certain)
                emit(s, &e);
}

/* Returns whether there was another page. */
static bool read_page(struct source_tracefs *s, struct cpu *c, nsec_t now) {
        ssize_t n;

        if (c->dry || s->pages_left == 0)
                return false;
        n = read(c->fd, c->bytes, s->page_bytes);
        if (n <= 0 || trace_page_begin(&c->page, c->bytes, (size_t) n, s->formats.commit_bytes) < 0) {
                s->malformed += n > 0;
                c->dry = true;
                return false;
        }
        s->pages_left--;
        s->cost.bytes += (uint64_t) n;
        if (c->page.lost)
                tell_lost(s, c, now, true);
        return true;
}

/* Sees to it that the CPU's next record is pending, if there is one. */
static void advance(struct source_tracefs *s, struct cpu *c, nsec_t now) {
        struct trace_data d;
        int r;

        while (!c->lane.pending) {
                r = trace_page_next(&c->page, &d);
                if (r == 0 && !read_page(s, c, now))
                        return;
                if (r > 0)
                        r = trace_record_parse(&s->formats, d.data, d.size, &c->lane.record);
                s->malformed += r < 0;
                if (r <= 0)
                        continue;
                c->lane.pending = true;
                c->lane.t = d.t;
        }
}

static bool find_numbers(const struct source_tracefs *s, struct trace_numbers *ret) {
        bool room = true;

        ret->n = 0;
        for (size_t i = 0; i < s->drives.n && room; i++)
                room = trace_numbers_add(ret, s->drives.devs[i]);
        return room;
}

static int set_filters(struct source_tracefs *s, const struct trace_numbers *numbers) {
        uint32_t queue[TRACE_NUMBERS_MAX];

        for (size_t i = 0; i < numbers->n; i++)
                queue[i] = numbers->numbers[i].dev;
        return trace_instance_watch(s->instance, queue, numbers->n, s->drives.devs, s->drives.n);
}

static int choose_numbers(struct source_tracefs *s) {
        return find_numbers(s, &s->numbers) ? set_filters(s, &s->numbers) : -ENOSPC;
}

/* Partitions come and go while their drive is watched. Where there is no room for all, those of before go on. */
static void follow_partitions(struct source_tracefs *s) {
        struct trace_numbers now;

        if (find_numbers(s, &now) && !trace_numbers_equal(&now, &s->numbers) && set_filters(s, &now) >= 0)
                s->numbers = now;
}

void source_tracefs_drain(struct source_tracefs *s, nsec_t now) {
        bool count = nsec_sub(now, s->lost_read) >= LOST_INTERVAL_NS;
        struct trace_lane *lane;

        if (!s->instance)
                return;
        s->pages_left = TRACE_LOOK_BYTES / s->page_bytes;
        if (count) {
                s->lost_read = now;
                follow_partitions(s);
        }
        for (size_t i = 0; i < s->n_cpus; i++) {
                s->cpus[i].dry = false;
                if (count)
                        tell_lost(s, &s->cpus[i], now, false);
                advance(s, &s->cpus[i], now);
        }
        while (s->pages_left > 0 && (lane = trace_merge_next(&s->merge, now))) {
                trace_merge_tell(&s->merge, lane, trace_numbers_find(&s->numbers, lane->record.dev));
                advance(s, container_of(lane, struct cpu, lane), now);
        }
        source_timer_arm(s->timer, now, s->pages_left > 0 ? TRACE_INTERVAL_NS : TRACE_AGAIN_NS);
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_tracefs *s = userdata;

        s->cost.wakeups++;
        source_tracefs_drain(s, clock_now(CLOCK_MONOTONIC));
        return 0;
}

static void close_cpus(struct source_tracefs *s) {
        for (size_t i = 0; i < s->n_cpus; i++) {
                safe_close(s->cpus[i].fd);
                free(s->cpus[i].bytes);
        }
        free(TAKE_PTR(s->cpus));
        s->n_cpus = 0;
        s->merge.lanes = NULL;
}

static void end(struct source_tracefs *s, nsec_t now) {
        if (!s->instance)
                return;
        close_cpus(s);
        s->instance = trace_instance_free(s->instance);
        s->merge.tasks = task_table_free(s->merge.tasks);
        s->cost.active_ns += nsec_sub(now, s->since);
        sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
}

/* The kernel may have numbers without a CPU. */
static int open_cpus(struct source_tracefs *s, unsigned n) {
        s->cpus = calloc(n, sizeof(*s->cpus));
        if (!s->cpus)
                return -ENOMEM;
        for (unsigned i = 0; i < n; i++) {
                struct cpu *c = &s->cpus[s->n_cpus];
                int fd = trace_instance_open_cpu(s->instance, i);
                if (fd == -ENOENT)
                        continue;
                if (fd < 0)
                        return fd;
                *c = (struct cpu) { .number = i, .fd = fd, .bytes = malloc(s->page_bytes) };
                s->n_cpus++;
                trace_merge_add(&s->merge, &c->lane);
                if (!c->bytes)
                        return -ENOMEM;
        }
        return s->n_cpus > 0 ? 0 : -ENODEV;
}

static int begin(struct source_tracefs *s, nsec_t now) {
        long pages = sysconf(_SC_PAGESIZE), processors = sysconf(_SC_NPROCESSORS_CONF);
        unsigned n = processors > 0 ? (unsigned) processors : 1;
        int r;

        if (s->instance)
                return 0;
        if (s->recorded)
                return -ENODEV;
        s->page_bytes = pages > 0 ? MIN((size_t) pages, (size_t) TRACE_PAGE_BYTES_MAX) : TRACE_PAGE_BYTES_MAX;
        r = trace_instance_new("requests", CLAMP(BUFFERS_KB / n, BUFFER_MIN_KB, BUFFER_MAX_KB), &s->instance);
        if (r >= 0)
                r = trace_instance_read_formats(s->instance, &s->formats);
        if (r < 0) {
                s->instance = trace_instance_free(s->instance);
                return r;
        }
        s->since = s->lost_read = now;
        s->merge.tasks = task_table_new(s->sink);
        r = s->merge.tasks ? open_cpus(s, n) : -ENOMEM;
        if (r < 0)
                end(s, now);
        else
                source_timer_arm(s->timer, now, TRACE_INTERVAL_NS);
        return r;
}

static int start(void *source, const struct source_drive *drive, nsec_t now) {
        struct source_tracefs *s = source;

        if (source_drives_find(&s->drives, drive->dev) < s->drives.n)
                return 0;
        if (s->drives.n == SOURCE_DRIVES_MAX)
                return -ENOSPC;
        s->error = begin(s, now);
        if (s->error < 0)
                return s->error;
        s->drives.devs[s->drives.n++] = drive->dev;
        source_tell_watch(&s->sink, &s->cost, drive, true, now);
        s->error = choose_numbers(s);
        if (s->error < 0)
                source_tracefs_ops.stop(s, drive->dev, now);
        return s->error;
}

static void stop(void *source, uint32_t dev, nsec_t now) {
        struct source_drive drive = { .dev = dev };
        struct source_tracefs *s = source;
        size_t i = source_drives_find(&s->drives, dev);

        if (i == s->drives.n)
                return;
        source_tracefs_drain(s, now);
        s->drives.devs[i] = s->drives.devs[--s->drives.n];
        source_tell_watch(&s->sink, &s->cost, &drive, false, now);
        if (s->drives.n == 0)
                end(s, now);
        else /* fewer numbers fit where more did; if the kernel refuses nevertheless, what comes is not told */
                (void) choose_numbers(s);
}

size_t source_tracefs_clean_up(const char *root) {
        return *root ? 0 : trace_instance_clean_up();
}

int source_tracefs_new(const char *root, sd_event *event, struct event_sink sink, struct source_tracefs **ret) {
        struct source_tracefs *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->sink = s->merge.sink = sink;
        s->recorded = *root;
        r = source_timer_new(event, "tracefs", on_timer, s, &s->timer);
        if (r < 0) {
                source_tracefs_free(s);
                return r;
        }
        s->stale = source_tracefs_clean_up(root);
        *ret = s;
        return 0;
}

struct source_tracefs *source_tracefs_free(struct source_tracefs *s) {
        if (!s)
                return NULL;
        end(s, clock_now(CLOCK_MONOTONIC));
        sd_event_source_disable_unref(s->timer);
        free(s);
        return NULL;
}

static uint64_t drops(void *source) {
        const struct source_tracefs *s = source;

        return s->lost;
}

static void cost(void *source, struct source_cost *ret) {
        const struct source_tracefs *s = source;

        *ret = s->cost;
        ret->events += s->merge.told;
        if (s->instance)
                ret->active_ns += nsec_sub(clock_now(CLOCK_MONOTONIC), s->since);
}

static const char *explain_obstacle(const struct source_tracefs *s) {
        enum trace_obstacle obstacle;

        if (s->recorded)
                return "a recorded machine has no requests of its own";
        obstacle = trace_instance_obstacle();
        if (obstacle == TRACE_POSSIBLE && (s->error == -EPERM || s->error == -EACCES)) /* lockdown shows when it is tried */
                obstacle = TRACE_FORBIDDEN;
        switch (obstacle) {
        case TRACE_POSSIBLE:
                return NULL;
        case TRACE_NOT_MOUNTED:
                return "tracefs is not mounted; mount -t tracefs tracefs /sys/kernel/tracing";
        case TRACE_NO_EVENTS:
                return "this kernel has no block events; it needs CONFIG_TRACING and CONFIG_BLOCK";
        case TRACE_FORBIDDEN:
                return "not permitted; briod needs to be root, /sys/kernel/tracing/instances writable, and the kernel not locked down to confidentiality";
        }
        return NULL;
}

static void say_how_it_runs(const struct source_tracefs *s, struct source_info *ret) {
        snprintf(ret->detail, sizeof(ret->detail), "single requests, on %zu drive%s now", s->drives.n, s->drives.n == 1 ? "" : "s");
        if (s->merge.late > 0 || s->malformed > 0)
                str_append(ret->detail, sizeof(ret->detail), "; out of order: %" PRIu64 ", not understood: %" PRIu64, s->merge.late,
                           s->malformed);
        if (s->merge.not_looked_up > 0)
                str_append(ret->detail, sizeof(ret->detail), "; of threads that were too many to look up: %" PRIu64, s->merge.not_looked_up);
        if (s->stale > 0)
                str_append(ret->detail, sizeof(ret->detail), "; removed at the start: %zu tracing instances that killed daemons had left", s->stale);
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_tracefs *s = source;
        const char *why = explain_obstacle(s);

        *ret = (struct source_info) { .name = "tracefs", .state = SOURCE_WORKS };
        if (why || s->error < 0) {
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail), "%s", why ? why : strerrordesc_np(-s->error));
                return 1;
        }
        say_how_it_runs(s, ret);
        return 1;
}

const struct source_ops source_tracefs_ops = { .probe = probe, .start = start, .stop = stop, .drops = drops, .cost = cost };

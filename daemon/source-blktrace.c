/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "blktrace-session.h"
#include "blktrace-stream.h"
#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "source-blktrace.h"
#include "str.h"
#include "trace-merge.h"

#define DRIVES_MAX BLKTRACE_DRIVES_MAX
/* The kernel's buffers of one drive, of all CPUs together and of each, in parts that it fills one after the other. Six records a
 * request of about 56 bytes: 1 MiB holds what 60 000 requests a second make between two looks. */
#define BUFFERS_KB 8192
#define BUFFER_MIN_KB 128u
#define BUFFER_MAX_KB 1024u
#define BUFFER_PARTS 8
#define BYTES_PER_KB 1024u

#define TIMER_ACCURACY_US (5 * USEC_PER_MSEC) /* of the interval a tenth: the event loop may join it with other wake-ups */
#define DROPPED_INTERVAL_NS NSEC_PER_SEC      /* how often the kernel's own count of lost records is read */

struct trace;

struct cpu {
        struct trace *trace;
        int fd; /* -1: there is no such CPU, or not yet */
        bool dry; /* there was no more in this look */
        struct trace_lane lane;
        struct blktrace_stream stream;
};

struct trace {
        struct blktrace_place place;
        size_t n_cpus;
        struct cpu *cpus;
        uint64_t dropped;   /* the kernel says so */
        uint64_t told_lost; /* of what it or the sequence numbers say */
};

struct source_blktrace {
        struct event_sink sink;
        sd_event_source *timer;
        bool recorded;                     /* the machine is a tree of files */
        int error;                         /* of the last start */
        char refused[sizeof(((struct blktrace_place *) 0)->name)]; /* and its drive */
        size_t stale;                      /* traces of killed daemons that were removed */

        struct blktrace_state state;
        struct trace_merge merge;
        size_t n_traces;
        struct trace *traces[DRIVES_MAX];

        nsec_t since;        /* a drive is watched */
        nsec_t dropped_read; /* the kernel's counts were read */
        size_t bytes_left;
        uint64_t lost, malformed; /* malformed: of traces that have ended */
        struct source_cost cost;
};

static void emit(struct source_blktrace *s, const struct event *e) {
        s->cost.events++;
        s->sink.fn(s->sink.userdata, e);
}

static void emit_watch(struct source_blktrace *s, uint32_t dev, bool on, bool rotational, nsec_t now) {
        struct event e = { .t = now, .kind = EVENT_WATCH, .dev = dev, .watch = { .on = on, .rotational = rotational } };

        emit(s, &e);
}

/* A gap in a sequence shows a loss where it happened, the kernel's count also what no record has followed yet. Of the same loss. */
static void tell_lost(struct source_blktrace *s, struct trace *t, nsec_t now, bool certain) {
        struct event e = { .t = now, .kind = EVENT_LOST, .flags = EVENT_REQUESTS };
        uint64_t gaps = 0, lost;

        for (size_t i = 0; i < t->n_cpus; i++)
                gaps += t->cpus[i].stream.lost;
        lost = MAX(gaps, t->dropped);
        e.lost.count = lost - t->told_lost;
        s->lost += e.lost.count;
        t->told_lost = lost;
        if (e.lost.count > 0 || certain)
                emit(s, &e);
}

/* The kernel makes a CPU's file when it has the CPU. */
static int open_cpus(struct source_blktrace *s, struct trace *t) {
        for (unsigned i = 0; i < t->n_cpus; i++) {
                struct cpu *c = &t->cpus[i];
                int fd = c->fd < 0 ? blktrace_session_open_cpu(&t->place, i) : -ENOENT;
                if (fd == -ENOENT)
                        continue;
                if (fd < 0)
                        return fd;
                c->fd = fd;
                blktrace_stream_init(&c->stream, i, t->place.dev);
                trace_merge_add(&s->merge, &c->lane);
        }
        return 0;
}

/* What need not be done in each look. */
static void look_after(struct source_blktrace *s, nsec_t now) {
        if (nsec_sub(now, s->dropped_read) < DROPPED_INTERVAL_NS)
                return;
        s->dropped_read = now;
        for (size_t i = 0; i < s->n_traces; i++) {
                struct trace *t = s->traces[i];
                (void) open_cpus(s, t); /* one that came meanwhile; without room for another descriptor the next look tries again */
                t->dropped = MAX(t->dropped, blktrace_session_dropped(&t->place));
                tell_lost(s, t, now, false);
        }
}

/* Returns whether there were more bytes. */
static bool read_more(struct source_blktrace *s, struct cpu *c) {
        size_t room;
        uint8_t *to;
        ssize_t n;

        if (c->fd < 0 || c->dry || s->bytes_left == 0)
                return false;
        to = blktrace_stream_room(&c->stream, &room);
        n = read(c->fd, to, room);
        if (n <= 0) {
                blktrace_stream_dry(&c->stream);
                c->dry = true;
                return false;
        }
        blktrace_stream_add(&c->stream, (size_t) n);
        s->bytes_left -= MIN(s->bytes_left, (size_t) n);
        s->cost.bytes += (uint64_t) n;
        return true;
}

/* Sees to it that the CPU's next record is pending, if there is one. */
static void advance(struct source_blktrace *s, struct cpu *c, nsec_t now) {
        struct blktrace_record r;

        while (!c->lane.pending) {
                uint64_t lost = c->stream.lost;
                if (blktrace_stream_next(&c->stream, now, &r) == 0) {
                        if (!read_more(s, c))
                                return;
                        continue;
                }
                if (c->stream.lost > lost)
                        tell_lost(s, c->trace, now, true);
                if (r.kind != BLKTRACE_REQUEST)
                        continue;
                c->lane.pending = true;
                c->lane.t = r.t;
                c->lane.record = r.request;
        }
}

static void arm(struct source_blktrace *s, nsec_t now, nsec_t delay) {
        sd_event_source_set_time(s->timer, (now + delay) / NSEC_PER_USEC);
        sd_event_source_set_enabled(s->timer, SD_EVENT_ONESHOT);
}

void source_blktrace_drain(struct source_blktrace *s, nsec_t now) {
        struct trace_lane *lane;

        if (s->n_traces == 0)
                return;
        s->bytes_left = TRACE_LOOK_BYTES;
        for (size_t i = 0; i < s->n_traces; i++)
                for (size_t k = 0; k < s->traces[i]->n_cpus; k++) {
                        s->traces[i]->cpus[k].dry = false;
                        advance(s, &s->traces[i]->cpus[k], now);
                }
        while (s->bytes_left > 0 && (lane = trace_merge_next(&s->merge, now))) {
                struct cpu *c = container_of(lane, struct cpu, lane);
                trace_merge_tell(&s->merge, lane, c->trace->place.dev);
                advance(s, c, now);
        }
        look_after(s, now);
        arm(s, now, s->bytes_left > 0 ? TRACE_INTERVAL_NS : TRACE_AGAIN_NS);
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_blktrace *s = userdata;

        s->cost.wakeups++;
        source_blktrace_drain(s, clock_now(CLOCK_MONOTONIC));
        return 0;
}

static struct trace *trace_free(struct source_blktrace *s, struct trace *t) {
        for (size_t i = 0; t->cpus && i < t->n_cpus; i++) {
                if (t->cpus[i].fd < 0)
                        continue;
                trace_merge_remove(&s->merge, &t->cpus[i].lane);
                s->malformed += t->cpus[i].stream.malformed;
                safe_close(t->cpus[i].fd);
        }
        free(t->cpus);
        free(t);
        return NULL;
}

static int begin_trace(struct source_blktrace *s, struct trace *t) {
        long processors = sysconf(_SC_NPROCESSORS_CONF);
        unsigned n = processors > 0 ? (unsigned) processors : 1;
        uint32_t buffer_kb = CLAMP(BUFFERS_KB / n, BUFFER_MIN_KB, BUFFER_MAX_KB);
        int r;

        t->cpus = calloc(n, sizeof(*t->cpus));
        if (!t->cpus)
                return -ENOMEM;
        t->n_cpus = n;
        for (unsigned i = 0; i < n; i++) {
                t->cpus[i].trace = t;
                t->cpus[i].fd = -1;
        }
        r = blktrace_session_begin(&t->place, buffer_kb * BYTES_PER_KB / BUFFER_PARTS, BUFFER_PARTS, &s->state);
        if (r < 0)
                return r;
        r = open_cpus(s, t);
        if (r < 0)
                blktrace_session_end(&t->place, &s->state);
        return r;
}

static size_t find_trace(const struct source_blktrace *s, uint32_t dev) {
        size_t i = 0;

        while (i < s->n_traces && s->traces[i]->place.dev != dev)
                i++;
        return i;
}

static int add_trace(struct source_blktrace *s, const struct blktrace_place *place) {
        struct trace *t;
        int r;

        if (s->n_traces == DRIVES_MAX)
                return -ENOSPC;
        if (!s->merge.tasks)
                s->merge.tasks = task_table_new(s->sink);
        t = calloc(1, sizeof(*t));
        if (!t || !s->merge.tasks) {
                free(t);
                return -ENOMEM;
        }
        t->place = *place;
        r = begin_trace(s, t);
        if (r < 0) {
                trace_free(s, t);
                return r;
        }
        s->traces[s->n_traces++] = t;
        return 0;
}

/* Everything that can be known before a trace is made. */
static int check_start(struct source_blktrace *s, uint32_t dev, struct blktrace_place *ret) {
        if (s->recorded)
                return -ENODEV;
        switch (blktrace_obstacle()) {
        case BLKTRACE_POSSIBLE:
                return blktrace_place_find(dev, ret);
        case BLKTRACE_LOCKED_DOWN:
                return -EPERM;
        case BLKTRACE_NO_NODES:
                return -ENXIO;
        case BLKTRACE_NOT_MOUNTED:
        case BLKTRACE_NOT_BUILT:
        case BLKTRACE_FORBIDDEN:
                return -ENODEV;
        }
        return -ENODEV;
}

static void end(struct source_blktrace *s, nsec_t now) {
        if (s->n_traces > 0)
                return;
        s->merge.tasks = task_table_free(s->merge.tasks);
        s->cost.active_ns += nsec_sub(now, s->since);
        sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
}

static int start(void *source, const struct source_drive *drive, nsec_t now) {
        struct source_blktrace *s = source;
        struct blktrace_place place = { 0 };

        if (find_trace(s, drive->dev) < s->n_traces)
                return 0;
        if (s->n_traces == 0)
                s->since = s->dropped_read = now;
        s->error = check_start(s, drive->dev, &place);
        if (s->error >= 0)
                s->error = add_trace(s, &place);
        if (s->error < 0) {
                str_copy(s->refused, sizeof(s->refused), place.name);
                end(s, now);
                return s->error;
        }
        emit_watch(s, drive->dev, true, drive->rotational, now);
        arm(s, now, TRACE_INTERVAL_NS);
        return 0;
}

static void stop(void *source, uint32_t dev, nsec_t now) {
        struct source_blktrace *s = source;
        size_t i = find_trace(s, dev);
        struct blktrace_place place;

        if (i == s->n_traces)
                return;
        s->dropped_read = 0; /* to be told while it is there */
        source_blktrace_drain(s, now);
        place = s->traces[i]->place;
        trace_free(s, s->traces[i]);
        s->traces[i] = s->traces[--s->n_traces];
        blktrace_session_end(&place, &s->state);
        emit_watch(s, dev, false, false, now);
        end(s, now);
}

static int open_state(const char *state_dir, struct blktrace_state *ret) {
        char boot_id[sizeof(ret->boot_id)];

        if (fdio_read_at(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot_id, sizeof(boot_id)) < 0)
                *boot_id = '\0';
        return blktrace_state_open(ret, state_dir, boot_id);
}

size_t source_blktrace_clean_up(const char *root, const char *state_dir) {
        struct blktrace_state state;

        return *root || open_state(state_dir, &state) < 0 ? 0 : blktrace_session_clean_up(&state);
}

int source_blktrace_new(const char *root, const char *state_dir, sd_event *event, struct event_sink sink, struct source_blktrace **ret) {
        struct source_blktrace *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->sink = s->merge.sink = sink;
        s->recorded = *root;
        r = open_state(state_dir, &s->state);
        if (r >= 0)
                r = sd_event_add_time(event, &s->timer, CLOCK_MONOTONIC, 0, TIMER_ACCURACY_US, on_timer, s);
        if (r >= 0)
                r = sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
        if (r < 0) {
                source_blktrace_free(s);
                return r;
        }
        (void) sd_event_source_set_description(s->timer, "blktrace");
        if (!s->recorded)
                s->stale = blktrace_session_clean_up(&s->state);
        *ret = s;
        return 0;
}

struct source_blktrace *source_blktrace_free(struct source_blktrace *s) {
        if (!s)
                return NULL;
        while (s->n_traces > 0) {
                struct blktrace_place place = s->traces[--s->n_traces]->place;
                trace_free(s, s->traces[s->n_traces]);
                blktrace_session_end(&place, &s->state);
        }
        task_table_free(s->merge.tasks);
        sd_event_source_disable_unref(s->timer);
        free(s);
        return NULL;
}

static uint64_t drops(void *source) {
        const struct source_blktrace *s = source;

        return s->lost;
}

static void cost(void *source, struct source_cost *ret) {
        const struct source_blktrace *s = source;

        *ret = s->cost;
        ret->events += s->merge.told;
        if (s->n_traces > 0)
                ret->active_ns += nsec_sub(clock_now(CLOCK_MONOTONIC), s->since);
}

static const char *explain_obstacle(const struct source_blktrace *s) {
        if (s->recorded)
                return "a recorded machine has no requests of its own";
        return blktrace_obstacle_to_sentence(s->error == -EPERM ? BLKTRACE_LOCKED_DOWN : blktrace_obstacle());
}

/* Returns whether it works nevertheless, on other drives. */
static bool explain_error(const struct source_blktrace *s, struct source_info *ret) {
        if (s->error == -EBUSY)
                snprintf(ret->detail, sizeof(ret->detail), "somebody else traces %s and is left alone; blktrace -k /dev/%s would end that",
                         s->refused, s->refused);
        else if (s->error == -ENXIO)
                snprintf(ret->detail, sizeof(ret->detail), "/dev/%s cannot be opened; briod needs to be root, and its unit to allow it",
                         s->refused);
        else
                snprintf(ret->detail, sizeof(ret->detail), "%s: %s", s->refused, strerrordesc_np(-s->error));
        return s->n_traces > 0 || s->error == -EBUSY;
}

static void say_how_it_runs(const struct source_blktrace *s, struct source_info *ret) {
        uint64_t malformed = s->malformed;

        for (size_t i = 0; i < s->n_traces; i++)
                for (size_t k = 0; k < s->traces[i]->n_cpus; k++)
                        malformed += s->traces[i]->cpus[k].stream.malformed;
        str_append(ret->detail, sizeof(ret->detail), "%ssingle requests, on %zu drive%s now", *ret->detail ? "; " : "", s->n_traces,
                   s->n_traces == 1 ? "" : "s");
        if (s->merge.late > 0 || malformed > 0)
                str_append(ret->detail, sizeof(ret->detail), "; out of order: %" PRIu64 ", not understood: %" PRIu64, s->merge.late, malformed);
        if (s->stale > 0)
                str_append(ret->detail, sizeof(ret->detail), "; removed at the start: %zu traces that killed daemons had left", s->stale);
}

static size_t probe(void *source, struct source_info *ret) {
        struct source_blktrace *s = source;
        const char *why = explain_obstacle(s);

        *ret = (struct source_info) { .name = "blktrace", .state = SOURCE_WORKS };
        if (why) {
                ret->state = SOURCE_UNAVAILABLE;
                str_copy(ret->detail, sizeof(ret->detail), why);
                return 1;
        }
        if (s->error < 0)
                ret->state = explain_error(s, ret) ? SOURCE_REDUCED : SOURCE_UNAVAILABLE;
        say_how_it_runs(s, ret);
        return 1;
}

const struct source_ops source_blktrace_ops = { .probe = probe, .start = start, .stop = stop, .drops = drops, .cost = cost };

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>

#include "blktrace-drive.h"
#include "clock.h"
#include "fdio.h"
#include "macro.h"
#include "source-blktrace.h"
#include "source-drives.h"
#include "source-timer.h"
#include "str.h"

#define DRIVES_MAX BLKTRACE_DRIVES_MAX
#define CHECK_INTERVAL_NS NSEC_PER_SEC        /* between two of blktrace_drive_check() */

struct source_blktrace {
        struct event_sink sink;
        sd_event_source *timer;
        bool recorded; /* the machine is a tree of files */
        int error;     /* of the last start */
        struct blktrace_place refused; /* and its drive */
        size_t stale;  /* traces of killed daemons that were removed */

        struct blktrace_state state;
        struct trace_merge merge;
        size_t n_drives;
        struct blktrace_drive *drives[DRIVES_MAX];

        nsec_t since;   /* a drive is watched */
        nsec_t checked; /* what is not checked in each look */
        uint64_t lost, malformed; /* malformed: of traces that have ended */
        struct source_cost cost;
};

static void emit(struct source_blktrace *s, const struct event *e) {
        source_tell(&s->sink, &s->cost, e);
}

/* certain: that some are missing here, known before or not. */
static void tell_lost(struct source_blktrace *s, struct blktrace_drive *d, nsec_t now, bool certain) {
        struct event e = { .t = now, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = blktrace_drive_take_lost(d) };

        s->lost += e.lost.count;
        if (e.lost.count > 0 || certain)
                emit(s, &e);
}

static void advance(struct source_blktrace *s, struct blktrace_cpu *c, struct blktrace_look *look) {
        if (blktrace_cpu_advance(c, look))
                tell_lost(s, c->drive, look->now, true);
}

static void check_drives(struct source_blktrace *s, nsec_t now) {
        if (nsec_sub(now, s->checked) < CHECK_INTERVAL_NS)
                return;
        s->checked = now;
        for (size_t i = 0; i < s->n_drives; i++) {
                blktrace_drive_check(s->drives[i], &s->merge);
                tell_lost(s, s->drives[i], now, false);
        }
}

void source_blktrace_drain(struct source_blktrace *s, nsec_t now) {
        struct blktrace_look look = { .now = now };
        struct trace_lane *lane;

        if (s->n_drives == 0)
                return;
        for (size_t i = 0; i < s->n_drives; i++)
                for (size_t k = 0; k < s->drives[i]->n_cpus; k++) {
                        s->drives[i]->cpus[k].dry = false;
                        advance(s, &s->drives[i]->cpus[k], &look);
                }
        while (look.bytes < TRACE_LOOK_BYTES && (lane = trace_merge_next(&s->merge, now))) {
                struct blktrace_cpu *c = container_of(lane, struct blktrace_cpu, lane);
                trace_merge_tell(&s->merge, lane, c->drive->place.dev);
                advance(s, c, &look);
        }
        s->cost.bytes += look.bytes;
        check_drives(s, now);
        source_timer_arm(s->timer, now, look.bytes < TRACE_LOOK_BYTES ? TRACE_INTERVAL_NS : TRACE_AGAIN_NS);
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct source_blktrace *s = userdata;

        s->cost.wakeups++;
        source_blktrace_drain(s, clock_now(CLOCK_MONOTONIC));
        return 0;
}

static size_t find_drive(const struct source_blktrace *s, uint32_t dev) {
        size_t i = 0;

        while (i < s->n_drives && s->drives[i]->place.dev != dev)
                i++;
        return i;
}

static int add_drive(struct source_blktrace *s, const struct blktrace_place *place) {
        int r;

        if (s->n_drives == DRIVES_MAX)
                return -ENOSPC;
        if (!s->merge.tasks)
                s->merge.tasks = task_table_new(s->sink);
        if (!s->merge.tasks)
                return -ENOMEM;
        r = blktrace_drive_begin(place, &s->state, &s->merge, &s->drives[s->n_drives]);
        s->n_drives += r >= 0;
        return r;
}

/* The last one takes its place. */
static void remove_drive(struct source_blktrace *s, size_t i) {
        s->malformed += blktrace_drive_malformed(s->drives[i]);
        blktrace_drive_end(s->drives[i], &s->state, &s->merge);
        s->drives[i] = s->drives[--s->n_drives];
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
        if (s->n_drives > 0)
                return;
        s->merge.tasks = task_table_free(s->merge.tasks);
        s->cost.active_ns += nsec_sub(now, s->since);
        sd_event_source_set_enabled(s->timer, SD_EVENT_OFF);
}

static int start(void *source, const struct source_drive *drive, nsec_t now) {
        struct source_blktrace *s = source;
        struct blktrace_place place = { 0 };

        if (find_drive(s, drive->dev) < s->n_drives)
                return 0;
        if (s->n_drives == 0)
                s->since = s->checked = now;
        s->error = check_start(s, drive->dev, &place);
        if (s->error >= 0)
                s->error = add_drive(s, &place);
        if (s->error < 0) {
                s->refused = place;
                end(s, now);
                return s->error;
        }
        source_tell_watch(&s->sink, &s->cost, drive, true, now);
        source_timer_arm(s->timer, now, TRACE_INTERVAL_NS);
        return 0;
}

static void stop(void *source, uint32_t dev, nsec_t now) {
        struct source_drive drive = { .dev = dev };
        struct source_blktrace *s = source;
        size_t i = find_drive(s, dev);

        if (i == s->n_drives)
                return;
        s->checked = 0; /* losses are to be told while the trace is there */
        source_blktrace_drain(s, now);
        remove_drive(s, i);
        source_tell_watch(&s->sink, &s->cost, &drive, false, now);
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
                r = source_timer_new(event, "blktrace", on_timer, s, &s->timer);
        if (r < 0) {
                source_blktrace_free(s);
                return r;
        }
        if (!s->recorded)
                s->stale = blktrace_session_clean_up(&s->state);
        *ret = s;
        return 0;
}

struct source_blktrace *source_blktrace_free(struct source_blktrace *s) {
        if (!s)
                return NULL;
        while (s->n_drives > 0)
                remove_drive(s, s->n_drives - 1);
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
        if (s->n_drives > 0)
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
                snprintf(ret->detail, sizeof(ret->detail), "another program traces %s and is left alone; blktrace -k /dev/%s would end that",
                         s->refused.name, s->refused.name);
        else if (s->error == -ENXIO)
                snprintf(ret->detail, sizeof(ret->detail), "/dev/%s cannot be opened; briod needs to be root, and its unit to allow it",
                         s->refused.name);
        else
                snprintf(ret->detail, sizeof(ret->detail), "%s: %s", s->refused.name, strerrordesc_np(-s->error));
        return s->n_drives > 0 || s->error == -EBUSY;
}

static void say_how_it_runs(const struct source_blktrace *s, struct source_info *ret) {
        uint64_t malformed = s->malformed;

        for (size_t i = 0; i < s->n_drives; i++)
                malformed += blktrace_drive_malformed(s->drives[i]);
        str_append(ret->detail, sizeof(ret->detail), "%ssingle requests, on %zu drive%s now", *ret->detail ? "; " : "", s->n_drives,
                   s->n_drives == 1 ? "" : "s");
        if (s->merge.late > 0 || malformed > 0)
                str_append(ret->detail, sizeof(ret->detail), "; out of order: %" PRIu64 ", not understood: %" PRIu64, s->merge.late, malformed);
        if (s->merge.not_looked_up > 0)
                str_append(ret->detail, sizeof(ret->detail), "; of threads that were too many to look up: %" PRIu64, s->merge.not_looked_up);
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

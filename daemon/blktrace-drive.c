/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>

#include "blktrace-drive.h"
#include "clock.h"
#include "macro.h"

/* The kernel's buffers of one drive, of all CPUs together and of each, in parts that it fills one after the other. Six records a
 * request of about 56 bytes: 1 MiB holds what 60 000 requests a second make between two looks. */
#define BUFFERS_KB 8192
#define BUFFER_MIN_KB 128u
#define BUFFER_MAX_KB 1024u
#define BUFFER_PARTS 8
#define BYTES_PER_KB 1024u

/* The kernel makes a CPU's file when it has the CPU. */
static int open_cpus(struct blktrace_drive *d, struct trace_merge *merge) {
        for (unsigned i = 0; i < d->n_cpus; i++) {
                struct blktrace_cpu *c = &d->cpus[i];
                int fd = c->fd < 0 ? blktrace_session_open_cpu(&d->place, i) : -ENOENT;
                if (fd == -ENOENT)
                        continue;
                if (fd < 0)
                        return fd;
                c->fd = fd;
                blktrace_stream_init(&c->stream, i, d->place.dev);
                trace_merge_add(merge, &c->lane);
        }
        return 0;
}

static struct blktrace_drive *drive_free(struct blktrace_drive *d, struct trace_merge *merge) {
        for (size_t i = 0; i < d->n_cpus; i++) {
                if (d->cpus[i].fd < 0)
                        continue;
                trace_merge_remove(merge, &d->cpus[i].lane);
                safe_close(d->cpus[i].fd);
        }
        free(d->cpus);
        free(d);
        return NULL;
}

static struct blktrace_drive *drive_new(const struct blktrace_place *place, unsigned n) {
        struct blktrace_drive *d = calloc(1, sizeof(*d));

        if (!d || !(d->cpus = calloc(n, sizeof(*d->cpus)))) {
                free(d);
                return NULL;
        }
        d->place = *place;
        d->n_cpus = n;
        for (unsigned i = 0; i < n; i++) {
                d->cpus[i].drive = d;
                d->cpus[i].fd = -1;
        }
        return d;
}

int blktrace_drive_begin(const struct blktrace_place *place, struct blktrace_state *state, struct trace_merge *merge,
                         struct blktrace_drive **ret) {
        long processors = sysconf(_SC_NPROCESSORS_CONF);
        unsigned n = processors > 0 ? (unsigned) processors : 1;
        uint32_t buffer_kb = CLAMP(BUFFERS_KB / n, BUFFER_MIN_KB, BUFFER_MAX_KB);
        struct blktrace_drive *d = drive_new(place, n);
        int r;

        if (!d)
                return -ENOMEM;
        r = blktrace_session_begin(place, buffer_kb * BYTES_PER_KB / BUFFER_PARTS, BUFFER_PARTS, state);
        if (r < 0) {
                drive_free(d, merge);
                return r;
        }
        r = open_cpus(d, merge);
        if (r < 0) {
                blktrace_drive_end(d, state, merge);
                return r;
        }
        *ret = d;
        return 0;
}

struct blktrace_drive *blktrace_drive_end(struct blktrace_drive *d, struct blktrace_state *state, struct trace_merge *merge) {
        struct blktrace_place place = d->place;

        drive_free(d, merge);
        blktrace_session_end(&place, state);
        return NULL;
}

/* Returns whether there were more bytes. */
static bool read_more(struct blktrace_cpu *c, struct blktrace_look *look) {
        size_t room;
        uint8_t *to;
        ssize_t n;

        if (c->fd < 0 || c->dry || look->bytes >= TRACE_LOOK_BYTES)
                return false;
        to = blktrace_stream_room(&c->stream, &room);
        n = read(c->fd, to, room);
        if (n <= 0) {
                blktrace_stream_dry(&c->stream);
                c->dry = true;
                return false;
        }
        look->now = MAX(look->now, clock_now(CLOCK_MONOTONIC)); /* on a busy machine seconds may have gone by within this look */
        blktrace_stream_add(&c->stream, (size_t) n);
        look->bytes += (size_t) n;
        return true;
}

bool blktrace_cpu_advance(struct blktrace_cpu *c, struct blktrace_look *look) {
        uint64_t lost = c->stream.lost;
        struct blktrace_record r;

        while (!c->lane.pending) {
                if (blktrace_stream_next(&c->stream, look->now, &r) == 0) {
                        if (!read_more(c, look))
                                break;
                        continue;
                }
                if (r.kind != BLKTRACE_REQUEST)
                        continue;
                c->lane.pending = true;
                c->lane.t = r.t;
                c->lane.record = r.request;
        }
        return c->stream.lost > lost;
}

void blktrace_drive_check(struct blktrace_drive *d, struct trace_merge *merge) {
        d->dropped = MAX(d->dropped, blktrace_session_dropped(&d->place));
        (void) open_cpus(d, merge); /* without room for another descriptor the next look tries again */
}

uint64_t blktrace_drive_take_lost(struct blktrace_drive *d) {
        uint64_t lost = 0, more;

        for (size_t i = 0; i < d->n_cpus; i++)
                lost += d->cpus[i].stream.lost;
        lost = MAX(lost, d->dropped);
        more = lost - d->told_lost;
        d->told_lost = lost;
        return more;
}

uint64_t blktrace_drive_malformed(const struct blktrace_drive *d) {
        uint64_t n = 0;

        for (size_t i = 0; i < d->n_cpus; i++)
                n += d->cpus[i].stream.malformed;
        return n;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>

#include "macro.h"
#include "stream.h"

#define DEPTH 32 /* requests under way on each drive */
#define SECTORS 8u /* of a request: 4 KiB */
#define MERGED_MAX 8u
#define LONG_SECTORS 4096u  /* what a drive does not take at once ... */
#define FRONT_SECTORS 2560u /* ... and what it takes of it: 1280 KiB, the kernel's default */
#define DRIVE_SECTORS (1u << 31)
#define FIRST_PID 1000
#define QUEUE_MAX 16 /* events that one step makes */

/* One event of so many ... */
#define LOSS_ONE_IN (1u << 18) /* is the first of LOSS_EVENTS that are not told, a page of the kernel's; then their loss is told */
#define LOSS_EVENTS 64
#define SAMPLE_ONE_IN 8            /* is a process's counters: 10 000 processes four times a second */
#define DRIVE_ONE_IN 4096          /* is a drive's */
#define EXIT_ONE_IN 2048           /* is a process that ends, and another begins */

/* Of 256 requests so many ... */
#define MERGED_OF_256 48
#define SPLIT_OF_256 12
#define WRITES_OF_256 64
/* ... and so many by one of the few processes that are busy. */
#define BUSY_OF_256 192
#define BUSY_PROCESSES 48

struct transfer {
        uint64_t sector;
        uint32_t sectors;
        uint8_t op;
        bool issued;
};

struct drive {
        size_t n;
        struct transfer transfers[DEPTH];
};

struct stream {
        uint64_t random;
        nsec_t t;
        size_t n_processes, n_drives, sampled, losing;
        size_t n_queued, next;
        struct event queue[QUEUE_MAX];
        struct drive drives[STREAM_DRIVES_MAX];
        uint32_t births[STREAM_PROCESSES_MAX];
};

/* xorshift64* */
static uint32_t draw(struct stream *s, uint32_t below) {
        s->random ^= s->random >> 12;
        s->random ^= s->random << 25;
        s->random ^= s->random >> 27;
        return (uint32_t) ((s->random * 0x2545f4914f6cdd1dULL >> 32) * below >> 32);
}

static uint32_t number_of(size_t drive) {
        return DEV_NUMBER(8, 16 * drive);
}

static void put(struct stream *s, struct event e) {
        e.t = s->t;
        s->queue[s->n_queued++] = e;
}

static void put_request(struct stream *s, enum event_kind kind, size_t drive, int32_t tgid, struct event_request r) {
        if (s->losing == 0 && draw(s, LOSS_ONE_IN) == 0)
                s->losing = LOSS_EVENTS;
        if (s->losing == 0)
                put(s, (struct event) { .kind = kind, .dev = number_of(drive), .tgid = tgid, .request = r });
        else if (--s->losing == 0)
                put(s, (struct event) { .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = LOSS_EVENTS });
}

static struct event name_of(const struct stream *s, size_t process) {
        struct event e = { .kind = EVENT_PROCESS_NAME, .tgid = FIRST_PID + (int32_t) process };

        e.process_name.start_ticks = s->births[process];
        snprintf(e.process_name.name, sizeof(e.process_name.name), "process-%u", (unsigned) process % STREAM_PROCESSES_MAX);
        return e;
}

static size_t draw_process(struct stream *s) {
        uint32_t n = draw(s, 256) < BUSY_OF_256 ? MIN((uint32_t) s->n_processes, BUSY_PROCESSES) : (uint32_t) s->n_processes;

        return draw(s, n);
}

/* A process asks: what is adjacent goes as one, what is too long goes as two. */
static void ask(struct stream *s, size_t drive) {
        struct drive *d = &s->drives[drive];
        int32_t tgid = FIRST_PID + (int32_t) draw_process(s);
        uint32_t kind = draw(s, 256), n = kind < MERGED_OF_256 ? 2 + draw(s, MERGED_MAX - 1) : 1;
        bool is_split = kind >= MERGED_OF_256 && kind < MERGED_OF_256 + SPLIT_OF_256 && d->n + 1 < DEPTH;
        uint64_t sector = draw(s, DRIVE_SECTORS) & ~(uint64_t) (SECTORS - 1);
        struct event_request r = { .sector = sector, .sectors = is_split ? LONG_SECTORS : SECTORS };
        struct transfer t = { .sector = sector, .sectors = is_split ? FRONT_SECTORS : n * SECTORS };

        r.op = t.op = draw(s, 256) < WRITES_OF_256 ? REQUEST_WRITE : REQUEST_READ;
        for (; n > 0; n--, r.sector += SECTORS)
                put_request(s, EVENT_REQUEST_QUEUE, drive, tgid, r);
        d->transfers[d->n++] = t;
        if (!is_split)
                return;
        put_request(s, EVENT_REQUEST_SPLIT, drive, 0, (struct event_request) { t.sector, t.sectors, t.op });
        t.sector += FRONT_SECTORS;
        t.sectors = LONG_SECTORS - FRONT_SECTORS;
        d->transfers[d->n++] = t;
}

/* One of those under way goes to the drive, or is done. */
static void go_on(struct stream *s, size_t drive) {
        struct drive *d = &s->drives[drive];
        struct transfer *t = &d->transfers[draw(s, (uint32_t) d->n)];
        struct event_request r = { t->sector, t->sectors, t->op };

        put_request(s, t->issued ? EVENT_REQUEST_COMPLETE : EVENT_REQUEST_ISSUE, drive, 0, r);
        if (t->issued)
                *t = d->transfers[--d->n];
        else
                t->issued = true;
}

static void sample_process(struct stream *s) {
        size_t i = s->sampled++ % s->n_processes;
        struct event e = { .kind = EVENT_PROCESS_IO, .dev = number_of(i % s->n_drives), .tgid = FIRST_PID + (int32_t) i };

        e.process_io.start_ticks = s->births[i];
        e.process_io.span_us = 250000;
        e.process_io.read_bytes = draw(s, 1 << 17);
        put(s, e);
}

static void sample_drive(struct stream *s) {
        struct event e = { .kind = EVENT_DEVICE_STAT, .dev = number_of(draw(s, (uint32_t) s->n_drives)) };

        e.device_stat = (struct event_device_stat) { .span_us = 250000, .reads = 2500, .read_sectors = 20000, .read_ms = 5000,
                                                     .inflight = DEPTH, .busy_ms = 250, .queue_ms = 8000 };
        put(s, e);
}

static void replace_process(struct stream *s) {
        size_t i = draw(s, (uint32_t) s->n_processes);

        put(s, (struct event) { .kind = EVENT_PROCESS_EXIT, .tgid = FIRST_PID + (int32_t) i });
        s->births[i]++;
        put(s, name_of(s, i));
}

static void step(struct stream *s) {
        size_t drive = draw(s, (uint32_t) s->n_drives);

        s->n_queued = s->next = 0;
        if (draw(s, SAMPLE_ONE_IN) == 0)
                sample_process(s);
        if (draw(s, DRIVE_ONE_IN) == 0)
                sample_drive(s);
        if (draw(s, EXIT_ONE_IN) == 0)
                replace_process(s);
        if (s->drives[drive].n > draw(s, DEPTH))
                go_on(s, drive);
        else
                ask(s, drive);
}

struct stream *stream_new(uint64_t seed, size_t processes, size_t drives) {
        struct stream *s = calloc(1, sizeof(*s));

        if (!s)
                return NULL;
        s->random = seed ^ 0x9e3779b97f4a7c15ULL;
        if (s->random == 0) /* the only state that xorshift does not leave */
                s->random = 1;
        s->t = NSEC_PER_SEC;
        s->n_processes = processes;
        s->n_drives = drives;
        return s;
}

struct stream *stream_free(struct stream *s) {
        free(s);
        return NULL;
}

size_t stream_begin(struct stream *s, struct event *ret) {
        size_t n = 0;

        for (size_t i = 0; i < s->n_drives; i++) {
                ret[n] = (struct event) { .t = s->t, .kind = EVENT_WATCH, .dev = number_of(i) };
                ret[n++].watch = (struct event_watch) { .on = true, .rotational = i % 2 == 0 };
        }
        for (size_t i = 0; i < s->n_processes; i++) {
                ret[n] = name_of(s, i);
                ret[n++].t = s->t;
        }
        return n;
}

void stream_fill(struct stream *s, struct event *ret, size_t n) {
        for (size_t i = 0; i < n; i++) {
                while (s->next == s->n_queued)
                        step(s);
                ret[i] = s->queue[s->next++];
                ret[i].t = s->t += STREAM_EVENT_NS;
        }
}

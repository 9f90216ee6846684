/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "flow.h"
#include "macro.h"

#define SAMPLE 256 /* the kernel's fixed point for one */
#define MASK (FLOW_SLOTS - 1)

void think_time_add(struct think_time *t, nsec_t pause) {
        pause = MIN(pause, 2 * SLICE_IDLE_NS);
        t->samples = (7 * t->samples + SAMPLE) / 8;
        t->total_ns = (7 * t->total_ns + SAMPLE * pause) / 8;
}

nsec_t think_time_mean(const struct think_time *t) {
        return t->samples ? (t->total_ns + SAMPLE / 2) / t->samples : 0;
}

bool think_time_is_short(const struct think_time *t) {
        return t->samples <= THINK_SAMPLES_VALID || think_time_mean(t) <= SLICE_IDLE_NS / 2;
}

void flow_side_done(struct flow_side *s, const struct request *r, nsec_t t) {
        if (r->asked > 0) { /* one that was split is done, for who waits, when its end is */
                s->requests++;
                s->bytes += r->asked * SECTOR_BYTES;
                if (r->queued)
                        histogram_window_add(&s->wait, t, nsec_sub(t, r->queued) / NSEC_PER_USEC);
        }
        if (r->issued)
                histogram_window_add(&s->service, t, nsec_sub(t, r->issued) / NSEC_PER_USEC);
}

static bool is_seek(const struct flow *f, const struct event_request *e, bool rotational) {
        uint64_t distance = e->sector > f->last_end ? e->sector - f->last_end : f->last_end - e->sector;

        return f->last_end && distance > SEEK_SECTORS && (rotational || e->sectors < SEEK_SMALL_SECTORS);
}

nsec_t flow_last_asked(const struct flow *f) {
        return MAX(f->last_asked[REQUEST_READ], f->last_asked[REQUEST_WRITE]);
}

static nsec_t last_done(const struct flow *f) {
        return MAX(f->last_done[REQUEST_READ], f->last_done[REQUEST_WRITE]);
}

/* Counts the waiting up to t, and goes on if a read is under way still. */
static void count_wait(struct flow *f, nsec_t t) {
        if (f->waits_since)
                recent_add(&f->waited, t, nsec_sub(t, f->waits_since));
        f->waits_since = f->inflight[REQUEST_READ] > 0 ? MAX(t, f->waits_since) : 0;
}

uint32_t flow_wait_permille(const struct flow *f, nsec_t now) {
        struct flow copy = { .waited = f->waited, .waits_since = f->waits_since };

        count_wait(&copy, now);
        return recent_permille(&copy.waited, f->since, now);
}

void flow_ask(struct flow *f, nsec_t t, const struct event_request *e, bool rotational) {
        nsec_t done = last_done(f);

        if (!f->since)
                f->since = t;
        if (f->inflight[REQUEST_READ] + f->inflight[REQUEST_WRITE] == 0 && done)
                think_time_add(&f->think, nsec_sub(t, done));
        f->seek_history = f->seek_history << 1 | is_seek(f, e, rotational);
        f->last_end = e->sector + e->sectors;
        f->last_asked[e->op] = MAX(f->last_asked[e->op], t);
        f->inflight[e->op]++;
        count_wait(f, t);
}

void flow_end(struct flow *f, nsec_t t, const struct request *r, bool lost) {
        if (r->asked > 0 && f->inflight[r->op] > 0)
                f->inflight[r->op]--;
        if (lost && f->inflight[REQUEST_READ] == 0)
                f->waits_since = 0; /* nobody knows when that ended */
        if (lost)
                return;
        count_wait(f, t);
        if (r->asked > 0)
                recent_add(&f->done[r->op], t, 1);
        f->last_done[r->op] = MAX(f->last_done[r->op], t);
        flow_side_done(&f->sides[r->op], r, t);
}

bool flow_is_seeky(const struct flow *f) {
        unsigned seeks = 0;

        for (uint32_t left = f->seek_history; left; left &= left - 1)
                seeks++;
        return seeks > SEEKY_OF_32;
}

static size_t home_slot(int32_t tgid, uint32_t dev) {
        return (((uint64_t) dev << 32 | (uint32_t) tgid) * 0x9e3779b97f4a7c15u) >> 40 & MASK; /* Fibonacci hashing */
}

static size_t find_slot(const struct flow_table *t, int32_t tgid, uint32_t dev) {
        size_t i = home_slot(tgid, dev);

        for (; t->slots[i]; i = (i + 1) & MASK) {
                const struct flow *f = &t->entries[t->slots[i] - 1];
                if (f->tgid == tgid && f->dev == dev)
                        break;
        }
        return i;
}

struct flow *flow_table_get(struct flow_table *t, int32_t tgid, uint32_t dev) {
        size_t slot = find_slot(t, tgid, dev), i = 0;
        struct flow *f;

        if (t->slots[slot])
                return &t->entries[t->slots[slot] - 1];
        if (t->n == FLOWS_MAX) {
                t->refused++;
                return NULL;
        }
        while (t->entries[i].dev)
                i++;
        f = &t->entries[i];
        /* 1: the kernel's history begins with one seek, too (bfq_init_bfqq()) */
        *f = (struct flow){ .dev = dev, .tgid = tgid, .generation = (uint16_t) (f->generation + 1), .seek_history = 1 };
        t->slots[slot] = (uint16_t) (i + 1);
        t->n++;
        t->high = MAX(t->high, i + 1);
        return f;
}

uint32_t flow_table_name(const struct flow_table *t, const struct flow *f) {
        return f ? (uint32_t) f->generation << 16 | (uint32_t) (f - t->entries + 1) : 0;
}

struct flow *flow_table_find(struct flow_table *t, uint32_t name) {
        uint32_t index = name & UINT16_MAX;
        struct flow *f = index >= 1 && index <= FLOWS_MAX ? &t->entries[index - 1] : NULL;

        return f && f->dev && f->generation == name >> 16 ? f : NULL;
}

static size_t home_of(const struct flow_table *t, size_t slot) {
        const struct flow *f = &t->entries[t->slots[slot] - 1];

        return home_slot(f->tgid, f->dev);
}

static void drop(struct flow_table *t, struct flow *f) {
        size_t hole = find_slot(t, f->tgid, f->dev);

        for (size_t i = (hole + 1) & MASK; t->slots[i]; i = (i + 1) & MASK) {
                if (((i - home_of(t, i)) & MASK) < ((i - hole) & MASK))
                        continue;
                t->slots[hole] = t->slots[i];
                hole = i;
        }
        t->slots[hole] = 0;
        f->dev = 0;
        if (--t->n == 0)
                t->high = 0;
}

void flow_table_remove(struct flow_table *t, int32_t tgid, uint32_t dev, nsec_t idle_since) {
        for (size_t i = 0; i < t->high; i++) {
                struct flow *f = &t->entries[i];
                if (f->dev && (!tgid || f->tgid == tgid) && (!dev || f->dev == dev) && MAX(flow_last_asked(f), last_done(f)) <= idle_since)
                        drop(t, f);
        }
}

const struct flow *flow_table_next(const struct flow_table *t, size_t *i) {
        while (*i < t->high) {
                const struct flow *f = &t->entries[(*i)++];
                if (f->dev)
                        return f;
        }
        return NULL;
}

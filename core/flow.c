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
        if (r->asked > 0) { /* one that was split is done, for the process that waits, when its end is */
                s->requests++;
                s->bytes += r->asked * SECTOR_BYTES;
                if (r->queued)
                        histogram_window_add(&s->wait, t, nsec_sub(t, r->queued) / NSEC_PER_USEC);
        }
        if (r->issued)
                histogram_window_add(&s->service, t, nsec_sub(t, r->issued) / NSEC_PER_USEC);
}

nsec_t flow_last_asked(const struct flow *f) {
        return MAX(MAX(f->last_asked[REQUEST_READ], f->last_asked[REQUEST_WRITE]),
                   MAX(f->asked_above[REQUEST_READ], f->asked_above[REQUEST_WRITE]));
}

static nsec_t last_done(const struct flow *f) {
        return MAX(f->last_done[REQUEST_READ], f->last_done[REQUEST_WRITE]);
}

/* Counts the waiting up to t, and goes on if a read is under way still. */
static void count_wait(struct flow *f, nsec_t t) {
        if (f->waits_since) {
                recent_add(&f->waited, t, nsec_sub(t, f->waits_since));
                f->waited_ever += nsec_sub(t, f->waits_since);
        }
        f->waits_since = f->inflight[REQUEST_READ] > 0 ? MAX(t, f->waits_since) : 0;
}

uint32_t flow_wait_permille(const struct flow *f, nsec_t now) {
        struct recent_sum waited = f->waited;

        if (f->waits_since)
                recent_add(&waited, now, nsec_sub(now, f->waits_since));
        return recent_permille(&waited, f->since, now);
}

nsec_t flow_waited(const struct flow *f, nsec_t now) {
        return f->waited_ever + (f->waits_since ? nsec_sub(now, f->waits_since) : 0);
}

/* The end of a pause: what it was, and what happened in it. */
static uint32_t end_pause(struct flow *f, nsec_t t, nsec_t pause, bool at_work) {
        think_time_add(&f->think, pause);
        recent_add(&f->idle_ns, t, MIN(pause, SLICE_IDLE_NS));
        return injection_ask(&f->injection, t, pause <= SLICE_IDLE_NS, at_work);
}

uint32_t flow_ask(struct flow *f, nsec_t t, const struct event_request *e, bool rotational, bool at_work) {
        nsec_t done = last_done(f);
        uint32_t others = 0;

        if (!f->since)
                f->since = t;
        if (f->inflight[REQUEST_READ] + f->inflight[REQUEST_WRITE] == 0 && done)
                others = end_pause(f, t, nsec_sub(t, done), at_work);
        seek_history_add(&f->seeks, e->sector, e->sectors, rotational);
        f->last_asked[e->op] = MAX(f->last_asked[e->op], t);
        f->inflight[e->op]++;
        count_wait(f, t);
        return others;
}

void flow_end(struct flow *f, nsec_t t, const struct request *r, bool lost) {
        if (r->asked > 0 && f->inflight[r->op] > 0)
                f->inflight[r->op]--;
        if (lost && f->inflight[REQUEST_READ] == 0)
                f->waits_since = 0; /* it is not known when that ended */
        if (lost)
                return;
        count_wait(f, t);
        if (r->asked > 0) {
                recent_add(&f->done[r->op], t, 1);
                injection_done(&f->injection, r->queued, t);
        }
        f->last_done[r->op] = MAX(f->last_done[r->op], t);
        flow_side_done(&f->sides[r->op], r, t);
}

bool flow_is_waited_for(const struct flow *f, nsec_t t) {
        return f->inflight[REQUEST_READ] + f->inflight[REQUEST_WRITE] == 0 && nsec_sub(t, last_done(f)) <= SLICE_IDLE_NS;
}

static size_t home_slot(int32_t tgid, uint32_t dev) {
        return (((uint64_t) dev << 32 | (uint32_t) tgid) * 0x9e3779b97f4a7c15u) >> 40 & MASK; /* Fibonacci hashing */
}

static size_t find_slot(const struct flow_table *t, int32_t tgid, uint32_t dev) {
        size_t i = home_slot(tgid, dev);

        for (; t->slots[i]; i = (i + 1) & MASK) {
                const struct flow_key *k = &t->keys[t->slots[i] - 1];
                if (k->tgid == tgid && k->dev == dev)
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
        *f = (struct flow){ .dev = dev, .tgid = tgid, .generation = (uint16_t) (f->generation + 1), .seeks = SEEK_HISTORY_INIT };
        t->keys[i] = (struct flow_key){ .dev = dev, .tgid = tgid };
        t->slots[slot] = (uint16_t) (i + 1);
        t->n++;
        t->high = MAX(t->high, i + 1);
        return f;
}

struct flow *flow_table_of(struct flow_table *t, int32_t tgid, uint32_t dev) {
        uint16_t index = t->slots[find_slot(t, tgid, dev)];

        return index ? &t->entries[index - 1] : NULL;
}

uint32_t flow_table_name(const struct flow_table *t, const struct flow *f) {
        return f ? (uint32_t) f->generation << 16 | (uint32_t) (f - t->entries + 1) : 0;
}

const struct flow *flow_table_peek(const struct flow_table *t, uint32_t name) {
        uint32_t index = name & UINT16_MAX;
        const struct flow *f = index >= 1 && index <= FLOWS_MAX ? &t->entries[index - 1] : NULL;

        return f && f->dev && f->generation == name >> 16 ? f : NULL;
}

void flow_table_expect_end(const struct flow_table *t, const struct request *r, nsec_t now) {
        uint32_t index = r->owner & UINT16_MAX;
        const struct flow_side *side = index >= 1 && index <= FLOWS_MAX ? &t->entries[index - 1].sides[r->op] : NULL;

        if (!side)
                return;
        __builtin_prefetch(&t->entries[index - 1].last_done, 1);
        histogram_window_expect(&side->wait, nsec_sub(now, r->queued) / NSEC_PER_USEC);
        histogram_window_expect(&side->service, nsec_sub(now, r->issued) / NSEC_PER_USEC);
}

struct flow *flow_table_find(struct flow_table *t, uint32_t name) {
        const struct flow *f = flow_table_peek(t, name);

        return f ? &t->entries[f - t->entries] : NULL;
}

static size_t home_of(const struct flow_table *t, size_t slot) {
        const struct flow_key *k = &t->keys[t->slots[slot] - 1];

        return home_slot(k->tgid, k->dev);
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

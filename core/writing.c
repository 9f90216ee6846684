/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "writing.h"

/* A second tells what reads take alone if so little of it was written, and so many were read. */
#define ALONE_PERMILLE 100
#define ALONE_READS 5

void memory_feed(struct memory_state *m, const struct event *e) {
        m->t = e->t;
        m->dirty_kib = e->memory.dirty_kib;
        m->limit_kib = e->memory.limit_kib;
        m->stalls += e->memory.stalls;
        m->scans += e->memory.scans;
}

uint32_t writing_read_us(const struct writing_second *s) {
        return s->reads ? (uint32_t) MIN(s->read_ms * USEC_PER_MSEC / s->reads, UINT32_MAX) : 0;
}

uint32_t writing_permille(const struct writing_second *s) {
        uint64_t all = (uint64_t) s->read_sectors + s->write_sectors;

        return all ? (uint32_t) (s->write_sectors * 1000ULL / all) : 0;
}

/* What is faster is taken as it is, what is slower slowly: readers in each other's way are not what a read takes. */
static void learn_alone(struct writing *w, const struct writing_second *s) {
        uint32_t us = writing_read_us(s);

        if (s->reads < ALONE_READS || writing_permille(s) > ALONE_PERMILLE)
                return;
        w->alone_us = !w->alone_us || us < w->alone_us ? MAX(us, 1u) : w->alone_us + (us - w->alone_us) / 16;
}

static void note_memory(struct writing *w, struct writing_second *s, nsec_t t, const struct memory_state *m) {
        bool known = m->t && nsec_sub(t, m->t) <= MEMORY_FRESH_NS;

        if (known && m->limit_kib > 0) {
                s->memory_known = true;
                if (w->n > 0) { /* what was before the first one is not known to be of it */
                        s->stalls = (uint32_t) MIN(m->stalls - w->stalls, UINT32_MAX);
                        s->scans = (uint32_t) MIN(m->scans - w->scans, UINT32_MAX);
                }
                s->dirty_permille = (uint32_t) MIN(m->dirty_kib * 1000ULL / m->limit_kib, 1000ULL);
        }
        w->stalls = m->stalls;
        w->scans = m->scans;
}

void writing_feed_merges(struct writing *w, const struct event *e) {
        w->running.merges = add_saturating(w->running.merges, e->merges.writes);
        w->running.merges_known = true;
}

static void add(uint32_t *sum, uint32_t value) {
        *sum = add_saturating(*sum, value);
}

void writing_feed(struct writing *w, const struct event *e, const struct memory_state *m) {
        const struct event_device_stat *d = &e->device_stat;
        struct writing_second *s = &w->running;

        add(&s->span_us, d->span_us);
        add(&s->reads, d->reads);
        add(&s->read_sectors, d->read_sectors);
        add(&s->read_ms, d->read_ms);
        add(&s->writes, d->writes);
        add(&s->write_sectors, d->write_sectors);
        add(&s->busy_ms, d->busy_ms);
        add(&s->queue_ms, d->queue_ms);
        if (s->span_us < WRITING_CLOSE_US)
                return;
        learn_alone(w, s);
        note_memory(w, s, e->t, m);
        w->seconds[w->n++ % WRITING_SECONDS] = *s;
        *s = (struct writing_second){ 0 };
}

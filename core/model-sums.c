/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of a drive whose requests are told in sums: the same of each process and of the drive, but for what takes the order of
 * the requests of all of them (holes, injection, streams, the drive's peak rate). */
#include "macro.h"
#include "model-private.h"

static struct device *find_summed(struct model *m, const struct event *e, uint8_t op) {
        struct device *d = e->dev ? model_find_device(m, e->dev) : NULL;

        if (d && d->requests.summed && op < FLOW_SIDES)
                return d;
        m->counters.invalid++;
        return NULL;
}

static nsec_t moment(const struct event *e, uint32_t before_us) {
        return nsec_sub(e->t, before_us * NSEC_PER_USEC);
}

static void add_to_side(struct flow_side *side, uint32_t requests, uint32_t sectors) {
        side->requests += requests;
        side->bytes += sectors * SECTOR_BYTES;
}

static void add_to_flow(struct flow *f, const struct event *e) {
        const struct event_sums *s = &e->sums;

        if (!f->since)
                f->since = moment(e, s->span_us);
        f->inflight[s->op] = s->inflight;
        if (s->asked_us != SUMS_NEVER)
                f->last_asked[s->op] = MAX(f->last_asked[s->op], moment(e, s->asked_us));
        if (s->done_us != SUMS_NEVER)
                f->last_done[s->op] = MAX(f->last_done[s->op], moment(e, s->done_us));
        recent_add(&f->done[s->op], e->t, s->requests);
        recent_add(&f->waited, e->t, s->waited_us * NSEC_PER_USEC);
        recent_add(&f->idle_ns, e->t, s->idle_us * NSEC_PER_USEC);
        f->seeks.bits = s->seeks;
        f->seeks.n = MIN(s->seeks_n, (uint32_t) SEEK_REQUESTS_MAX);
        f->think = (struct think_time){ .samples = s->think_samples, .total_ns = s->think_samples * (s->think_us * NSEC_PER_USEC) };
        add_to_side(&f->sides[s->op], s->requests, s->sectors);
        if (s->op == REQUEST_READ)
                pace_add(&f->read_pace, e->t, s->sectors * SECTOR_BYTES);
}

void model_feed_sums(struct model *m, const struct event *e) {
        const struct event_sums *s = &e->sums;
        struct device *d = find_summed(m, e, s->op);
        struct flow *f;

        if (!d)
                return;
        if (d->requests.one_in == 0) /* else its EVENT_TOTAL says it */
                add_to_side(&d->requests.sides[s->op], s->requests, s->sectors);
        if (s->op == REQUEST_READ) {
                recent_add(&d->requests.reads, e->t, s->requests);
                recent_add(&d->requests.anonymous_reads, e->t, e->tgid > 0 ? 0 : s->requests);
        }
        f = e->tgid > 0 ? flow_table_get(&m->flows, e->tgid, e->dev) : NULL;
        if (f)
                add_to_flow(f, e);
}

void model_feed_total(struct model *m, const struct event *e) {
        const struct event_total *t = &e->total;
        struct device *d = find_summed(m, e, t->op);

        if (!d)
                return;
        d->requests.one_in = t->one_in;
        recent_add(&d->requests.asked[t->op], e->t, t->requests);
        add_to_side(&d->requests.sides[t->op], t->requests, t->sectors);
}

void model_feed_latencies(struct model *m, const struct event *e) {
        const struct event_latencies *l = &e->latencies;
        struct device *d = find_summed(m, e, l->op);
        struct flow *f;

        if (!d)
                return;
        histogram_window_add_counts(&d->requests.sides[l->op].wait, e->t, l->first, l->counts, ARRAY_SIZE(l->counts));
        if (l->op == REQUEST_READ && !model_yields(m, e->tgid))
                histogram_window_add_counts(&d->requests.foremost_reads, e->t, l->first, l->counts, ARRAY_SIZE(l->counts));
        f = e->tgid > 0 ? flow_table_get(&m->flows, e->tgid, e->dev) : NULL;
        if (f)
                histogram_window_add_counts(&f->sides[l->op].wait, e->t, l->first, l->counts, ARRAY_SIZE(l->counts));
}

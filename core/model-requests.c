/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What single requests tell about drives and processes. docs/detectors.md says what is made of it. */
#include "macro.h"
#include "model-private.h"

/* Requests that are never seen to end are looked for that often. */
#define EXPIRE_INTERVAL_NS NSEC_PER_SEC

static uint32_t permille(uint64_t part, uint64_t whole) {
        return whole ? (uint32_t) MIN(part * 1000 / whole, 1000u) : 0;
}

static void subtract(uint64_t *from, uint64_t sectors) {
        *from -= MIN(*from, sectors);
}

bool model_yields(const struct model *m, int32_t tgid) {
        const struct process *p = tgid > 0 ? process_table_find(&m->processes, tgid) : NULL;

        return p && io_priority_yields(p->io_class, p->io_level);
}

static void note_done(struct device_requests *d, const struct request *r, nsec_t t) {
        bool anonymous = r->owner == 0;

        flow_side_done(&d->sides[r->op], r, t);
        if (r->op != REQUEST_READ || r->asked == 0 || !r->queued) /* whose it was could not be seen */
                return;
        if (!r->yields)
                histogram_window_add(&d->foremost_reads, t, nsec_sub(t, r->queued) / NSEC_PER_USEC);
        recent_add(&d->reads, t, 1);
        recent_add(&d->anonymous_reads, t, anonymous);
        if (anonymous)
                recent_add(&d->anonymous_sectors, t, r->asked);
}

/* The process that is waited for while the drive is, or would be, at rest; NULL: none. */
static struct flow *find_served(struct model *m, const struct device *d) {
        return flow_table_find(&m->flows, d->requests.idling.served);
}

static void follow_idling(struct model *m, struct device *d, uint32_t owner, nsec_t t) {
        struct device_requests *r = &d->requests;
        nsec_t hole = idling_follow(&r->idling, t, r->waiting, r->issued, owner);
        struct flow *served = hole ? find_served(m, d) : NULL;

        if (served)
                recent_add(&served->hole_ns, t, hole);
}

/* Another's request goes to the drive while the process that was served last pauses. */
static void note_injection(struct model *m, const struct device *d, uint32_t owner, nsec_t t) {
        struct flow *served = owner != d->requests.idling.served ? find_served(m, d) : NULL;

        if (served && flow_is_waited_for(served, t))
                injection_other(&served->injection, d->requests.most_at_drive);
}

/* What the drive did since it completed one before, or since this one went to it, it did for this one. */
static void note_served(struct model *m, struct device *d, struct flow *f, const struct request *r, nsec_t t) {
        nsec_t took = blame_serve(&d->requests.blame, &m->flows, r->owner, r->issued, t);

        if (f && took > 0)
                recent_add(&f->served, t, took);
        if (r->issued) /* else it is not known how much of it */
                *(f ? &f->occupied[r->op] : &d->requests.anonymous[r->op]) += took;
}

/* The end of a read or write. Of one that was not seen to end nothing is known but that it did. */
static void note_end(struct model *m, struct device *d, const struct request *r, nsec_t t, bool lost) {
        struct flow *f = flow_table_find(&m->flows, r->owner);
        struct request timeless = *r;

        timeless.queued = timeless.issued = 0;
        if (!lost && !m->unseen)
                note_served(m, d, f, r, t);
        if (f && !lost && r->op == REQUEST_READ)
                pace_add(&f->read_pace, t, r->asked * SECTOR_BYTES);
        if (f) {
                flow_end(f, t, m->unseen ? &timeless : r, lost);
                model_end_stream(d, f, r, t, lost);
        }
        if (lost)
                return;
        note_done(&d->requests, m->unseen ? &timeless : r, t);
        idling_done(&d->requests.idling, t, d->requests.issued, r->op == REQUEST_READ ? r->owner : 0);
}

static void on_step(void *userdata, enum request_step step, const struct request *r, nsec_t t) {
        struct model *m = userdata;
        struct device *d = model_find_device(m, r->dev);

        model_feed_turn(m, d, step, r, t);
        switch (step) {
        case REQUEST_ISSUED:
                if (r->queued)
                        subtract(&d->requests.waiting, r->sectors);
                d->requests.issued += r->sectors;
                d->requests.at_drive++;
                d->requests.most_at_drive = MAX(d->requests.most_at_drive, d->requests.at_drive);
                note_injection(m, d, r->owner, t);
                break;
        case REQUEST_REQUEUED:
                subtract(&d->requests.issued, r->sectors);
                d->requests.waiting += r->sectors;
                d->requests.at_drive -= d->requests.at_drive > 0;
                break;
        case REQUEST_DONE:
        case REQUEST_LOST:
                if (r->op < FLOW_SIDES)
                        flow_table_expect_end(&m->flows, r, t);
                subtract(r->issued ? &d->requests.issued : &d->requests.waiting, r->sectors);
                d->requests.at_drive -= r->issued && d->requests.at_drive > 0;
                if (r->op < FLOW_SIDES)
                        note_end(m, d, r, t, step == REQUEST_LOST);
                break;
        case _REQUEST_STEP_MAX:
                return;
        }
        follow_idling(m, d, r->owner, t);
}

static void feed_queue(struct model *m, struct device *d, const struct event *e) {
        struct flow *f = NULL;
        uint32_t others;

        if (e->tgid > 0 && e->request.op < FLOW_SIDES && e->request.sectors > 0)
                f = flow_table_get(&m->flows, e->tgid, e->dev);
        if (!request_table_queue(&m->requests, e->t, e->dev, &e->request, flow_table_name(&m->flows, f), f && model_yields(m, f->tgid)))
                return;
        if (f)
                model_feed_stream(m, d, f, e);
        else
                model_feed_nobodys(m, d, e);
        others = f ? flow_ask(f, e->t, &e->request, d->requests.rotational, d->requests.issued > 0) : 0;
        if (f && m->n_stacks > 0 && e->request.op == REQUEST_READ)
                recent_add(&f->sectors_own, e->t, e->request.sectors);
        if (others > 0)
                recent_add(&d->requests.injected, e->t, others);
        d->requests.waiting += e->request.sectors;
        follow_idling(m, d, 0, e->t);
}

/* What bfq would learn of the drive: from what goes to it, as merged. A discard moves nothing, a flush is none of a scheduler's. */
static void feed_peak_rate(struct device_requests *r, const struct event *e) {
        const struct event_request *q = &e->request;

        if (q->op >= FLOW_SIDES || q->sectors == 0 || e->flags & EVENT_UNSEEN)
                return;
        if (e->kind == EVENT_REQUEST_COMPLETE) {
                peak_rate_complete(&r->peak, e->t);
        } else if (e->kind == EVENT_REQUEST_ISSUE) {
                peak_rate_dispatch(&r->peak, e->t, q->sector, q->sectors, r->issued > 0);
                seek_history_add(&r->seeks, q->sector, q->sectors, r->rotational);
        }
}

static void feed_complete(struct model *m, const struct event *e) {
        m->unseen = e->flags & EVENT_UNSEEN;
        request_table_complete(&m->requests, e->t, e->dev, &e->request, on_step, m);
        m->unseen = false;
}

void model_feed_request(struct model *m, const struct event *e) {
        struct device *d = e->dev ? model_find_device(m, e->dev) : NULL;

        if (m->n_stacks > 0 && e->kind == EVENT_REQUEST_QUEUE && e->tgid > 0 && e->request.op < FLOW_SIDES)
                model_feed_above(m, e);
        if (!d || !d->requests.since || d->requests.summed || e->request.op >= _REQUEST_OP_MAX) {
                m->counters.invalid += !model_is_upper(m, e->dev);
                return;
        }
        feed_peak_rate(&d->requests, e);
        if (e->kind == EVENT_REQUEST_QUEUE)
                feed_queue(m, d, e);
        else if (e->kind == EVENT_REQUEST_SPLIT)
                request_table_split(&m->requests, e->dev, &e->request);
        else if (e->kind == EVENT_REQUEST_ISSUE)
                request_table_issue(&m->requests, e->t, e->dev, &e->request, on_step, m);
        else if (e->kind == EVENT_REQUEST_REQUEUE)
                request_table_requeue(&m->requests, e->t, e->dev, &e->request, on_step, m);
        else
                feed_complete(m, e);
}

void model_forget_requests(struct model *m, uint32_t dev, nsec_t t) {
        request_table_forget(&m->requests, t, dev, on_step, m);
        flow_table_remove(&m->flows, 0, dev, UINT64_MAX);
        model_unstack(m, dev);
}

void model_watch(struct model *m, const struct event *e) {
        struct device *d = NULL;

        if (e->dev && model_is_upper(m, e->dev) && !model_find_device(m, e->dev))
                return; /* no drive of ours: what is asked of it counts for those below */
        if (e->dev)
                d = e->watch.on ? model_get_device(m, e->dev) : model_find_device(m, e->dev);
        if (!d)
                return;
        model_forget_requests(m, e->dev, e->t);
        d->requests = (struct device_requests){ .since = e->watch.on ? e->t : 0, .rotational = e->watch.rotational, .hz = d->requests.hz };
        d->requests.summed = e->watch.on && (e->flags & EVENT_SUMMED);
        if (!e->watch.on)
                return;
        peak_rate_begin(&d->requests.peak, e->watch.rotational);
        model_set_rule(d);
}

void model_doubt_requests(struct model *m, nsec_t t) {
        request_table_forget(&m->requests, t, 0, on_step, m);
}

void model_expire_requests(struct model *m, nsec_t now) {
        if (nsec_sub(now, m->requests_expired) < EXPIRE_INTERVAL_NS)
                return;
        m->requests_expired = now;
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devices[i].requests.since)
                        model_set_rule(&m->devices[i]);
        request_table_expire(&m->requests, now, on_step, m);
        flow_table_remove(&m->flows, 0, 0, nsec_sub(now, MODEL_FORGET_NS));
        model_count_turns(m);
}

/* Part of the reads that no process is known for, neither by themselves nor by what was asked above. */
static uint32_t anonymous_permille(const struct device_requests *r, nsec_t now) {
        uint64_t part = permille(recent_get(&r->anonymous_reads, now), recent_get(&r->reads, now));
        uint64_t sectors = recent_get(&r->anonymous_sectors, now);

        return (uint32_t) (sectors ? part * (sectors - MIN(r->explained, sectors)) / sectors : part);
}

bool model_knows_readers(const struct device *d, nsec_t now) {
        const struct device_requests *r = &d->requests;

        return r->since && nsec_sub(now, r->since) >= READER_WINDOW_NS && r->one_in <= 1 && /* in samples, a process that reads seldom is missing */
               anonymous_permille(r, now) <= ANONYMOUS_PERMILLE_MAX;
}

static bool is_active(const struct flow *f, enum request_op op, nsec_t now) {
        nsec_t last = MAX(f->last_asked[op], f->last_done[op]);

        return f->inflight[op] > 0 || (f->last_asked[op] && nsec_sub(now, last) <= READER_WINDOW_NS) ||
               (f->asked_above[op] && nsec_sub(now, f->asked_above[op]) <= READER_WINDOW_NS);
}

void model_count_flows(struct model *m, nsec_t now) {
        const struct flow *f;
        size_t i = 0;

        while ((f = flow_table_next(&m->flows, &i))) {
                struct device *d = model_find_device(m, f->dev);
                const struct process *p;

                if (!d || !model_knows_readers(d, now) || !is_active(f, REQUEST_READ, now))
                        continue;
                p = process_table_find(&m->processes, f->tgid);
                d->view.readers++;
                d->view.small_readers += !p || process_rate(&p->read_rate, now) < SMALL_READER_BYTES_PER_S;
        }
}

static void view_latency(const struct histogram_window *w, nsec_t now, struct latency_view *ret) {
        struct histogram h;

        histogram_window_get(w, now, &h);
        ret->requests = h.count;
        ret->median_us = histogram_percentile(&h, 500);
        ret->p99_us = histogram_percentile(&h, 990);
        ret->longest_us = histogram_largest(&h);
}

static void view_latencies(const struct flow_side sides[static FLOW_SIDES], nsec_t now, struct latencies_view *ret) {
        for (int op = 0; op < FLOW_SIDES; op++) {
                view_latency(&sides[op].wait, now, &ret->wait[op]);
                view_latency(&sides[op].service, now, &ret->service[op]);
        }
}

static uint64_t asked_per_s(const struct device_requests *r, int op, nsec_t now) {
        nsec_t span = MAX(recent_span(&r->asked[op], r->since, now), NSEC_PER_MSEC);

        return recent_get(&r->asked[op], now) * NSEC_PER_SEC / span;
}

void model_view_requests(const struct device *d, nsec_t now, struct device_view *ret) {
        const struct device_requests *r = &d->requests;

        if (!r->since)
                return;
        ret->requests.since = r->since;
        ret->requests.summed = r->summed;
        ret->requests.one_in = MAX(r->one_in, 1u);
        for (int op = 0; op < FLOW_SIDES; op++)
                ret->requests.asked_per_s[op] = asked_per_s(r, op, now);
        view_latencies(r->sides, now, &ret->requests.latencies);
        view_latency(&r->foremost_reads, now, &ret->requests.foremost_reads);
        ret->requests.read_waits = &r->sides[REQUEST_READ].wait;
        ret->requests.anonymous_permille = anonymous_permille(r, now);
        ret->requests.hole_permille = recent_permille(&r->idling.hole_ns, r->since, now);
        ret->requests.filled_permille = permille(recent_get(&r->idling.filled_ns, now), recent_get(&r->idling.hole_ns, now));
        ret->requests.idle_permille = recent_permille(&r->idling.window_ns, r->since, now);
        ret->requests.injected = (uint32_t) MIN(recent_get(&r->injected, now), UINT32_MAX);
        ret->requests.sequential_permille = seek_history_sequential_permille(&r->seeks);
        ret->requests.peak_bytes_per_s = peak_rate_bytes_per_s(&r->peak);
        ret->requests.raise_ms = ret->requests.peak_bytes_per_s ? peak_rate_raise_ms(&r->peak) : 0;
}

static struct process_view *find_view(struct snapshot *s, int32_t tgid) {
        for (size_t i = 0; i < s->n_processes; i++)
                if (s->processes[i].tgid == tgid)
                        return &s->processes[i];
        return NULL;
}

static uint32_t requests_per_s(const struct flow *f, enum request_op op, nsec_t now) {
        nsec_t span = MAX(recent_span(&f->done[op], f->since, now), NSEC_PER_MSEC);

        return (uint32_t) MIN(recent_get(&f->done[op], now) * NSEC_PER_SEC / span, UINT32_MAX);
}

static void view_flow(const struct flow *f, nsec_t now, struct process_view *ret) {
        ret->dev = f->dev;
        ret->flags &= (uint16_t) ~EVENT_INFERRED;
        if (!f->since) /* only through what stands on the drive: its own requests there have kernel threads' names */
                return;
        ret->requests.told = true;
        ret->requests.seeky = seek_history_is_seeky(&f->seeks);
        ret->requests.begun = seek_history_is_begun(&f->seeks);
        ret->requests.seeky_so_far = seek_history_is_seeky_so_far(&f->seeks);
        ret->requests.sequential_permille = seek_history_sequential_permille(&f->seeks);
        ret->requests.idle_permille = recent_permille(&f->idle_ns, f->since, now);
        ret->requests.hole_permille = recent_permille(&f->hole_ns, f->since, now);
        ret->requests.injection_permille = injection_permille(&f->injection);
        ret->requests.served_permille = recent_permille(&f->served, f->since, now);
        ret->requests.injection_limit = f->injection.limit;
        ret->requests.think_time_us = (uint32_t) (think_time_mean(&f->think) / NSEC_PER_USEC);
        for (int op = 0; op < FLOW_SIDES; op++) {
                ret->requests.count[op] = f->sides[op].requests;
                ret->requests.per_s[op] = requests_per_s(f, op, now);
        }
        ret->wait_known = true;
        ret->wait_permille = flow_wait_permille(f, now);
        view_latencies(f->sides, now, &ret->requests.latencies);
}

static const struct device *peek_device(const struct model *m, uint32_t dev) {
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devs[i] == dev)
                        return &m->devices[i];
        return NULL;
}

/* What it moved on the drive. Since requests are told, and mostly say whose they are, it read what they say, which is nothing where it has none
 * (f NULL): on which drive /proc's bytes were is a guess. */
static void view_moved(const struct device *d, const struct flow *f, const struct process_drive *use, nsec_t now, struct process_view *ret) {
        static const struct pace nothing;

        ret->moved[REQUEST_READ] = d && model_knows_readers(d, now) ?
                                           pace_get_joined(&use->read_pace, f ? &f->read_pace : &nothing, d->requests.since, now) :
                                           pace_get(&use->read_pace, now);
        ret->moved[REQUEST_WRITE] = pace_get(&use->write_pace, now);
}

/* Where a drive's requests say which processes read from it, an inferred use that they do not show was none. Not so one from before they said it, nor that
 * of a writer: what it has written goes to the drive later, in requests of kernel threads. */
static void doubt_inferred(const struct model *m, const struct device *d, nsec_t now, struct snapshot *s) {
        for (size_t i = 0; i < s->n_processes; i++) {
                struct process_view *v = &s->processes[i];
                const struct process_drive *use;
                if (v->dev != d->dev || !(v->flags & EVENT_INFERRED))
                        continue;
                use = process_find_drive(process_table_find(&m->processes, v->tgid), d->dev);
                if (use->last_read <= d->requests.since)
                        continue;
                view_moved(d, NULL, use, now, v);
                if (v->write_bytes_per_s > v->read_bytes_per_s)
                        continue;
                v->dev = 0;
                v->flags &= (uint16_t) ~EVENT_INFERRED;
        }
}

/* Whether the flow says where its process is at work: it is, or nothing better is known. */
static bool tells_place(const struct flow *f, const struct process_view *v, nsec_t now) {
        return is_active(f, REQUEST_READ, now) || is_active(f, REQUEST_WRITE, now) || v->dev == f->dev || v->dev == 0;
}

/* Of a process that uses several drives: that which it asked most lately. */
void model_view_flows(const struct model *m, nsec_t now, struct snapshot *s) {
        nsec_t latest[SNAPSHOT_PROCESSES_MAX] = { 0 };
        const struct flow *f;
        size_t i = 0;

        while ((f = flow_table_next(&m->flows, &i))) {
                nsec_t asked = flow_last_asked(f);
                struct process_view *v = find_view(s, f->tgid);
                const struct process_drive *use;

                if (!v || asked <= latest[v - s->processes] || !tells_place(f, v, now))
                        continue;
                latest[v - s->processes] = asked;
                view_flow(f, now, v);
                use = process_find_drive(process_table_find(&m->processes, f->tgid), f->dev);
                view_moved(f->since ? peek_device(m, f->dev) : NULL, f, use, now, v); /* else it read through what stands on it */
        }
        for (i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devices[i].dev && model_knows_readers(&m->devices[i], now))
                        doubt_inferred(m, &m->devices[i], now, s);
}

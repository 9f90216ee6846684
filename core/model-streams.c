/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Who on a watched drive is a soft real-time stream, and who nearly is. docs/detectors.md has the account. */
#include <string.h>

#include "macro.h"
#include "model-private.h"

/* A process that asked after a pause so often, lately, is worth a line that says why it is no stream. */
#define NEAR_MISS_PERIODS RHYTHM_PERIODS_MIN
#define NEAR_MISS_LATELY_NS (10 * NSEC_PER_SEC)

#define CONFIDENCE_TOLD 1000
#define CONFIDENCE_LOST 500 /* after events were lost */

static void note_burst(struct model *m, struct device *d, const struct flow *f, nsec_t t) {
        bool others_busy = d->requests.waiting > 0 || d->requests.issued > 0;
        uint32_t marked[QUEUE_BURST_LARGE];
        size_t n = queue_burst_add(&d->requests.burst, t, 0, flow_table_name(&m->flows, f), others_busy, marked);

        burst_note(&d->processes, t, n, false);
        for (size_t i = 0; i < n; i++) {
                struct flow *one = flow_table_find(&m->flows, marked[i]);
                if (one)
                        one->stream.in_large_burst = true;
        }
}

/* ioprio_to_weight(); who has asked for nothing has what its niceness gives, which is level 4 for most. */
static uint32_t weight_of(const struct process *p) {
        if (!p || p->io_class == IO_CLASS_NONE)
                return SOFT_RT_WEIGHT;
        return p->io_class == IO_CLASS_IDLE ? 10 : (8 - MIN(p->io_level, 7u)) * 10;
}

void model_feed_stream(struct model *m, struct device *d, struct flow *f, const struct event *e) {
        if (!f->since) {
                bool is_old = nsec_sub(e->t, d->requests.since) < STREAM_OLD_QUEUE_NS;
                stream_track_begin(&f->stream, &d->requests.rule, e->t, is_old);
                f->weight = weight_of(process_table_find(&m->processes, f->tgid));
                if (!is_old)
                        note_burst(m, d, f, e->t);
        }
        stream_track_ask(&f->stream, &d->requests.rule, e->t, e->request.sectors, e->request.op == REQUEST_WRITE, &f->seeks, f->weight);
}

void model_end_stream(const struct device *d, struct flow *f, const struct request *r, nsec_t t, bool lost) {
        if (r->asked > 0)
                stream_track_done(&f->stream, &d->requests.rule, t, r->asked, lost);
}

void model_set_judge(struct model *m, enum stream_judge judge) {
        m->judge = judge;
}

/* Since when, as far as the one says who has to; 0: it is none. */
static nsec_t is_since(const struct model *m, const struct stream_track *s, nsec_t now) {
        const struct soft_rt *rule = m->judge == STREAM_JUDGE_KERNEL ? &s->kernel : &s->forgetful;

        if (m->judge == STREAM_JUDGE_BRIO)
                return s->rhythm.confirmed;
        return rule->last_yes && nsec_sub(now, rule->last_yes) <= MODEL_JUDGE_NS ? rule->last_yes : 0;
}

static void view_stream(const struct model *m, const struct flow *f, nsec_t now, struct stream_view *ret) {
        const struct process *p = process_table_find(&m->processes, f->tgid);
        const struct stream_track *s = &f->stream;
        nsec_t since = is_since(m, s, now);

        *ret = (struct stream_view){
                .state = since ? STREAM_IS : STREAM_NEAR_MISS,
                .dev = f->dev,
                .tgid = f->tgid,
                .start_ticks = p ? p->start_ticks : 0,
                .writes = s->bytes_written > s->bytes_read,
                .since = since ? since : f->since,
                .last_ask = s->rhythm.last_ask,
                .confidence = snapshot_loss_matters(m->last_loss, now) ? CONFIDENCE_LOST : CONFIDENCE_TOLD,
                .figures = s->rhythm.figures,
                .kernel = {
                        .answer = s->kernel.answer,
                        .margin_us = s->kernel.margin_ns / (int64_t) NSEC_PER_USEC,
                        .yes = s->kernel.yes,
                        .no = s->kernel.no,
                        .yes_without_memory = s->forgetful.yes,
                },
        };
        if (p)
                memcpy(ret->name, p->name, sizeof(ret->name));
}

/* Below 0: a comes first. */
static int compare(const struct stream_view *a, const struct stream_view *b) {
        if (a->state != b->state)
                return a->state < b->state ? -1 : 1;
        if (a->figures.flaw != b->figures.flaw) /* they are looked at in this order: the later it failed, the nearer it came */
                return a->figures.flaw > b->figures.flaw ? -1 : 1;
        if (a->figures.regularity_permille != b->figures.regularity_permille)
                return a->figures.regularity_permille > b->figures.regularity_permille ? -1 : 1;
        return (a->tgid > b->tgid) - (a->tgid < b->tgid);
}

/* Keeps the first ones. */
static void add(struct model *m, struct snapshot *s, const struct stream_view *v) {
        size_t i = s->n_streams;

        if (i == SNAPSHOT_STREAMS_MAX) {
                bool loses = compare(v, &s->streams[i - 1]) >= 0;
                m->streams_refused += (loses ? v->state : s->streams[i - 1].state) == STREAM_IS;
                if (loses)
                        return;
                i--;
        } else
                s->n_streams++;
        for (; i > 0 && compare(v, &s->streams[i - 1]) < 0; i--)
                s->streams[i] = s->streams[i - 1];
        s->streams[i] = *v;
}

static bool is_near(const struct stream_track *s, nsec_t now) {
        nsec_t lately = MAX(NEAR_MISS_LATELY_NS, RHYTHM_SILENCE_PERIODS * s->rhythm.figures.period_us * NSEC_PER_USEC);

        return s->rhythm.n >= NEAR_MISS_PERIODS && s->rhythm.figures.flaw != RHYTHM_TOO_SLOW && (s->rhythm.inflight > 0 || nsec_sub(now, s->rhythm.last_ask) <= lately);
}

/* Two of them at once are few, and each of them has its rate limit: more is a load. */
#define STEADY_RATE_MAX (2 * RHYTHM_RATE_MAX)
#define STEADY_SECONDS 6     /* that the samples have to cover */
#define STEADY_ACTIVE_PART 3 /* in one of so many of them it is read from: the readahead of sound */

bool model_is_steady(const struct device *d, nsec_t now) {
        uint32_t n = MIN(d->n_samples, (uint32_t) RECENT_SAMPLES);
        nsec_t first = now, last_active = 0;
        uint64_t sectors = 0, active = 0, seconds;

        for (uint32_t i = 0; i < n; i++) { /* the oldest first */
                uint32_t k = (d->n_samples - n + i) % RECENT_SAMPLES;
                nsec_t t = d->samples[k].t;
                if (nsec_sub(now, t) > CANDIDATE_SECONDS * NSEC_PER_SEC)
                        continue;
                first = MIN(first, t);
                sectors += d->samples[k].stat.read_sectors;
                if (d->samples[k].stat.reads == 0 || t / NSEC_PER_SEC == last_active)
                        continue;
                active++;
                last_active = t / NSEC_PER_SEC;
        }
        seconds = nsec_sub(now, first) / NSEC_PER_SEC;
        return seconds >= STEADY_SECONDS && active * STEADY_ACTIVE_PART >= seconds && sectors * SECTOR_BYTES / seconds >= RHYTHM_RATE_MIN &&
               sectors * SECTOR_BYTES / seconds <= STEADY_RATE_MAX;
}

void model_feed_candidate(struct model *m, const struct process *p, const struct event *e) {
        double rate = process_rate(&p->read_rate, e->t) + process_rate(&p->write_rate, e->t);

        if (rate <= 4.0 * RHYTHM_RATE_MAX) /* what moves more is none, and needs no room */
                candidates_add(&m->candidates, e->t, e->tgid, p->start_ticks, e->dev, e->process_io.read_bytes, e->process_io.write_bytes);
}

/* What its own requests say of it; NULL: they are not told, or it has none. */
static const struct flow *find_own(const struct model *m, const struct candidate *c) {
        const struct flow *f;
        size_t i = 0;

        while ((f = flow_table_next(&m->flows, &i)))
                if (f->tgid == c->tgid && f->since && f->stream.bytes_read + f->stream.bytes_written > 0)
                        return f;
        return NULL;
}

/* A greedy reader that the drive makes slow waits for it all the time. */
#define CANDIDATE_WAIT_PERMILLE_MAX 200
#define CONFIDENCE_PROC 300

static void view_candidate(struct model *m, struct candidate *c, nsec_t now, struct snapshot *s) {
        const struct process *p = process_table_find(&m->processes, c->tgid);
        const struct device *d = c->dev ? model_find_device(m, c->dev) : NULL;
        const struct flow *own = find_own(m, c);
        bool writes = c->bytes_written > c->bytes_read;
        struct stream_view v = { .tgid = c->tgid, .start_ticks = c->start_ticks, .dev = c->dev, .writes = writes, .from_proc = true,
                                 .confidence = CONFIDENCE_PROC, .last_ask = c->last_io };

        /* What goes through the page cache is written by kernel threads: requests say nothing of who writes so. */
        if (!d || !p || recent_permille(&p->waited, p->sampled_since, now) > CANDIDATE_WAIT_PERMILLE_MAX ||
            !candidate_look(c, now, own || (d->requests.since && !writes), &v.figures) || (own && (own->stream.rhythm.confirmed || is_near(&own->stream, now))))
                return;
        v.since = c->since;
        c->is = !d->requests.since && nsec_sub(now, c->since) >= CANDIDATE_UNDECIDED_NS &&
                v.figures.regularity_permille >= (c->is ? CANDIDATE_EVEN_STAYS_PERMILLE : CANDIDATE_EVEN_PERMILLE);
        v.state = c->is ? STREAM_IS : STREAM_CANDIDATE;
        v.asks = nsec_sub(now, c->since) <= CANDIDATE_REFUTED_NS;
        memcpy(v.name, p->name, sizeof(v.name));
        add(m, s, &v);
}

void model_view_streams(struct model *m, nsec_t now, struct snapshot *s) {
        s->n_streams = 0;
        for (size_t i = 0; i < CANDIDATES_MAX; i++)
                if (m->candidates.entries[i].tgid)
                        view_candidate(m, &m->candidates.entries[i], now, s);
        for (size_t i = 0; i < m->flows.high; i++) {
                struct flow *f = &m->flows.entries[i];
                struct stream_view v;

                if (!f->dev || !f->since)
                        continue;
                rhythm_follow(&f->stream.rhythm, now);
                f->weight = weight_of(process_table_find(&m->processes, f->tgid));
                if (!is_since(m, &f->stream, now) && !is_near(&f->stream, now))
                        continue;
                view_stream(m, f, now, &v);
                add(m, s, &v);
        }
}

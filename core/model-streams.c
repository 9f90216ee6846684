/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes on a watched drive are soft real-time streams, and which nearly are. docs/detectors.md has the account. */
#include <string.h>

#include "macro.h"
#include "model-private.h"

/* A process that asked after a pause so often, lately, is worth a line that says why it is no stream. */
#define NEAR_MISS_PERIODS RHYTHM_PERIODS_MIN
#define NEAR_MISS_LATELY_NS (10 * NSEC_PER_SEC)

#define CONFIDENCE_TOLD 1000
#define CONFIDENCE_LOST 500 /* after events were lost */
#define CONFIDENCE_HELD 800 /* it has sound or video open: it may read something else beside */

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

/* ioprio_to_weight(); a process that has asked for nothing has what its niceness gives, which is level 4 for most. */
static uint32_t weight_of(const struct process *p) {
        if (!p || p->io_class == IO_CLASS_NONE)
                return SOFT_RT_WEIGHT;
        return p->io_class == IO_CLASS_IDLE ? 10 : (8 - MIN(p->io_level, 7u)) * 10;
}

/* bfq schedules it, and its single requests are told. */
static bool has_turns(const struct device *d) {
        return d->view.settings.turns;
}

/* What happens to the queue of a flow (NULL: of kernel threads) on its drive. */
static struct turn_step step_of(struct model *m, struct device *d, struct flow *f, nsec_t t) {
        struct turn *turn = &d->requests.turn;
        uint32_t name = f ? flow_table_name(&m->flows, f) : TURN_NOBODYS;
        struct turn_step step = { .rule = &d->requests.rule, .t = t, .rotational = d->requests.rotational, .name = name };
        struct flow *owner = turn->owner && turn->owner != TURN_NOBODYS && turn->owner != name ? flow_table_find(&m->flows, turn->owner) : NULL;

        turn->nobodys.nobodys = true;
        step.queue = f ? &f->stream.queue : &turn->nobodys;
        step.owner = turn->owner == name ? step.queue : turn->owner == TURN_NOBODYS ? &turn->nobodys : owner ? &owner->stream.queue : NULL;
        return step;
}

void model_feed_stream(struct model *m, struct device *d, struct flow *f, const struct event *e) {
        struct turn_step step = step_of(m, d, f, e->t);
        struct stream_ask ask = { .t = e->t, .sectors = e->request.sectors, .writes = e->request.op == REQUEST_WRITE, .seeks = &f->seeks };

        if (!f->since) {
                bool is_old = nsec_sub(e->t, d->requests.since) < STREAM_OLD_QUEUE_NS;
                stream_track_begin(&f->stream, &d->requests.rule, e->t, is_old);
                f->weight = weight_of(process_table_find(&m->processes, f->tgid));
                if (!is_old)
                        note_burst(m, d, f, e->t);
        }
        ask.weight = f->weight;
        f->stream.queue.seeky = seek_history_is_seeky(&f->seeks);
        f->stream.queue.flows = !f->stream.queue.seeky && think_time_is_short(&f->think);
        stream_track_ask(&f->stream, &d->requests.rule, &ask, has_turns(d) ? &d->requests.turn : NULL, &step);
}

void model_feed_waiting(struct model *m, const struct event *e) {
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++) {
                struct flow *f = m->devices[i].requests.since ? flow_table_of(&m->flows, e->tgid, m->devs[i]) : NULL;
                if (f && f->since)
                        rhythm_wait(&f->stream.rhythm, e->t, e->process_io.span_us * NSEC_PER_USEC);
        }
}

void model_feed_nobodys(struct model *m, struct device *d, const struct event *e) {
        struct turn_step step = step_of(m, d, NULL, e->t);

        if (has_turns(d) && e->request.op < FLOW_SIDES && e->request.sectors > 0)
                turn_ask(&d->requests.turn, &step, e->request.sectors, &(struct soft_rt_traits){ 0 });
}

void model_feed_turn(struct model *m, struct device *d, enum request_step what, const struct request *r, nsec_t t) {
        struct turn_step step;

        if (!has_turns(d) || r->op >= FLOW_SIDES)
                return;
        step = step_of(m, d, flow_table_find(&m->flows, r->owner), t);
        switch (what) {
        case REQUEST_ISSUED:
                turn_issue(&d->requests.turn, &step, r->sectors);
                return;
        case REQUEST_REQUEUED:
                turn_requeue(&d->requests.turn, &step, r->sectors);
                return;
        case REQUEST_DONE:
        case REQUEST_LOST:
                turn_done(&d->requests.turn, &step, r->sectors, r->issued != 0);
                return;
        case _REQUEST_STEP_MAX:
                return;
        }
}

/* Those that have ended were not told of. */
void model_count_turns(struct model *m) {
        const struct flow *f;

        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                turn_count_begin(&m->devices[i].requests.turn);
        for (size_t i = 0; (f = flow_table_next(&m->flows, &i));) {
                struct device *d = model_find_device(m, f->dev);
                if (d)
                        turn_count(&d->requests.turn, &f->stream.queue);
        }
}

/* bfq's rule as it is set on this drive; of another scheduler's drive, as bfq comes. */
void model_set_rule(struct device *d) {
        const struct drive_settings *set = &d->view.settings;
        struct soft_rt_rule *rule = &d->requests.rule;

        if (d->requests.hz == 0) /* what is set later may look like it */
                d->requests.hz = set->hz;
        *rule = SOFT_RT_RULE;
        rule->hz = d->requests.hz ? d->requests.hz : rule->hz;
        rule->interactive_ms = peak_rate_raise_ms(&d->requests.peak);
        if (!set->turns)
                return;
        rule->slice_idle = set->slice_idle_us * NSEC_PER_USEC;
        rule->turn_ms = set->turn_ms ? set->turn_ms : rule->turn_ms;
        if (!set->low_latency)
                rule->rate = rule->interactive_ms = 0;
}

void model_end_stream(const struct device *d, struct flow *f, const struct request *r, nsec_t t, bool lost) {
        if (r->asked > 0)
                stream_track_done(&f->stream, &d->requests.rule, t, r->asked, lost);
}

void model_set_judge(struct model *m, enum stream_judge judge) {
        m->judge = judge;
}

/* Since when, as far as the one says whose word counts; 0: it is none. */
static nsec_t is_since(const struct model *m, const struct stream_track *s, nsec_t now) {
        const struct soft_rt *rule = &s->alone;

        switch (m->judge) {
        case STREAM_JUDGE_BRIO:
                return s->rhythm.confirmed;
        case STREAM_JUDGE_RULE:
                break;
        case STREAM_JUDGE_TURNS:
                rule = &s->queue.kernel;
                break;
        case STREAM_JUDGE_FORGETFUL:
                rule = &s->forgetful;
                break;
        }
        return rule->last_yes && nsec_sub(now, rule->last_yes) <= MODEL_JUDGE_NS ? rule->last_yes : 0;
}

static void view_stream(struct model *m, const struct flow *f, nsec_t now, struct stream_view *ret) {
        const struct process *p = process_table_find(&m->processes, f->tgid);
        const struct stream_track *s = &f->stream;
        const struct device *d = model_find_device(m, f->dev);
        const struct soft_rt *kernel = d && has_turns(d) ? &s->queue.kernel : &s->alone;
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
                        .answer = kernel->answer,
                        .margin_us = kernel->margin_ns / (int64_t) NSEC_PER_USEC,
                        .yes = kernel->yes,
                        .no = kernel->no,
                        .yes_alone = s->alone.yes,
                        .yes_without_memory = s->forgetful.yes,
                },
                .arrivals = s->arrivals,
        };
        if (p)
                memcpy(ret->name, p->name, sizeof(ret->name));
        ret->uid = p ? p->uid : PROCESS_UID_UNKNOWN;
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

void model_feed_candidate(struct model *m, const struct process *p, const struct event *e) {
        double rate = process_rate(&p->read_rate, e->t) + process_rate(&p->write_rate, e->t);

        if (rate <= 4.0 * RHYTHM_RATE_MAX) /* what moves more is none, and needs no room */
                candidates_add(&m->candidates, e->t, e->tgid, p->start_ticks, e->dev, e->process_io.read_bytes, e->process_io.write_bytes);
}

enum told { TOLD_NOT, TOLD, TOLD_STREAM };

/* What its own requests say of it: that it is a stream, or nearly one, on any drive, for its counters are of all; else whether they are
 * told on the drive that it uses. */
static enum told told_of(const struct model *m, const struct candidate *c, nsec_t now) {
        bool writes = c->bytes_written > c->bytes_read; /* one that writes through the page cache may still read what the file system is made of */
        enum told found = TOLD_NOT;
        const struct flow *f;
        size_t i = 0;

        while ((f = flow_table_next(&m->flows, &i))) {
                if (f->tgid != c->tgid || !f->since)
                        continue;
                if (is_since(m, &f->stream, now) || is_near(&f->stream, now))
                        return TOLD_STREAM;
                if (f->dev == c->dev && f->stream.bytes_written + (writes ? 0 : f->stream.bytes_read) > 0)
                        found = TOLD;
        }
        return found;
}

/* A greedy reader that the drive makes slow waits for it all the time. */
#define CANDIDATE_WAIT_PERMILLE_MAX 200
#define CONFIDENCE_PROC 300

static void view_candidate(struct model *m, struct candidate *c, nsec_t now, struct snapshot *s) {
        const struct process *p = process_table_find(&m->processes, c->tgid);
        const struct device *d = c->dev ? model_find_device(m, c->dev) : NULL;
        enum told told = told_of(m, c, now);
        bool writes = c->bytes_written > c->bytes_read;
        struct stream_view v = { .tgid = c->tgid, .start_ticks = c->start_ticks, .dev = c->dev, .writes = writes, .from_proc = true,
                                 .confidence = CONFIDENCE_PROC, .last_ask = c->last_io };

        /* What goes through the page cache is written by kernel threads: requests say nothing of the process that writes so. */
        if (!d || !p || p->held_dev || recent_permille(&p->waited, p->sampled_since, now) > CANDIDATE_WAIT_PERMILLE_MAX ||
            process_computes_permille(p, now) > (c->is ? RHYTHM_COMPUTES_STAYS_PERMILLE : RHYTHM_COMPUTES_PERMILLE) ||
            !candidate_look(c, now, told != TOLD_NOT || (d->requests.since && !writes), &v.figures) || told == TOLD_STREAM)
                return;
        v.since = c->since;
        c->is = (!d->requests.since || (writes && told == TOLD_NOT)) && nsec_sub(now, c->since) >= CANDIDATE_UNDECIDED_NS &&
                v.figures.regularity_permille >= (c->is ? CANDIDATE_EVEN_STAYS_PERMILLE : CANDIDATE_EVEN_PERMILLE);
        v.state = c->is ? STREAM_IS : STREAM_CANDIDATE;
        v.asks = !(c->is && writes) && nsec_sub(now, c->since) <= CANDIDATE_REFUTED_NS;
        memcpy(v.name, p->name, sizeof(v.name));
        v.uid = p->uid;
        add(m, s, &v);
}

/* Of a process with sound or video open the requests say how it reads, where they are told; not whether it is a stream. */
static void view_holder(struct model *m, struct process *p, nsec_t now, struct snapshot *s) {
        struct stream_view v = { .dev = p->held_dev, .tgid = p->tgid, .start_ticks = p->start_ticks, .from_proc = true, .last_ask = p->last_io };
        double reads = process_rate(&p->read_rate, now), writes = process_rate(&p->write_rate, now);
        const struct flow *f = flow_table_of(&m->flows, p->tgid, p->held_dev);

        if (f && f->since)
                view_stream(m, f, now, &v);
        if (v.since && v.state == STREAM_IS && !v.from_proc) {
                add(m, s, &v);
                return;
        }
        v.state = STREAM_IS;
        v.holds = p->holds & EVENT_HOLDS_VIDEO ? HOLDS_VIDEO : HOLDS_SOUND;
        v.since = p->held_since;
        v.writes = writes > reads;
        v.asks = !v.writes; /* law stream-guard lets a reader go first whose requests are told */
        v.confidence = CONFIDENCE_HELD;
        v.figures.flaw = RHYTHM_FITS;
        if (v.figures.bytes_per_s == 0)
                v.figures.bytes_per_s = (uint64_t) (reads + writes);
        memcpy(v.name, p->name, sizeof(v.name));
        v.uid = p->uid;
        add(m, s, &v);
}

static void view_holders(struct model *m, nsec_t now, struct snapshot *s) {
        for (size_t i = 0; m->judge == STREAM_JUDGE_BRIO && i < m->processes.n; i++)
                if (process_holds_stream(&m->processes.entries[i], now))
                        view_holder(m, &m->processes.entries[i], now, s);
}

/* What is known of it beside its requests. */
static void note_process(struct flow *f, const struct process *p, nsec_t now) {
        f->weight = weight_of(p);
        f->stream.computes_permille = p ? process_computes_permille(p, now) : 0;
        f->stream.busy_permille = p ? 1000 - process_rests_permille(p, f->since, now) : 0;
}

/* A reader that what is written keeps waiting has no pauses that could show a rhythm. */
static bool is_told(const struct model *m, const struct flow *f, const struct process *p, nsec_t now) {
        return is_since(m, &f->stream, now) || is_near(&f->stream, now) || (p && p->starved_dev == f->dev);
}

void model_view_streams(struct model *m, nsec_t now, struct snapshot *s) {
        s->n_streams = 0;
        view_holders(m, now, s);
        for (size_t i = 0; i < CANDIDATES_MAX; i++)
                if (m->candidates.entries[i].tgid)
                        view_candidate(m, &m->candidates.entries[i], now, s);
        for (size_t i = 0; i < m->flows.high; i++) {
                struct flow *f = &m->flows.entries[i];
                const struct process *p;
                struct stream_view v;

                if (!f->dev || !f->since)
                        continue;
                p = process_table_find(&m->processes, f->tgid);
                rhythm_follow(&f->stream.rhythm, now);
                note_process(f, p, now);
                if ((p && p->held_dev == f->dev) || !is_told(m, f, p, now))
                        continue;
                view_stream(m, f, now, &v);
                add(m, s, &v);
        }
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the model adds to starts: names, and what their drives did meanwhile, and for which processes, by single requests. */
#include <string.h>

#include "macro.h"
#include "model-private.h"

static void count_drives(struct model *m, struct startup *s) {
        s->requested = false;
        s->read_latency_us = 0;
        for (size_t i = 0; i < s->view.n_devs; i++) {
                const struct device *d = model_find_device(m, s->view.devs[i]);
                if (!d)
                        continue;
                s->requested |= d->requests.since > 0 && !d->requests.summed; /* sums do not say which process waits */
                s->read_latency_us = MAX(s->read_latency_us, (uint64_t) d->view.read_latency_us);
        }
}

/* What its processes read by their single requests, since the time before. */
static void count_own(struct model *m, struct startup *s, nsec_t now) {
        memset(s->waited_lately, 0, sizeof(s->waited_lately));
        for (size_t i = 0; i < m->flows.high; i++) {
                struct flow *f = &m->flows.entries[i];
                nsec_t waited, since;
                int drive;
                if (!f->dev || !startup_has_member(s, f->tgid))
                        continue;
                drive = startup_add_drive(s, f->dev, f->last_asked[REQUEST_READ] > 0);
                waited = flow_waited(f, now);
                since = nsec_sub(waited, f->waited_told);
                s->requested_wait += since;
                if (drive >= 0) {
                        s->waited_lately[drive] += since;
                        s->waited_on[drive] += since;
                }
                f->waited_told = MAX(waited, f->waited_told);
                s->view.requests += (uint32_t) (f->sides[REQUEST_READ].requests - f->reads_told);
                f->reads_told = f->sides[REQUEST_READ].requests;
        }
}

/* A process had so much of a drive's time: it counts for each start by the part of the interval in which that waited. */
static void share_out(struct model *m, uint32_t dev, int32_t tgid, unsigned op, uint64_t ns, nsec_t interval) {
        const struct process *p = tgid > 0 ? process_table_find(&m->processes, tgid) : NULL;
        struct startup_culprit culprit = { .tgid = tgid, .start_ticks = p ? p->start_ticks : 0, .uid = p ? p->uid : PROCESS_UID_UNKNOWN };

        if (p)
                memcpy(culprit.name, p->name, sizeof(culprit.name));
        for (size_t i = 0; i < STARTUPS_MAX; i++) {
                struct startup *s = &m->startups.startups[i];
                int drive = startup_reads_from(s, dev);
                uint64_t meanwhile;
                double part;
                if (!s->view.tgid || drive < 0)
                        continue;
                part = (double) MIN(s->waited_lately[drive], interval) / (double) interval;
                meanwhile = (uint64_t) ((double) ns * part);
                if (startup_has_member(s, tgid)) {
                        s->own_ns += meanwhile;
                        continue;
                }
                startup_note_served(s, &culprit, op, meanwhile, 0);
                s->behind += meanwhile;
        }
}

static void count_served(struct model *m, nsec_t interval) {
        struct flow *f;

        for (size_t i = 0; i < m->flows.high; i++) {
                f = &m->flows.entries[i];
                for (unsigned op = 0; f->dev && op < FLOW_SIDES; op++) {
                        if (f->occupied[op] > f->occupied_told[op])
                                share_out(m, f->dev, f->tgid, op, f->occupied[op] - f->occupied_told[op], interval);
                        f->occupied_told[op] = f->occupied[op];
                }
        }
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++) {
                struct device_requests *r = &m->devices[i].requests;
                for (unsigned op = 0; m->devices[i].dev && op < FLOW_SIDES; op++) {
                        if (r->anonymous[op] > r->anonymous_told[op])
                                share_out(m, m->devices[i].dev, 0, op, r->anonymous[op] - r->anonymous_told[op], interval);
                        r->anonymous_told[op] = r->anonymous[op];
                }
        }
}

static void count_startups(struct model *m, nsec_t now) {
        nsec_t interval = nsec_sub(now, m->startups_counted);

        if (m->startups.n == 0 || interval == 0)
                return;
        m->startups_counted = now;
        for (size_t i = 0; i < STARTUPS_MAX; i++) {
                struct startup *s = &m->startups.startups[i];
                if (!s->view.tgid)
                        continue;
                count_drives(m, s);
                count_own(m, s, now);
        }
        count_served(m, interval);
}

void model_feed_startup(struct model *m, const struct event *e) {
        bool ends = (e->kind == EVENT_PROCESS_EXIT || e->kind == EVENT_PROCESS_READY) && model_is_starting(m, e->tgid); /* its flows end with it */
        const struct process *p;

        if (ends || e->kind == EVENT_PROCESS_WORK)
                count_startups(m, e->t);
        if (e->kind == EVENT_PROCESS_IO && m->startups.n == 0)
                return;
        p = e->tgid > 0 ? process_table_find(&m->processes, e->tgid) : NULL;
        startup_table_feed(&m->startups, e, p ? p->name : "", p ? p->uid : PROCESS_UID_UNKNOWN);
}

void model_view_startups(struct model *m, nsec_t now, struct snapshot *ret) {
        startup_table_step(&m->startups, now);
        ret->n_startups = 0;
        for (size_t i = 0; i < STARTUPS_MAX; i++) {
                const struct startup *s = &m->startups.startups[i];
                if (s->view.tgid && startup_tells(s))
                        startup_get_view(s, now, &ret->startups[ret->n_startups++]);
        }
}

size_t model_due_startups(const struct model *m, nsec_t now, int32_t *ret, size_t max, nsec_t *ret_next) {
        return startup_table_due(&m->startups, now, ret, max, ret_next);
}

bool model_is_starting(struct model *m, int32_t tgid) {
        return startup_table_find(&m->startups, tgid) != NULL;
}

bool model_take_startup(struct model *m, struct startup_ended *ret) {
        return startup_table_take(&m->startups, ret);
}

void model_note_startup_verdict(struct model *m, int32_t tgid, nsec_t now) {
        startup_table_note_verdict(&m->startups, tgid, now);
}

uint64_t model_startup_changes(const struct model *m) {
        return m->startups.changes;
}

static bool knows_drives(const struct model *m) {
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++)
                if (m->devices[i].dev)
                        return true;
        return false;
}

const struct startup_view *model_one_that_starts(const struct model *m) {
        if (m->startups.n == 0 || !knows_drives(m))
                return NULL;
        for (size_t i = 0; i < STARTUPS_MAX; i++)
                if (m->startups.startups[i].view.tgid && startup_tells(&m->startups.startups[i]))
                        return &m->startups.startups[i].view;
        return NULL;
}

size_t model_list_startups(const struct model *m, nsec_t now, struct startup_view *ret, size_t max) {
        size_t n = 0;

        for (size_t i = 0; m->startups.n > 0 && i < STARTUPS_MAX && n < max; i++)
                if (m->startups.startups[i].view.tgid)
                        startup_get_view(&m->startups.startups[i], now, &ret[n++]);
        return n;
}

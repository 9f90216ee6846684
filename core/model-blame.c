/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which process waits for a drive and which ones that serves meanwhile, for the snapshot. */
#include "macro.h"
#include "model-private.h"

_Static_assert(SNAPSHOT_WAITS_MAX == BLAME_VICTIMS, "all that are followed are told");

void model_choose_blame(struct model *m, nsec_t now) {
        for (size_t i = 0; i < MODEL_DEVICES_MAX; i++) {
                struct device *d = &m->devices[i];
                if (d->dev && d->requests.since)
                        blame_choose(&d->requests.blame, &m->flows, d->dev, now);
        }
}

static struct subject find_subject(const struct model *m, int32_t tgid) {
        const struct process *p = process_table_find(&m->processes, tgid);
        struct subject s = { .tgid = tgid, .uid = PROCESS_UID_UNKNOWN };

        if (!p)
                return s;
        s.start_ticks = p->start_ticks;
        s.uid = p->uid;
        memcpy(s.name, p->name, sizeof(s.name));
        return s;
}

static uint32_t part(nsec_t ns, nsec_t all) {
        return all ? (uint32_t) MIN(ns * 1000 / all, 1000u) : 0;
}

void model_view_blame(const struct model *m, const struct device *d, nsec_t now, struct device_view *ret) {
        ret->requests.n_waits = 0;
        for (size_t i = 0; d->requests.since && i < BLAME_VICTIMS; i++) {
                const struct blame_victim *v = &d->requests.blame.victims[i];
                const struct flow *f = v->name ? flow_table_peek(&m->flows, v->name) : NULL;
                struct wait_view *w = &ret->requests.waits[ret->requests.n_waits];
                int greatest = blame_greatest(v, &m->flows);

                if (!f)
                        continue;
                *w = (struct wait_view){
                        .subject = find_subject(m, f->tgid),
                        .since = v->since,
                        .served_us = (uint32_t) MIN(v->all / NSEC_PER_USEC, UINT32_MAX),
                        .wait_permille = flow_wait_permille(f, now),
                        .own_permille = part(v->own, v->all),
                        .kernel_permille = part(v->kernel, v->all),
                };
                if (greatest >= 0) {
                        w->culprit = find_subject(m, v->tgids[greatest]);
                        w->culprit_permille = part(v->shares[greatest], v->all);
                }
                ret->requests.n_waits++;
        }
}

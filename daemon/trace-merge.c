/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "trace-merge.h"

void trace_merge_add(struct trace_merge *m, struct trace_lane *lane) {
        lane->next = m->lanes;
        m->lanes = lane;
}

void trace_merge_remove(struct trace_merge *m, struct trace_lane *lane) {
        struct trace_lane **at = &m->lanes;

        while (*at && *at != lane)
                at = &(*at)->next;
        if (*at)
                *at = lane->next;
}

struct trace_lane *trace_merge_next(struct trace_merge *m, nsec_t now) {
        struct trace_lane *best = NULL;

        if (now != m->look) {
                m->look = now;
                task_table_renew(m->tasks);
        }
        for (struct trace_lane *l = m->lanes; l; l = l->next)
                if (l->pending && (!best || l->t < best->t))
                        best = l;
        return best && best->t <= nsec_sub(now, TRACE_SETTLE_NS) ? best : NULL;
}

static void find_process(struct trace_merge *m, int32_t tid, struct event *e) {
        int32_t tgid = task_table_find(m->tasks, tid, e->t);

        m->not_looked_up += tgid < 0;
        e->tgid = MAX(tgid, 0);
}

void trace_merge_tell(struct trace_merge *m, struct trace_lane *lane, uint32_t drive) {
        const struct trace_record *r = &lane->record;
        struct event e = { .t = lane->t, .kind = trace_kind_to_event(r->kind), .dev = drive, .request = r->request };

        lane->pending = false;
        if (!drive)
                return;
        if (r->kind == TRACE_BIO_QUEUE)
                find_process(m, r->tid, &e);
        m->late += lane->t < m->last;
        m->last = MAX(m->last, lane->t);
        m->told++;
        m->sink.fn(m->sink.userdata, &e);
}

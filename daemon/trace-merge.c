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

        for (struct trace_lane *l = m->lanes; l; l = l->next)
                if (l->pending && (!best || l->t < best->t))
                        best = l;
        return best && best->t <= nsec_sub(now, TRACE_SETTLE_NS) ? best : NULL;
}

void trace_merge_tell(struct trace_merge *m, struct trace_lane *lane, uint32_t drive) {
        static const enum event_kind kinds[_TRACE_KIND_MAX] = {
                [TRACE_BIO_QUEUE] = EVENT_REQUEST_QUEUE,
                [TRACE_SPLIT] = EVENT_REQUEST_SPLIT,
                [TRACE_RQ_ISSUE] = EVENT_REQUEST_ISSUE,
                [TRACE_RQ_REQUEUE] = EVENT_REQUEST_REQUEUE,
                [TRACE_RQ_COMPLETE] = EVENT_REQUEST_COMPLETE,
        };
        const struct trace_record *r = &lane->record;
        struct event e = { .t = lane->t, .kind = kinds[r->kind], .dev = drive, .request = r->request };

        lane->pending = false;
        if (!drive)
                return;
        if (r->kind == TRACE_BIO_QUEUE)
                e.tgid = task_table_find(m->tasks, r->tid, lane->t);
        m->late += lane->t < m->last;
        m->last = MAX(m->last, lane->t);
        m->told++;
        m->sink.fn(m->sink.userdata, &e);
}

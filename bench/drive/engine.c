/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine.h"

#include "macro.h"

void drive_engine_init(struct drive_engine *e, struct drive_model *m) {
        *e = (struct drive_engine) { .model = m };
        e->waiting_tail = &e->waiting;
}

void drive_engine_submit(struct drive_engine *e, struct drive_request *r) {
        r->next = NULL;
        r->done = DRIVE_NEVER;
        *e->waiting_tail = r;
        e->waiting_tail = &r->next;
}

static size_t outstanding(const struct drive_engine *e) {
        return e->n_queue + e->n_active;
}

/* When the oldest waiting request can enter the drive's queue without any completion. */
static nsec_t next_admission(const struct drive_engine *e) {
        return e->waiting && outstanding(e) < e->model->queue_depth ? MAX(e->waiting->arrival, e->now) : DRIVE_NEVER;
}

/* When the model wants to be asked again for what it could not start yet. */
static nsec_t next_wake(const struct drive_engine *e) {
        return e->n_queue > 0 && e->model->wake > e->now ? e->model->wake : DRIVE_NEVER;
}

nsec_t drive_engine_next(const struct drive_engine *e) {
        nsec_t completion = e->active ? e->active->done : DRIVE_NEVER, admission = next_admission(e), wake = next_wake(e);

        return MIN(completion, MIN(admission, wake));
}

static void admit(struct drive_engine *e, nsec_t now) {
        while (next_admission(e) <= now) {
                struct drive_request *r = e->waiting;

                e->waiting = r->next;
                if (!e->waiting)
                        e->waiting_tail = &e->waiting;
                e->queue[e->n_queue++] = r;
        }
}

static void activate(struct drive_engine *e, size_t index) {
        struct drive_request *r = e->queue[index], **at = &e->active;

        memmove(&e->queue[index], &e->queue[index + 1], (e->n_queue - index - 1) * sizeof(e->queue[0]));
        e->n_queue--;
        while (*at && (*at)->done <= r->done)
                at = &(*at)->next;
        r->next = *at;
        *at = r;
        e->n_active++;
}

static void start_work(struct drive_engine *e, nsec_t now) {
        while (e->n_queue > 0) {
                int index = e->model->start(e->model, now, e->queue, e->n_queue);

                if (index < 0)
                        return;
                activate(e, (size_t) index);
        }
}

struct drive_request *drive_engine_complete(struct drive_engine *e, nsec_t now) {
        for (;;) {
                nsec_t at = drive_engine_next(e);

                if (at == DRIVE_NEVER || at > now)
                        return NULL;
                e->now = at;
                if (e->active && e->active->done == at) {
                        struct drive_request *r = e->active;

                        e->active = TAKE_PTR(r->next);
                        e->n_active--;
                        admit(e, at);
                        start_work(e, at);
                        return r;
                }
                admit(e, at);
                start_work(e, at);
        }
}

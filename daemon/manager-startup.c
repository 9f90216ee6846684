/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of applications: when to look at their processes, and what becomes of those that have ended. */
#include "bus.h"
#include "log.h"
#include "manager-private.h"

#define LOOKED_AT_MAX 256

static void arm(struct manager *m, nsec_t when) {
        sd_event_source_set_time(m->startup_timer, when / NSEC_PER_USEC);
        sd_event_source_set_time_accuracy(m->startup_timer, USEC_PER_MSEC);
        sd_event_source_set_enabled(m->startup_timer, SD_EVENT_ONESHOT);
}

void manager_note_startup(struct manager *m, const struct event *e) {
        bool begins = e->kind == EVENT_PROCESS_EXEC || e->kind == EVENT_PROCESS_APPLICATION;

        if (m->source_replay) /* its processes are not here to be looked at */
                return;
        if (!begins && e->kind != EVENT_PROCESS_EXIT && e->kind != EVENT_PROCESS_READY) /* work: who looks sees what comes of it */
                return;
        if (m->startup_changes != model_startup_changes(m->model) || (begins && model_is_starting(m->model, e->tgid)))
                arm(m, manager_now());
}

bool manager_process_starts(void *userdata, int32_t tgid) {
        const struct manager *m = userdata;

        return model_is_starting(m->model, tgid);
}

int manager_on_startup(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct manager *m = userdata;
        nsec_t now = manager_now(), next;
        int32_t tgids[LOOKED_AT_MAX];
        size_t n;

        source_process_follow(m->source_process); /* who has ended need not be looked at */
        n = model_due_startups(m->model, now, tgids, LOOKED_AT_MAX, &next);
        if (n > 0)
                source_process_look(m->source_process, now, tgids, n);
        if (m->startup_changes != model_startup_changes(m->model))
                manager_tick(m);
        model_due_startups(m->model, now, NULL, 0, &next);
        if (next == 0)
                return 0;
        /* Commands of a terminal come and go; where nothing reads, looking at them is worth no more than following births. */
        if (m->attention == ATTENTION_DRIVES)
                next = MAX(next, wake_budget_take(&m->startup_looks, now));
        arm(m, next);
        return 0;
}

void manager_take_startups(struct manager *m) {
        struct startup_view v;

        m->startup_changes = model_startup_changes(m->model);
        while (model_take_startup(m->model, &v))
                log_debug("%s started in %llu ms: %s", v.application, (unsigned long long) (v.latency / NSEC_PER_MSEC),
                          startup_end_to_string(v.end));
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starts of applications: when to look at their processes, and what becomes of those that have ended. */
#include <errno.h>
#include <limits.h>

#include "bus.h"
#include "clock.h"
#include "log.h"
#include "manager-private.h"
#include "startup-store.h"
#include "str.h"


static void arm(struct manager *m, nsec_t when) {
        sd_event_source_set_time(m->startup_timer, when / NSEC_PER_USEC);
        sd_event_source_set_time_accuracy(m->startup_timer, USEC_PER_MSEC);
        sd_event_source_set_enabled(m->startup_timer, SD_EVENT_ONESHOT);
}

void manager_note_startup(struct manager *m, const struct event *e) {
        bool begins = e->kind == EVENT_PROCESS_EXEC || e->kind == EVENT_PROCESS_APPLICATION;

        if (m->source_replay) /* its processes are not here to be looked at */
                return;
        if (!begins && e->kind != EVENT_PROCESS_EXIT && e->kind != EVENT_PROCESS_READY) /* work: a look shows what comes of it */
                return;
        if (m->startup_changes != model_startup_changes(m->model) || (begins && model_is_starting(m->model, e->tgid)))
                arm(m, manager_now());
}

bool manager_process_starts(void *userdata, int32_t tgid) {
        const struct manager *m = userdata;

        return model_is_starting(m->model, tgid);
}

bool manager_process_may_start(void *userdata, uint32_t uid, nsec_t now) {
        static const struct user_rate rate = { .period = NSEC_PER_SEC, .at_once = 60 }; /* a person types no sixty commands a minute */
        struct manager *m = userdata;
        bool may = uid == 0 || (source_logind_has_session(m->source_logind, uid) && user_budget_take(&m->starts, &rate, uid, 1, now));

        m->counters.starts_uncounted += !may;
        return may;
}

static void arm_next(struct manager *m, nsec_t now) {
        nsec_t next;

        if (m->startup_changes != model_startup_changes(m->model))
                manager_tick(m);
        model_due_startups(m->model, now, NULL, 0, &next);
        if (next == 0)
                return;
        /* Commands of a terminal come and go; where nothing reads, looking at them is worth no more than following births. */
        if (m->attention == ATTENTION_DRIVES) {
                nsec_t allowed = wake_budget_take(&m->startup_looks, now);
                next = MAX(next, allowed);
        }
        arm(m, next);
}

void manager_on_looked(void *userdata, int error _unused_) {
        arm_next(userdata, manager_now());
}

int manager_on_startup(sd_event_source *source _unused_, uint64_t usec _unused_, void *userdata) {
        struct manager *m = userdata;
        nsec_t now = manager_now(), next;
        int32_t tgids[PROCESS_LOOKS_MAX];
        size_t n;

        source_process_follow(m->source_process); /* one that has ended need not be looked at */
        manager_follow_prefetch(m, now); /* first: the sooner it reads ahead, the less is waited for */
        n = model_due_startups(m->model, now, tgids, ARRAY_SIZE(tgids), &next);
        if (n == 0 || !source_process_look(m->source_process, now, tgids, n))
                arm_next(m, now);
        return 0;
}

void manager_load_startups(struct manager *m, const char *dir) {
        size_t damaged = 0;
        int r = startup_store_load(dir, m->startups, &damaged);

        if (r < 0)
                log_warning("%s/startups cannot be read: %s; earlier starts of applications are not known", dir, strerror(-r));
        else if (damaged > 0) {
                log_warning("%s/startups: %zu damaged lines left out; the file is kept as startups.damaged", dir, damaged);
                m->startups_file.dirty = manager_now(); /* the whole lines are in no file now */
        }
}

void manager_save_startups(struct manager *m, nsec_t now, bool at_once) {
        char buf[PATH_MAX];
        const char *dir = manager_state_dir(m->options, buf, sizeof(buf));
        int r;

        if (!manager_save_is_due(m, &m->startups_file, now, at_once))
                return;
        r = startup_store_save(dir, m->startups);
        if (manager_take_saved(&m->startups_file, r, now, at_once))
                log_warning("%s/startups cannot be written: %s; what is known of starts is kept in memory", dir, strerror(-r));
}

static void count(struct manager_counters *c, const struct startup_view *v) {
        static const unsigned bounds_ms[] = { BRIO_COLD_START_BOUNDS_MS };

        if (!v->cold)
                return;
        c->cold_starts++;
        c->cold_starts_usec += v->latency / NSEC_PER_USEC;
        for (size_t i = 0; i < ARRAY_SIZE(bounds_ms); i++)
                c->cold_starts_within[i] += v->latency <= bounds_ms[i] * NSEC_PER_MSEC;
}

static void take(struct manager *m, nsec_t now, const struct startup_ended *ended) {
        const struct startup_view *v = &ended->view;
        const struct manager_drive *d = v->n_devs > 0 ? manager_find_drive_by_dev(m, v->devs[0]) : NULL;
        struct startup_record r = { .start = *v };
        char text[STARTUP_SENTENCE_MAX];

        r.time_usec = (clock_now(CLOCK_REALTIME) - nsec_sub(manager_now(), v->begun)) / NSEC_PER_USEC;
        if (d)
                str_copy(r.device, sizeof(r.device), d->drive.name);
        count(&m->counters, v);
        r.helped = manager_end_prefetch(m, v);
        startup_history_add(m->startups, &r);
        startup_history_add_course(m->startups, &r, &ended->timeline);
        if (m->startups_file.dirty == 0)
                m->startups_file.dirty = now;
        log_debug("%s", startup_format_sentence(&r, startup_history_find(m->startups, v->application), text, sizeof(text)));
        bus_startup_finished(m->bus, &r);
}

void manager_take_startups(struct manager *m, nsec_t now) {
        struct startup_ended ended;

        m->startup_changes = model_startup_changes(m->model);
        while (model_take_startup(m->model, &ended))
                take(m, now, &ended);
        manager_save_startups(m, now, false);
}

int manager_startup_ready(struct manager *m, int32_t tgid, uint32_t uid) {
        struct event e = { .t = manager_now(), .kind = EVENT_PROCESS_READY, .tgid = tgid };
        struct process_facts facts;

        if (tgid <= 0 || m->source_replay)
                return -ESRCH;
        source_process_follow(m->source_process); /* it may have begun just now */
        if (!model_is_starting(m->model, tgid))
                return -ESRCH;
        process_facts_get(tgid, &facts);
        if (uid != 0 && facts.uid != uid)
                return -ESRCH; /* whether another user's process starts is not the caller's business */
        manager_take_event(m, &e);
        return 0;
}

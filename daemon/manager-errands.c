/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the drives' workers answer, and what a caller asked for that takes until they have. */
#include <errno.h>

#include "bus.h"
#include "log.h"
#include "manager-private.h"
#include "str.h"

/* How long the answer to a caller that wants to see a drive's settings may be late by. */
#define LOOK_LIMIT_NS (20 * NSEC_PER_MSEC)

static void announce(struct manager *m, struct manager_drive *d) {
        if (d->announced)
                return;
        d->announced = true;
        bus_drive_added(m->bus, d);
        bus_manager_changed(m->bus, "Devices");
}

static void take_settings(struct manager *m, const char *name, const struct drive_answer *answer) {
        struct manager_drive *d = manager_find_drive(m, name);

        if (!d)
                return;
        if (answer->result == 0)
                manager_take_settings(m, d, &answer->settings);
        else
                log_debug("%s: cannot read its settings: %s", name, strerror(-answer->result));
        announce(m, d);
}

static void on_answer(void *userdata, const char *name, const struct drive_job *job, const struct drive_answer *answer) {
        struct manager *m = userdata;

        switch (answer->kind) {
        case DRIVE_ANSWER_RECEIPT:
                if (job->request.kind == DRIVE_REQUEST_RECOVER)
                        manager_take_recovered(m, name, &answer->receipt, job->reason);
                else
                        manager_take_receipt(m, &answer->receipt, job->request.change.reason);
                return;
        case DRIVE_ANSWER_LOST:
                manager_take_loss(m, &answer->receipt);
                return;
        case DRIVE_ANSWER_SETTINGS:
                take_settings(m, name, answer);
                return;
        case DRIVE_ANSWER_LINE:
        case DRIVE_ANSWER_DONE:
                return;
        }
}

static void on_silence(void *userdata, const char *name, bool silent) {
        struct manager *m = userdata;
        struct manager_drive *d = manager_find_drive(m, name);

        if (silent)
                log_warning("%s: the drive does not answer; nothing of it is changed or put back until it does", name);
        else
                log_notice("%s: the drive answers again", name);
        if (d)
                announce(m, d);
}

/* What was asked for while the drive was silent. */
static void pay_debts(struct manager *m) {
        struct errand *e;

        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                struct manager_drive *d = &m->drives[i];
                if (!d->used || !d->owed || drive_workers_is_busy(m->workers, d->drive.name))
                        continue;
                e = manager_new_errand(m, NULL, NULL);
                if (!e)
                        return; /* later, then */
                d->owed = false;
                manager_put_back_for(m, e, d->drive.dev, d->owed_how, d->owed_reason);
        }
}

static void on_idle(void *userdata) {
        struct manager *m = userdata;

        manager_follow_errands(m);
        pay_debts(m);
        manager_publish(m);
}

int manager_open_workers(struct manager *m) {
        const struct drive_workers_config config = {
                .actuator = m->actuator, .event = m->event, .within = m->options->replay, .answer = on_answer, .silent = on_silence, .idle = on_idle,
                .userdata = m,
        };

        m->workers = drive_workers_new(&config);
        return m->workers ? 0 : -ENOMEM;
}

void manager_see_settings(struct manager *m, const struct manager_drive *d) {
        const struct drive_job job = { .request = { .kind = DRIVE_REQUEST_LOOK, .now = manager_now(), .settings = true } };

        if (!drive_workers_is_busy(m->workers, d->drive.name) && drive_workers_ask(m->workers, d->drive.name, &job) == 0)
                drive_workers_wait(m->workers, d->drive.name, LOOK_LIMIT_NS);
}

static const char *drive_of(struct manager *m, uint32_t dev) {
        const struct manager_drive *d = dev ? manager_find_drive_by_dev(m, dev) : NULL;

        return d ? d->drive.name : NULL;
}

/* For those that do not answer: the rest is done when they do. */
static void owe(struct manager *m, const struct errand *e) {
        for (size_t i = 0; i < ARRAY_SIZE(m->drives); i++) {
                struct manager_drive *d = &m->drives[i];
                if (!d->used || (e->dev && d->drive.dev != e->dev) || !drive_workers_is_silent(m->workers, d->drive.name))
                        continue;
                d->owed = true;
                d->owed_how = e->how;
                d->owed_reason = e->reason;
        }
}

static void end(struct manager *m, struct errand *e, int result) {
        struct errand ended = *e;
        size_t unanswered = drive_workers_count_changes(m->workers, drive_of(m, e->dev), false);

        if (e->puts_back)
                owe(m, e);
        *e = (struct errand){ 0 };
        ended.result = result;
        ended.restored = (uint32_t) (m->counters.restores - ended.restores);
        ended.failed = (uint32_t) (m->counters.write_errors - ended.errors + unanswered);
        if (result == 0 && ended.first > 0)
                ended.result = unanswered > 0 ? -ETIMEDOUT : manager_judge(m, &ended);
        if (ended.afresh)
                manager_start_afresh(m);
        if (ended.done)
                ended.done(ended.userdata, m, &ended);
}

void manager_await(struct manager *m, struct errand *e) {
        const char *name = drive_of(m, e->dev);

        if (e->wants_look)
                return;
        while (e->puts_back) { /* ends: what fails is given up, and not planned again */
                if (!(e->how & PUT_BACK_AT_ONCE))
                        manager_view_drives(m, manager_now());
                controller_plan_restore(m->controller, e->dev, e->how & PUT_BACK_LEAVE_ALONE, e->how & PUT_BACK_AT_ONCE ? NULL : m->snapshot, e->reason,
                                        m->plan);
                if (m->plan->n + m->plan->n_priorities == 0)
                        break;
                manager_perform(m, manager_now());
                if (drive_workers_count_changes(m->workers, name, true) > 0)
                        return;
        }
        if (drive_workers_count_changes(m->workers, name, true) == 0)
                end(m, e, 0);
}

void manager_follow_errands(struct manager *m) {
        for (size_t i = 0; i < ARRAY_SIZE(m->errands); i++)
                if (m->errands[i].used)
                        manager_await(m, &m->errands[i]);
}

void manager_end_looks(struct manager *m) {
        for (size_t i = 0; i < ARRAY_SIZE(m->errands); i++)
                if (m->errands[i].used && m->errands[i].wants_look)
                        end(m, &m->errands[i], 0);
}

void manager_end_errands(struct manager *m, bool modes_alone) {
        for (size_t i = 0; i < ARRAY_SIZE(m->errands); i++) {
                struct errand *e = &m->errands[i];
                if (!e->used || (modes_alone && !e->afresh))
                        continue;
                e->afresh = false;
                end(m, e, modes_alone ? 0 : -ECANCELED);
        }
}

struct errand *manager_new_errand(struct manager *m, errand_done_fn done, void *userdata) {
        for (size_t i = 0; i < ARRAY_SIZE(m->errands); i++) {
                struct errand *e = &m->errands[i];
                if (e->used)
                        continue;
                *e = (struct errand){ .used = true, .done = done, .userdata = userdata, .restores = m->counters.restores, .errors = m->counters.write_errors };
                return e;
        }
        return NULL;
}

void manager_put_back_for(struct manager *m, struct errand *e, uint32_t dev, enum put_back how, const char *reason) {
        e->puts_back = true;
        e->dev = dev;
        e->how = how;
        e->reason = reason;
        controller_retry(m->controller, dev);
        manager_await(m, e);
}

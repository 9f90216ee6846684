/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "bus.h"
#include "clock.h"
#include "log.h"
#include "manager-private.h"
#include "process-launch.h"
#include "statement.h"
#include "str.h"

static uint64_t realtime_usec(void) {
        return clock_now(CLOCK_REALTIME) / NSEC_PER_USEC;
}

/* What is expected of what a law sets, and where its trial stands. */
static void describe_trial(const struct manager *m, struct decision *d) {
        const struct receipt *r = &d->receipt;
        const struct controller_device *c = controller_find_device(m->controller, r->dev);
        int64_t from, to;

        if (r->process.tgid > 0 || !c || (r->result != RECEIPT_APPLIED && r->result != RECEIPT_ADVISED))
                return;
        if (tunable_parse(r->tunable, r->old, &from) == 0 && tunable_parse(r->tunable, r->wanted, &to) == 0)
                controller_expect(m->controller, r->dev, r->law, r->tunable, from, to, d->expected, sizeof(d->expected));
        if (r->result == RECEIPT_ADVISED)
                return;
        d->trial = c->trial.laws[r->law].state;
        str_copy(d->effect, sizeof(d->effect), c->trial.laws[r->law].effect);
        d->figures = c->trial.laws[r->law].figures;
}

static void count_written(struct manager_counters *c, const struct receipt *r) {
        c->restores += r->result == RECEIPT_RESTORED;
        c->writes += r->result == RECEIPT_APPLIED || r->result == RECEIPT_RESTORED;
        c->write_errors += r->result == RECEIPT_FAILED || (r->result == RECEIPT_RESTORED && r->error < 0);
        c->foreign_writes += r->result == RECEIPT_FOREIGN;
}

static void record_of(struct manager *m, const char *name, const struct receipt *r, const char *reason) {
        count_written(&m->counters, r);
        log_decision(name, r, reason);
        decisions_add(&m->decisions, name, r, reason, realtime_usec());
        describe_trial(m, decisions_last(&m->decisions));
        bus_decision_made(m->bus, decisions_last(&m->decisions));
}

static void record(struct manager *m, const struct receipt *r, const char *reason) {
        const struct manager_drive *d = manager_find_drive_by_dev(m, r->dev);

        record_of(m, d ? d->drive.name : "", r, reason);
}

void manager_record_start(struct manager *m, const struct receipt *r, const char *application, const char *reason) {
        const struct manager_drive *d = manager_find_drive_by_dev(m, r->dev);
        const char *name = d ? d->drive.name : "";

        log_decision(name, r, reason);
        decisions_add(&m->decisions, name, r, reason, realtime_usec());
        str_copy(decisions_last(&m->decisions)->application, APPLICATION_MAX, application);
        bus_decision_made(m->bus, decisions_last(&m->decisions));
}

static void on_trial(void *userdata, const struct decision *d) {
        struct manager *m = userdata;

        bus_trial_ended(m->bus, d);
}

/* What became of trials lately. */
static void take_reports(struct manager *m) {
        struct trial_report r;

        while (controller_take_report(m->controller, &r)) {
                const struct manager_drive *d = manager_find_drive_by_dev(m, r.dev);
                log_message(r.state == TRIAL_REVERTED ? LOG_NOTICE : LOG_INFO, "%s: trial of %s: %s%s%s", d ? d->drive.name : "", law_to_string(r.law),
                            trial_state_to_string(r.state), *r.effect ? ": " : "", r.effect);
                decisions_report(&m->decisions, &r, on_trial, m);
        }
}

/* Returns why the last one that was refused was, or NULL. */
static const char *perform_priorities(struct manager *m, nsec_t now) {
        struct receipt receipts[PLAN_PRIORITIES_MAX];
        const char *refusal = NULL;

        priorities_apply(m->priorities, m->plan->priorities, m->plan->n_priorities, now, receipts);
        for (size_t i = 0; i < m->plan->n_priorities; i++) {
                const struct receipt *r = &receipts[i];
                controller_commit(m->controller, r);
                if (r->result != RECEIPT_REFUSED) {
                        record(m, r, r->why ? r->why : m->plan->priorities[i].reason);
                        continue;
                }
                refusal = r->why;
                log_debug("%s (%" PRId32 ") does not step back: %s", r->process.name, r->process.tgid, r->why);
        }
        return refusal;
}

void manager_take_receipt(struct manager *m, const struct receipt *r, const char *reason) {
        controller_commit(m->controller, r);
        if (r->result != RECEIPT_STALE)
                record(m, r, reason);
        take_reports(m);
}

static void ask_for(struct manager *m, const struct setting_change *change, nsec_t now) {
        const struct manager_drive *d = manager_find_drive_by_dev(m, change->dev);
        struct drive_job job = { .request = { .kind = DRIVE_REQUEST_APPLY, .now = now, .change = *change } };
        struct receipt r = { .id = change->id, .dev = change->dev, .tunable = change->tunable, .law = change->law, .t = now, .result = RECEIPT_FAILED };

        r.error = d ? drive_workers_ask(m->workers, d->drive.name, &job) : -ENODEV;
        if (r.error == 0)
                return;
        str_copy(r.wanted, sizeof(r.wanted), change->value);
        manager_take_receipt(m, &r, change->reason);
}

/* Priorities first: they are in place within milliseconds, and no drive is waited for. */
void manager_perform(struct manager *m, nsec_t now) {
        (void) perform_priorities(m, now);
        for (size_t i = 0; i < m->plan->n; i++)
                ask_for(m, &m->plan->changes[i], now);
        take_reports(m);
}

void manager_take_loss(struct manager *m, const struct receipt *r) {
        controller_commit(m->controller, r);
        record(m, r, r->result == RECEIPT_FOREIGN ? "another program wrote it, which stays" : "it is not there any more");
}

void manager_follow_processes(struct manager *m, nsec_t now) {
        struct receipt receipts[16];
        size_t n = priorities_follow(m->priorities, now, receipts, ARRAY_SIZE(receipts));

        for (size_t i = 0; i < n; i++) {
                controller_commit(m->controller, &receipts[i]);
                record(m, &receipts[i], receipts[i].why);
        }
}

void manager_take_recovered(struct manager *m, const char *name, const struct receipt *r, const char *reason) {
        if (m->recovering) {
                m->counters.restores += r->result == RECEIPT_RESTORED;
                log_decision(name, r, reason);
                return;
        }
        controller_commit(m->controller, r);
        record_of(m, name, r, reason);
}

static size_t count_left(const struct manager *m, const char *name) {
        size_t n = 0;

        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                n += actuator_holds(m->actuator, name, id);
        return n;
}

void manager_report_left(struct manager *m) {
        _cleanup_free_ char (*names)[ACTUATOR_NAME_MAX] = NULL;
        size_t n = actuator_list_held(m->actuator, &names);

        for (size_t i = 0; i < n; i++)
                log_error("%s: %zu of its settings could not be put back%s; they stay in the journal for the next start of briod", names[i],
                          count_left(m, names[i]), drive_workers_is_silent(m->workers, names[i]) ? ", as the drive does not answer" : "");
}

void manager_put_all_back(struct manager *m) {
        controller_retry(m->controller, 0);
        do {
                controller_plan_restore(m->controller, 0, false, NULL, statement_plain(SAY_DAEMON_ENDS), m->plan);
                m->plan->n = 0; /* the drives follow, each for itself */
                manager_perform(m, manager_now());
        } while (m->plan->n_priorities > 0);
        priorities_settle(m->priorities);
        drive_workers_recover(m->workers, manager_now(), statement_plain(SAY_DAEMON_ENDS));
        manager_report_left(m);
}

void manager_holds_changed(struct manager *m, errand_done_fn done, void *userdata) {
        struct errand *e = done ? manager_new_errand(m, done, userdata) : NULL;

        bus_manager_changed(m->bus, "ActiveHolds");
        if (e)
                e->wants_look = true;
        else if (done)
                done(userdata, m, &(struct errand){ 0 }); /* no room: sooner, then */
        manager_tick(m);
}

int manager_restore(struct manager *m, const char *name, errand_done_fn done, void *userdata) {
        struct manager_drive *d = name ? manager_find_drive(m, name) : NULL;
        struct errand *e;

        if (name && !d)
                return -ENOENT;
        e = manager_new_errand(m, done, userdata);
        if (!e)
                return -EBUSY;
        if (!name)
                manager_keep_mode(m, MODE_OFF);
        manager_put_back_for(m, e, d ? d->drive.dev : 0, name ? PUT_BACK_LEAVE_ALONE : PUT_BACK_QUIETLY, statement_plain(SAY_RESTORED));
        manager_tick(m);
        return 0;
}

/* Whether the last decisions, from `first` on, hold a failure for what that one is of. */
static bool failed_since(const struct manager *m, uint64_t first, const struct receipt *of) {
        for (uint64_t i = first; i <= m->decisions.count; i++) {
                const struct decision *d = decisions_get(&m->decisions, i);
                if (d && receipt_same_setting(&d->receipt, of) && d->receipt.result == RECEIPT_FAILED)
                        return true;
        }
        return false;
}

static bool is_advised(const struct manager *m, const struct receipt *r) {
        const struct controller_process *p = controller_find_process(m->controller, &r->process);
        const struct controller_device *c = controller_find_device(m->controller, r->dev);

        if (r->process.tgid > 0)
                return p && p->advice_known;
        return c && c->tunables[r->tunable].advice_known;
}

bool manager_advice_stands(const struct manager *m, const struct decision *d) {
        if (d->receipt.result != RECEIPT_ADVISED || !is_advised(m, &d->receipt))
                return false;
        for (uint64_t i = d->sequence + 1; i <= m->decisions.count; i++) {
                const struct receipt *later = &decisions_get(&m->decisions, i)->receipt;
                if (later->result == RECEIPT_ADVISED && receipt_same_setting(later, &d->receipt))
                        return false;
        }
        return true;
}

static const struct decision *find_advice(const struct manager *m, const char *id) {
        for (uint64_t i = m->decisions.count; i >= decisions_first(&m->decisions); i--) {
                const struct decision *d = decisions_get(&m->decisions, i);
                char text[DECISION_ID_MAX];
                if (manager_advice_stands(m, d) && streq(decision_format_id(d, text, sizeof(text)), id))
                        return d;
        }
        return NULL;
}

static bool is_held(const struct manager *m, const struct receipt *r) {
        const struct controller_process *p = controller_find_process(m->controller, &r->process);

        return p && p->held;
}

int manager_judge(const struct manager *m, const struct errand *e) {
        if (failed_since(m, e->first, &e->of))
                return -EIO;
        return e->wants_held && !is_held(m, &e->of) ? -ENOENT : 0; /* refused: a process waits for it now */
}

/* Carries out the plan that a caller asked for. r: whether there is one. */
static int act(struct manager *m, const struct receipt *of, int r, bool wants_held, errand_done_fn done, void *userdata) {
        struct errand *e = r < 0 ? NULL : manager_new_errand(m, done, userdata);

        if (r < 0)
                return r;
        if (!e)
                return -EBUSY;
        e->of = *of;
        e->dev = of->dev;
        e->first = m->decisions.count + 1;
        e->wants_held = wants_held;
        manager_perform(m, manager_now());
        manager_publish(m);
        manager_await(m, e);
        return 0;
}

int manager_apply(struct manager *m, const char *id, errand_done_fn done, void *userdata) {
        const struct decision *d = find_advice(m, id);
        struct receipt of; /* the ring moves on */
        int r;

        if (!d)
                return -ENOENT;
        of = d->receipt;
        manager_view_drives(m, manager_now());
        r = of.process.tgid > 0 ? controller_apply_process(m->controller, &of.process, m->plan) :
                                  controller_apply(m->controller, of.dev, of.tunable, m->snapshot, m->plan);
        return act(m, &of, r, of.process.tgid > 0, done, userdata);
}

/* Whether what it set has not been let go of since, though it may have been set again. */
static bool is_held_since(const struct manager *m, const struct decision *d) {
        if (d->receipt.result != RECEIPT_APPLIED)
                return false;
        for (uint64_t i = d->sequence + 1; i <= m->decisions.count; i++) {
                const struct receipt *later = &decisions_get(&m->decisions, i)->receipt;
                bool ended = later->result == RECEIPT_RESTORED || later->result == RECEIPT_FOREIGN || later->result == RECEIPT_GONE;
                if (ended && receipt_same_setting(later, &d->receipt))
                        return false;
        }
        return true;
}

int manager_undo(struct manager *m, const char *id, errand_done_fn done, void *userdata) {
        const struct decision *d;
        struct receipt of;
        uint64_t sequence;
        int r;

        if (decision_parse_id(id, &sequence) < 0)
                return -ENOENT;
        d = decisions_get(&m->decisions, sequence);
        if (!d || !is_held_since(m, d))
                return -ENOENT;
        if (d->receipt.law == LAW_PREFETCH)
                return manager_undo_start(m, d, done, userdata);
        of = d->receipt;
        manager_view_drives(m, manager_now());
        r = of.process.tgid > 0 ? controller_undo_process(m->controller, &of.process, m->plan) :
                                  controller_undo(m->controller, of.dev, of.tunable, m->snapshot, m->plan);
        return act(m, &of, r, false, done, userdata);
}

int manager_lower(struct manager *m, int32_t tgid, const struct decision **ret, const char **ret_why) {
        nsec_t now = manager_now();
        struct controller_input in = {
                .now = now, .mode = m->mode, .hold = holds_strongest(&m->holds), .snapshot = m->snapshot, .verdicts = m->verdicts, .n_verdicts = m->n_verdicts,
        };
        uint64_t before = m->decisions.count;
        int r = controller_lower_process(m->controller, &in, tgid, m->plan, ret_why);

        if (r < 0)
                return r;
        m->counters.lowered++;
        *ret_why = perform_priorities(m, now);
        manager_publish(m);
        *ret = m->decisions.count > before ? decisions_last(&m->decisions) : NULL;
        if (*ret_why || !*ret)
                return *ret_why ? -EPERM : -EIO;
        if ((*ret)->receipt.result == RECEIPT_FAILED)
                return (*ret)->receipt.error;
        if ((*ret)->receipt.result == RECEIPT_APPLIED)
                return 0;
        /* It has ended, or its priority is another program's. */
        *ret_why = (*ret)->receipt.why ? (*ret)->receipt.why : statement_plain(SAY_PROCESS_ENDED);
        return -EPERM;
}

void manager_get_process_facts(const struct manager *m, const struct process_view *p, struct process_facts *ret) {
        *ret = (struct process_facts){ .uid = PROCESS_UID_UNKNOWN, .io_class = IO_CLASS_UNKNOWN };
        if (!*m->options->root)
                process_facts_get(p->tgid, ret);
}

bool manager_get_process_application(const struct manager *m, const struct process_view *p, char ret[static APPLICATION_MAX]) {
        return !*m->options->root && !m->source_replay && process_launch_application("", p->tgid, ret);
}

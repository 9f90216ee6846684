/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "bus.h"
#include "clock.h"
#include "drive-workers.h"
#include "log.h"
#include "manager-private.h"
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

static void record_of(struct manager *m, const char *name, const struct receipt *r, const char *reason) {
        m->counters.restores += r->result == RECEIPT_RESTORED;
        m->counters.writes += r->result == RECEIPT_APPLIED || r->result == RECEIPT_RESTORED;
        m->counters.write_errors += r->result == RECEIPT_FAILED || (r->result == RECEIPT_RESTORED && r->error < 0);
        m->counters.foreign_writes += r->result == RECEIPT_FOREIGN;
        log_decision(name, r, reason);
        decisions_add(&m->decisions, name, r, reason, realtime_usec());
        describe_trial(m, decisions_last(&m->decisions));
        bus_decision_made(m->bus, decisions_last(&m->decisions));
}

static void record(struct manager *m, const struct receipt *r, const char *reason) {
        const struct manager_drive *d = manager_find_drive_by_dev(m, r->dev);

        record_of(m, d ? d->drive.name : "", r, reason);
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

static void perform_priorities(struct manager *m, nsec_t now) {
        struct receipt receipts[PLAN_PRIORITIES_MAX];

        priorities_apply(m->priorities, m->plan->priorities, m->plan->n_priorities, now, receipts);
        for (size_t i = 0; i < m->plan->n_priorities; i++) {
                const struct receipt *r = &receipts[i];
                controller_commit(m->controller, r);
                if (r->result == RECEIPT_REFUSED)
                        log_debug("%s (%" PRId32 ") does not step back: %s", r->process.name, r->process.tgid, r->why);
                else
                        record(m, r, r->why ? r->why : m->plan->priorities[i].reason);
        }
}

/* Priorities first: they are in place within milliseconds, and what a tunable's original needs to be on disk may take long on a busy one. */
void manager_perform(struct manager *m, nsec_t now) {
        perform_priorities(m, now);
        for (size_t i = 0; i < m->plan->n; i++) {
                const struct setting_change *change = &m->plan->changes[i];
                struct manager_drive *d;
                struct receipt r;

                actuator_apply(m->actuator, change, now, &r);
                controller_commit(m->controller, &r);
                if (r.result != RECEIPT_STALE)
                        record(m, &r, change->reason);
                d = manager_find_drive_by_dev(m, change->dev);
                /* A switch brings other tunables, and whatever else went wrong may have because what we know is old. */
                if (d && r.result != RECEIPT_ADVISED &&
                    (change->tunable == TUNABLE_QUEUE_SCHEDULER || (r.result != RECEIPT_APPLIED && r.result != RECEIPT_RESTORED)))
                        manager_refresh_drive(m, d);
        }
        take_reports(m);
}

void manager_take_loss(struct manager *m, const struct receipt *r) {
        controller_commit(m->controller, r);
        record(m, r, r->result == RECEIPT_FOREIGN ? "somebody else wrote it: it is theirs now" : "it is not there any more");
}

void manager_check_foreign(struct manager *m, nsec_t now) {
        struct receipt receipts[16];
        size_t n = actuator_check_foreign(m->actuator, now, receipts, ARRAY_SIZE(receipts));

        for (size_t i = 0; i < n; i++) {
                struct manager_drive *d = manager_find_drive_by_dev(m, receipts[i].dev);
                manager_take_loss(m, &receipts[i]);
                if (d)
                        manager_refresh_drive(m, d);
        }
        n = priorities_follow(m->priorities, now, receipts, ARRAY_SIZE(receipts));
        for (size_t i = 0; i < n; i++) {
                controller_commit(m->controller, &receipts[i]);
                record(m, &receipts[i], receipts[i].why);
        }
}

uint32_t manager_put_back(struct manager *m, uint32_t dev, enum put_back how, const char *reason) {
        uint64_t failures = m->counters.write_errors;

        if (!(how & PUT_BACK_AT_ONCE))
                manager_view_drives(m, manager_now());
        controller_retry(m->controller, dev);
        do { /* ends: what fails is given up, and not planned again */
                controller_plan_restore(m->controller, dev, how & PUT_BACK_LEAVE_ALONE, how & PUT_BACK_AT_ONCE ? NULL : m->snapshot, reason, m->plan);
                manager_perform(m, manager_now());
        } while (m->plan->n + m->plan->n_priorities > 0);
        return (uint32_t) (m->counters.write_errors - failures);
}

static void report_end(void *userdata, const char *device, const struct receipt *r) {
        struct manager *m = userdata;

        controller_commit(m->controller, r);
        record_of(m, device, r, "briod ends");
}

void manager_report_silent(void *userdata _unused_, const char *device, size_t n) {
        log_error("%s: the drive does not answer; %zu of its settings stay in the journal, and the next start of briod puts them back", device, n);
}

void manager_put_all_back(struct manager *m) {
        const struct drive_recovery recovery = { .report = report_end, .silent = manager_report_silent, .userdata = m };

        controller_retry(m->controller, 0);
        do {
                controller_plan_restore(m->controller, 0, false, NULL, "briod ends", m->plan);
                m->plan->n = 0; /* the drives follow, each for itself */
                manager_perform(m, manager_now());
        } while (m->plan->n_priorities > 0);
        priorities_settle(m->priorities);
        drive_workers_recover(m->actuator, manager_now(), &recovery);
}

void manager_let_go(struct manager *m, const struct manager_drive *d) {
        if (faccessat(d->sysfs_fd, "queue", F_OK, 0) == 0)
                manager_put_back(m, d->drive.dev, PUT_BACK_AT_ONCE, "the medium is gone or another one");
}

void manager_holds_changed(struct manager *m) {
        bus_manager_changed(m->bus, "ActiveHolds");
        manager_tick(m);
}

int manager_restore(struct manager *m, const char *name, uint32_t *ret_restored, uint32_t *ret_failed) {
        struct manager_drive *d = name ? manager_find_drive(m, name) : NULL;
        uint64_t restored = m->counters.restores;
        uint32_t failed;

        if (name && !d)
                return -ENOENT;
        failed = manager_put_back(m, d ? d->drive.dev : 0, name ? PUT_BACK_LEAVE_ALONE : PUT_BACK_QUIETLY, "somebody asked to restore it");
        if (!name)
                manager_keep_mode(m, MODE_OFF);
        *ret_restored = (uint32_t) (m->counters.restores - restored);
        *ret_failed = failed;
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

/* Carries out the plan that somebody asked for. */
static int act(struct manager *m, const struct receipt *of) {
        uint64_t first = m->decisions.count + 1;

        manager_perform(m, manager_now());
        manager_publish(m);
        return failed_since(m, first, of) ? -EIO : 0;
}

static bool is_held(const struct manager *m, const struct receipt *r) {
        const struct controller_process *p = controller_find_process(m->controller, &r->process);

        return p && p->held;
}

int manager_apply(struct manager *m, const char *id) {
        const struct decision *d = find_advice(m, id);
        struct receipt of; /* the ring moves on */
        int r;

        if (!d)
                return -ENOENT;
        of = d->receipt;
        manager_view_drives(m, manager_now());
        r = of.process.tgid > 0 ? controller_apply_process(m->controller, &of.process, m->plan) :
                                  controller_apply(m->controller, of.dev, of.tunable, m->snapshot, m->plan);
        if (r >= 0)
                r = act(m, &of);
        return r == 0 && of.process.tgid > 0 && !is_held(m, &of) ? -ENOENT : r; /* refused: somebody waits for it now */
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

int manager_undo(struct manager *m, const char *id) {
        const struct decision *d;
        struct receipt of;
        uint64_t sequence;
        int r;

        if (decision_parse_id(id, &sequence) < 0)
                return -ENOENT;
        d = decisions_get(&m->decisions, sequence);
        if (!d || !is_held_since(m, d))
                return -ENOENT;
        of = d->receipt;
        manager_view_drives(m, manager_now());
        r = of.process.tgid > 0 ? controller_undo_process(m->controller, &of.process, m->plan) :
                                  controller_undo(m->controller, of.dev, of.tunable, m->snapshot, m->plan);
        return r < 0 ? r : act(m, &of);
}

void manager_get_process_facts(const struct manager *m, const struct process_view *p, struct process_facts *ret) {
        *ret = (struct process_facts){ .uid = PROCESS_UID_UNKNOWN, .io_class = IO_CLASS_UNKNOWN };
        if (!*m->options->root)
                process_facts_get(p->tgid, ret);
}

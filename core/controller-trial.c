/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller's trials: what a law has set on a drive is compared with what was there before, and stays or goes back.
 * docs/trials.md has the account. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "controller-private.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

#define DAY_NS (24 * 3600 * NSEC_PER_SEC)
/* Neither better nor worse: what was too little to be seen today may be seen tomorrow. */
#define NEITHER_HOLDS_NS DAY_NS
/* A comparison that has not ended by then has too few samples: 24 tails take 48 s. */
#define MEASURING_MAX_NS (90 * NSEC_PER_SEC)
#define SOMETHING_ELSE statement_plain(SAY_VOID_SOMETHING_ELSE)

void controller_set_trial_state(struct law_trial *law, enum trial_state state, nsec_t now) {
        law->state = state;
        law->since = now;
}

struct outcome_key controller_outcome_key(const struct controller_device *d, enum law_id law) {
        struct outcome_key key = { .class = d->facts.class, .scheduler = d->facts.scheduler, .law = law };

        str_copy(key.model, sizeof(key.model), controller_model(&d->facts));
        str_copy(key.workload, sizeof(key.workload),
                 d->trial.workload < _VERDICT_KIND_MAX ? verdict_kind_to_string(d->trial.workload) : "busy");
        return key;
}

static void report(struct controller *c, const struct controller_device *d, enum law_id id) {
        const struct law_trial *law = &d->trial.laws[id];
        struct trial_report *r;

        if (c->n_reports == CONTROLLER_REPORTS_MAX)
                memmove(c->reports, c->reports + 1, --c->n_reports * sizeof(*c->reports));
        r = &c->reports[c->n_reports++];
        *r = (struct trial_report){ .dev = d->facts.dev, .law = id, .first_id = law->first_id, .last_id = law->last_id, .state = law->state };
        str_copy(r->effect, sizeof(r->effect), law->effect);
        r->figures = law->figures;
}

/* outcome NULL: nothing was found, and why says the reason ("": there is none). */
static void set_effect(struct law_trial *law, const struct outcome *outcome, const char *why) {
        if (outcome)
                outcome_format(outcome, law->effect, sizeof(law->effect));
        else
                str_copy(law->effect, sizeof(law->effect), why);
        law->figures = outcome ? outcome->figures : (struct trial_figures){ 0 };
}

bool controller_take_report(struct controller *c, struct trial_report *ret) {
        if (c->n_reports == 0)
                return false;
        *ret = c->reports[0];
        memmove(c->reports, c->reports + 1, --c->n_reports * sizeof(*c->reports));
        return true;
}

void controller_void_trial(struct controller *c, struct controller_device *d, const char *why, nsec_t now) {
        struct device_trial *t = &d->trial;
        enum law_id id = t->law;

        if (id == LAW_NONE)
                return;
        if (controller_is_probing(t))
                controller_end_probe(t, d, now);
        controller_set_trial_state(&t->laws[id], TRIAL_UNPROVEN, now);
        set_effect(&t->laws[id], NULL, why);
        t->law = LAW_NONE;
        report(c, d, id);
}

void controller_drop_trial(struct controller *c, struct controller_device *d, nsec_t now) {
        controller_void_trial(c, d, statement_plain(SAY_VOID_MODE), now);
        d->barred = 0;
}

void controller_disturb_trial(struct controller *c, struct controller_device *d, nsec_t now) {
        if (!d->policy)
                return;
        controller_void_trial(c, d, SOMETHING_ELSE, now);
        trial_disturb(&d->trial.recent, now + d->policy->trial.settle_us * NSEC_PER_USEC);
}

static nsec_t holds_until(const struct policy_trial *p, const struct outcome *o, nsec_t now) {
        nsec_t longest = p->remember_days * DAY_NS, pause = p->backoff_us * NSEC_PER_USEC;

        switch (o->result) {
        case OUTCOME_BETTER:
                return now + longest;
        case OUTCOME_WORSE:
                for (uint32_t i = 1; i < o->reverts && pause < longest; i++)
                        pause *= 2;
                return now + MIN(pause, longest);
        case OUTCOME_NEITHER:
        case _OUTCOME_RESULT_MAX:
                break;
        }
        return now + MIN(NEITHER_HOLDS_NS, longest);
}

/* The one side of what was compared is t->series, with what it has beside; the other one was measured now. */
static struct trial_figures make_figures(const struct device_trial *t, const struct rank_result *r) {
        enum trial_measure m = trial_measure_of(t->law);
        uint32_t p95_us = trial_p95_us(&t->recent, m), n = (uint32_t) t->recent.series[m].n, n_series = (uint32_t) t->series.n;
        bool probing = controller_is_probing(t), told = p95_us && t->p95_us;

        return (struct trial_figures){
                .measure = m, .before = r->median_a, .after = r->median_b, .confidence_permille = r->confidence_permille,
                .n_before = probing ? n : n_series, .n_after = probing ? n_series : n,
                .p95_before_us = told ? (probing ? p95_us : t->p95_us) : 0, .p95_after_us = told ? (probing ? t->p95_us : p95_us) : 0,
        };
}

void controller_finish_trial(struct controller *c, struct controller_device *d, enum outcome_result result, const struct rank_result *r, nsec_t now) {
        static const enum trial_state states[] = {
                [OUTCOME_BETTER] = TRIAL_KEPT, [OUTCOME_WORSE] = TRIAL_REVERTED, [OUTCOME_NEITHER] = TRIAL_INCONCLUSIVE,
        };
        struct device_trial *t = &d->trial;
        enum law_id id = t->law;
        struct law_trial *law = &t->laws[id];
        struct outcome o = { .key = controller_outcome_key(d, id), .result = result, .figures = make_figures(t, r) };
        const struct outcome *last = outcomes_find_any(&c->outcomes, &o.key);

        if (result == OUTCOME_WORSE)
                o.reverts = 1 + (last && last->result == OUTCOME_WORSE ? last->reverts : 0);
        str_copy(o.change, sizeof(o.change), t->change);
        o.until = holds_until(&d->policy->trial, &o, now);
        outcomes_add(&c->outcomes, &o);
        if (controller_is_probing(t))
                controller_end_probe(t, d, now);
        controller_set_trial_state(law, states[result], now);
        law->until = MIN(o.until, now + d->policy->trial.backoff_us * NSEC_PER_USEC);
        set_effect(law, &o, NULL);
        t->law = LAW_NONE;
        report(c, d, id);
}

/* The law's values stand; t->series is of before. */
static void go_on_measuring(struct controller *c, struct controller_device *d, nsec_t now) {
        struct device_trial *t = &d->trial;
        enum trial_measure m = trial_measure_of(t->law);
        const struct trial_series *after = &t->recent.series[m];
        struct rank_result r;
        enum trial_answer answer = trial_compare(m, &t->series, after, &t->looks, &r);

        if (answer != TRIAL_WAIT) {
                controller_describe_change(d, t->law, t->change, sizeof(t->change));
                controller_finish_trial(c, d, answer == TRIAL_BETTER ? OUTCOME_BETTER : answer == TRIAL_WORSE ? OUTCOME_WORSE : OUTCOME_NEITHER, &r,
                                        now);
                return;
        }
        if (nsec_sub(now, t->began) > MEASURING_MAX_NS)
                controller_void_trial(c, d, CONTROLLER_TOO_LITTLE, now);
}

/* Whether what a law has set still stands. */
static void follow_held(struct controller *c, struct controller_device *d, nsec_t now) {
        struct device_trial *t = &d->trial;

        for (int id = 0; id < _LAW_MAX; id++) {
                bool held = false;
                for (int k = 0; t->laws[id].held && k < _TUNABLE_MAX; k++)
                        held |= law_holds(d, k, (enum law_id) id);
                if (!t->laws[id].held || held || t->laws[id].state == TRIAL_PROBING || now < t->laws[id].resume)
                        continue;
                t->laws[id].held = false;
                if (t->law == (enum law_id) id)
                        controller_void_trial(c, d, statement_plain(SAY_VOID_SHORT), now);
                if (t->laws[id].state == TRIAL_UNPROVEN)
                        controller_set_trial_state(&t->laws[id], TRIAL_NONE, now);
        }
}

/* Whether a trial on this drive, or on one like it under such a load, has found that the law does harm. Here it stays away whatever the load
 * is then, so that a load that changes back and forth does not bring it back each time. */
static bool is_barred(const struct controller *c, struct controller_device *d, enum law_id id, nsec_t now) {
        struct law_trial *law = &d->trial.laws[id];
        bool away = law->state == TRIAL_REVERTED || law->state == TRIAL_BARRED;
        struct outcome_key key;
        const struct outcome *o;

        if (away && now < law->until)
                return true;
        if (!away && c->outcomes.changes == 0) /* as a rule */
                return false;
        key = controller_outcome_key(d, id);
        o = outcomes_find(&c->outcomes, &key, now);
        if (o && o->result == OUTCOME_WORSE) {
                if (!away)
                        controller_set_trial_state(law, TRIAL_BARRED, now);
                law->until = MIN(o->until, now + d->policy->trial.backoff_us * NSEC_PER_USEC);
                set_effect(law, o, NULL);
                return true;
        }
        if (away)
                controller_set_trial_state(law, TRIAL_NONE, now);
        return false;
}

static uint32_t find_barred(const struct controller *c, struct controller_device *d, nsec_t now) {
        uint32_t barred = 0;

        for (int id = 0; id < _LAW_MAX; id++)
                if (trial_measure_of((enum law_id) id) != TRIAL_NOT_MEASURED && is_barred(c, d, (enum law_id) id, now))
                        barred |= 1u << id;
        return barred;
}

static void give_back(struct controller *c, struct controller_device *d, struct plan *plan) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                char reason[PLAN_REASON_MAX] = "";

                if (t->owner != OWNER_BRIO || t->pending || !(d->barred & 1u << t->law) || d->trial.laws[t->law].state == TRIAL_PROBING)
                        continue;
                SAY(reason, sizeof(reason), SAY_FOUND_WORSE, law_to_string(t->law), d->trial.laws[t->law].effect);
                controller_plan_restore_tunable(c, d, (enum tunable_id) id, reason, plan);
        }
}

/* What the drive is used for, apart from what comes and goes within seconds. */
static enum verdict_kind find_workload(const struct controller_device *d, const struct controller_input *in) {
        for (size_t i = 0; i < in->n_verdicts; i++) { /* the kinds are in order of strength */
                enum verdict_kind k = in->verdicts[i].kind;
                if (in->verdicts[i].dev == d->facts.dev && verdict_is_workload(k) && k != VERDICT_STARTUP && k != VERDICT_BURST)
                        return k;
        }
        return _VERDICT_KIND_MAX;
}

void controller_step_trial(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                           struct plan *plan) {
        struct device_trial *t = &d->trial;

        if (view)
                trial_feed(&t->recent, view);
        if (t->law == LAW_NONE)
                t->workload = find_workload(d, in); /* of a trial, that which it began under */
        if (!d->policy->trial.enabled || in->mode != MODE_AUTO) {
                controller_drop_trial(c, d, in->now);
                return;
        }
        follow_held(c, d, in->now);
        if (t->law != LAW_NONE && (!t->recent.load_since || !trial_load_same(&t->load, &t->recent.load)))
                controller_void_trial(c, d, statement_plain(SAY_VOID_LOAD), in->now);
        if (controller_is_probing(t))
                controller_go_on_probing(c, d, in);
        else if (t->law != LAW_NONE)
                go_on_measuring(c, d, in->now);
        else
                controller_consider_probe(c, d, in, plan);
        d->barred = find_barred(c, d, in->now);
        if (controller_is_probing(t))
                d->barred |= 1u << t->law;
        give_back(c, d, plan);
}

/* What it was written over is the original: another law may have had it, and what reads took under that one's value says nothing about this one. */
static bool was_original(const struct controller_device *d, const struct receipt *r) {
        int64_t old;

        return tunable_parse(r->tunable, r->old, &old) < 0 || old == d->tunables[r->tunable].original;
}

bool controller_takes_known(struct controller *c, struct controller_device *d, enum law_id id, nsec_t now) {
        struct law_trial *law = &d->trial.laws[id];
        struct outcome_key key = controller_outcome_key(d, id);
        const struct outcome *known = outcomes_find(&c->outcomes, &key, now);

        if (!known || known->result == OUTCOME_WORSE)
                return false;
        controller_set_trial_state(law, known->result == OUTCOME_BETTER ? TRIAL_KNOWN : TRIAL_INCONCLUSIVE, now);
        law->until = known->until;
        set_effect(law, known, NULL);
        report(c, d, id);
        return true;
}

/* It is the first of what the law sets now. comparable: over the original. */
static void begin(struct controller *c, struct controller_device *d, enum law_id id, bool comparable, nsec_t now) {
        struct device_trial *t = &d->trial;
        struct law_trial *law = &t->laws[id];
        const struct trial_series *before = &t->recent.series[trial_measure_of(id)];

        set_effect(law, NULL, "");
        law->probes = 0;
        if (controller_takes_known(c, d, id, now))
                return;
        controller_set_trial_state(law, TRIAL_UNPROVEN, now);
        if (t->law != LAW_NONE || !comparable || before->n < RANK_SAMPLES_MIN)
                return;
        controller_set_trial_state(law, TRIAL_MEASURING, now);
        t->law = id;
        t->load = t->recent.load;
        t->series = *before;
        t->p95_us = trial_p95_us(&t->recent, trial_measure_of(id));
}

static void commit_applied(struct controller *c, struct controller_device *d, const struct receipt *r) {
        struct device_trial *t = &d->trial;
        struct law_trial *law = &t->laws[r->law];

        if (t->law != LAW_NONE && t->law != r->law)
                controller_void_trial(c, d, SOMETHING_ELSE, r->t);
        if (!law->held)
                law->first_id = r->id;
        law->last_id = r->id;
        if (!law->held && r->t >= law->resume)
                begin(c, d, r->law, was_original(d, r), r->t);
        law->held = true;
        if (t->law == r->law) { /* what it sets beside, or moves */
                t->began = r->t;
                t->looks = 0;
        }
}

void controller_commit_trial(struct controller *c, struct controller_device *d, const struct receipt *r) {
        struct device_trial *t = &d->trial;
        bool probing = controller_is_probing(t) && t->tunables & tunable_bit(r->tunable);

        if (!d->policy || r->result == RECEIPT_ADVISED || r->result == RECEIPT_STALE || r->result == RECEIPT_REFUSED)
                return;
        if (probing && r->result == RECEIPT_RESTORED) {
                trial_disturb(&t->recent, r->t);
                return;
        }
        if (r->result == RECEIPT_APPLIED && d->policy->trial.enabled && trial_measure_of(r->law) != TRIAL_NOT_MEASURED)
                commit_applied(c, d, r);
        else
                controller_void_trial(c, d, SOMETHING_ELSE, r->t);
        trial_disturb(&t->recent, r->t + d->policy->trial.settle_us * NSEC_PER_USEC);
}

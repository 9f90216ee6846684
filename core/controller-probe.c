/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller's probes: where there was no before, a law's values are given back for a moment. docs/trials.md has the account. */
#include "controller-private.h"
#include "law-private.h"

/* The old values are back for so long at most: a first look at means; two looks at the longest reads, of which there is one in two seconds, the first four
 * seconds after the settling time. */
#define PROBE_MAX_NS (8 * NSEC_PER_SEC)
#define PROBE_LONGEST_MAX_NS (32 * NSEC_PER_SEC)
#define PROBE_SAMPLES_MIN 6 /* a first look; of a drive that is not busy there is one sample a second */
#define PROBES_MAX 2
/* The law's values are set again with the tick in which a probe ends. */
#define RESUME_NS (5 * NSEC_PER_SEC)

bool controller_is_probing(const struct device_trial *t) {
        return t->law != LAW_NONE && t->laws[t->law].state == TRIAL_PROBING;
}

bool controller_probe_reserves(const struct controller_device *d, const struct law_wish *wish) {
        if (!controller_is_probing(&d->trial) || trial_measure_of(wish->law) == TRIAL_NOT_MEASURED)
                return false;
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (d->trial.tunables & tunable_bit(id) && law_same_variable((enum tunable_id) id, wish->tunable))
                        return true;
        return false;
}

void controller_end_probe(struct device_trial *t, struct controller_device *d, nsec_t now) {
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (t->tunables & tunable_bit(id) && d->tunables[id].owner == OWNER_KERNEL)
                        d->tunables[id].written = 0;
        t->laws[t->law].resume = now + RESUME_NS;
        t->tunables = 0;
}

static bool must_not_probe(const struct controller_device *d, const struct controller_input *in) {
        return in->snapshot->n_startups > 0 || in->hold != HOLD_NONE || verdicts_find(in->verdicts, in->n_verdicts, VERDICT_SOFT_RT, d->facts.dev, NULL);
}

/* Its time is over. With half of the samples, the difference that was not seen is no large one. */
static void end_probe_undecided(struct controller *c, struct controller_device *d, nsec_t now) {
        struct device_trial *t = &d->trial;
        const struct trial_series *without = &t->recent.series[trial_measure_of(t->law)];
        struct rank_result r;

        if (!t->settled || without->n < PROBE_SAMPLES_MIN) {
                controller_void_trial(c, d, CONTROLLER_TOO_LITTLE, now);
                return;
        }
        rank_compare(without->values, without->n, t->series.values, t->series.n, &r);
        controller_finish_trial(c, d, OUTCOME_NEITHER, &r, now);
}

/* The old values stand; t->series is of the law's. What is worse before it has settled is worse: what was queued under the law's
 * values makes it look better than it is. */
void controller_go_on_probing(struct controller *c, struct controller_device *d, const struct controller_input *in) {
        struct device_trial *t = &d->trial;
        enum trial_measure m = trial_measure_of(t->law);
        const struct trial_series *without = &t->recent.series[m];
        struct rank_result r = { 0 }, turned;
        enum trial_answer answer;

        if (must_not_probe(d, in)) {
                controller_void_trial(c, d, statement_plain(SAY_VOID_PROBE), in->now);
                return;
        }
        if (!t->settled && nsec_sub(in->now, t->began) >= d->policy->trial.settle_us * NSEC_PER_USEC) {
                answer = TRIAL_WAIT;
                t->settled = true;
                t->looks = 0;
                trial_disturb(&t->recent, in->now);
        } else
                answer = trial_compare(m, &t->series, without, &t->looks, &r);
        turned = (struct rank_result){ .sign = -r.sign, .confidence_permille = r.confidence_permille, .median_a = r.median_b, .median_b = r.median_a };
        if (answer == TRIAL_WORSE)
                controller_finish_trial(c, d, OUTCOME_BETTER, &turned, in->now);
        else if (answer == TRIAL_BETTER && t->settled)
                controller_finish_trial(c, d, OUTCOME_WORSE, &turned, in->now);
        else if (answer == TRIAL_NEITHER && t->settled)
                controller_finish_trial(c, d, OUTCOME_NEITHER, &turned, in->now);
        else if (nsec_sub(in->now, t->began) > (m == TRIAL_LONGEST_READ ? PROBE_LONGEST_MAX_NS : PROBE_MAX_NS))
                end_probe_undecided(c, d, in->now);
}

/* Something that it has set stands, and nothing of it is on its way out. Returns how many. */
static unsigned count_held(const struct controller_device *d, enum law_id law) {
        unsigned n = 0;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                if (!law_holds(d, id, law))
                        continue;
                if (t->pending || t->unwanted_since)
                        return 0;
                n++;
        }
        return n;
}

static void begin_probe(struct controller *c, struct controller_device *d, enum law_id id, nsec_t now, struct plan *plan) {
        struct device_trial *t = &d->trial;
        struct law_trial *law = &t->laws[id];

        t->law = id;
        t->began = now;
        t->looks = 0;
        t->settled = false;
        t->load = t->recent.load;
        t->series = t->recent.series[trial_measure_of(id)];
        t->p95_us = trial_p95_us(&t->recent, trial_measure_of(id));
        t->tunables = 0;
        controller_describe_change(d, id, t->change, sizeof(t->change));
        law->probes++;
        controller_set_trial_state(law, TRIAL_PROBING, now);
        for (int k = 0; k < _TUNABLE_MAX; k++)
                if (law_holds(d, k, id)) {
                        t->tunables |= tunable_bit(k);
                        controller_plan_restore_tunable(c, d, (enum tunable_id) k, statement_plain(SAY_PROBE), plan);
                }
}

void controller_consider_probe(struct controller *c, struct controller_device *d, const struct controller_input *in, struct plan *plan) {
        const struct policy *p = d->policy;
        const struct device_trial *t = &d->trial;
        nsec_t steady = nsec_sub(in->now, t->recent.load_since), after = p->trial.probe_after_us * NSEC_PER_USEC;

        if (!p->trial.probe || !t->recent.load_since || steady < after || must_not_probe(d, in))
                return;
        for (int id = 0; id < _LAW_MAX; id++) {
                const struct law_trial *law = &t->laws[id];
                enum trial_measure m = trial_measure_of((enum law_id) id);
                unsigned held;

                if (law->state != TRIAL_UNPROVEN || !law->held || law->probes >= PROBES_MAX ||
                    t->recent.series[m].n < PROBE_SAMPLES_MIN || nsec_sub(in->now, law->since) < after)
                        continue;
                held = count_held(d, (enum law_id) id);
                if (controller_takes_known(c, d, (enum law_id) id, in->now)) /* it was set before this load came */
                        continue;
                if (held > 0 && change_budget_used(&d->budget, in->now) + held <= p->changes_per_hour) {
                        begin_probe(c, d, (enum law_id) id, in->now, plan);
                        return;
                }
        }
}

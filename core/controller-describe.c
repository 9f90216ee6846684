/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the controller says to people: why a drive is in its state, what a trial found, what a change is expected to do. */
#include <inttypes.h>
#include <stdio.h>

#include "controller-private.h"
#include "law-private.h"
#include "str.h"

void controller_describe_change(const struct controller_device *d, enum law_id law, char *buf, size_t size) {
        *buf = '\0';
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct tunable *row = tunable_get((enum tunable_id) id);
                if (law_holds(d, id, law))
                        str_append(buf, size, "%s%s %" PRIi64 " → %" PRIi64 "%s%s", *buf ? ", " : "", row->name, d->tunables[id].original,
                                   d->tunables[id].wanted, *row->unit ? " " : "", streq(row->unit, "us") ? "µs" : row->unit);
        }
}

/* What came of the law's trial, behind a sentence about what it has set. */
static void describe_trial(const struct controller_device *d, enum law_id id, char *buf, size_t size) {
        const struct law_trial *law = &d->trial.laws[id];

        switch (law->state) {
        case TRIAL_MEASURING:
                SAY(buf, size, SAY_ON_TRIAL);
                break;
        case TRIAL_KEPT:
                SAY(buf, size, SAY_TRIAL_BETTER, law->effect);
                break;
        case TRIAL_KNOWN:
                SAY(buf, size, SAY_TRIAL_KNOWN, law->effect);
                break;
        case TRIAL_INCONCLUSIVE:
                SAY(buf, size, SAY_TRIAL_INCONCLUSIVE, law->effect);
                break;
        case TRIAL_UNPROVEN: /* as the law says */
        case TRIAL_NONE:
        case TRIAL_PROBING:
        case TRIAL_REVERTED:
        case TRIAL_BARRED:
        case _TRIAL_STATE_MAX:
                break;
        }
}

/* Until when the switch waits. */
static void describe_wait(const struct controller_device *d, char *buf, size_t size) {
        SAY(buf, size, SAY_SWITCH_WAITS, d->policy ? d->policy->switch_quiet_us : POLICY_SWITCH_QUIET_US);
}

static void say_law(struct controller_device *d, enum law_id law, const char *reason) {
        if (*d->reason)
                str_append(d->reason, sizeof(d->reason), " · ");
        SAY(d->reason, sizeof(d->reason), SAY_LAW_SAYS, law_to_string(law), reason);
}

/* The sentences of all that is held, one for each law. */
static void describe_held(struct controller_device *d) {
        uint32_t said = 0;

        *d->reason = '\0';
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                if (!t->original_known || said & 1u << t->law)
                        continue;
                say_law(d, t->law, t->reason);
                describe_trial(d, t->law, d->reason, sizeof(d->reason));
                if (t->waits != SWITCH_WAIT_NONE) {
                        str_append(d->reason, sizeof(d->reason), "; ");
                        describe_wait(d, d->reason, sizeof(d->reason));
                }
                said |= 1u << t->law;
        }
        for (size_t i = 0; i < ARRAY_SIZE(d->stepped_back.laws); i++) {
                const struct stepped_back_for *s = &d->stepped_back.laws[i];
                if (s->n > 0)
                        say_law(d, s->law, s->reason);
        }
}

static const char *reason_to_keep_away(const struct controller_device *d) {
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (d->tunables[id].owner == OWNER_FOREIGN)
                        return d->tunables[id].reason;
        return d->left_alone ? statement_plain(SAY_DRIVE_LEFT_ALONE) : NULL;
}

static void describe_held_off(struct controller_device *d) {
        SAY(d->reason, sizeof(d->reason), SAY_HELD_OFF);
        for (int law = 0, n = 0; law < _LAW_MAX; law++)
                if (d->held_off & 1u << law) {
                        str_append(d->reason, sizeof(d->reason), n++ > 0 ? ", " : " ");
                        SAY(d->reason, sizeof(d->reason), SAY_LAW_NAME, law_to_string((enum law_id) law));
                }
}

/* Why nothing is set, where that is because of trials; else "". */
static void describe_barred(const struct controller_device *d, char *buf, size_t size) {
        *buf = '\0';
        for (int id = 0; id < _LAW_MAX; id++)
                if (d->trial.laws[id].state == TRIAL_PROBING)
                        SAY(buf, size, SAY_GIVEN_BACK, law_to_string((enum law_id) id));
        for (int id = 0; id < _LAW_MAX && !*buf; id++)
                if (d->barred & 1u << id)
                        SAY(buf, size, SAY_STAYS_AWAY, law_to_string((enum law_id) id), d->trial.laws[id].effect);
}

/* The kernel lists only what is loaded, and nothing else would say why the policy's favourite is not there. */
static void describe_not_offered(struct controller_device *d) {
        enum scheduler favourite = d->policy && d->policy->n_schedulers > 0 ? d->policy->schedulers[0] : SCHEDULER_ANY;

        if (favourite != SCHEDULER_ANY && d->facts.schedulers && !(d->facts.schedulers & 1u << favourite))
                SAY(d->reason, sizeof(d->reason), SAY_NOT_OFFERED, d->policy->name, scheduler_to_string(favourite));
}

/* Why nothing of ours is set. */
static void describe_nothing(struct controller_device *d, unsigned advised) {
        describe_barred(d, d->reason, sizeof(d->reason));
        if (*d->reason)
                return;
        if (d->tunables[TUNABLE_QUEUE_SCHEDULER].waits == SWITCH_WAIT_APPLY) {
                SAY(d->reason, sizeof(d->reason), SAY_ADVICE_APPLIED);
                describe_wait(d, d->reason, sizeof(d->reason));
        } else if (advised == 1)
                SAY(d->reason, sizeof(d->reason), SAY_ADVISED_ONE);
        else if (advised > 1)
                SAY(d->reason, sizeof(d->reason), SAY_ADVISED, advised);
        else if (d->held_off)
                describe_held_off(d);
        else if (d->switch_awaited != SCHEDULER_ANY) {
                SAY(d->reason, sizeof(d->reason), SAY_PREFERS, d->policy->name, scheduler_to_string(d->switch_awaited));
                describe_wait(d, d->reason, sizeof(d->reason));
        } else {
                SAY(d->reason, sizeof(d->reason), SAY_NOTHING_TO_CHANGE);
                describe_not_offered(d);
        }
}

/* A law wants more than the policy lets any do. */
static void describe_budget(struct controller_device *d) {
        if (d->budget_spent)
                SAY(d->reason, sizeof(d->reason), SAY_BUDGET_SPENT, d->policy->changes_per_hour, d->policy->name);
}

void controller_describe_state(const struct controller *c, struct controller_device *d) {
        bool held = false, reverting = true;
        unsigned advised = 0;
        const char *away;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                held |= t->original_known;
                advised += t->advice_known;
                reverting &= !t->original_known || t->unwanted_since != 0;
        }
        controller_describe_processes(c, d->facts.dev, &d->stepped_back);
        held |= d->stepped_back.n > 0;
        advised += d->stepped_back.advised;
        reverting &= d->stepped_back.reverting == d->stepped_back.n;
        away = reason_to_keep_away(d);
        if (held) {
                d->state = d->trial.law != LAW_NONE ? DEVICE_STATE_TRIAL : reverting ? DEVICE_STATE_REVERTING : DEVICE_STATE_HOLDING;
                describe_held(d);
        } else if (away) {
                d->state = DEVICE_STATE_MANUAL;
                str_copy(d->reason, sizeof(d->reason), away);
        } else {
                d->state = d->trial.law != LAW_NONE ? DEVICE_STATE_TRIAL : DEVICE_STATE_OBSERVING;
                describe_nothing(d, advised);
        }
        describe_budget(d);
}

char *controller_expect(const struct controller *c, uint32_t dev, enum law_id law, enum tunable_id tunable, int64_t from, int64_t to, char *buf,
                        size_t size) {
        const struct controller_device *d = controller_find_device((struct controller *) c, dev);
        const struct outcome *known;
        struct outcome_key key;
        char effect[TRIAL_EFFECT_MAX];

        *buf = '\0';
        if (!d)
                return buf;
        key = controller_outcome_key(d, law);
        known = outcomes_find_any(&c->outcomes, &key);
        if (!known)
                return law_expect(law, tunable, from, to, d->trial.recent.load.readers, buf, size);
        SAY(buf, size, SAY_EXPECT_KNOWN, outcome_format(known, effect, sizeof(effect)));
        return buf;
}

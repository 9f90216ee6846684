/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller's tunables: from the laws' wishes to changes, and back to the originals once no law wants them any more. */
#include <inttypes.h>
#include <stdio.h>

#include "controller-private.h"
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

#define EXPLAIN_INTERVAL_NS NSEC_PER_SEC
/* What a law took back at once is not set again for the dwell time, twice as long the next time, and so on, so often: sixteen times at most. */
#define RETURNS_MAX 4u

static struct setting_change *add_change(struct controller *c, struct controller_device *d, enum tunable_id id, struct plan *plan) {
        struct setting_change *change;

        if (plan->n == PLAN_CHANGES_MAX) /* the next tick has room */
                return NULL;
        change = &plan->changes[plan->n++];
        *change = (struct setting_change){ .id = c->next_id++, .dev = d->facts.dev, .tunable = id };
        return change;
}

void controller_plan_set(struct controller *c, struct controller_device *d, const struct law_wish *wish, int64_t value, bool advice,
                     struct plan *plan) {
        struct controller_tunable *t = &d->tunables[wish->tunable];
        struct setting_change *change = add_change(c, d, wish->tunable, plan);
        bool ours = t->owner == OWNER_BRIO;
        int64_t from = ours ? t->wanted : d->facts.values[wish->tunable].number;

        if (!change)
                return;
        change->action = CHANGE_SET;
        change->law = wish->law;
        change->advice = advice;
        tunable_format(wish->tunable, value, change->value, sizeof(change->value));
        /* A scheduler that we have no name for cannot be compared. */
        if ((ours ? !advice : t->owner == OWNER_KERNEL) && (wish->tunable != TUNABLE_QUEUE_SCHEDULER || scheduler_to_string((enum scheduler) from)))
                tunable_format(wish->tunable, from, change->from, sizeof(change->from));
        str_copy(change->reason, sizeof(change->reason), wish->sentence);
        t->pending = change->id;
        t->waits = SWITCH_WAIT_NONE;
        t->law = wish->law;
        str_copy(t->reason, sizeof(t->reason), wish->sentence);
        if (advice) {
                t->advice_known = true;
                t->advice = value;
                return;
        }
        t->wanted = value;
}

void controller_plan_restore_tunable(struct controller *c, struct controller_device *d, enum tunable_id id, const char *reason, struct plan *plan) {
        struct controller_tunable *t = &d->tunables[id];
        struct setting_change *change = add_change(c, d, id, plan);

        if (!change)
                return;
        change->action = CHANGE_RESTORE;
        change->law = LAW_RESTORE;
        tunable_format(id, t->original, change->value, sizeof(change->value));
        tunable_format(id, t->wanted, change->from, sizeof(change->from));
        str_copy(change->reason, sizeof(change->reason), reason);
        t->pending = change->id;
        t->waits = SWITCH_WAIT_NONE;
        if (reason != t->reason)
                str_copy(t->reason, sizeof(t->reason), reason);
}

void controller_await_switch(struct controller_device *d, enum switch_wait what, const char *reason, nsec_t now) {
        struct controller_tunable *t = &d->tunables[TUNABLE_QUEUE_SCHEDULER];

        t->waits = what;
        if (what != SWITCH_WAIT_BACK)
                return;
        t->unwanted_since = now;
        str_copy(t->reason, sizeof(t->reason), reason);
}

enum scheduler controller_awaited_scheduler(const struct controller_device *d) {
        const struct controller_tunable *t = &d->tunables[TUNABLE_QUEUE_SCHEDULER];

        switch (t->waits) {
        case SWITCH_WAIT_BACK:
                return (enum scheduler) t->original;
        case SWITCH_WAIT_APPLY:
                return (enum scheduler) t->advice;
        case SWITCH_WAIT_NONE:
                break;
        }
        return d->switch_awaited;
}

/* Advice may end meanwhile, another program may switch, and in mode auto the policy's choice stays where it was not asked to be left alone. */
static bool is_moot(const struct controller_device *d, const struct controller_input *in) {
        const struct controller_tunable *t = &d->tunables[TUNABLE_QUEUE_SCHEDULER];

        if (t->waits == SWITCH_WAIT_APPLY)
                return !t->advice_known;
        return t->owner != OWNER_BRIO || (d->policy && in->mode == MODE_AUTO && !d->left_alone && !t->leave_alone);
}

void controller_step_switch(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                            struct plan *plan) {
        struct controller_tunable *t = &d->tunables[TUNABLE_QUEUE_SCHEDULER];
        struct law_wish wish = { .tunable = TUNABLE_QUEUE_SCHEDULER, .law = t->law };

        if (t->waits != SWITCH_WAIT_NONE && is_moot(d, in))
                t->waits = SWITCH_WAIT_NONE;
        if (t->waits == SWITCH_WAIT_NONE || t->pending || !law_scheduler_is_quiet(d, view, in->now))
                return;
        if (t->waits == SWITCH_WAIT_BACK) {
                controller_plan_restore_tunable(c, d, TUNABLE_QUEUE_SCHEDULER, t->reason, plan);
                return;
        }
        str_copy(wish.sentence, sizeof(wish.sentence), t->reason);
        controller_plan_set(c, d, &wish, t->advice, false, plan);
}

/* Quick to protect, slow to let go: a value at most half of what stands need not wait for the dwell time, so that a load's
 * first seconds, where the harm sits, are not spent on a value that was right for its first tenth. */
static bool is_due(const struct controller_device *d, const struct controller_tunable *t, int64_t current, int64_t value, nsec_t now) {
        int64_t difference = value > current ? value - current : current - value;

        if (difference * 100 < (int64_t) d->policy->hysteresis_percent * (current > 0 ? current : 1))
                return false;
        if (value * 2 <= current)
                return true;
        return t->written == 0 || nsec_sub(now, t->written) >= d->policy->dwell_us * NSEC_PER_USEC;
}

/* For the shortest time between two writes; after a return at once for longer, so that a law that takes back what it has set does not swing. */
static nsec_t dwell(const struct controller_device *d, uint32_t returns) {
        return (d->policy->dwell_us * NSEC_PER_USEC) << returns;
}

/* Its law took it back at once so lately that it is not set again yet. */
static bool has_just_returned(const struct controller_device *d, enum tunable_id id, nsec_t now) {
        const struct controller_tunable *t = &d->tunables[id];

        return t->returned && nsec_sub(now, t->returned) < dwell(d, t->returns);
}

/* By the law that now wants to set it: what it let be outlasts its reason, as what is set does, so that neither comes and goes. */
static bool is_spared_yet(const struct controller_device *d, const struct controller_tunable *t, enum law_id law, nsec_t now) {
        return t->spares == law && t->spared && nsec_sub(now, t->spared) < d->policy->hold_us * NSEC_PER_USEC;
}

/* A process that it hurts need not wait for its end. */
static void return_at_once(struct controller *c, struct controller_device *d, const struct law_wish *wish, nsec_t now, struct plan *plan) {
        struct controller_tunable *t = &d->tunables[wish->tunable];
        bool again = t->returned && nsec_sub(now, t->written) < dwell(d, RETURNS_MAX);

        controller_plan_restore_tunable(c, d, wish->tunable, wish->sentence, plan);
        if (!t->pending)
                return;
        t->returns = again ? MIN(t->returns + 1, RETURNS_MAX) : 0;
        t->returned = now;
}

/* The value stands and its inputs have moved: people read the reason now, not then. Not each tick, for each change is announced. */
static void explain(struct controller_tunable *t, const struct law_wish *wish, nsec_t now) {
        if (nsec_sub(now, t->explained) < EXPLAIN_INTERVAL_NS)
                return;
        t->explained = now;
        t->law = wish->law;
        str_copy(t->reason, sizeof(t->reason), wish->sentence);
}

/* It belongs to a scheduler that is being switched away from: by the time that it would be written, it is gone. */
static bool goes_with_switch(const struct controller_device *d, enum tunable_id id) {
        return d->tunables[TUNABLE_QUEUE_SCHEDULER].pending && tunable_get(id)->scheduler != SCHEDULER_ANY;
}

/* On the way back to another scheduler: nothing is wanted of this one, nor is there advice for it. */
static bool is_leaving_scheduler(const struct controller_device *d, const struct law_wish *wish, bool advise) {
        return d->tunables[TUNABLE_QUEUE_SCHEDULER].waits == SWITCH_WAIT_BACK && (advise || wish->tunable == TUNABLE_QUEUE_SCHEDULER);
}

/* The original may lie outside of the policy's limits: they bound what Brio sets, and neither forbid what stood there nor lead beyond it. */
static int64_t limit(const struct controller_device *d, const struct law_wish *wish, int64_t original) {
        int64_t value = wish->value;

        if (tunable_get(wish->tunable)->type != TUNABLE_NAME) /* no number, so neither limits nor degrees */
                value = policy_clamp(d->policy, wish->tunable, value);
        return wish->value == original || (value < original) != (wish->value < original) ? original : value;
}

static void want(struct controller *c, struct controller_device *d, const struct law_wish *wish, const struct controller_input *in,
                 struct plan *plan) {
        struct controller_tunable *t = &d->tunables[wish->tunable];
        bool ours = t->owner == OWNER_BRIO, advise = in->mode == MODE_ADVISE, is_name = tunable_get(wish->tunable)->type == TUNABLE_NAME;
        int64_t original = t->original_known ? t->original : d->facts.values[wish->tunable].number;
        int64_t value = limit(d, wish, original), current = ours ? t->wanted : original;

        if (t->owner == OWNER_FOREIGN || t->owner == OWNER_GIVEN_UP || t->pending || goes_with_switch(d, wish->tunable) ||
            is_leaving_scheduler(d, wish, advise) || controller_probe_reserves(d, wish))
                return;
        if (value == original) { /* nothing to want: let go, as if no law had spoken */
                if (wish->at_once && ours && !advise)
                        return_at_once(c, d, wish, in->now, plan);
                else if (wish->spares) {
                        t->spares = wish->law;
                        t->spared = in->now;
                } else if (t->law == wish->law)
                        t->hold_us = wish->hold_us;
                return;
        }
        t->unwanted_since = 0;
        t->hold_us = ours && t->law == wish->law ? MAX(t->hold_us, wish->hold_us) : wish->hold_us;
        if (value == current) {
                t->advice_known = false;
                explain(t, wish, in->now);
                return;
        }
        if (advise && t->advice_known && t->advice == value)
                return;
        if (!ours && (has_just_returned(d, wish->tunable, in->now) || is_spared_yet(d, t, wish->law, in->now)))
                return;
        if (!is_name && !is_due(d, t, t->advice_known && advise ? t->advice : current, value, in->now))
                return;
        if (advise)
                t->written = in->now; /* paces the advice as the writes are paced */
        else if (!change_budget_take(&d->budget, in->now, d->policy->changes_per_hour)) {
                d->budget_spent = true;
                return;
        }
        controller_plan_set(c, d, wish, value, advise, plan);
}

static size_t collect_wishes(const struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                             struct law_wish *wishes) {
        const struct verdict *v = in->verdicts;
        size_t n = 0, first = 0, count = 0;
        struct law_input l;

        while (first < in->n_verdicts && v[first].dev != d->facts.dev)
                first++;
        while (first + count < in->n_verdicts && v[first + count].dev == d->facts.dev)
                count++;
        l = (struct law_input){ .d = d, .in = in, .view = view, .v = v + first, .n = count, .c = c };
        if (law_scheduler(&l, &d->switch_awaited, &wishes[n]))
                n++;
        return n + law_collect(&l, &wishes[n], &d->held_off);
}

/* Ours, but no law wants it any more: after the hold time it goes back. */
static void release_unwanted(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                             struct plan *plan) {
        nsec_t now = in->now;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                struct controller_tunable *t = &d->tunables[id];
                uint64_t hold_us = t->hold_us ? t->hold_us : d->policy->hold_us;
                char reason[PLAN_REASON_MAX] = "";

                if (in->hold == HOLD_THROUGHPUT)
                        hold_us = MIN(hold_us, d->policy->hold_us);
                if (t->unwanted_since == 0 || nsec_sub(now, t->unwanted_since) < hold_us * NSEC_PER_USEC)
                        continue;
                t->advice_known = false;
                if (t->owner != OWNER_BRIO || t->pending || goes_with_switch(d, (enum tunable_id) id))
                        continue;
                if (id == TUNABLE_QUEUE_SCHEDULER && !law_scheduler_is_quiet(d, view, now))
                        continue;
                if (nsec_sub(now, t->unwanted_since) >= NSEC_PER_SEC)
                        SAY(reason, sizeof(reason), SAY_NO_REASON_SINCE, law_to_string(t->law), nsec_sub(now, t->unwanted_since) / NSEC_PER_SEC);
                else
                        SAY(reason, sizeof(reason), SAY_NO_REASON, law_to_string(t->law));
                controller_plan_restore_tunable(c, d, (enum tunable_id) id, reason, plan);
        }
}

void controller_step_tunables(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                              struct plan *plan) {
        struct law_wish wishes[LAW_WISHES_ALL_MAX + 1];
        size_t n;

        for (int id = 0; id < _TUNABLE_MAX; id++)
                if ((d->tunables[id].owner == OWNER_BRIO || d->tunables[id].advice_known) && !d->tunables[id].unwanted_since)
                        d->tunables[id].unwanted_since = in->now;
        n = collect_wishes(c, d, in, view, wishes);
        for (size_t i = 0; i < n; i++)
                want(c, d, &wishes[i], in, plan);
        release_unwanted(c, d, in, view, plan);
}

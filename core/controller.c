/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller-private.h"
#include "law.h"
#include "macro.h"
#include "str.h"

#define EXPLAIN_INTERVAL_NS NSEC_PER_SEC

struct controller *controller_new(void) {
        struct controller *c = calloc(1, sizeof(*c));

        if (c)
                c->next_id = 1;
        return c;
}

struct controller *controller_free(struct controller *c) {
        free(c);
        return NULL;
}

struct controller_device *controller_find_device(struct controller *c, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                if (c->devices[i].used && c->devices[i].facts.dev == dev)
                        return &c->devices[i];
        return NULL;
}

int controller_set_device(struct controller *c, const struct device_facts *facts, const struct policy *policy) {
        struct controller_device *d = controller_find_device(c, facts->dev);

        for (size_t i = 0; !d && i < ARRAY_SIZE(c->devices); i++)
                if (!c->devices[i].used)
                        d = &c->devices[i];
        if (!d)
                return -ENOSPC;
        if (!d->used)
                *d = (struct controller_device){ .used = true };
        /* Tunables of a scheduler that is no longer there went with it. */
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (!facts->values[id].present)
                        d->tunables[id] = (struct controller_tunable){ 0 };
        d->facts = *facts;
        d->policy = policy;
        return 0;
}

void controller_remove_device(struct controller *c, uint32_t dev) {
        struct controller_device *d = controller_find_device(c, dev);

        if (d)
                *d = (struct controller_device){ 0 };
}

bool controller_holds(const struct controller_device *d, enum law_id law) {
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (d->tunables[id].owner == OWNER_BRIO && d->tunables[id].law == law)
                        return true;
        return false;
}

static bool is_meant(const struct controller_device *d, uint32_t dev) {
        return d->used && (dev == 0 || d->facts.dev == dev);
}

void controller_retry(struct controller *c, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                for (int id = 0; is_meant(&c->devices[i], dev) && id < _TUNABLE_MAX; id++) {
                        struct controller_tunable *t = &c->devices[i].tunables[id];
                        if (t->owner == OWNER_GIVEN_UP && t->original_known)
                                t->owner = OWNER_BRIO;
                }
        controller_retry_processes(c, dev);
}

void controller_forgive(struct controller *c, uint32_t dev) {
        controller_retry(c, dev);
        controller_forgive_processes(c, dev);
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++) {
                struct controller_device *d = &c->devices[i];
                if (!is_meant(d, dev))
                        continue;
                d->left_alone = false;
                for (int id = 0; id < _TUNABLE_MAX; id++) {
                        enum tunable_owner owner = d->tunables[id].owner;
                        if (owner == OWNER_FOREIGN || owner == OWNER_GIVEN_UP)
                                d->tunables[id] = (struct controller_tunable){ 0 };
                }
        }
}

static struct setting_change *add_change(struct controller *c, struct controller_device *d, enum tunable_id id, struct plan *plan) {
        struct setting_change *change;

        if (plan->n == PLAN_CHANGES_MAX) /* the next tick has room */
                return NULL;
        change = &plan->changes[plan->n++];
        *change = (struct setting_change){ .id = c->next_id++, .dev = d->facts.dev, .tunable = id };
        return change;
}

static void plan_set(struct controller *c, struct controller_device *d, const struct law_wish *wish, int64_t value, bool advice,
                     struct plan *plan) {
        struct controller_tunable *t = &d->tunables[wish->tunable];
        struct setting_change *change = add_change(c, d, wish->tunable, plan);

        if (!change)
                return;
        change->action = CHANGE_SET;
        change->law = wish->law;
        change->advice = advice;
        tunable_format(wish->tunable, value, change->value, sizeof(change->value));
        /* A scheduler that we have no name for cannot be compared. */
        if (t->owner == OWNER_KERNEL && (wish->tunable != TUNABLE_QUEUE_SCHEDULER || scheduler_to_string(d->facts.scheduler)))
                tunable_format(wish->tunable, d->facts.values[wish->tunable].number, change->from, sizeof(change->from));
        str_copy(change->reason, sizeof(change->reason), wish->sentence);
        t->pending = change->id;
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
        str_copy(change->reason, sizeof(change->reason), reason);
        t->pending = change->id;
        str_copy(t->reason, sizeof(t->reason), reason);
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

static void want(struct controller *c, struct controller_device *d, const struct law_wish *wish, const struct controller_input *in,
                 struct plan *plan) {
        struct controller_tunable *t = &d->tunables[wish->tunable];
        bool is_name = tunable_get(wish->tunable)->type == TUNABLE_NAME; /* no number, so neither limits nor degrees */
        int64_t value = is_name ? wish->value : policy_clamp(d->policy, wish->tunable, wish->value);
        bool ours = t->owner == OWNER_BRIO, advise = in->mode == MODE_ADVISE;
        int64_t original = t->original_known ? t->original : d->facts.values[wish->tunable].number;
        int64_t current = ours ? t->wanted : original;

        if (t->owner == OWNER_FOREIGN || t->owner == OWNER_GIVEN_UP || t->pending || goes_with_switch(d, wish->tunable))
                return;
        if (value == original) { /* nothing to want: let go, as if no law had spoken */
                if (wish->at_once && ours && !advise)
                        controller_plan_restore_tunable(c, d, wish->tunable, wish->sentence, plan);
                return;
        }
        t->unwanted_since = 0;
        if (value == current) {
                t->advice_known = false;
                explain(t, wish, in->now);
                return;
        }
        if (advise && t->advice_known && t->advice == value)
                return;
        if (!is_name && !is_due(d, t, t->advice_known && advise ? t->advice : current, value, in->now))
                return;
        if (advise)
                t->written = in->now; /* paces the advice as the writes are paced */
        else if (!change_budget_take(&d->budget, in->now, d->policy->changes_per_hour)) {
                d->budget_spent = true;
                return;
        }
        plan_set(c, d, wish, value, advise, plan);
}

static size_t collect_wishes(struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                             struct law_wish *wishes) {
        const struct verdict *v = in->verdicts;
        size_t n = 0, first = 0, count = 0;
        struct law_input l;

        while (first < in->n_verdicts && v[first].dev != d->facts.dev)
                first++;
        while (first + count < in->n_verdicts && v[first + count].dev == d->facts.dev)
                count++;
        l = (struct law_input){ .d = d, .in = in, .view = view, .v = v + first, .n = count };
        if (law_scheduler(&l, &d->switch_awaited, &wishes[n]))
                n++;
        n += law_collect(&l, &wishes[n]);
        for (size_t i = 0; in->hold == HOLD_THROUGHPUT && i < n;) {
                if (wishes[i].costs_throughput) {
                        d->held_off |= 1u << wishes[i].law;
                        wishes[i] = wishes[--n];
                } else
                        i++;
        }
        return n;
}

/* Ours, but no law wants it any more: after the hold time it goes back. */
static void release_unwanted(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                             struct plan *plan) {
        const struct law_input l = { .d = d, .in = in, .view = view };
        nsec_t now = in->now;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                struct controller_tunable *t = &d->tunables[id];
                char reason[PLAN_REASON_MAX];

                if (t->unwanted_since == 0 || nsec_sub(now, t->unwanted_since) < d->policy->hold_us * NSEC_PER_USEC)
                        continue;
                t->advice_known = false;
                if (t->owner != OWNER_BRIO || t->pending || goes_with_switch(d, (enum tunable_id) id))
                        continue;
                if (id == TUNABLE_QUEUE_SCHEDULER && !law_scheduler_is_quiet(&l)) /* a switch back is a switch */
                        continue;
                snprintf(reason, sizeof(reason), "no reason for %s any more since %" PRIu64 " s: the original comes back",
                         law_to_string(t->law), (uint64_t) (nsec_sub(now, t->unwanted_since) / NSEC_PER_SEC));
                controller_plan_restore_tunable(c, d, (enum tunable_id) id, reason, plan);
        }
}

/* The sentences of all that is held, one for each law. */
static void describe_held(struct controller_device *d) {
        uint32_t said = 0;

        *d->reason = '\0';
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                if (!t->original_known || said & 1u << t->law)
                        continue;
                str_append(d->reason, sizeof(d->reason), "%s%s: %s", said ? " · " : "", law_to_string(t->law), t->reason);
                controller_describe_trial(d, t->law, d->reason, sizeof(d->reason));
                said |= 1u << t->law;
        }
        if (d->stepped_back.n > 0)
                str_append(d->reason, sizeof(d->reason), "%s%s", said ? " · " : "", d->stepped_back.reason);
}

static const char *reason_to_keep_away(const struct controller_device *d) {
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (d->tunables[id].owner == OWNER_FOREIGN)
                        return d->tunables[id].reason;
        return d->left_alone ? "Somebody asked to leave this drive alone" : NULL;
}

static void describe_held_off(struct controller_device *d) {
        str_copy(d->reason, sizeof(d->reason), "Somebody holds \"throughput\", so what would cost some waits:");
        for (int law = 0, n = 0; law < _LAW_MAX; law++)
                if (d->held_off & 1u << law)
                        str_append(d->reason, sizeof(d->reason), "%s %s", n++ > 0 ? "," : "", law_to_string((enum law_id) law));
}

/* Why nothing of ours is set. */
static void describe_nothing(struct controller_device *d, unsigned advised) {
        char quiet[32];

        controller_describe_barred(d, d->reason, sizeof(d->reason));
        if (*d->reason)
                return;
        if (advised > 0)
                snprintf(d->reason, sizeof(d->reason), "The mode is advise: %u setting%s would be changed", advised, advised == 1 ? "" : "s");
        else if (d->held_off)
                describe_held_off(d);
        else if (d->switch_awaited != SCHEDULER_ANY)
                snprintf(d->reason, sizeof(d->reason), "Policy %s prefers %s: the switch waits until the drive was idle for %s", d->policy->name,
                         scheduler_to_string(d->switch_awaited), str_format_duration_us(quiet, sizeof(quiet), d->policy->switch_quiet_us));
        else
                str_copy(d->reason, sizeof(d->reason), "No law has anything to change");
}

/* A law wants more than the policy lets any do. */
static void describe_budget(struct controller_device *d) {
        if (d->budget_spent)
                str_append(d->reason, sizeof(d->reason), "; %" PRIu32 " changes within an hour are all that policy %s allows: the next one waits",
                           d->policy->changes_per_hour, d->policy->name);
}

static void describe_state(const struct controller *c, struct controller_device *d) {
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

/* Everything of ours on one drive. What lives under a scheduler of ours goes with it. */
static void plan_restore_device(struct controller *c, struct controller_device *d, const char *reason, struct plan *plan) {
        bool switches_back = d->tunables[TUNABLE_QUEUE_SCHEDULER].owner == OWNER_BRIO;

        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                bool moot = switches_back && tunable_get((enum tunable_id) id)->scheduler != SCHEDULER_ANY;
                if (t->owner == OWNER_BRIO && !t->pending && !moot)
                        controller_plan_restore_tunable(c, d, (enum tunable_id) id, reason, plan);
        }
}

/* Advice is what would be done next, so it ends where nothing would be. */
static void drop_advice(struct controller_device *d) {
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                struct controller_tunable *t = &d->tunables[id];
                if (t->advice_known && t->owner == OWNER_KERNEL)
                        t->written = 0; /* it paced the advice, and the first write need not wait for that */
                t->advice_known = false;
        }
}

static void step_device(struct controller *c, struct controller_device *d, const struct controller_input *in, struct plan *plan) {
        const struct device_view *view = snapshot_find_device(in->snapshot, d->facts.dev);
        struct law_wish wishes[LAW_WISHES_ALL_MAX + 1];
        size_t n;

        d->budget_spent = false;
        d->switch_awaited = SCHEDULER_ANY;
        d->held_off = 0;
        if (!d->policy || in->mode != MODE_ADVISE || in->hold == HOLD_PAUSE || d->left_alone)
                drop_advice(d);
        if (!d->policy) {
                plan_restore_device(c, d, "no policy matches this class of drive any more", plan);
                d->state = DEVICE_STATE_IGNORED;
                str_copy(d->reason, sizeof(d->reason), "No policy matches this class of drive");
                return;
        }
        if (in->mode == MODE_OFF || in->hold == HOLD_PAUSE || d->left_alone) {
                controller_drop_trial(c, d, in->now);
                describe_state(c, d);
                if (d->state == DEVICE_STATE_OBSERVING)
                        str_copy(d->reason, sizeof(d->reason), in->mode == MODE_OFF ? "The mode is off" : "A hold asks for a pause");
                else if (in->hold == HOLD_PAUSE && d->state != DEVICE_STATE_MANUAL)
                        str_append(d->reason, sizeof(d->reason), "; a hold asks for a pause, so it stays as it is%s",
                                   d->stepped_back.n > 0 ? ", and who is bulk stays stepped back" : "");
                return;
        }
        controller_step_trial(c, d, in, view, plan);
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if ((d->tunables[id].owner == OWNER_BRIO || d->tunables[id].advice_known) && !d->tunables[id].unwanted_since)
                        d->tunables[id].unwanted_since = in->now;
        n = collect_wishes(d, in, view, wishes);
        for (size_t i = 0; i < n; i++)
                want(c, d, &wishes[i], in, plan);
        release_unwanted(c, d, in, view, plan);
        describe_state(c, d);
}

void controller_step(struct controller *c, const struct controller_input *in, struct plan *ret) {
        ret->n = ret->n_priorities = 0;
        controller_step_processes(c, in, ret);
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                if (c->devices[i].used)
                        step_device(c, &c->devices[i], in, ret);
}

void controller_plan_restore(struct controller *c, uint32_t dev, bool leave_alone, const char *reason, struct plan *ret) {
        ret->n = ret->n_priorities = 0;
        controller_plan_restore_processes(c, dev, reason, ret);
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++) {
                struct controller_device *d = &c->devices[i];
                if (!is_meant(d, dev))
                        continue;
                d->left_alone |= leave_alone;
                plan_restore_device(c, d, reason, ret);
        }
}

int controller_apply(struct controller *c, uint32_t dev, enum tunable_id tunable, struct plan *ret) {
        struct controller_device *d = controller_find_device(c, dev);
        const struct controller_tunable *t = d ? &d->tunables[tunable] : NULL;
        struct law_wish wish = { .tunable = tunable };

        if (!t || !t->advice_known || t->pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        wish.law = t->law;
        str_copy(wish.sentence, sizeof(wish.sentence), t->reason);
        plan_set(c, d, &wish, t->advice, false, ret);
        return 0;
}

int controller_undo(struct controller *c, uint32_t dev, enum tunable_id tunable, struct plan *ret) {
        struct controller_device *d = controller_find_device(c, dev);

        if (!d || d->tunables[tunable].owner != OWNER_BRIO || d->tunables[tunable].pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        d->tunables[tunable].leave_alone = true;
        controller_plan_restore_tunable(c, d, tunable, "somebody asked to undo it", ret);
        return 0;
}

static bool parse_value(enum tunable_id id, const char *text, int64_t *ret) {
        if (id != TUNABLE_QUEUE_SCHEDULER)
                return tunable_parse(id, text, ret) == 0;
        *ret = (int64_t) scheduler_from_string(text);
        return *text != '\0';
}

/* What stands now, as the kernel gave it back. After a switch the daemon reads the other values anew. */
static void take_observed(struct controller_device *d, const struct receipt *r) {
        int64_t number;

        if (!parse_value(r->tunable, r->observed, &number))
                return;
        d->facts.values[r->tunable].number = number;
        if (r->tunable == TUNABLE_QUEUE_SCHEDULER)
                d->facts.scheduler = (enum scheduler) number;
}

/* The original is what the write found, which may be newer than what we knew. */
static void commit_applied(struct controller_device *d, struct controller_tunable *t, const struct receipt *r) {
        bool is_switch = r->tunable == TUNABLE_QUEUE_SCHEDULER;

        t->advice_known = false;
        t->written = r->t;
        if (t->owner != OWNER_BRIO && is_switch && streq(r->old, r->wanted)) {
                take_observed(d, r); /* it was there already: nothing was written, and it is not ours to take back */
                return;
        }
        if (t->owner != OWNER_BRIO) {
                t->owner = OWNER_BRIO;
                t->original_known = true;
                if (!parse_value(r->tunable, r->old, &t->original))
                        t->original = is_switch ? (int64_t) d->facts.scheduler : d->facts.values[r->tunable].number;
        }
        take_observed(d, r);
}

/* Where a value of ours stands there, its original is kept: the end tries again to put it back. */
static void commit_failed(struct controller_tunable *t, const struct receipt *r) {
        const char *error = strerrorname_np(-r->error);
        struct controller_tunable failed = { .owner = OWNER_GIVEN_UP, .error = r->error };

        if (t->original_known) {
                failed.original_known = true;
                failed.original = t->original;
                failed.law = t->law;
                if (!parse_value(r->tunable, r->old, &failed.wanted))
                        failed.wanted = t->wanted;
        }
        snprintf(failed.reason, sizeof(failed.reason), "%s could not be set to %s (%s): given up until somebody asks",
                 tunable_get(r->tunable)->name, r->wanted, error ? error : "");
        *t = failed;
}

void controller_commit(struct controller *c, const struct receipt *r) {
        struct controller_device *d = controller_find_device(c, r->dev);
        struct controller_tunable *t;

        if (r->process.tgid > 0)
                controller_commit_process(c, r);
        if (d && r->process.tgid > 0) {
                if (r->result == RECEIPT_APPLIED || r->result == RECEIPT_RESTORED)
                        controller_disturb_trial(c, d, r->t);
                describe_state(c, d);
        }
        if (!d || r->process.tgid > 0)
                return;
        t = &d->tunables[r->tunable];
        if (t->pending == r->id)
                t->pending = 0;
        switch (r->result) {
        case RECEIPT_APPLIED:
                commit_applied(d, t, r);
                break;
        case RECEIPT_RESTORED:
                take_observed(d, r);
                *t = (struct controller_tunable){ .owner = t->leave_alone ? OWNER_FOREIGN : OWNER_KERNEL, .written = r->t };
                if (t->owner == OWNER_FOREIGN)
                        str_copy(t->reason, sizeof(t->reason), "Undone: left alone until the mode is set again");
                break;
        case RECEIPT_FAILED:
                commit_failed(t, r);
                break;
        case RECEIPT_FOREIGN:
                take_observed(d, r);
                *t = (struct controller_tunable){ .owner = OWNER_FOREIGN };
                snprintf(t->reason, sizeof(t->reason), "Somebody else set %s to %s: it is theirs now", tunable_get(r->tunable)->name,
                         r->observed);
                break;
        case RECEIPT_STALE:
                take_observed(d, r);
                *t = (struct controller_tunable){ 0 };
                break;
        case RECEIPT_GONE:
                *t = (struct controller_tunable){ 0 };
                break;
        case RECEIPT_ADVISED:
        case RECEIPT_REFUSED:
        case _RECEIPT_RESULT_MAX:
                break;
        }
        controller_commit_trial(c, d, r);
        describe_state(c, d);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <stdlib.h>

#include "controller-private.h"
#include "macro.h"
#include "str.h"

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

/* s as for controller_plan_restore(). */
static bool may_switch(const struct controller_device *d, const struct snapshot *s) {
        return !s || law_scheduler_is_quiet(d, snapshot_find_device(s, d->facts.dev), s->now);
}

/* Everything of ours on one drive. What lives under a scheduler of ours goes with it. */
static void plan_restore_device(struct controller *c, struct controller_device *d, const struct snapshot *s, const char *reason, struct plan *plan) {
        const struct controller_tunable *scheduler = &d->tunables[TUNABLE_QUEUE_SCHEDULER];
        bool is_ours = scheduler->owner == OWNER_BRIO && !scheduler->pending, waits = is_ours && !may_switch(d, s);
        bool switches_back = scheduler->owner == OWNER_BRIO && !waits;

        if (waits)
                controller_await_switch(d, SWITCH_WAIT_BACK, reason, s->now);
        for (int id = 0; id < _TUNABLE_MAX; id++) {
                const struct controller_tunable *t = &d->tunables[id];
                bool moot = switches_back && tunable_get((enum tunable_id) id)->scheduler != SCHEDULER_ANY;
                if (t->owner == OWNER_BRIO && !t->pending && !moot && !(waits && id == TUNABLE_QUEUE_SCHEDULER))
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

        d->idle_class = law_idle_class_uses(c, in, d->facts.dev);
        d->budget_spent = false;
        d->switch_awaited = SCHEDULER_ANY;
        d->held_off = 0;
        if (!d->policy || in->mode != MODE_ADVISE || in->hold == HOLD_PAUSE || d->left_alone)
                drop_advice(d);
        if (!d->policy) {
                plan_restore_device(c, d, in->snapshot, statement_plain(SAY_NO_POLICY_LEFT), plan);
                d->state = DEVICE_STATE_IGNORED;
                str_copy(d->reason, sizeof(d->reason), statement_plain(SAY_NO_POLICY));
                return;
        }
        controller_step_switch(c, d, in, view, plan);
        if (in->mode == MODE_OFF || in->hold == HOLD_PAUSE || d->left_alone) {
                controller_drop_trial(c, d, in->now);
                controller_describe_state(c, d);
                if (d->state == DEVICE_STATE_OBSERVING)
                        str_copy(d->reason, sizeof(d->reason), statement_plain(in->mode == MODE_OFF ? SAY_MODE_OFF : SAY_PAUSED));
                else if (in->hold == HOLD_PAUSE && d->state != DEVICE_STATE_MANUAL)
                        SAY(d->reason, sizeof(d->reason), d->stepped_back.n > 0 ? SAY_PAUSED_STEPPED_BACK : SAY_PAUSED_AS_IS);
                return;
        }
        controller_step_trial(c, d, in, view, plan);
        controller_step_tunables(c, d, in, view, plan);
        controller_describe_state(c, d);
}

void controller_step(struct controller *c, const struct controller_input *in, struct plan *ret) {
        ret->n = ret->n_priorities = 0;
        controller_step_processes(c, in, ret);
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                if (c->devices[i].used)
                        step_device(c, &c->devices[i], in, ret);
}

void controller_plan_restore(struct controller *c, uint32_t dev, bool leave_alone, const struct snapshot *s, const char *reason, struct plan *ret) {
        ret->n = ret->n_priorities = 0;
        controller_plan_restore_processes(c, dev, reason, ret);
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++) {
                struct controller_device *d = &c->devices[i];
                if (!is_meant(d, dev))
                        continue;
                d->left_alone |= leave_alone;
                plan_restore_device(c, d, s, reason, ret);
                controller_describe_state(c, d);
        }
}

int controller_apply(struct controller *c, uint32_t dev, enum tunable_id tunable, const struct snapshot *s, struct plan *ret) {
        struct controller_device *d = controller_find_device(c, dev);
        const struct controller_tunable *t = d ? &d->tunables[tunable] : NULL;
        struct law_wish wish = { .tunable = tunable };

        if (!t || !t->advice_known || t->pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        if (tunable == TUNABLE_QUEUE_SCHEDULER && !may_switch(d, s)) {
                controller_await_switch(d, SWITCH_WAIT_APPLY, t->reason, s->now);
                controller_describe_state(c, d);
                return 0;
        }
        wish.law = t->law;
        str_copy(wish.sentence, sizeof(wish.sentence), t->reason);
        controller_plan_set(c, d, &wish, t->advice, false, ret);
        return 0;
}

int controller_undo(struct controller *c, uint32_t dev, enum tunable_id tunable, const struct snapshot *s, struct plan *ret) {
        struct controller_device *d = controller_find_device(c, dev);
        const char *reason = statement_plain(SAY_UNDONE);

        if (!d || d->tunables[tunable].owner != OWNER_BRIO || d->tunables[tunable].pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        d->tunables[tunable].leave_alone = true;
        if (tunable == TUNABLE_QUEUE_SCHEDULER && !may_switch(d, s)) {
                controller_await_switch(d, SWITCH_WAIT_BACK, reason, s->now);
                controller_describe_state(c, d);
        } else
                controller_plan_restore_tunable(c, d, tunable, reason, ret);
        return 0;
}

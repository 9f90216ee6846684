/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strict_guarantees and the idle class, never together. bfq does not wait for the next request of a process of the idle class, but under strict_guarantees
 * it does (block/bfq-iosched.c, bfq_better_to_idle() looks at the one before the other): then each of its turns, five a second, is waited for to the end. So
 * the one that stands first keeps the other away. docs/laws.md has the account. */
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

bool law_serves_strictly(const struct controller_device *d) {
        const struct controller_tunable *t = &d->tunables[TUNABLE_BFQ_STRICT_GUARANTEES];

        return d->facts.scheduler == SCHEDULER_BFQ && (d->facts.values[TUNABLE_BFQ_STRICT_GUARANTEES].number != 0 || (t->advice_known && t->advice != 0) ||
                                                       ((t->pending || t->original_known) && t->wanted != 0));
}

static bool is_idle_class(uint16_t priority) {
        return priority >> IO_PRIORITY_CLASS_SHIFT == IO_CLASS_IDLE;
}

bool law_idle_class_uses(const struct controller *c, const struct controller_input *in, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                const struct controller_process *p = &c->processes[i];
                if (p->dev == dev && (p->held || p->pending || p->advice_known) && is_idle_class(p->wanted))
                        return true;
        }
        for (size_t i = 0; i < in->snapshot->n_processes; i++) {
                const struct process_view *p = &in->snapshot->processes[i];
                if (process_view_uses(p, dev) && is_idle_class(controller_priority_of(c, p)))
                        return true;
        }
        return false;
}

size_t law_no_idle_class_served_strictly(const struct law_input *l, struct law_wish *ret) {
        enum tunable_id id = TUNABLE_BFQ_STRICT_GUARANTEES;
        const struct controller_tunable *t = &l->d->tunables[id];
        int64_t original;

        if (!l->d->idle_class || t->owner != OWNER_BRIO || !law_original(l->d, id, &original) || original == t->wanted)
                return 0;
        *ret = (struct law_wish){ .law = t->law, .tunable = id, .value = original, .at_once = true };
        SAY(ret->sentence, sizeof(ret->sentence), SAY_IDLE_CLASS);
        return 1;
}

bool law_can_serve_one_at_a_time(const struct controller_device *d) {
        enum tunable_id id = TUNABLE_BFQ_STRICT_GUARANTEES;
        enum tunable_owner owner = d->tunables[id].owner;

        return d->facts.scheduler == SCHEDULER_BFQ && d->facts.values[id].present && (owner == OWNER_KERNEL || owner == OWNER_BRIO) && !d->idle_class &&
               policy_clamp(d->policy, id, 1) == 1;
}

void law_one_at_a_time(const struct write_bound *b, struct law_wish *ret) {
        *ret = (struct law_wish){ .law = b->law, .tunable = TUNABLE_BFQ_STRICT_GUARANTEES, .value = 1, .hold_us = b->hold_us, .costs_throughput = true };
        str_copy(ret->sentence, sizeof(ret->sentence), b->because);
}

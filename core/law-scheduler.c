/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policy's choice of scheduler. It is none of law-order.c's: what it wants stops the drive while it is switched. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "statement.h"
#include "macro.h"
#include "str.h"

bool law_scheduler_is_quiet(const struct controller_device *d, const struct device_view *view, nsec_t now) {
        uint64_t quiet_us = d->policy ? d->policy->switch_quiet_us : POLICY_SWITCH_QUIET_US;

        return view && view->idle_since && nsec_sub(now, view->idle_since) >= quiet_us * NSEC_PER_USEC;
}

/* What bfq reckons for each request is nothing beside a seek, and a cap on a drive that does very many. */
static bool is_too_fast(const struct law_input *l, enum scheduler s) {
        return s == SCHEDULER_BFQ && l->view && l->view->peak_iops > l->d->policy->bfq_max_iops;
}

/* The best that the kernel offers and the drive does not outrun. SCHEDULER_ANY: none. */
static enum scheduler choose(const struct law_input *l, bool *ret_outrun) {
        const struct policy *p = l->d->policy;

        *ret_outrun = false;
        for (size_t i = 0; i < p->n_schedulers; i++) {
                if (!(l->d->facts.schedulers & 1u << p->schedulers[i]))
                        continue;
                if (!is_too_fast(l, p->schedulers[i]))
                        return p->schedulers[i];
                *ret_outrun = true;
        }
        return SCHEDULER_ANY;
}

static void say_why(const struct law_input *l, enum scheduler s, bool outrun, struct law_wish *ret) {
        const struct policy *p = l->d->policy;

        if (outrun)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_SCHEDULER_OUTRUN, p->name, device_class_to_string(l->d->facts.class), l->view->peak_iops, p->bfq_max_iops,
                    scheduler_to_string(s));
        else
                SAY(ret->sentence, sizeof(ret->sentence), SAY_SCHEDULER, p->name, scheduler_to_string(s), device_class_to_string(l->d->facts.class));
}

bool law_scheduler(const struct law_input *l, enum scheduler *ret_awaited, struct law_wish *ret) {
        const struct controller_tunable *t = &l->d->tunables[TUNABLE_QUEUE_SCHEDULER];
        enum scheduler active = l->d->facts.scheduler, s;
        bool ours = t->owner == OWNER_BRIO, outrun;

        *ret_awaited = SCHEDULER_ANY;
        s = choose(l, &outrun);
        if (s == SCHEDULER_ANY || (s == active && !ours))
                return false;
        *ret = (struct law_wish){ .law = LAW_SCHEDULER, .tunable = TUNABLE_QUEUE_SCHEDULER, .value = (int64_t) s };
        say_why(l, s, outrun, ret);
        if (s == active || l->in->mode == MODE_ADVISE || law_scheduler_is_quiet(l->d, l->view, l->in->now)) /* advice writes nothing */
                return true;
        if (ours || t->owner == OWNER_KERNEL)
                *ret_awaited = s;
        ret->value = (int64_t) active; /* one of ours stays until it can be switched */
        return ours;
}

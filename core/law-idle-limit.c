/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law idle-limit, seed 000 (Sekiyama 2013): the time spent waiting for each process's next request must not, summed over all
 * that read, exceed the slice of the group. The seed computed in jiffies, so that a small share was no wait at all; that matters, for while
 * bfq waits at all, it serves new readers one at a time: docs/laws.md has the figures. */
#include <inttypes.h>
#include <stdio.h>

#include "change-budget.h"
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* Where so many are waited for in vain, hardly a wait pays. */
#define IN_VAIN_PERMILLE 900

/* The starts that the wait is meant for: bfq lets no other process come between two of their reads. Not where they are the many. */
static bool is_meant(const struct law_input *l, uint32_t readers) {
        const struct verdict *start = law_find_verdict(l, VERDICT_STARTUP);

        return (start && 2 * verdict_evidence(start, "processes", 0) < readers) || law_find_verdict(l, VERDICT_SOFT_RT);
}

/* By then it is known whether the processes that begin to use a quiet drive are few, or a crowd. */
#define ONSET_NS NSEC_PER_SEC
/* Of an hour's changes the rest is for loads that have come. */
#define CHANGES_AHEAD_PERCENT 50

static bool has_changes_left(const struct law_input *l) {
        const struct controller_device *d = l->d;

        return change_budget_used(&d->budget, l->in->now) * 100 < d->policy->changes_per_hour * CHANGES_AHEAD_PERCENT;
}

static bool is_ahead(const struct law_input *l, enum tunable_id id) {
        if (!l->d->policy->idle_limit.ahead || !l->view || law_find_verdict(l, VERDICT_STARTUP) || law_find_verdict(l, VERDICT_SOFT_RT))
                return false;
        if (law_stands(l->d, id, LAW_IDLE_LIMIT))
                return !l->view->busy_since || nsec_sub(l->in->now, l->view->busy_since) < ONSET_NS;
        return law_scheduler_is_quiet(l->d, l->view, l->in->now) && has_changes_left(l);
}

/* A crowd begins to read at once: until it is known, the scheduler waits after each of its first reads, and all others stand behind them. So on a quiet drive
 * it waits for no process; processes that the wait is for have it back at the next look. */
static size_t set_ahead(const struct law_input *l, enum tunable_id id, struct law_wish *ret) {
        if (!is_ahead(l, id))
                return 0;
        *ret = (struct law_wish){ .law = LAW_IDLE_LIMIT, .tunable = id, .value = 0, .hold_us = 1 };
        SAY(ret->sentence, sizeof(ret->sentence), SAY_IDLE_AHEAD, tunable_get(id)->name);
        return 1;
}

uint64_t law_idle_limit_us(uint64_t base_us, uint64_t group_slice_us, uint32_t readers) {
        return MIN(base_us, group_slice_us / MAX(readers, 1u));
}

size_t law_idle_limit(const struct law_input *l, struct law_wish *ret) {
        const struct controller_device *d = l->d;
        const struct policy_idle_limit *p = &d->policy->idle_limit;
        const struct verdict *many = law_find_verdict(l, VERDICT_MANY_SYNC);
        enum tunable_id id = law_idle_tunable(&d->facts);
        uint32_t readers;
        uint64_t base_us, limit_us, wait_us;
        bool is_long, meant, in_vain;
        int64_t original;

        if (!p->enabled || id == _TUNABLE_INVALID || !law_waits_for_readers(&d->facts) || !law_original(d, id, &original) || original < 0)
                return 0;
        base_us = (uint64_t) original * (id == TUNABLE_CFQ_SLICE_IDLE ? USEC_PER_MSEC : 1);
        is_long = base_us >= p->shortest_wait_us; /* a shorter base was chosen */
        if (is_long && set_ahead(l, id, ret))
                return 1;
        readers = many ? (uint32_t) verdict_evidence(many, "readers", 0) : 0;
        if (readers < MAX(p->min_readers, 1u))
                return 0;
        limit_us = law_idle_limit_us(base_us, p->group_slice_us, readers);
        meant = is_meant(l, readers);
        in_vain = !meant && is_long && verdict_evidence(many, "in-vain", 0) >= IN_VAIN_PERMILLE;
        wait_us = in_vain || (!meant && limit_us < p->shortest_wait_us && limit_us < base_us) ? 0 : limit_us;
        *ret = (struct law_wish){
                .law = LAW_IDLE_LIMIT,
                .tunable = id,
                .value = (int64_t) (wait_us / (id == TUNABLE_CFQ_SLICE_IDLE ? USEC_PER_MSEC : 1)),
                .at_once = meant,
        };
        str_copy(ret->sentence, sizeof(ret->sentence), many->sentence);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_IDLE_LIMIT, tunable_get(id)->name, base_us, p->group_slice_us, readers, limit_us);
        if (in_vain)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_IDLE_IN_VAIN, verdict_evidence(many, "in-vain", 0) / 10);
        else if (wait_us != limit_us)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_IDLE_TOO_SHORT, p->shortest_wait_us);
        return 1;
}

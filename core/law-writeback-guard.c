/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law writeback-guard, seed 002 (Axboe and Chinner 2016): where reads starve behind what is written back, less of it may stand in the
 * drive's queue at once; where that hurts, it is let go. The policy stands above the block layer, as Chinner asked: it knows whether somebody
 * reads, and whether memory waits for what is written. docs/laws.md has the account. */
#include "law.h"
#include "law-private.h"

size_t law_writeback_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_writeback_guard *p = &l->d->policy->writeback_guard;
        const struct verdict *v = law_find_verdict(l, VERDICT_WRITEBACK);

        if (!p->enabled || !v || v->direction != DIRECTION_READS_STARVE)
                return 0;
        return law_bound_writes(l, LAW_WRITEBACK_GUARD, p->longest_wait_us, v->sentence, ret);
}

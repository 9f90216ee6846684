/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law writeback-guard, seed 002 (Axboe and Chinner 2016): where reads starve behind what is written back, less of it may stand in the
 * drive's queue at once; where that hurts, it is let go. The policy stands above the block layer, as Chinner asked: it knows whether a process
 * reads, and whether memory waits for what is written. docs/laws.md has the account. */
#include "law.h"
#include "law-private.h"
#include "str.h"

/* More share the drive, as law slice-share has it: what they wait for is mostly each other. */
#define READERS_MAX 3u

/* Reads are fast then because of that; where it only advises, they are as they were, and its advice stands. */
static bool is_guarding(const struct controller_device *d) {
        for (int id = 0; id < _TUNABLE_MAX; id++)
                if (law_stands(d, (enum tunable_id) id, LAW_WRITEBACK_GUARD))
                        return true;
        return false;
}

size_t law_writeback_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_writeback_guard *p = &l->d->policy->writeback_guard;
        const struct verdict *v = law_find_verdict(l, VERDICT_WRITEBACK);

        if (!p->enabled)
                return 0;
        /* Of few requests a program that starts beside readers has too small a share. */
        if (law_find_verdict(l, VERDICT_STARTUP) || (l->view && l->view->readers > READERS_MAX))
                return law_give_back(l, LAW_WRITEBACK_GUARD, statement_plain(SAY_START_OR_READERS), ret);
        if (!v || v->direction != DIRECTION_READS_STARVE || (!is_guarding(l->d) && verdict_evidence(v, "read-latency", 0) < p->min_read_us))
                return 0;
        return law_bound_writes(l, &(struct write_bound){ .law = LAW_WRITEBACK_GUARD, .longest_wait_us = p->longest_wait_us, .because = v->sentence }, ret);
}

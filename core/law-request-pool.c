/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law request-pool: under bfq the queue has requests enough that a process which bfq has not raised is not held up for one, beside a process that it has.
 *
 * bfq gives each active queue its weight's share of the requests (block/bfq-iosched.c, bfqq_request_over_limit(), since Linux 5.17), and one that
 * it raises weighs bfq_wr_coeff times as much. A process that has its share waits until one certain request is free, which any may have.
 * docs/laws.md has the account. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"

#define RAISED 30u /* bfq_wr_coeff */
#define REQUESTS_MAX 2048u /* the kernel takes no more (block/blk-mq-sched.h, MAX_SCHED_RQ) */

uint32_t law_pool_requests(uint32_t reads) {
        uint32_t n = 1;

        while (n < REQUESTS_MAX && n / (1 + RAISED) < reads)
                n *= 2;
        return n;
}

/* The queue is frozen while its size changes, until all that it has is done: so it grows while it has nothing. Not for a stream that pauses: what is
 * written beside it would have a longer queue to fill. */
static bool may_grow(const struct law_input *l) {
        return law_scheduler_is_quiet(l->d, l->view, l->in->now) && !law_find_verdict(l, VERDICT_SOFT_RT);
}

size_t law_request_pool(const struct law_input *l, struct law_wish *ret) {
        const struct policy_request_pool *p = &l->d->policy->request_pool;
        bool ours = l->d->tunables[TUNABLE_QUEUE_NR_REQUESTS].owner == OWNER_BRIO;
        uint32_t requests = law_pool_requests(p->reads);
        int64_t original;

        if (!p->enabled || l->d->facts.scheduler != SCHEDULER_BFQ || !law_original(l->d, TUNABLE_QUEUE_NR_REQUESTS, &original))
                return 0;
        if (original >= policy_clamp(l->d->policy, TUNABLE_QUEUE_NR_REQUESTS, requests))
                return 0;
        if (original < tunable_get(TUNABLE_QUEUE_NR_REQUESTS)->min) /* a driver of one tag has two requests, which the kernel does not accept: no way back */
                return 0;
        if (ours ? !law_holds(l->d, TUNABLE_QUEUE_NR_REQUESTS, LAW_REQUEST_POOL) : !may_grow(l)) /* what another law holds there comes back first */
                return 0;
        *ret = (struct law_wish){ .law = LAW_REQUEST_POOL, .tunable = TUNABLE_QUEUE_NR_REQUESTS, .value = requests };
        SAY(ret->sentence, sizeof(ret->sentence), SAY_REQUEST_POOL, 1 + RAISED, p->reads);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_REQUEST_POOL_SIZE, tunable_get(ret->tunable)->name, p->reads, 1 + RAISED, requests, original);
        return 1;
}

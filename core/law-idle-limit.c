/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law idle-limit, seed 000 (Sekiyama 2013): the time spent waiting for each process's next request must not, summed over all
 * that read, exceed the slice of the group. The seed computed in jiffies, so that a small share was no wait at all; that matters, for while
 * bfq waits at all, it serves new readers one at a time: `./dev bench seed000 --explore` has the figures. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* Where so many are waited for in vain, hardly a wait pays. */
#define IN_VAIN_PERMILLE 900

/* For whom the wait is meant: bfq lets nobody else come between two reads of theirs. Not where it is they who are so many. */
static bool is_meant(const struct law_input *l, uint32_t readers) {
        const struct verdict *start = law_find_verdict(l, VERDICT_STARTUP);

        return (start && 2 * verdict_evidence(start, "processes", 0) < readers) || law_find_verdict(l, VERDICT_SOFT_RT);
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
        bool meant, in_vain;
        int64_t original;

        if (!p->enabled || !many || id == _TUNABLE_INVALID || !law_waits_for_readers(&d->facts) || !law_original(d, id, &original))
                return 0;
        readers = (uint32_t) verdict_evidence(many, "readers", 0);
        if (readers < p->min_readers || original < 0)
                return 0;
        base_us = (uint64_t) original * (id == TUNABLE_CFQ_SLICE_IDLE ? USEC_PER_MSEC : 1);
        limit_us = law_idle_limit_us(base_us, p->group_slice_us, readers);
        meant = is_meant(l, readers);
        /* A base that is short already is somebody's choice. */
        in_vain = !meant && base_us >= p->shortest_wait_us && verdict_evidence(many, "in-vain", 0) >= IN_VAIN_PERMILLE;
        wait_us = in_vain || (!meant && limit_us < p->shortest_wait_us && limit_us < base_us) ? 0 : limit_us;
        *ret = (struct law_wish){
                .law = LAW_IDLE_LIMIT,
                .tunable = id,
                .value = (int64_t) (wait_us / (id == TUNABLE_CFQ_SLICE_IDLE ? USEC_PER_MSEC : 1)),
                .at_once = meant,
        };
        snprintf(ret->sentence, sizeof(ret->sentence),
                 "%s; %s = min(base %" PRIu64 " µs, group slice %" PRIu32 " µs / %" PRIu32 " readers) = %" PRIu64 " µs",
                 many->sentence, tunable_get(id)->name, base_us, p->group_slice_us, readers, limit_us);
        if (in_vain)
                str_append(ret->sentence, sizeof(ret->sentence), ", and of %" PRIi64 " %% of them it catches no request that the drive has near, so 0 µs",
                           verdict_evidence(many, "in-vain", 0) / 10);
        else if (wait_us != limit_us)
                str_append(ret->sentence, sizeof(ret->sentence), ", shorter than %" PRIu32 " µs, so 0 µs", p->shortest_wait_us);
        return 1;
}

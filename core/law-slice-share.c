/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law slice-share, seed 001 (Zoccolo 2009): a round of turns should stay within 300 ms, so that beyond three processes
 * each turn gets shorter; the floor keeps the share of the time that goes into seeks bounded. docs/laws.md has the account. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* base slice 100 ms, annoyance from 300 ms: so three fit */
#define SEED_PROCESSES 3

/* Without idling, mq-deadline's turns are batches and its rounds deadlines: the seed's proportion with these floors. */
#define FIFO_BATCH_FLOOR 1
#define READ_EXPIRE_FLOOR_MS 100

/* Where slice_idle is unknown or 0, the seek it stands for still takes about this long. */
#define DEFAULT_IDLE_US 8000

uint64_t law_slice_share_us(uint64_t base_us, uint64_t idle_us, uint32_t n, bool sync) {
        uint64_t floor_us = idle_us * (sync ? 2 : 1);

        if (n <= SEED_PROCESSES)
                return base_us;
        return MIN(base_us, MAX(floor_us, base_us * SEED_PROCESSES / n));
}

#define MOSTLY_PERMILLE 500
/* Of readers that take long turns, few have had one in the last second: one that is small then need not be. */
#define NEARLY_ALL_PERMILLE 900

/* One row a tunable that the law moves. */
struct share {
        enum scheduler scheduler;
        enum tunable_id tunable, idle; /* idle: whose original is the cost of a seek, in microseconds */
        uint32_t us_per_unit;          /* 0: a count, not a time */
        int64_t floor;                 /* in the tunable's unit; 0: the seed's floor */
};

static const struct share shares[] = {
        { SCHEDULER_BFQ, TUNABLE_BFQ_TIMEOUT_SYNC, TUNABLE_BFQ_SLICE_IDLE_US, USEC_PER_MSEC, 0 },
        { SCHEDULER_CFQ, TUNABLE_CFQ_SLICE_SYNC_US, TUNABLE_CFQ_SLICE_IDLE_US, 1, 0 },
        { SCHEDULER_CFQ, TUNABLE_CFQ_SLICE_SYNC, _TUNABLE_INVALID, USEC_PER_MSEC, 0 },
        { SCHEDULER_MQ_DEADLINE, TUNABLE_MQ_DEADLINE_FIFO_BATCH, _TUNABLE_INVALID, 0, FIFO_BATCH_FLOOR },
        { SCHEDULER_MQ_DEADLINE, TUNABLE_MQ_DEADLINE_READ_EXPIRE, _TUNABLE_INVALID, USEC_PER_MSEC, READ_EXPIRE_FLOOR_MS },
};

/* cfq has the law built in since it has target_latency, unless low_latency was switched off. */
static bool cfq_shares_by_itself(const struct device_facts *f) {
        return f->values[TUNABLE_CFQ_TARGET_LATENCY].present && f->values[TUNABLE_CFQ_LOW_LATENCY].number != 0;
}

static bool applies(const struct controller_device *d, const struct share *s) {
        const struct device_facts *f = &d->facts;

        if (s->scheduler != f->scheduler)
                return false;
        if (s->scheduler != SCHEDULER_CFQ)
                return true;
        if (cfq_shares_by_itself(f)) /* and of the twins take the finer that is there */
                return false;
        return s->tunable == TUNABLE_CFQ_SLICE_SYNC_US || !f->values[TUNABLE_CFQ_SLICE_SYNC_US].present;
}

static bool make_wish(const struct controller_device *d, const struct share *s, const struct verdict *shared, struct law_wish *ret) {
        const struct policy_slice_share *p = &d->policy->slice_share;
        uint32_t n = (uint32_t) verdict_evidence(shared, "readers", 0);
        int64_t original, idle_us = 0, value;
        uint64_t share_us;

        if (!law_original(d, s->tunable, &original) || original <= 0)
                return false;
        *ret = (struct law_wish){ .law = LAW_SLICE_SHARE, .tunable = s->tunable, .costs_throughput = true };
        str_copy(ret->sentence, sizeof(ret->sentence), shared->sentence);
        if (s->us_per_unit == 0) {
                value = MAX(original * SEED_PROCESSES / n, s->floor);
                SAY(ret->sentence, sizeof(ret->sentence), SAY_SLICE_COUNT, tunable_get(s->tunable)->name, original, n, s->floor, value);
        } else {
                uint64_t floor_us = p->floor_us;
                if (s->idle == _TUNABLE_INVALID || !law_original(d, s->idle, &idle_us) || idle_us <= 0)
                        idle_us = DEFAULT_IDLE_US;
                if (s->floor)
                        floor_us = (uint64_t) s->floor * s->us_per_unit;
                share_us = law_slice_share_us((uint64_t) original * s->us_per_unit, (uint64_t) idle_us, n, true);
                share_us = MIN(MAX(share_us, floor_us), (uint64_t) original * s->us_per_unit);
                value = (int64_t) (share_us / s->us_per_unit);
                SAY(ret->sentence, sizeof(ret->sentence), SAY_SLICE_SHARE, tunable_get(s->tunable)->name, original * s->us_per_unit, n, idle_us, floor_us, share_us);
        }
        ret->value = MIN(value, original);
        return true;
}

/* What goes first passes each reader that has a turn, however long that is: shorter ones would cost the readers throughput for nothing. So they keep their
 * turns, or have them back. */
static void spare(const struct law_input *l, struct law_wish *wish) {
        const struct stream_view *stream = law_stream_first(l);

        if (!stream || !law_original(l->d, wish->tunable, &wish->value))
                return;
        wish->at_once = law_holds(l->d, wish->tunable, LAW_SLICE_SHARE); /* not what a start was given */
        wish->spares = true;
        wish->costs_throughput = false;
        stream_describe(stream, wish->sentence, sizeof(wish->sentence));
        SAY(wish->sentence, sizeof(wish->sentence), SAY_SLICE_SPARED, tunable_get(wish->tunable)->name, wish->value);
}

static bool holds_any(const struct controller_device *d) {
        for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
                if (law_holds(d, shares[i].tunable, LAW_SLICE_SHARE))
                        return true;
        return false;
}

size_t law_slice_share(const struct law_input *l, struct law_wish *ret) {
        const struct controller_device *d = l->d;
        const struct policy_slice_share *p = &d->policy->slice_share;
        const struct verdict *shared = law_find_verdict(l, VERDICT_SHARED);
        size_t n = 0;

        /* A reader of a little here and there ends its turn by itself; and where no user waits, none is to be spared. */
        if (!p->enabled || !shared || verdict_evidence(shared, "readers", 0) < p->min_readers ||
            verdict_evidence(shared, "small-readers", 0) >= (holds_any(d) ? NEARLY_ALL_PERMILLE : MOSTLY_PERMILLE) ||
            (law_nobody_waits(l) && l->in->hold != HOLD_THROUGHPUT))
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(shares); i++)
                if (applies(d, &shares[i]) && make_wish(d, &shares[i], shared, &ret[n])) {
                        if (shares[i].scheduler == SCHEDULER_BFQ)
                                spare(l, &ret[n]);
                        n++;
                }
        return n;
}

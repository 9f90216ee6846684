/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many requests may stand in a drive's queue while a process's reads must not wait for what is written: the lever that
 * stream-guard and writeback-guard share.
 *
 * Little's law: one that comes behind n requests of a drive that takes s for each waits for n * s. The drive chooses which it serves
 * first among those that it has, so that is the longest wait, not the mean. In powers of two, as blk-wbt scales its depth
 * (block/blk-rq-qos.c, rq_depth_calc_max_depth()). docs/laws.md has the account and the figures. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* The kernel takes no fewer (BLKDEV_MIN_RQ); and two writes at a time are what a disk with heads needs to not miss a turn between neighbours. */
#define REQUESTS_MIN 4u
/* A second with fewer requests does not tell what one takes. */
#define TELLING_REQUESTS 5u

uint32_t law_write_requests(uint32_t longest_wait_us, uint32_t service_us, uint32_t readers) {
        uint32_t most = MAX(longest_wait_us / MAX(service_us, 1u), REQUESTS_MIN), n = REQUESTS_MIN;

        while (n <= most / 2)
                n *= 2;
        while (n < readers && n <= UINT32_MAX / 2) /* each reader has one, or the queue itself is what they wait for */
                n *= 2;
        return n;
}

struct write_load law_write_load(const struct device_view *view) {
        uint64_t sectors = 0, read_sectors = 0, requests = 0, span_us = 0, busy_ms = 0;
        struct write_load load = { 0 };

        for (size_t i = 0; view && i < WRITING_SECONDS; i++) {
                const struct writing_second *s = &view->writing[i];
                span_us += s->span_us;
                sectors += s->write_sectors;
                read_sectors += s->read_sectors;
                if (s->reads + s->writes < TELLING_REQUESTS || s->write_sectors < s->read_sectors)
                        continue;
                requests += (uint64_t) s->reads + s->writes;
                busy_ms += s->busy_ms;
        }
        if (span_us > 0) {
                load.bytes_per_s = sectors * SECTOR_BYTES * USEC_PER_SEC / span_us;
                load.read_bytes_per_s = read_sectors * SECTOR_BYTES * USEC_PER_SEC / span_us;
        }
        if (requests > 0)
                load.service_us = (uint32_t) MIN(busy_ms * USEC_PER_MSEC / requests, UINT32_MAX);
        return load;
}

/* Which tunable bounds what is written, and its part of the queue's requests. */
struct lever {
        enum scheduler scheduler;
        enum tunable_id tunable;
        uint32_t divisor;
};

static const struct lever levers[] = {
        /* bfq keeps a quarter of them for reads alone, and half from background writes (bfq_update_depths()). */
        { SCHEDULER_BFQ, TUNABLE_QUEUE_NR_REQUESTS, 1 },
        { SCHEDULER_MQ_DEADLINE, TUNABLE_MQ_DEADLINE_ASYNC_DEPTH, 2 },
};

/* While nr_requests changes the queue is frozen until all that it has is done, and all wait: so half or twice of what stands is near enough, unless a
 * reader would have none. Returns what to stand. */
static uint32_t settle(const struct law_input *l, enum tunable_id id, enum law_id law, uint32_t n) {
        int64_t standing = l->d->facts.values[id].number;

        if (!(tunable_get(id)->flags & TUNABLE_FREEZES) || !law_holds(l->d, id, law) || standing < l->view->readers || n > standing * 2 || n < standing / 2)
                return n;
        return (uint32_t) standing;
}

/* For how long the queue would stand still, were the number of its requests changed now. What is under way may be that of the drive alone, on older kernels:
 * then it is what was on average, which counts those that wait in the scheduler, too. */
static uint32_t under_way(const struct law_input *l) {
        uint32_t average = l->view->depth_milli / 1000;

        return l->view->inflight <= l->d->facts.queue_depth ? MAX(l->view->inflight, average) : l->view->inflight;
}

static uint64_t freeze_us(const struct law_input *l, const struct write_load *load) {
        return (uint64_t) under_way(l) * load->service_us;
}

/* Set by either guard, or what they advise: so that both want the same. */
static bool is_bound_by(const struct controller_device *d, enum tunable_id id) {
        return law_stands(d, id, LAW_STREAM_GUARD) || law_stands(d, id, LAW_WRITEBACK_GUARD);
}

bool law_would_serve_strictly(const struct controller_device *d) {
        return is_bound_by(d, TUNABLE_QUEUE_NR_REQUESTS) && law_can_serve_one_at_a_time(d);
}

/* Set, or about to be. */
static bool is_one_at_a_time(const struct law_input *l) {
        const struct controller_tunable *t = &l->d->tunables[TUNABLE_BFQ_STRICT_GUARANTEES];

        return (t->owner == OWNER_BRIO ? t->wanted : l->d->facts.values[TUNABLE_BFQ_STRICT_GUARANTEES].number) != 0;
}

size_t law_give_back(const struct law_input *l, enum law_id law, enum tunable_id kept, const char *because, struct law_wish *ret) {
        size_t n = 0;

        /* One wish may stand before these. */
        for (enum tunable_id id = 0; id < _TUNABLE_MAX && n < LAW_WISHES_MAX - 1; id++) {
                int64_t original;
                if (id == kept || !law_holds(l->d, id, law) || !law_original(l->d, id, &original))
                        continue;
                ret[n] = (struct law_wish){ .law = law, .tunable = id, .value = original, .at_once = true };
                str_copy(ret[n++].sentence, sizeof(ret->sentence), because);
        }
        return n;
}

/* Of few requests a program that starts has too small a share, however much it weighs: it takes long, and what else it has to do makes the stream wait
 * meanwhile. So it has them all once the drive serves one at a time: few are under way, so the queue does not stop for long. Returns the number of wishes;
 * *ret_settled: there are no more. */
static size_t make_room_for_start(const struct law_input *l, const struct write_bound *b, struct law_wish *ret, bool *ret_settled) {
        bool few = law_holds(l->d, TUNABLE_QUEUE_NR_REQUESTS, b->law);

        *ret_settled = false;
        if (!law_find_verdict(l, VERDICT_STARTUP) || !law_can_serve_one_at_a_time(l->d))
                return 0;
        law_one_at_a_time(b, &ret[0]);
        SAY(ret[0].sentence, sizeof(ret[0].sentence), SAY_START_ONE);
        *ret_settled = !few || is_one_at_a_time(l);
        if (!few || !*ret_settled)
                return 1;
        return 1 + law_give_back(l, b->law, TUNABLE_BFQ_STRICT_GUARANTEES,
                                 statement_plain(SAY_START_NEEDS_ONE), &ret[1]);
}

/* What there is while the queue holds too much to be stopped: how much it holds swings, and once it was stopped for fewer requests these stay.
 * And while the controller would not set fewer yet. */
static bool serve_one_at_a_time(const struct law_input *l, const struct write_bound *b, const struct write_load *load, struct law_wish *ret) {
        bool stops = freeze_us(l, load) > b->longest_freeze_us;

        if (!law_can_serve_one_at_a_time(l->d) || is_bound_by(l->d, TUNABLE_QUEUE_NR_REQUESTS) ||
            (!stops && !controller_has_just_returned(l->d, TUNABLE_QUEUE_NR_REQUESTS, l->in->now)))
                return false;
        law_one_at_a_time(b, ret);
        if (!stops) {
                SAY(ret->sentence, sizeof(ret->sentence), SAY_RETURNED_ONE);
                return true;
        }
        SAY(ret->sentence, sizeof(ret->sentence), SAY_FREEZE_ONE, under_way(l), freeze_us(l, load), b->longest_freeze_us);
        return true;
}

static uint32_t count_readers(const struct law_input *l) {
        return MAX(l->view->readers, l->view->readers_smoothed);
}

/* Little's law, for this drive now. */
static uint32_t wanted_requests(const struct law_input *l, const struct write_bound *b, const struct write_load *load) {
        return law_write_requests(b->longest_wait_us, load->service_us, count_readers(l));
}

static void say_why(const struct law_input *l, const struct write_bound *b, const struct write_load *load, const struct lever *lever, int64_t base,
                    struct law_wish *ret) {
        uint32_t wanted = wanted_requests(l, b, load) / lever->divisor;

        str_copy(ret->sentence, sizeof(ret->sentence), b->because);
        SAY(ret->sentence, sizeof(ret->sentence), lever->divisor > 1 ? SAY_WRITE_BOUND_HALF : SAY_WRITE_BOUND, tunable_get(lever->tunable)->name, b->longest_wait_us,
            load->service_us, REQUESTS_MIN, count_readers(l), wanted, base);
        if (ret->value != wanted)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_NEAR_ENOUGH, ret->value);
}

/* Once fewer requests stand, one at a time has had its time: it stays no longer than others' settings. Returns the number of wishes. */
static size_t let_go(const struct law_input *l, const struct write_bound *b, struct law_wish *ret) {
        enum tunable_id id = TUNABLE_BFQ_STRICT_GUARANTEES;
        int64_t original;

        if (!law_holds(l->d, id, b->law) || !law_holds(l->d, TUNABLE_QUEUE_NR_REQUESTS, b->law) || !law_original(l->d, id, &original))
                return 0;
        *ret = (struct law_wish){ .law = b->law, .tunable = id, .value = original };
        return 1;
}

size_t law_bound_writes(const struct law_input *l, const struct write_bound *b, struct law_wish *ret) {
        struct write_load load = law_write_load(l->view);

        if (load.service_us == 0)
                return 0;
        for (size_t i = 0; i < ARRAY_SIZE(levers); i++) {
                uint32_t n = settle(l, levers[i].tunable, b->law, wanted_requests(l, b, &load) / levers[i].divisor);
                bool settled;
                size_t made;
                int64_t original;
                if (levers[i].scheduler != l->d->facts.scheduler || !law_original(l->d, levers[i].tunable, &original) || original <= n)
                        continue;
                made = make_room_for_start(l, b, ret, &settled);
                if (settled)
                        return made;
                if (made == 0 && serve_one_at_a_time(l, b, &load, ret))
                        return 1;
                ret[made] = (struct law_wish){ .law = b->law, .tunable = levers[i].tunable, .value = n, .hold_us = b->hold_us, .costs_throughput = true };
                say_why(l, b, &load, &levers[i], original, &ret[made]);
                return made + 1 + (made == 0 ? let_go(l, b, &ret[1]) : 0);
        }
        return 0;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is written is bound while a process's reads must not wait for it: the lever that stream-guard and writeback-guard share.
 *
 * Little's law: one that comes behind n requests of a drive that takes s for each waits for n * s. The drive chooses which it serves
 * first among those that it has, so that is the longest wait, not the mean. In powers of two, as blk-wbt scales its depth
 * (block/blk-rq-qos.c, rq_depth_calc_max_depth()). The queue's own size is left alone: to change it the kernel stops the queue until all that it has is
 * done. docs/laws.md has the account and the figures. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* Two writes at a time are what a disk with heads needs to not miss a turn between neighbours. */
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

size_t law_give_back(const struct law_input *l, enum law_id law, const char *because, struct law_wish *ret) {
        size_t n = 0;

        for (enum tunable_id id = 0; id < _TUNABLE_MAX && n < LAW_WISHES_MAX; id++) {
                int64_t original;
                if (!law_holds(l->d, id, law) || !law_original(l->d, id, &original))
                        continue;
                ret[n] = (struct law_wish){ .law = law, .tunable = id, .value = original, .at_once = true };
                str_copy(ret[n++].sentence, sizeof(ret->sentence), because);
        }
        return n;
}

static uint32_t count_readers(const struct law_input *l) {
        return MAX(l->view->readers, l->view->readers_smoothed);
}

/* bfq has nothing between that and as many as it likes which is set without a stop. */
static size_t serve_one_at_a_time(const struct law_input *l, const struct write_bound *b, const struct write_load *load, uint32_t n, struct law_wish *ret) {
        int64_t original;

        if (!law_can_serve_one_at_a_time(l->d) || !law_original(l->d, TUNABLE_QUEUE_NR_REQUESTS, &original) || original <= n)
                return 0;
        law_one_at_a_time(b, ret);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_WRITE_ONE, b->longest_wait_us, n, load->service_us, original);
        return 1;
}

static size_t bound_depth(const struct law_input *l, const struct write_bound *b, const struct write_load *load, uint32_t n, struct law_wish *ret) {
        enum tunable_id id = TUNABLE_MQ_DEADLINE_ASYNC_DEPTH;
        int64_t original;

        if (!law_original(l->d, id, &original) || original <= n / 2)
                return 0;
        *ret = (struct law_wish){ .law = b->law, .tunable = id, .value = n / 2, .hold_us = b->hold_us, .costs_throughput = true };
        str_copy(ret->sentence, sizeof(ret->sentence), b->because);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_WRITE_BOUND_HALF, tunable_get(id)->name, b->longest_wait_us, load->service_us, REQUESTS_MIN,
            count_readers(l), n / 2, original);
        return 1;
}

size_t law_bound_writes(const struct law_input *l, const struct write_bound *b, struct law_wish *ret) {
        struct write_load load = law_write_load(l->view);
        uint32_t n;

        if (load.service_us == 0)
                return 0;
        n = law_write_requests(b->longest_wait_us, load.service_us, count_readers(l));
        if (l->d->facts.scheduler == SCHEDULER_BFQ)
                return serve_one_at_a_time(l, b, &load, n, ret);
        return l->d->facts.scheduler == SCHEDULER_MQ_DEADLINE ? bound_depth(l, b, &load, n, ret) : 0;
}

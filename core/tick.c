/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "tick.h"

static uint32_t value_of(const struct device_facts *f, enum tunable_id id) {
        return f->values[id].present && f->values[id].numeric && f->values[id].number > 0 ? (uint32_t) MIN(f->values[id].number, UINT32_MAX) : 0;
}

/* bfq keeps timeout_sync in jiffies, so that its 125 ms as it comes tell how long these are. */
static uint32_t hz_of(const struct device_facts *f) {
        static const struct {
                uint32_t ms, hz;
        } shown[] = { { 120, 100 }, { 123, 300 }, { 124, 250 }, { 125, 1000 } };

        for (size_t i = 0; i < ARRAY_SIZE(shown); i++)
                if (value_of(f, TUNABLE_BFQ_TIMEOUT_SYNC) == shown[i].ms)
                        return shown[i].hz;
        return 0;
}

static uint32_t wait_of(const struct device_facts *f) {
        if (f->scheduler == SCHEDULER_BFQ)
                return value_of(f, TUNABLE_BFQ_SLICE_IDLE_US);
        if (f->scheduler != SCHEDULER_CFQ)
                return 0;
        return f->values[TUNABLE_CFQ_SLICE_IDLE_US].present ? value_of(f, TUNABLE_CFQ_SLICE_IDLE_US) :
                                                              (uint32_t) MIN(value_of(f, TUNABLE_CFQ_SLICE_IDLE) * USEC_PER_MSEC, UINT32_MAX);
}

/* bfq and cfq go by class, level and group; mq-deadline by class alone, since it has prio_aging_expire (5.16); the others by none.
 * Of weights that blk-iocost honours nothing is told (daemon/io-weight.h). */
struct drive_settings tick_settings(const struct device_facts *f) {
        bool fair = f->scheduler == SCHEDULER_BFQ || f->scheduler == SCHEDULER_CFQ;
        const char *name = scheduler_to_string(f->scheduler);

        return (struct drive_settings){
                .known = f->scheduler != SCHEDULER_OTHER && f->scheduler != SCHEDULER_ANY,
                .rotational = f->rotational,
                .idles = fair,
                .wait_us = wait_of(f),
                .honours_class = fair || (f->scheduler == SCHEDULER_MQ_DEADLINE && f->values[TUNABLE_MQ_DEADLINE_PRIO_AGING_EXPIRE].present),
                .honours_level = fair,
                .honours_weight = fair,
                .scheduler = !name ? "" : f->scheduler == SCHEDULER_NONE ? "a drive without a scheduler" : name,
                .wbt_us = value_of(f, TUNABLE_QUEUE_WBT_LAT_USEC),
                .nr_requests = value_of(f, TUNABLE_QUEUE_NR_REQUESTS),
                .queue_depth = f->queue_depth,
                .turns = f->scheduler == SCHEDULER_BFQ && f->values[TUNABLE_BFQ_SLICE_IDLE_US].present,
                .low_latency = value_of(f, TUNABLE_BFQ_LOW_LATENCY),
                .slice_idle_us = value_of(f, TUNABLE_BFQ_SLICE_IDLE_US),
                .turn_ms = value_of(f, TUNABLE_BFQ_TIMEOUT_SYNC),
                .hz = hz_of(f),
        };
}

void tick_observe(struct model *m, const struct controller *c, nsec_t now, struct snapshot *ret) {
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                if (c->devices[i].used) {
                        struct drive_settings settings = tick_settings(&c->devices[i].facts);
                        settings.throttled = controller_holds(&c->devices[i], LAW_WRITEBACK_GUARD);
                        model_set_settings(m, c->devices[i].facts.dev, &settings);
                }
        model_expire(m, now);
        model_snapshot(m, now, ret);
}

size_t tick_decide(struct detectors *d, struct controller *c, struct controller_input *in, struct verdict *verdicts, struct plan *ret) {
        in->n_verdicts = detectors_run(d, in->snapshot, verdicts);
        in->verdicts = verdicts;
        controller_step(c, in, ret);
        return in->n_verdicts;
}

void tick_note_starts(struct model *m, const struct verdict *verdicts, size_t n, nsec_t now) {
        for (size_t i = 0; i < n; i++)
                if (verdicts[i].kind == VERDICT_STARTUP)
                        model_note_startup_verdict(m, verdicts[i].subject.tgid, now);
}

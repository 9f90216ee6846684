/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "detector.h"
#include "detect.h"
#include "macro.h"

int64_t verdict_evidence(const struct verdict *v, const char *name, int64_t fallback) {
        for (size_t i = 0; i < v->n_evidence; i++)
                if (streq(v->evidence[i].name, name))
                        return v->evidence[i].value;
        return fallback;
}

uint16_t detector_confidence(const struct snapshot *s, const struct device_view *v) {
        unsigned confidence = v->inferred_readers ? CONFIDENCE_INFERRED : CONFIDENCE_OBSERVED;

        if (snapshot_loss_matters(s->last_loss, s->now))
                confidence /= 2;
        return (uint16_t) confidence;
}

/* Why the confidence is what it is. */
static void add_loss(const struct snapshot *s, struct verdict *v) {
        if (s->lost_lately > 0 && v->n_evidence < VERDICT_EVIDENCE_MAX)
                v->evidence[v->n_evidence++] = (struct evidence){ "events-lost", (int64_t) MIN(s->lost_lately, (uint64_t) INT64_MAX), 0, "" };
}

static const detect_fn detectors[_VERDICT_KIND_MAX] = {
        [VERDICT_MANY_SYNC] = detect_many_sync,
        [VERDICT_SHARED] = detect_shared,
};

/* Finds or makes the drive's. NULL where all are taken. */
static struct detector_memory *get_memory(struct detectors *d, uint32_t dev) {
        struct detector_memory *free_slot = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(d->memory); i++) {
                if (d->memory[i].dev == dev)
                        return &d->memory[i];
                if (!free_slot && d->memory[i].dev == 0)
                        free_slot = &d->memory[i];
        }
        if (free_slot)
                *free_slot = (struct detector_memory){ .dev = dev };
        return free_slot;
}

static void forget_gone(struct detectors *d, const struct snapshot *s) {
        for (size_t i = 0; i < ARRAY_SIZE(d->memory); i++)
                if (d->memory[i].dev && !snapshot_find_device(s, d->memory[i].dev))
                        d->memory[i] = (struct detector_memory){ 0 };
}

size_t detectors_run(struct detectors *d, const struct snapshot *s, struct verdict *ret) {
        size_t n = 0;

        forget_gone(d, s);
        for (size_t i = 0; i < s->n_devices; i++) {
                struct detector_memory *memory = get_memory(d, s->devices[i].dev);
                for (int k = 0; memory && k < _VERDICT_KIND_MAX; k++) {
                        struct verdict *v = &ret[n];
                        if (!detectors[k](s, &s->devices[i], memory->since[k] != 0, v)) {
                                memory->since[k] = 0;
                                continue;
                        }
                        if (!memory->since[k])
                                memory->since[k] = s->now;
                        v->kind = (enum verdict_kind) k;
                        v->dev = s->devices[i].dev;
                        v->since = memory->since[k];
                        add_loss(s, v);
                        n++;
                }
        }
        return n;
}

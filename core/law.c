/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law-private.h"

const struct verdict *law_find_verdict(const struct law_input *l, enum verdict_kind kind) {
        return verdicts_find(l->v, l->n, kind, 0, NULL);
}

const struct verdict *law_find_start(const struct controller_input *in, uint32_t dev) {
        return verdicts_find(in->verdicts, in->n_verdicts, VERDICT_STARTUP, dev, NULL);
}

bool law_starves(const struct stream_view *s) {
        return s->state == STREAM_NEAR_MISS && s->figures.flaw == RHYTHM_STARVES;
}

enum tunable_id law_idle_tunable(const struct device_facts *f) {
        if (f->scheduler == SCHEDULER_BFQ)
                return TUNABLE_BFQ_SLICE_IDLE_US;
        if (f->scheduler == SCHEDULER_CFQ) /* before 4.8 there are milliseconds alone */
                return f->values[TUNABLE_CFQ_SLICE_IDLE_US].present ? TUNABLE_CFQ_SLICE_IDLE_US : TUNABLE_CFQ_SLICE_IDLE;
        return _TUNABLE_INVALID;
}

bool law_waits_for_readers(const struct device_facts *f) {
        return f->rotational || f->queue_depth == 1;
}

bool law_holds(const struct controller_device *d, enum tunable_id id, enum law_id law) {
        return d->tunables[id].owner == OWNER_BRIO && d->tunables[id].law == law;
}

bool law_stands(const struct controller_device *d, enum tunable_id id, enum law_id law) {
        return law_holds(d, id, law) || (d->tunables[id].advice_known && d->tunables[id].law == law);
}

bool law_original(const struct controller_device *d, enum tunable_id id, int64_t *ret) {
        const struct controller_tunable *t = &d->tunables[id];

        if (!d->facts.values[id].present || !d->facts.values[id].numeric)
                return false;
        *ret = t->original_known ? t->original : d->facts.values[id].number;
        return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "macro.h"
#include "outcome.h"
#include "statement.h"
#include "str.h"

static bool same_key(const struct outcome_key *a, const struct outcome_key *b) {
        return a->class == b->class && a->scheduler == b->scheduler && a->law == b->law && streq(a->model, b->model) && streq(a->workload, b->workload);
}

static struct outcome *find(struct outcomes *o, const struct outcome_key *key) {
        for (size_t i = 0; i < ARRAY_SIZE(o->entries); i++)
                if (o->entries[i].until > 0 && same_key(&o->entries[i].key, key))
                        return &o->entries[i];
        return NULL;
}

const struct outcome *outcomes_find_any(const struct outcomes *o, const struct outcome_key *key) {
        return find((struct outcomes *) o, key);
}

const struct outcome *outcomes_find(const struct outcomes *o, const struct outcome_key *key, nsec_t now) {
        const struct outcome *found = outcomes_find_any(o, key);

        return found && now < found->until ? found : NULL;
}

void outcomes_add(struct outcomes *o, const struct outcome *outcome) {
        struct outcome *slot = find(o, &outcome->key);

        if (!slot) {
                slot = &o->entries[0];
                for (size_t i = 1; i < ARRAY_SIZE(o->entries); i++)
                        if (o->entries[i].until < slot->until)
                                slot = &o->entries[i];
        }
        *slot = *outcome;
        slot->until = MAX(slot->until, 1u);
        o->changes++;
}

char *outcome_format(const struct outcome *o, char *buf, size_t size) {
        static const enum statement_id decided[_TRIAL_MEASURE_MAX] = {
                [TRIAL_NOT_MEASURED] = SAY_TRIAL_MEAN_READ,
                [TRIAL_MEAN_READ] = SAY_TRIAL_MEAN_READ,
                [TRIAL_LONGEST_READ] = SAY_TRIAL_LONGEST_READ,
                [TRIAL_THROUGHPUT] = SAY_TRIAL_THROUGHPUT,
        };
        const struct trial_figures *f = &o->figures;
        uint32_t scale = f->measure == TRIAL_THROUGHPUT ? 1024 : 1;

        *buf = '\0';
        SAY(buf, size, SAY_TRIAL_CHANGE, o->change);
        if (f->p95_after_us)
                SAY(buf, size, SAY_TRIAL_P95, f->p95_before_us, f->p95_after_us);
        SAY(buf, size, decided[f->measure], (uint64_t) f->before * scale, (uint64_t) f->after * scale, f->n_before, f->n_after);
        if (o->result == OUTCOME_NEITHER)
                SAY(buf, size, SAY_TRIAL_UNSURE);
        else
                SAY(buf, size, SAY_TRIAL_CONFIDENCE, f->confidence_permille);
        return buf;
}

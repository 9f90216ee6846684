/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <stdio.h>

#include "macro.h"
#include "outcome.h"
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
        char figures[64];

        snprintf(buf, size, "%s: %s %s, %" PRIu32 " samples against %" PRIu32, o->change, trial_measure_name(o->measure),
                 trial_format_change(o->measure, o->before, o->after, figures, sizeof(figures)), o->n_before, o->n_after);
        if (o->result == OUTCOME_NEITHER)
                str_append(buf, size, ", no difference that is sure");
        else
                str_append(buf, size, ", confidence %" PRIu32 ".%" PRIu32 " %%", o->confidence_permille / 10, o->confidence_permille % 10);
        return buf;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "law-private.h"

const struct verdict *law_find_verdict(const struct law_input *l, enum verdict_kind kind) {
        for (size_t i = 0; i < l->n; i++)
                if (l->v[i].kind == kind)
                        return &l->v[i];
        return NULL;
}

bool law_original(const struct controller_device *d, enum tunable_id id, int64_t *ret) {
        const struct controller_tunable *t = &d->tunables[id];

        if (!d->facts.values[id].present || !d->facts.values[id].numeric)
                return false;
        *ret = t->original_known ? t->original : d->facts.values[id].number;
        return true;
}

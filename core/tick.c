/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tick.h"

void tick_observe(struct model *m, nsec_t now, struct snapshot *ret) {
        model_expire(m, now);
        model_snapshot(m, now, ret);
}

size_t tick_decide(struct detectors *d, struct controller *c, struct controller_input *in, struct verdict *verdicts, struct plan *ret) {
        in->n_verdicts = detectors_run(d, in->snapshot, verdicts);
        in->verdicts = verdicts;
        controller_step(c, in, ret);
        return in->n_verdicts;
}

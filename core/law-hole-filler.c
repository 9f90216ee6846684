/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law hole-filler, seed 004 (Valente 2019): while the drive waits for one process's next request, others may be served, as far as that does not hurt the
 * one: as long as its reads take less than 1.5 times what they take alone. bfq does so by itself since 5.2; what is left of the holes is
 * closed by shorter waits, and given back once it hurts. docs/laws.md has the account. */
#include <inttypes.h>
#include <stdio.h>

#include "injection.h"
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* Half of the wait goes after each of these, so that what it costs is measured before the next half. What is left after three is none: bfq waits 20 ms
 * for a favoured process, however short slice_idle is, unless it is 0. */
#define STEP_NS (2 * NSEC_PER_SEC)
#define STEPS 3

int64_t law_hole_filler_value(int64_t base, nsec_t stands) {
        uint64_t steps = 1 + stands / STEP_NS;

        return steps > STEPS ? 0 : base >> steps;
}

/* Why others are not to be served in the pauses; NULL where they may. */
static const char *who_minds(const struct law_input *l, int64_t cost) {
        if (law_find_verdict(l, VERDICT_STARTUP))
                return statement_plain(SAY_WAIT_FOR_START);
        if (law_find_verdict(l, VERDICT_SOFT_RT))
                return statement_plain(SAY_WAIT_FOR_PLAYER);
        return cost >= INJECTION_SLOW_PERMILLE ? statement_plain(SAY_IT_HURTS) : NULL;
}

size_t law_hole_filler(const struct law_input *l, struct law_wish *ret) {
        const struct controller_device *d = l->d;
        const struct verdict *holes = law_find_verdict(l, VERDICT_HOLES);
        enum tunable_id id = law_idle_tunable(&d->facts);
        const char *minds;
        int64_t original, cost;
        nsec_t stands;
        bool ours;

        if (!d->policy->hole_filler.enabled || !holes || id == _TUNABLE_INVALID || !law_original(d, id, &original) || original <= 0)
                return 0;
        ours = law_holds(d, id, LAW_HOLE_FILLER);
        cost = verdict_evidence(holes, "injection-cost", 0);
        minds = who_minds(l, cost);
        if (!ours && (minds || cost == 0)) /* nothing to give back, or not measured */
                return 0;
        stands = nsec_sub(l->in->now, holes->since);
        *ret = (struct law_wish){ .law = LAW_HOLE_FILLER, .tunable = id, .at_once = true };
        ret->value = minds ? original : law_hole_filler_value(original, stands);
        str_copy(ret->sentence, sizeof(ret->sentence), holes->sentence);
        if (minds)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_HOLE_FILLER_ENDS, minds, tunable_get(id)->name, original);
        else
                SAY(ret->sentence, sizeof(ret->sentence), SAY_HOLE_FILLER, tunable_get(id)->name, original, stands / NSEC_PER_SEC, ret->value);
        return 1;
}

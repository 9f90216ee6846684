/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law throughput: where nobody waits, nobody needs to be favoured. low_latency of bfq gives whoever begins to read short turns that come soon, that of
 * cfq shortens everybody's; without it each turn is long. docs/laws.md has the figures. */
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

const char *law_nobody_waits(const struct law_input *l) {
        if (law_find_verdict(l, VERDICT_STARTUP) || law_find_verdict(l, VERDICT_SOFT_RT) || l->in->hold == HOLD_INTERACTIVE)
                return NULL;
        if (l->in->hold == HOLD_THROUGHPUT)
                return "somebody holds \"throughput\"";
        return l->in->snapshot->presence == PRESENCE_NOBODY ? "nobody is at the machine" : NULL;
}

static enum tunable_id favours(enum scheduler s) {
        return s == SCHEDULER_BFQ ? TUNABLE_BFQ_LOW_LATENCY : s == SCHEDULER_CFQ ? TUNABLE_CFQ_LOW_LATENCY : _TUNABLE_INVALID;
}

size_t law_throughput(const struct law_input *l, struct law_wish *ret) {
        const struct controller_device *d = l->d;
        const struct verdict *load = law_find_verdict(l, VERDICT_SHARED);
        enum tunable_id id = favours(d->facts.scheduler);
        const char *why = law_nobody_waits(l);
        int64_t original;

        if (!load)
                load = law_find_verdict(l, VERDICT_BULK);
        if (!d->policy->throughput.enabled || id == _TUNABLE_INVALID || !law_original(d, id, &original) || original == 0)
                return 0;
        *ret = (struct law_wish){ .law = LAW_THROUGHPUT, .tunable = id };
        if (why && load) {
                snprintf(ret->sentence, sizeof(ret->sentence), "%s, and %s: low_latency = 0, so that nobody's turn is cut short for another's", load->sentence, why);
                return 1;
        }
        if (why || !law_holds(d, id, LAW_THROUGHPUT))
                return 0;
        /* Who comes back must not wait for the time Hold. */
        ret->value = original;
        ret->at_once = true;
        str_copy(ret->sentence, sizeof(ret->sentence), "somebody may wait again: who starts is favoured again");
        return 1;
}

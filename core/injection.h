/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What it costs a process that others are served while it pauses (seed 004; block/bfq-iosched.c, bfq_update_inject_limit()).
 *
 * Measured at the first request after a pause with nothing under way: from its queuing to its completion. Alone, with an idle
 * drive and none served in the pause, it gives the baseline, as does whatever is faster; with others served in the pause
 * and still at the drive, what injection makes of it. bfq allows one more of them below 1.5 times the baseline, and one less from there
 * on (facts of bfq_update_inject_limit(); that it begins anew every second is left out: what counts here is what it learns). In ns. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

#define INJECTION_SLOW_PERMILLE 1500 /* of the baseline: from here on it hurts (seed 004) */

struct injection {
        uint32_t others;      /* requests of others that went to the drive in the running pause */
        bool beside;          /* what is being measured has others' requests beside it */
        nsec_t measured;      /* when it was queued; 0: nothing is being measured */
        nsec_t alone;         /* the baseline; 0: unknown */
        nsec_t injected;      /* mean with others beside, that forgets an eighth a sample; 0: unknown */
        uint32_t limit;       /* requests that may be under way in its pauses, as bfq would have learnt it; 0: not learnt */
        uint32_t most;        /* that were at the drive at a time; the limit goes no further than one beyond */
};

/* Another process's request goes to the drive in the pause. most: requests that have been there at a time. */
void injection_other(struct injection *i, uint32_t most);

/* The pause ends with a request. counts: it was a pause that a scheduler waits through. at_work: the drive is.
 * Returns how many requests of others were served in it. */
uint32_t injection_ask(struct injection *i, nsec_t t, bool counts, bool at_work);

/* A request that was queued then is done. */
void injection_done(struct injection *i, nsec_t queued, nsec_t t);

/* injected / alone in thousandths; 0: not known. */
uint32_t injection_permille(const struct injection *i);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law throughput: where no user waits, turns may be long, and no process needs to be favoured. docs/laws.md has the account. */
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "str.h"

/* As much in PACE_SECONDS is a load, of whichever processes. None steps back for it, so that it need not be known which goes on and for how long, which takes
 * verdict bulk five seconds; a log or a mail is far less. While the law stands, half of it. */
#define MUCH_BYTES (16u << 20)

const char *law_nobody_waits(const struct law_input *l) {
        if (law_find_verdict(l, VERDICT_STARTUP) || law_find_verdict(l, VERDICT_SOFT_RT) || l->in->hold == HOLD_INTERACTIVE)
                return NULL;
        if (l->in->hold == HOLD_THROUGHPUT)
                return statement_plain(SAY_HOLDS_THROUGHPUT);
        return l->in->snapshot->presence == PRESENCE_NOBODY ? statement_plain(SAY_NO_USER) : NULL;
}

/* Of a turn of 125 ms the way of a disk's heads to the file takes a tenth; of one four times as long, a fortieth. */
#define LONG_TURN 4

/* What cuts turns short there: their longest duration on a drive with heads, which costs a way of the heads each; the favour for single processes elsewhere,
 * since bfq waits for the next request of each that it favours. cfq makes all turns shorter to favour one. */
static enum tunable_id cuts_turns_short(const struct device_facts *f) {
        if (f->scheduler == SCHEDULER_BFQ)
                return f->rotational ? TUNABLE_BFQ_TIMEOUT_SYNC : TUNABLE_BFQ_LOW_LATENCY;
        return f->scheduler == SCHEDULER_CFQ ? TUNABLE_CFQ_LOW_LATENCY : _TUNABLE_INVALID;
}

/* What there is to be moved, as a clause: whose it is, or how much. Returns whether it is worth anything. */
static bool find_load(const struct law_input *l, bool holds, char *buf, size_t size) {
        const struct verdict *load = law_find_verdict(l, VERDICT_SHARED);
        uint64_t bytes = l->view ? l->view->moved[REQUEST_READ].bytes + l->view->moved[REQUEST_WRITE].bytes : 0;

        *buf = '\0';
        if (!load)
                load = law_find_verdict(l, VERDICT_BULK);
        if (load)
                str_copy(buf, size, load->sentence);
        else
                SAY(buf, size, SAY_MOVED, bytes, PACE_SECONDS);
        return load || bytes >= (holds ? MUCH_BYTES / 2 : MUCH_BYTES);
}

size_t law_throughput(const struct law_input *l, struct law_wish *ret) {
        const struct controller_device *d = l->d;
        enum tunable_id id = cuts_turns_short(&d->facts);
        const char *why = law_nobody_waits(l);
        int64_t original;

        if (!d->policy->throughput.enabled || id == _TUNABLE_INVALID || !law_original(d, id, &original) || original == 0)
                return 0;
        *ret = (struct law_wish){ .law = LAW_THROUGHPUT, .tunable = id, .value = id == TUNABLE_BFQ_TIMEOUT_SYNC ? LONG_TURN * original : 0 };
        if (why) {
                if (!find_load(l, law_holds(d, id, LAW_THROUGHPUT), ret->sentence, sizeof(ret->sentence)))
                        return 0;
                SAY(ret->sentence, sizeof(ret->sentence), SAY_THROUGHPUT, why, tunable_get(id)->name, ret->value);
                return 1;
        }
        if (!law_holds(d, id, LAW_THROUGHPUT))
                return 0;
        /* A user that comes back must not wait for the time Hold. */
        ret->value = original;
        ret->at_once = true;
        SAY(ret->sentence, sizeof(ret->sentence), SAY_USER_MAY_WAIT);
        return 1;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of each law without asking it: where its policy is, and what its formula promises, in words that need no trial. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "policy-keys.h"
#include "str.h"

/* us in the tunable's unit; 0 where it is no time. */
static uint64_t unit_us(enum tunable_id id) {
        const char *unit = tunable_get(id)->unit;

        return streq(unit, "us") ? 1 : streq(unit, "ms") ? USEC_PER_MSEC : 0;
}

char *law_expect(enum law_id law, enum tunable_id tunable, int64_t from, int64_t to, uint32_t readers, char *buf, size_t size) {
        uint64_t unit = unit_us(tunable);

        *buf = '\0';
        if (unit == 0 || readers < 2 || from <= 0 || to < 0 || (law != LAW_IDLE_LIMIT && law != LAW_SLICE_SHARE))
                return buf;
        SAY(buf, size, law == LAW_IDLE_LIMIT ? SAY_EXPECT_IDLE : SAY_EXPECT_TURNS, readers, (uint64_t) to * unit * readers, (uint64_t) from * unit * readers);
        return buf;
}

#define UNDER(s) (1u << SCHEDULER_##s)

static const struct {
        const char *section; /* of a policy; NULL: it has none */
        unsigned schedulers; /* under which it has something to set */
        const char *when;
} laws[_LAW_MAX] = {
        [LAW_IDLE_LIMIT] = { "IdleLimit", UNDER(BFQ) | UNDER(CFQ), "many processes each read a little" },
        [LAW_SLICE_SHARE] = { "SliceShare", UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "more than three processes read much at once" },
        [LAW_HOLE_FILLER] = { "HoleFiller", UNDER(BFQ) | UNDER(CFQ), "the drive idles while requests wait for it" },
        [LAW_THROUGHPUT] = { "Throughput", UNDER(BFQ) | UNDER(CFQ), "no user is at the machine, or a program holds \"throughput\", and much is moved" },
        [LAW_STARTUP_GUARD] = { "StartupGuard", UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "an application starts while others move much" },
        [LAW_STREAM_GUARD] = { "StreamGuard", UNDER(BFQ) | UNDER(MQ_DEADLINE), "a program plays, records or calls beside much that is read or written" },
        [LAW_WRITEBACK_GUARD] = { "WritebackGuard", UNDER(BFQ) | UNDER(MQ_DEADLINE), "reads take long behind what is written" },
        [LAW_READAHEAD] = { "Readahead", UNDER(NONE) | UNDER(MQ_DEADLINE) | UNDER(BFQ) | UNDER(KYBER) | UNDER(CFQ),
                            "the drive is found, for the files that are opened from then on" },
        [LAW_STEP_BACK] = { "StepBack", UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "a process moves much without a pause" },
};

const char *law_acts_when(enum law_id law, enum scheduler scheduler) {
        return law >= 0 && law < _LAW_MAX && laws[law].schedulers & 1u << scheduler ? laws[law].when : NULL;
}

bool law_in_policy(const struct policy *p, enum law_id law, bool *ret_enabled, struct policy_source *ret_source) {
        if (!laws[law].section)
                return false;
        *ret_enabled = policy_is_enabled(p, laws[law].section, ret_source);
        return true;
}

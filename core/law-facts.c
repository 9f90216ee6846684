/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is known of each law without asking it: where its policy is, and what its formula promises, in words that need no trial. */
#include <inttypes.h>
#include <stdio.h>

#include "law.h"
#include "law-private.h"
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

const char *law_acts_when(enum law_id law, enum scheduler scheduler) {
        static const struct {
                unsigned schedulers;
                const char *words;
        } when[_LAW_MAX] = {
                [LAW_IDLE_LIMIT] = { UNDER(BFQ) | UNDER(CFQ), "many processes each read a little" },
                [LAW_SLICE_SHARE] = { UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "more than three processes read much at once" },
                [LAW_HOLE_FILLER] = { UNDER(BFQ) | UNDER(CFQ), "the drive idles while requests wait for it" },
                [LAW_THROUGHPUT] = { UNDER(BFQ) | UNDER(CFQ), "no user is at the machine, or a program holds \"throughput\", and much is moved" },
                [LAW_STARTUP_GUARD] = { UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "an application starts while others move much" },
                [LAW_STREAM_GUARD] = { UNDER(BFQ) | UNDER(MQ_DEADLINE), "a program plays, records or calls beside much that is read or written" },
                [LAW_WRITEBACK_GUARD] = { UNDER(BFQ) | UNDER(MQ_DEADLINE), "reads take long behind what is written" },
                [LAW_REQUEST_POOL] = { UNDER(BFQ), "the drive is quiet, so that there are requests enough before the next load" },
                [LAW_READAHEAD] = { UNDER(NONE) | UNDER(MQ_DEADLINE) | UNDER(BFQ) | UNDER(KYBER) | UNDER(CFQ), "always: for the files that are opened from then on" },
                [LAW_STEP_BACK] = { UNDER(BFQ) | UNDER(CFQ) | UNDER(MQ_DEADLINE), "a process moves much without a pause" },
        };

        return law >= 0 && law < _LAW_MAX && when[law].schedulers & 1u << scheduler ? when[law].words : NULL;
}

bool law_in_policy(const struct policy *p, enum law_id law, bool *ret_enabled, struct policy_source *ret_source) {
        switch (law) {
        case LAW_IDLE_LIMIT:
                *ret_enabled = p->idle_limit.enabled;
                *ret_source = p->idle_limit.source;
                return true;
        case LAW_SLICE_SHARE:
                *ret_enabled = p->slice_share.enabled;
                *ret_source = p->slice_share.source;
                return true;
        case LAW_HOLE_FILLER:
                *ret_enabled = p->hole_filler.enabled;
                *ret_source = p->hole_filler.source;
                return true;
        case LAW_THROUGHPUT:
                *ret_enabled = p->throughput.enabled;
                *ret_source = p->throughput.source;
                return true;
        case LAW_STARTUP_GUARD:
                *ret_enabled = p->startup_guard.enabled;
                *ret_source = p->startup_guard.source;
                return true;
        case LAW_STREAM_GUARD:
                *ret_enabled = p->stream_guard.enabled;
                *ret_source = p->stream_guard.source;
                return true;
        case LAW_WRITEBACK_GUARD:
                *ret_enabled = p->writeback_guard.enabled;
                *ret_source = p->writeback_guard.source;
                return true;
        case LAW_REQUEST_POOL:
                *ret_enabled = p->request_pool.enabled;
                *ret_source = p->request_pool.source;
                return true;
        case LAW_READAHEAD:
                *ret_enabled = p->readahead.enabled;
                *ret_source = p->readahead.source;
                return true;
        case LAW_STEP_BACK:
                *ret_enabled = p->step_back.enabled;
                *ret_source = p->step_back.source;
                return true;
        case LAW_NONE:
        case LAW_SCHEDULER:
        case LAW_PREFETCH:
        case LAW_RESTORE:
        case _LAW_MAX:
                break;
        }
        return false;
}

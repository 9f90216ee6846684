/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether bfq takes a process for a soft real-time one (a player, a recorder, a call), exactly as it decides that itself
 * (block/bfq-iosched.c: bfq_bfqq_softrt_next_start(), bfq_bfqq_handle_idle_busy_switch(), bfq_update_wr_data()).
 *
 * A busy period begins with a request B after a pause, and S sectors are served in it. Whenever nothing of the process is queued
 * or in flight, the earliest time at which its next period may begin is
 *
 *   next_start = max(next_start, B + S / rate, now + slice_idle + 4 jiffies)
 *
 * and it is soft real-time if it begins after that. That next_start never falls is the memory of the recent past (Valente 2017,
 * Linux 4.16): a process that was fast a moment ago has to be slow for long. Gaps up to the time that bfq waits for the next request
 * (slice_idle, or 20 ms for a process that is raised) do not end a period, so that B stays and S grows. All in jiffies, as in the
 * kernel: their length, HZ, is a parameter. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "units.h"

#define SOFT_RT_HZ 250                              /* Debian, openSUSE, Ubuntu up to 24.04; Fedora and Arch have 1000 */
#define SOFT_RT_RATE_SECTORS 7000u                  /* a second, 3.584 MB/s (bfq_wr_max_softrt_rate) */
#define SOFT_RT_JIFFIES 4                           /* beside slice_idle, against jiffies that jump, as in virtual machines */
#define SOFT_RT_RAISED_IDLE_NS (20 * NSEC_PER_MSEC) /* bfq waits so long for one that is raised (bfq_arm_slice_timer()) */
#define SOFT_RT_RAISE_MS 300u                       /* bfq_wr_rt_max_time */
#define SOFT_RT_TURN_MS 125u                        /* bfq's timeout_sync, as it comes */
#define SOFT_RT_FACTOR_INTERACTIVE 30u              /* bfq_wr_coeff: by so much a weight is raised, and so much longer may a turn take */
#define SOFT_RT_FACTOR 3000u                        /* the same of one that is soft real-time, whose turns are no longer */
#define SOFT_RT_WEIGHT 40                           /* of best effort, level 4: what a process has that asked for nothing */
#define INTERACTIVE_IDLE_NS (2 * NSEC_PER_SEC)      /* at rest for longer than that, a process may be raised as one that starts ... */
#define INTERACTIVE_SECTORS_MAX 120000u             /* ... till it got so much (max_service_from_wr) */
#define LARGE_BURST_FORGET_NS (10 * NSEC_PER_SEC)   /* at rest for longer, it is no longer one of a burst */

struct soft_rt_rule {
        uint32_t hz;             /* jiffies a second; 1 to 10000 */
        nsec_t slice_idle;       /* 0: bfq waits for none */
        uint32_t rate;           /* sectors a second; 0: none is soft real-time */
        uint32_t interactive_ms; /* for how long one that starts is raised (peak_rate_raise_ms()); 0: that is not followed */
        uint32_t turn_ms;        /* how long a turn may take (timeout_sync) */
        bool memory;             /* as since 2017 */
};
#define SOFT_RT_RULE ((struct soft_rt_rule){ .hz = SOFT_RT_HZ, .slice_idle = 8 * NSEC_PER_MSEC, .rate = SOFT_RT_RATE_SECTORS, \
                                             .turn_ms = SOFT_RT_TURN_MS, .memory = true })

/* What else bfq looks at when a process begins a period. */
struct soft_rt_traits {
        bool totally_seeky;   /* each of its last 32 requests was a seek */
        bool in_large_burst;
        bool under_way;       /* something that it asked for before is not done */
        uint32_t weight;      /* SOFT_RT_WEIGHT, or it never is */
};

enum soft_rt_answer {
        SOFT_RT_BUSY,      /* no period begins: it was not asked */
        SOFT_RT_YES,
        SOFT_RT_TOO_EARLY, /* not after next_start */
        SOFT_RT_SEEKY,
        SOFT_RT_BURST,
        SOFT_RT_OTHER_WEIGHT,
        SOFT_RT_NO_RATE,   /* the rule's rate is 0 */
        SOFT_RT_UNDER_WAY, /* it asks before it has got what it asked for: not isochronous */
        _SOFT_RT_ANSWER_MAX,
};

const char *soft_rt_answer_to_string(enum soft_rt_answer a); /* "yes", "too-early" */

enum soft_rt_raise { RAISED_NOT, RAISED_INTERACTIVE, RAISED_SOFT_RT };

/* Of one process on one drive. Times in jiffies where they are called so. */
struct soft_rt {
        bool begun;
        uint64_t next_start_jiffies; /* UINT64_MAX: never */
        uint64_t busy_jiffies;       /* B */
        uint64_t sectors;            /* S */
        uint32_t inflight;           /* requests asked for and not done */
        nsec_t empty_since;          /* nothing is queued or in flight; 0: never was anything, or something is. In its turn: when that has
                                      * to end, for bfq keeps both in one place (budget_timeout) */
        nsec_t window;               /* from then on bfq waits so long for the next */
        enum soft_rt_raise raised;
        nsec_t raised_since, interactive_since;
        uint32_t raised_ms;
        uint64_t raised_sectors;     /* served since it was raised as one that starts */
        nsec_t last_yes;             /* 0: never */
        uint32_t yes, no;            /* periods that began so; they stay at UINT32_MAX */
        enum soft_rt_answer answer;  /* at the last beginning */
        int64_t margin_ns;           /* there: how long after next_start it began; below 0: how much too early */
};

/* The queue is created: so far it had nothing. Else the first request does it. */
void soft_rt_begin(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t);

uint32_t soft_rt_factor(const struct soft_rt *s); /* by how much its weight is raised: 1, 30 or 3000 */

/* Of a process that has the drive for itself, or as if it had: its period goes on while bfq would wait for its next request.
 *
 * A request is asked for at t. Returns what bfq decides where a period begins with it, else
 * SOFT_RT_BUSY. */
enum soft_rt_answer soft_rt_ask(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits);
/* One is done at t, with so many sectors; 0: it was given up. */
void soft_rt_done(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors);

/* Of one whose turns are known (turn.h), the steps in which bfq itself looks at it.
 *
 * A request comes while the queue is not busy: a period begins. */
enum soft_rt_answer soft_rt_wake(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, const struct soft_rt_traits *traits);
/* Each of its last requests was a seek, which is no stream's: raised as one it is no longer. */
void soft_rt_lose(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t);
/* Its turn begins: for the time that it got no service it was raised in vain. */
void soft_rt_turn(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t);
/* So many sectors of it go to the drive, in its own turn or in another's. */
void soft_rt_serve(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool in_turn);
/* It is out of its turn with nothing queued or in flight: next_start is reckoned. */
void soft_rt_pause(struct soft_rt *s, const struct soft_rt_rule *rule, nsec_t t);
/* From t on it is at rest: nothing is queued or in flight, and bfq does not wait for it. */
void soft_rt_rest(struct soft_rt *s, nsec_t t);

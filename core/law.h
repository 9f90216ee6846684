/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The laws: arithmetic, each with its source. A law proposes values for tunables; the controller decides. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "controller.h"
#include "detector.h"
#include "plan.h"
#include "policy.h"

/* Seed 000 (Sekiyama 2013): min(base, group_slice / readers), in microseconds.
 * readers 0 counts as 1. */
uint64_t law_idle_limit_us(uint64_t base_us, uint64_t group_slice_us, uint32_t readers);

/* Seed 001 (Zoccolo 2009): base up to 3 processes, beyond
 * max(idle * (1 + sync), base * 3 / n), in microseconds. Never above base. */
uint64_t law_slice_share_us(uint64_t base_us, uint64_t idle_us, uint32_t n, bool sync);

/* Laws stream-guard and writeback-guard, by Little's law: longest wait / time of one request, as a power of two; at least 4, and one
 * for each reader. service_us 0 counts as 1. */
uint32_t law_write_requests(uint32_t longest_wait_us, uint32_t service_us, uint32_t readers);

/* Seed 004 (Valente 2019): base in the tunable's unit, halved at once and after each 2 s that holes have stood for (ns); 0 after the
 * third time. */
int64_t law_hole_filler_value(int64_t base, nsec_t stands);

/* A law's wish for one tunable. */
struct law_wish {
        enum law_id law;
        enum tunable_id tunable;
        int64_t value;   /* before the policy's limits */
        uint32_t hold_us; /* for how long it stays when no law wants it any more, the longest since it was set; 0: the time [Timing] Hold */
        bool costs_throughput; /* not wanted while a program holds "throughput" */
        bool at_once;    /* where the value is the original, it comes back now, not after the time [Timing] Hold, and stays for longer and longer */
        bool spares;     /* with at_once, where the original stands: this law sets it again after the time [Timing] Hold at the earliest */
        char sentence[PLAN_REASON_MAX];
};
#define LAW_WISHES_MAX 8 /* of one law for one drive */

/* What a law computes from: one drive in one tick. */
struct law_input {
        const struct controller_device *d;  /* scheduler, policy (never NULL), current and original values */
        const struct controller_input *in;  /* the whole tick: whether a user is there, holds, other drives' verdicts */
        const struct device_view *view;     /* NULL: the drive is not in the snapshot */
        const struct verdict *v;            /* of this drive */
        size_t n;
        const struct controller *c;         /* the priorities that Brio gave; NULL: none */
};

/* Each returns the number of wishes written to ret (0: nothing to want), at most LAW_WISHES_MAX. */
size_t law_startup_guard(const struct law_input *l, struct law_wish *ret);
size_t law_stream_guard(const struct law_input *l, struct law_wish *ret);
size_t law_writeback_guard(const struct law_input *l, struct law_wish *ret);
size_t law_readahead(const struct law_input *l, struct law_wish *ret);
size_t law_hole_filler(const struct law_input *l, struct law_wish *ret);
size_t law_idle_limit(const struct law_input *l, struct law_wish *ret);
size_t law_slice_share(const struct law_input *l, struct law_wish *ret);
size_t law_throughput(const struct law_input *l, struct law_wish *ret);

/* What all laws want for one drive (law-order.c), but for those that stay away because of a trial: of two that want the same tunable, or
 * its twin, the one that stands first there has it. ret_held_off: bits of the laws whose wishes a hold of "throughput" leaves out, so that others are heard.
 * Returns the number of wishes written to ret. */
#define LAW_WISHES_ALL_MAX 32
size_t law_collect(const struct law_input *l, struct law_wish ret[static LAW_WISHES_ALL_MAX], uint32_t *ret_held_off);

/* What its formula says that a change of the tunable does, with so many readers: a phrase, "" where the law promises nothing that can be said
 * in numbers. Returns buf. */
char *law_expect(enum law_id law, enum tunable_id tunable, int64_t from, int64_t to, uint32_t readers, char *buf, size_t size);

/* When the law acts, as a clause for people ("many processes each read a little"); NULL where it has nothing to set under that scheduler
 * (docs/laws.md, "Without bfq"), or is no law of a policy. */
const char *law_acts_when(enum law_id law, enum scheduler scheduler);

/* Whether the policy lets the law act, and where it says so. False for what is no law with a section of its own. */
bool law_in_policy(const struct policy *p, enum law_id law, bool *ret_enabled, struct policy_source *ret_source);

/* The policy's favourite of what the kernel offers; not bfq where the drive was seen to do more requests a second than the policy's
 * BfqMaxIops, for what bfq reckons for each would cap it (Documentation/block/bfq-iosched.rst: 80 000 a second on a small ARM, 400 000 on a desktop).
 * Switching freezes the queue for tens of milliseconds, so a switch is wanted on a quiet drive alone; until then *ret_awaited is what for, else
 * SCHEDULER_ANY, and one of ours is wanted on. Advice, which writes nothing, need not wait. Returns whether there is a wish. */
bool law_scheduler(const struct law_input *l, enum scheduler *ret_awaited, struct law_wish *ret);

/* Whether the drive has been idle for as long as the policy's QuietTime, or its default where it has no policy. */
bool law_scheduler_is_quiet(const struct controller_device *d, const struct device_view *view, nsec_t now);

/* A law's wish for the I/O priority of a process. */
struct priority_wish {
        enum law_id law;
        struct subject process;
        uint16_t priority; /* IO_PRIORITY() */
        bool ruled;        /* a person wants it so: it does not wait for the end of a pause */
        char sentence[PLAN_REASON_MAX];
};

/* Within the idle class the level means nothing to the kernel; no other program writes this one (ionice 7, systemd 4). */
#define LAW_STEP_BACK_IDLE_LEVEL 3
#define LAW_STEP_BACK_IDLE IO_PRIORITY(IO_CLASS_IDLE, LAW_STEP_BACK_IDLE_LEVEL)

/* What steps back under that scheduler; IO_PRIORITY_NONE where it looks at no priority. */
uint16_t law_step_back_priority(enum scheduler s);

/* Whether bfq's strict_guarantees stands there, or is about to: then bfq waits for the next request of the idle class, too, which it does not otherwise
 * (block/bfq-iosched.c, bfq_better_to_idle()). So Brio never has both on one drive. */
bool law_serves_strictly(const struct controller_device *d);

/* Whether a process that uses the drive is of the idle class, or is about to be. */
bool law_idle_class_uses(const struct controller *c, const struct controller_input *in, uint32_t dev);

/* The wish that comes before all others: that strict_guarantees goes back at once where a process of the idle class uses the drive. */
size_t law_no_idle_class_served_strictly(const struct law_input *l, struct law_wish *ret);

/* The first application that starts on that drive; NULL: none does. */
const struct verdict *law_find_start(const struct controller_input *in, uint32_t dev);

/* A process that starts or plays is waited for, whichever drive shows it, however much it moves. */
bool law_step_back_spares(const struct controller_input *in, const struct subject *subject);

/* Whether the process that a verdict of this drive is about should step back. */
bool law_step_back(const struct controller_device *d, const struct controller_input *in, const struct verdict *v, struct priority_wish *ret);

/* The same of a process whose program always does, by the policy of the drive that it uses. */
bool law_step_back_always(const struct controller_device *d, const struct controller_input *in, const struct process_view *p, struct priority_wish *ret);

/* A user asks for it: whether it may, whether or not a user waits now. Returns NULL with the wish, or why not, as statement_plain(). d: NULL, it may not. */
const char *law_step_back_asked(const struct controller_device *d, const struct controller_input *in, const struct subject *process, struct priority_wish *ret);

/* Whether the program never steps back, by the drive's policy. d: NULL, it does. */
bool law_step_back_never(const struct controller_device *d, const char *program);

/* Whether bfq alone serves what starts there first, as long as the others keep the priorities that they have. */
bool law_startup_guard_leaves(const struct controller *c, const struct controller_device *d, const struct controller_input *in);

/* The streams on this drive that go first: the next one from the snapshot's stream *at on, which is moved behind it. Returns 1 with a wish, or 0 where there
 * is none any more. */
size_t law_stream_guard_processes(const struct controller *c, const struct controller_device *d, const struct controller_input *in, size_t *at,
                                  struct priority_wish *ret);

/* The processes that make room for a start on this drive: the next one from the snapshot's process *at on, which is moved behind it. Returns 1 with a wish, or
 * 0 where there is none any more. */
size_t law_startup_guard_processes(const struct controller *c, const struct controller_device *d, const struct controller_input *in, size_t *at,
                                   struct priority_wish *ret);

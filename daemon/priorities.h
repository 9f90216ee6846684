/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only code that writes processes' I/O priorities: look whether it may be, note the original in the journal, write, read back,
 * receipt; then look after the process and its children until all have back what they had. docs/step-back.md says what is guaranteed. */
#pragma once

#include "actuator.h"
#include "journal.h"
#include "plan.h"

#define PRIORITIES_MAX 64 /* processes that have stepped back at a time */

struct priorities;

/* The journal is the actuator's: it must stay open until priorities_free(). With a root (a recorded machine) nothing is ever written:
 * its processes are not there. NULL without memory. */
struct priorities *priorities_new(const char *root, struct journal *journal);
struct priorities *priorities_free(struct priorities *p); /* gives nothing back: that is a plan, and priorities_settle() */

/* Performs n changes, each in the journal before its first write, and fills one receipt each. Never fails otherwise: errors are in the
 * receipts. Advice is not written, and is REFUSED where a write would be.
 *
 * Errors of its own: -EIO: the kernel did not take it (what was written was put back); -E2BIG: PRIORITY_THREADS_MAX; -ENOSPC: PRIORITIES_MAX. */
void priorities_apply(struct priorities *p, const struct priority_change *changes, size_t n, nsec_t now, struct receipt *ret);

/* Looks after those that have stepped back: new threads, children, those that have ended, whose priority another program has set (FOREIGN), that are
 * waited for now or became another program (RESTORED, with `why`). Fills one receipt for each that is no longer ours. Returns the
 * number, at most max. Nothing, where none has stepped back: meant for every tick. */
size_t priorities_follow(struct priorities *p, nsec_t now, struct receipt *ret, size_t max);

/* At the end, after all was given back: what was being born meanwhile gets it back, too. Takes 10 ms where there is anything to do. */
void priorities_settle(struct priorities *p);

/* Before the first tick: gives back what a run that was killed has left. report is called for each process, for the log. Returns the
 * number of processes given back, children included. */
size_t priorities_recover(struct priorities *p, nsec_t now, actuator_report_fn report, void *userdata);

/* How many have not got back what they had. */
size_t priorities_held(const struct priorities *p);

struct priorities_counters {
        uint64_t refused;  /* asked for, and not to be touched or beyond a bound */
        uint64_t children; /* that had inherited, and got back what their parent had */
};
void priorities_get_counters(const struct priorities *p, struct priorities_counters *ret);

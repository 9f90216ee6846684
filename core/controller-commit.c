/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What became of a change: whose a tunable is then, and what stands there. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "controller-private.h"
#include "str.h"

static bool parse_value(enum tunable_id id, const char *text, int64_t *ret) {
        if (id != TUNABLE_QUEUE_SCHEDULER)
                return tunable_parse(id, text, ret) == 0;
        *ret = (int64_t) scheduler_from_string(text);
        return *text != '\0';
}

/* What stands now, as the kernel gave it back. After a switch the daemon reads the other values anew. */
static void take_observed(struct controller_device *d, const struct receipt *r) {
        int64_t number;

        if (!parse_value(r->tunable, r->observed, &number))
                return;
        d->facts.values[r->tunable].number = number;
        if (r->tunable == TUNABLE_QUEUE_SCHEDULER)
                d->facts.scheduler = (enum scheduler) number;
}

/* The original is what the write found, which may be newer than what we knew. */
static void commit_applied(struct controller_device *d, struct controller_tunable *t, const struct receipt *r) {
        bool is_switch = r->tunable == TUNABLE_QUEUE_SCHEDULER;

        t->advice_known = false;
        t->written = r->t;
        if (t->owner != OWNER_BRIO && is_switch && streq(r->old, r->wanted)) {
                take_observed(d, r); /* it was there already: nothing was written, and it is not ours to take back */
                return;
        }
        if (t->owner != OWNER_BRIO) {
                t->owner = OWNER_BRIO;
                t->original_known = true;
                if (!parse_value(r->tunable, r->old, &t->original))
                        t->original = is_switch ? (int64_t) d->facts.scheduler : d->facts.values[r->tunable].number;
        }
        take_observed(d, r);
}

/* Where a value of ours stands there, its original is kept: the end tries again to put it back. */
static void commit_failed(struct controller_tunable *t, const struct receipt *r) {
        const char *error = strerrorname_np(-r->error);
        struct controller_tunable failed = { .owner = OWNER_GIVEN_UP, .error = r->error };

        if (t->original_known) {
                failed.original_known = true;
                failed.original = t->original;
                failed.law = t->law;
                if (!parse_value(r->tunable, r->old, &failed.wanted))
                        failed.wanted = t->wanted;
        }
        SAY(failed.reason, sizeof(failed.reason), SAY_GIVEN_UP, tunable_get(r->tunable)->name, r->wanted, error ? error : "");
        *t = failed;
}

/* What another program has written meanwhile stands, whatever became of a change that was under way: nothing begins on what is another's. */
static bool comes_too_late(const struct controller_tunable *t, const struct receipt *r) {
        return t->owner == OWNER_FOREIGN &&
               (r->result == RECEIPT_RESTORED || r->result == RECEIPT_STALE || r->result == RECEIPT_FAILED || r->result == RECEIPT_GONE);
}

static void commit_tunable(struct controller_device *d, struct controller_tunable *t, const struct receipt *r) {
        if (comes_too_late(t, r)) {
                take_observed(d, r);
                return;
        }
        if (t->pending == r->id)
                t->pending = 0;
        switch (r->result) {
        case RECEIPT_APPLIED:
                commit_applied(d, t, r);
                break;
        case RECEIPT_RESTORED:
                take_observed(d, r);
                *t = (struct controller_tunable){ .owner = t->leave_alone ? OWNER_FOREIGN : OWNER_KERNEL, .written = r->t, .returned = t->returned,
                                                  .returns = t->returns };
                if (t->owner == OWNER_FOREIGN)
                        SAY(t->reason, sizeof(t->reason), SAY_LEFT_ALONE);
                break;
        case RECEIPT_FAILED:
                commit_failed(t, r);
                break;
        case RECEIPT_FOREIGN:
                take_observed(d, r);
                *t = (struct controller_tunable){ .owner = OWNER_FOREIGN };
                SAY(t->reason, sizeof(t->reason), SAY_FOREIGN, tunable_get(r->tunable)->name, r->observed);
                break;
        case RECEIPT_STALE:
                take_observed(d, r);
                *t = (struct controller_tunable){ 0 };
                break;
        case RECEIPT_GONE:
                *t = (struct controller_tunable){ 0 };
                break;
        case RECEIPT_ADVISED:
        case RECEIPT_REFUSED:
        case _RECEIPT_RESULT_MAX:
                break;
        }
}

void controller_commit(struct controller *c, const struct receipt *r) {
        struct controller_device *d = controller_find_device(c, r->dev);

        if (r->process.tgid > 0)
                controller_commit_process(c, r);
        if (d && r->process.tgid > 0) {
                if (r->result == RECEIPT_APPLIED || r->result == RECEIPT_RESTORED)
                        controller_disturb_trial(c, d, r->t);
                controller_describe_state(c, d);
        }
        if (!d || r->process.tgid > 0)
                return;
        commit_tunable(d, &d->tunables[r->tunable], r);
        controller_commit_trial(c, d, r);
        controller_describe_state(c, d);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The controller's processes: whose I/O priority is lowered, and when it comes back. The way of a tunable, one entry each. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "controller-private.h"
#include "law.h"
#include "macro.h"
#include "mention.h"
#include "str.h"

/* Asked again so long after a refusal: a terminal's foreground changes, an application grows up. */
#define REFUSED_AGAIN_NS (5 * NSEC_PER_SEC)
/* For one start after the other: one that was given back so lately stays back twice as long the next time. */
#define AGAIN_NS (10 * NSEC_PER_SEC)
#define AGAIN_MAX 4u
/* Each return doubles the pause, up to so many times its first length. */
#define PAUSE_FACTOR_MAX 16

struct controller_process *controller_find_process(struct controller *c, const struct subject *process) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (c->processes[i].process.tgid > 0 && subject_same(&c->processes[i].process, process))
                        return &c->processes[i];
        return NULL;
}

uint16_t controller_priority_of(const struct controller *c, const struct process_view *p) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                const struct controller_process *ours = &c->processes[i];
                if (ours->held && ours->process.tgid == p->tgid && ours->process.start_ticks == p->start_ticks)
                        return ours->wanted;
        }
        return p->io_class == IO_CLASS_NONE ? IO_PRIORITY(IO_CLASS_BEST_EFFORT, IO_LEVEL_USUAL) : IO_PRIORITY(p->io_class, p->io_level);
}

/* A free entry, or that of one that has been of no interest for longest; NULL where all are. */
static struct controller_process *make_process(struct controller *c, const struct subject *process, uint32_t dev) {
        struct controller_process *oldest = NULL;

        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                struct controller_process *p = &c->processes[i];
                bool idle = p->process.tgid == 0 || (p->owner != OWNER_BRIO && !p->held && !p->pending && p->unwanted_since);
                if (idle && (!oldest || (oldest->process.tgid > 0 && p->unwanted_since < oldest->unwanted_since)))
                        oldest = p;
        }
        if (!oldest) {
                c->processes_refused++;
                return NULL;
        }
        *oldest = (struct controller_process){ .process = *process, .dev = dev };
        return oldest;
}

static struct priority_change *add_change(struct controller *c, const struct controller_process *p, struct plan *plan) {
        struct priority_change *change;

        if (plan->n_priorities == PLAN_PRIORITIES_MAX) /* the next tick has room */
                return NULL;
        change = &plan->priorities[plan->n_priorities++];
        *change = (struct priority_change){ .id = c->next_id++, .dev = p->dev, .process = p->process };
        return change;
}

static void plan_set(struct controller *c, struct controller_process *p, enum law_id law, uint16_t priority, const char *reason, bool advice,
                     struct plan *plan) {
        struct priority_change *change = add_change(c, p, plan);

        if (!change)
                return;
        change->action = CHANGE_SET;
        change->law = law;
        change->priority = priority;
        change->advice = advice;
        str_copy(change->reason, sizeof(change->reason), reason);
        p->pending = change->id;
        p->law = law;
        p->advice_known = advice;
        p->wanted = priority;
        if (p->reason != reason)
                str_copy(p->reason, sizeof(p->reason), reason);
}

static void plan_restore(struct controller *c, struct controller_process *p, const char *reason, struct plan *plan) {
        struct priority_change *change = add_change(c, p, plan);

        if (!change)
                return;
        change->action = CHANGE_RESTORE;
        change->law = LAW_RESTORE;
        str_copy(change->reason, sizeof(change->reason), reason);
        p->pending = change->id;
}

/* Whether the drive because of which it stepped back has still a reason of its own. */
static bool is_wanted_there(const struct controller_process *p, const struct controller_input *in) {
        if (p->law == LAW_STARTUP_GUARD)
                return law_find_start(in, p->dev);
        return verdicts_find(in->verdicts, in->n_verdicts, VERDICT_BULK, p->dev, &p->process);
}

/* It goes from one priority to the other within one plan: in between it would have its own, in the midst of what it makes room for. */
static void plan_other(struct controller *c, const struct controller_device *d, struct controller_process *p, const struct priority_wish *wish,
                       struct plan *plan) {
        char reason[PLAN_REASON_MAX] = "";

        if (plan->n_priorities + 2 > PLAN_PRIORITIES_MAX) /* the next tick has room */
                return;
        SAY(reason, sizeof(reason), SAY_OTHER_PRIORITY, law_to_string(wish->law), scheduler_to_string(d->facts.scheduler));
        p->dev = d->facts.dev;
        plan_restore(c, p, reason, plan);
        plan_set(c, p, wish->law, wish->priority, wish->sentence, false, plan);
}

/* The first drive that wants it has it: another one that wants it, too, changes nothing until the first one does no longer. */
static void want(struct controller *c, const struct controller_device *d, const struct priority_wish *wish, const struct controller_input *in,
                 struct plan *plan) {
        struct controller_process *p = controller_find_process(c, &wish->process);
        bool advise = in->mode == MODE_ADVISE, steps_back = wish->law == LAW_STEP_BACK;
        bool for_others = wish->law == LAW_STARTUP_GUARD && others_time_concerns(in, d->facts.dev, wish->process.uid);

        if (!p)
                p = make_process(c, &wish->process, d->facts.dev);
        if (!p)
                return;
        p->unwanted_since = 0;
        if (p->guarded == in->now && (steps_back || p->law != wish->law)) /* for now another law has it, which comes before this one */
                return;
        if (!steps_back)
                p->guarded = in->now;
        if (p->owner == OWNER_FOREIGN || p->owner == OWNER_GIVEN_UP || p->pending)
                return;
        if (p->owner == OWNER_BRIO) {
                if (p->dev != d->facts.dev && is_wanted_there(p, in))
                        return;
                p->for_others = for_others;
                if (p->wanted != wish->priority) {
                        plan_other(c, d, p, wish, plan);
                        return;
                }
                p->dev = d->facts.dev;
                p->law = wish->law;
                str_copy(p->reason, sizeof(p->reason), wish->sentence);
                return;
        }
        if (in->now < (steps_back && !wish->ruled ? p->not_before : p->refused_until) ||
            (advise && p->advice_known && p->wanted == wish->priority))
                return;
        if (steps_back && law_startup_guard_leaves(c, d, in)) /* it can wait for those seconds */
                return;
        p->dev = d->facts.dev;
        str_copy(p->process.name, sizeof(p->process.name), wish->process.name);
        p->process.uid = wish->process.uid;
        p->for_others = for_others;
        plan_set(c, p, wish->law, wish->priority, wish->sentence, advise, plan);
}

/* A process that has made room for a start does so until there is none any more: it moves less by that, and would come back in the midst of it. */
static void keep_guarding(struct controller *c, struct controller_device *d, const struct controller_input *in) {
        bool starts = law_find_start(in, d->facts.dev), keeps = starts && d->policy->startup_guard.enabled && in->hold != HOLD_THROUGHPUT;

        others_time_count(&d->others, in->now);
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                struct controller_process *p = &c->processes[i];
                if (p->process.tgid == 0 || p->dev != d->facts.dev || p->owner != OWNER_BRIO || p->law != LAW_STARTUP_GUARD)
                        continue;
                if (starts) /* else it is that of the last ones until it comes back */
                        p->for_others = others_time_concerns(in, d->facts.dev, p->process.uid);
                d->others.holds |= p->for_others;
                if (!keeps || law_step_back_spares(in, &p->process) || law_step_back_never(d, p->process.name) ||
                    (p->for_others && others_time_is_spent(d)))
                        continue;
                p->unwanted_since = 0;
                p->guarded = in->now;
        }
}

static void collect(struct controller *c, struct controller_device *d, const struct controller_input *in, struct plan *plan) {
        struct priority_wish wish;

        if (!d->used || !d->policy || d->left_alone)
                return;
        for (size_t at = 0; law_stream_guard_processes(c, d, in, &at, &wish) > 0;)
                want(c, d, &wish, in, plan);
        keep_guarding(c, d, in);
        for (size_t at = 0; law_startup_guard_processes(c, d, in, &at, &wish) > 0;)
                want(c, d, &wish, in, plan);
        for (size_t i = 0; i < in->n_verdicts; i++)
                if (in->verdicts[i].dev == d->facts.dev && law_step_back(d, in, &in->verdicts[i], &wish))
                        want(c, d, &wish, in, plan);
        for (size_t i = 0; i < in->snapshot->n_processes; i++)
                if (law_step_back_always(d, in, &in->snapshot->processes[i], &wish))
                        want(c, d, &wish, in, plan);
}

/* What a user asked to step back stays so, on whichever drive it is. What spares it gives it back for good. */
static void keep_asked(struct controller *c, const struct controller_input *in, struct plan *plan) {
        struct priority_wish wish;

        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                struct controller_process *p = &c->processes[i];
                const struct process_view *view = p->asked ? snapshot_find_process(in->snapshot, p->process.tgid, p->process.start_ticks) : NULL;
                const struct controller_device *d = p->asked ? controller_find_device(c, view && view->dev ? view->dev : p->dev) : NULL;
                if (d && !law_step_back_asked(d, in, &p->process, &wish))
                        want(c, d, &wish, in, plan);
        }
}

/* How long to keep what no law wants any more, and how long not to set it again then. */
static void read_times(struct controller *c, const struct controller_process *p, nsec_t *ret_hold, nsec_t *ret_pause) {
        const struct controller_device *d = controller_find_device(c, p->dev);
        bool overdue = d && d->policy && p->law == LAW_STARTUP_GUARD && p->for_others && others_time_is_spent(d);

        *ret_hold = !d || !d->policy || overdue         ? 0 :
                    p->law == LAW_STARTUP_GUARD         ? MIN(((nsec_t) d->policy->startup_guard.hold_us * NSEC_PER_USEC) << p->again,
                                                              MAX(d->policy->hold_us, d->policy->startup_guard.hold_us) * NSEC_PER_USEC) :
                                                          d->policy->hold_us * NSEC_PER_USEC;
        *ret_pause = d && d->policy ? d->policy->step_back.pause_us * NSEC_PER_USEC : 0;
}

/* Why it has its own priority back now, whatever the hold: what is waited for. _STATEMENT_MAX: for nothing. */
static enum statement_id find_haste(struct controller *c, const struct controller_process *p, const struct controller_input *in) {
        if (p->law == LAW_STREAM_GUARD)
                return law_find_start(in, p->dev) ? SAY_START_NEEDS : _STATEMENT_MAX;
        if (law_step_back_never(controller_find_device(c, p->dev), p->process.name))
                return SAY_NEVER_STEPS_BACK;
        return law_step_back_spares(in, &p->process) ? SAY_USER_WAITS : _STATEMENT_MAX;
}

static void release(struct controller *c, struct controller_process *p, const struct controller_input *in, struct plan *plan) {
        enum statement_id haste;
        nsec_t hold, pause;
        char reason[PLAN_REASON_MAX] = "";

        if (p->unwanted_since == 0)
                return;
        haste = find_haste(c, p, in);
        read_times(c, p, &hold, &pause);
        /* A holder of "throughput" wants it now, and so does what is waited for. */
        if (in->hold != HOLD_THROUGHPUT && haste == _STATEMENT_MAX && nsec_sub(in->now, p->unwanted_since) < hold)
                return;
        p->advice_known = false;
        if (p->owner != OWNER_BRIO || p->pending)
                return;
        if (haste != _STATEMENT_MAX)
                SAY(reason, sizeof(reason), haste);
        else
                SAY(reason, sizeof(reason), SAY_NO_REASON_SINCE, law_to_string(p->law), nsec_sub(in->now, p->unwanted_since) / NSEC_PER_SEC);
        plan_restore(c, p, reason, plan);
}

/* What stands for the seconds of a start ends with it, also where nothing new may begin; so does what goes first, whose claim is not looked at there. */
static void release_guarding(struct controller *c, const struct controller_input *in, struct plan *plan) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                struct controller_process *p = &c->processes[i];
                if (p->process.tgid == 0 || p->owner != OWNER_BRIO || (p->law != LAW_STARTUP_GUARD && p->law != LAW_STREAM_GUARD))
                        continue;
                p->unwanted_since = p->unwanted_since ? p->unwanted_since : in->now;
                release(c, p, in, plan);
        }
}

void controller_step_processes(struct controller *c, const struct controller_input *in, struct plan *plan) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes) && in->mode != MODE_ADVISE; i++)
                c->processes[i].advice_known = false;
        if (in->mode == MODE_OFF || in->hold == HOLD_PAUSE) {
                release_guarding(c, in, plan);
                return;
        }
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (c->processes[i].process.tgid > 0 && !c->processes[i].unwanted_since)
                        c->processes[i].unwanted_since = in->now;
        for (size_t i = 0; i < ARRAY_SIZE(c->devices); i++)
                collect(c, &c->devices[i], in, plan);
        keep_asked(c, in, plan);
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (c->processes[i].process.tgid > 0)
                        release(c, &c->processes[i], in, plan);
}

static bool is_meant(const struct controller_process *p, uint32_t dev) {
        return p->process.tgid > 0 && (dev == 0 || p->dev == dev);
}

void controller_plan_restore_processes(struct controller *c, uint32_t dev, const char *reason, struct plan *plan) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (is_meant(&c->processes[i], dev) && c->processes[i].owner == OWNER_BRIO && !c->processes[i].pending)
                        plan_restore(c, &c->processes[i], reason, plan);
}

void controller_retry_processes(struct controller *c, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (is_meant(&c->processes[i], dev) && c->processes[i].owner == OWNER_GIVEN_UP && c->processes[i].held)
                        c->processes[i].owner = OWNER_BRIO;
}

void controller_forgive_processes(struct controller *c, uint32_t dev) {
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++)
                if (is_meant(&c->processes[i], dev) && c->processes[i].owner != OWNER_BRIO)
                        c->processes[i] = (struct controller_process){ 0 };
}

int controller_apply_process(struct controller *c, const struct subject *process, struct plan *ret) {
        struct controller_process *p = controller_find_process(c, process);

        if (!p || !p->advice_known || p->pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        plan_set(c, p, p->law, p->wanted, p->reason, false, ret);
        return 0;
}

int controller_lower_process(struct controller *c, const struct controller_input *in, int32_t tgid, struct plan *ret, const char **ret_why) {
        const struct process_view *view = NULL;
        struct priority_wish wish;
        struct controller_process *p;
        struct subject process;

        for (size_t i = 0; i < in->snapshot->n_processes && !view; i++)
                if (in->snapshot->processes[i].tgid == tgid && tgid > 0)
                        view = &in->snapshot->processes[i];
        if (!view)
                return -ENOENT;
        process = process_view_subject(view);
        *ret_why = in->mode == MODE_OFF ? statement_plain(SAY_MODE_OFF) : in->hold == HOLD_PAUSE ? statement_plain(SAY_PAUSED) :
                   law_step_back_asked(controller_find_device(c, view->dev), in, &process, &wish);
        if (*ret_why)
                return -EPERM;
        p = controller_find_process(c, &process);
        p = p ? p : make_process(c, &process, view->dev);
        if (!p)
                return -ENOSPC;
        ret->n = ret->n_priorities = 0;
        p->asked = true;
        p->leave_alone = false;
        p->dev = view->dev;
        if (p->held) /* for another reason */
                plan_restore(c, p, wish.sentence, ret);
        plan_set(c, p, wish.law, wish.priority, wish.sentence, false, ret);
        return 0;
}

int controller_undo_process(struct controller *c, const struct subject *process, struct plan *ret) {
        struct controller_process *p = controller_find_process(c, process);

        if (!p || p->owner != OWNER_BRIO || p->pending)
                return -ENOENT;
        ret->n = ret->n_priorities = 0;
        p->leave_alone = true;
        plan_restore(c, p, statement_plain(SAY_UNDONE), ret);
        return 0;
}

/* It has back what it had. Not again for a while, which grows: one that is bulk on and off is not followed. */
static void commit_restored(struct controller *c, struct controller_process *p, const struct receipt *r) {
        nsec_t hold, pause;

        read_times(c, p, &hold, &pause);
        p->returned = r->t;
        if (p->law == LAW_STEP_BACK) { /* starts are not made by processes that step back for them, nor streams by being first */
                p->pauses = MIN(MAX(2 * p->pauses, 1u), PAUSE_FACTOR_MAX);
                p->not_before = r->t + p->pauses * pause;
        }
        p->owner = p->leave_alone ? OWNER_FOREIGN : OWNER_KERNEL;
        p->held = false;
        if (p->leave_alone)
                str_copy(p->reason, sizeof(p->reason), statement_plain(SAY_LEFT_ALONE));
}

void controller_commit_process(struct controller *c, const struct receipt *r) {
        struct controller_process *p = controller_find_process(c, &r->process);

        if (!p)
                return;
        if (p->pending == r->id)
                p->pending = 0;
        switch (r->result) {
        case RECEIPT_APPLIED:
                p->again = p->returned && nsec_sub(r->t, p->returned) < AGAIN_NS ? MIN(p->again + 1, AGAIN_MAX) : 0;
                p->advice_known = false;
                p->owner = OWNER_BRIO;
                p->held = true;
                break;
        case RECEIPT_RESTORED:
                if (p->pending) { /* for another priority at once, whose receipt follows */
                        p->owner = OWNER_KERNEL;
                        p->held = false;
                } else {
                        commit_restored(c, p, r);
                }
                break;
        case RECEIPT_FAILED: /* one of ours that could not be given back stays ours: the end tries again */
                p->advice_known = false;
                p->owner = OWNER_GIVEN_UP;
                break;
        case RECEIPT_FOREIGN:
                p->advice_known = p->held = false;
                p->owner = OWNER_FOREIGN;
                break;
        case RECEIPT_REFUSED:
                p->advice_known = false;
                p->not_before = p->refused_until = r->t + REFUSED_AGAIN_NS;
                break;
        case RECEIPT_GONE: /* one that ends may take long to, and goes on being told of: it is not written to again */
                *p = (struct controller_process){ .process = p->process, .dev = p->dev, .owner = OWNER_GIVEN_UP };
                break;
        case RECEIPT_ADVISED:
        case RECEIPT_STALE:
        case _RECEIPT_RESULT_MAX:
                break;
        }
        p->asked &= p->held || p->pending;
}

const struct stepped_back_for *controller_stepped_back_for(const struct controller_stepped_back *s, enum law_id law) {
        for (size_t i = 0; i < ARRAY_SIZE(s->laws); i++)
                if (s->laws[i].law == law && s->laws[i].n > 0)
                        return &s->laws[i];
        return NULL;
}

/* "3 processes have stepped back, among them tar (4711): tar has moved ...": one reason stands for all. */
static void describe_stepped_back(const struct controller_process *first, struct stepped_back_for *ret) {
        char name[MENTION_MAX];

        if (ret->n > 1)
                SAY(ret->reason, sizeof(ret->reason), SAY_STEPPED_BACK, ret->n, mention(name, first->process.name, first->process.tgid, first->process.uid));
        str_append(ret->reason, sizeof(ret->reason), "%s", first->reason);
}

void controller_describe_processes(const struct controller *c, uint32_t dev, struct controller_stepped_back *ret) {
        const struct controller_process *first[ARRAY_SIZE(ret->laws)] = { 0 };

        *ret = (struct controller_stepped_back){ .laws = { { .law = LAW_STEP_BACK }, { .law = LAW_STARTUP_GUARD }, { .law = LAW_STREAM_GUARD } } };
        for (size_t i = 0; i < ARRAY_SIZE(c->processes); i++) {
                const struct controller_process *p = &c->processes[i];
                size_t k = p->law == LAW_STARTUP_GUARD ? 1 : p->law == LAW_STREAM_GUARD ? 2 : 0;

                if (!is_meant(p, dev) || !p->held) {
                        ret->advised += is_meant(p, dev) && p->advice_known;
                        continue;
                }
                ret->n++;
                ret->laws[k].n++;
                ret->reverting += p->unwanted_since != 0;
                if (!first[k])
                        first[k] = p;
        }
        for (size_t k = 0; k < ARRAY_SIZE(ret->laws); k++)
                if (first[k])
                        describe_stepped_back(first[k], &ret->laws[k]);
}

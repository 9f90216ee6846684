/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "turn.h"

static bool is_raised(const struct turn_queue *q) {
        return q->kernel.raised != RAISED_NOT;
}

/* bfq_add_bfqq_busy() and bfq_del_bfqq_busy() count, and whatever raises a queue or ends that. */
static void set_busy(struct turn *d, struct turn_queue *q, bool busy) {
        bool raised = busy && is_raised(q);

        d->busy += busy && !q->busy;
        d->busy -= !busy && q->busy && d->busy > 0;
        d->raised += raised && !q->counts_raised;
        d->raised -= !raised && q->counts_raised && d->raised > 0;
        q->busy = busy;
        q->counts_raised = raised;
}

/* idling_needed_for_service_guarantees(): others would take from it what its weight gives it. Weights that users set, classes and groups
 * are not looked at. */
static bool is_guaranteed(const struct turn *d, const struct turn_queue *q) {
        return (is_raised(q) && (d->raised < d->busy || d->at_drive >= q->at_drive + TURN_AT_DRIVE_MORE)) || d->busy <= 1;
}

/* bfq_better_to_idle(): whether bfq would rather wait for more of it than serve others, for the throughput's sake or for its own. */
static bool is_kept(const struct turn *d, const struct turn_step *s, const struct turn_queue *q) {
        bool streams = q->flows && q->bound, reads_on = (s->rotational && d->shallow) || ((s->rotational || d->shallow) && streams);

        if (s->rule->slice_idle == 0 || q->nobodys)
                return false;
        return (reads_on && d->raised == 0) || is_guaranteed(d, q);
}

static void reckon_now_or_later(struct turn_queue *q, const struct soft_rt_rule *rule, nsec_t t) {
        if (q->at_drive == 0)
                soft_rt_pause(&q->kernel, rule, t);
        else
                q->reckon = true;
}

/* bfq_bfqq_expire() */
static void end_turn(struct turn *d, const struct soft_rt_rule *rule, struct turn_queue *q, nsec_t t) {
        d->owner = 0;
        d->waits_since = 0;
        if (!q)
                return;
        if (q->queued > 0) {
                q->served = 0;
                return;
        }
        reckon_now_or_later(q, rule, t);
        if (q->at_drive == 0)
                soft_rt_rest(&q->kernel, t);
        q->paused = true;
        set_busy(d, q, false);
}

/* Another wants its place. What it is guaranteed it keeps: it stays busy with nothing queued, and mostly has the next turn, too. */
static void preempt(struct turn *d, const struct turn_step *s, struct turn_queue *owner) {
        if (owner->queued > 0 || !is_guaranteed(d, owner) || owner->nobodys) {
                end_turn(d, s->rule, owner, s->t);
                return;
        }
        reckon_now_or_later(owner, s->rule, s->t);
        owner->served = 0;
        d->waits_since = 0;
}

/* What has come to an end by now: bfq has waited for long enough. Whose turn it is then, NULL: none's. */
static struct turn_queue *follow(struct turn *d, const struct turn_step *s) {
        if (d->owner && !s->owner)
                end_turn(d, s->rule, NULL, s->t);
        if (d->owner && d->waits_since && nsec_sub(s->t, d->waits_since) > d->window)
                end_turn(d, s->rule, s->owner, d->waits_since + d->window);
        return d->owner ? s->owner : NULL;
}

/* bfq_update_io_intensity() */
static void note_intensity(struct turn_queue *q, nsec_t t) {
        nsec_t span;

        if (!q->bound_since) {
                q->bound_since = t;
                q->bound = true;
                return;
        }
        if (q->queued == 0 && q->at_drive == 0)
                q->rested += nsec_sub(t, q->last_done);
        span = nsec_sub(t, q->bound_since);
        q->bound = q->rested * TURN_BOUND_PART <= span;
        if (span > TURN_BOUND_SPAN_NS) {
                q->bound_since = t - span / 2;
                q->rested /= 2;
        }
}

/* bfq_bfqq_handle_idle_busy_switch(): whether it goes on with what it had left; else it gets a new budget. */
static bool take_budget(struct turn_queue *q, const struct turn_step *s, uint32_t sectors) {
        uint32_t most = is_raised(q) ? TURN_BUDGET_RAISED : TURN_BUDGET;
        bool goes_on = q->paused && nsec_sub(s->t, q->last_done) <= TURN_IN_TIME * s->rule->slice_idle && q->budget > q->served;

        if (goes_on) {
                q->budget = MIN(q->budget - q->served, most);
                q->served = 0;
        } else {
                q->budget = MAX(most, sectors);
                q->served = 0;
        }
        return goes_on;
}

static void wake(struct turn *d, const struct turn_step *s, uint32_t sectors, const struct soft_rt_traits *traits, struct turn_queue *owner) {
        struct turn_queue *q = s->queue;
        bool was_raised = is_raised(q), goes_on = take_budget(q, s, sectors);
        uint64_t ours, theirs;

        soft_rt_wake(&q->kernel, s->rule, s->t, traits);
        if (!was_raised && is_raised(q))
                q->budget = MIN(q->budget, TURN_BUDGET_RAISED);
        q->reckon = q->paused = false;
        set_busy(d, q, true);
        if (!owner || owner == q)
                return;
        ours = soft_rt_factor(&q->kernel);
        theirs = soft_rt_factor(&owner->kernel);
        if ((goes_on && ours >= theirs) || ours > theirs || !is_kept(d, s, owner))
                preempt(d, s, owner);
}

void turn_ask(struct turn *d, const struct turn_step *s, uint32_t sectors, const struct soft_rt_traits *traits) {
        struct turn_queue *q = s->queue, *owner = follow(d, s);
        struct soft_rt_traits its = *traits;

        note_intensity(q, s->t);
        if (owner == q)
                d->waits_since = 0;
        if (its.totally_seeky) {
                soft_rt_lose(&q->kernel, s->rule, s->t);
                set_busy(d, q, q->busy);
        }
        its.under_way = q->at_drive > 0;
        if (!q->busy)
                wake(d, s, sectors, &its, owner);
        q->queued += sectors;
}

/* bfq_select_queue(): another's request goes to the drive during a process's turn. Where that has nothing queued and bfq waits for
 * it, the request is injected; else the turn has ended. */
static bool is_injected(const struct turn *d, const struct turn_step *s, const struct turn_queue *owner) {
        return owner->queued == 0 && (d->waits_since || (owner->at_drive > 0 && is_kept(d, s, owner)));
}

void turn_issue(struct turn *d, const struct turn_step *s, uint32_t sectors) {
        struct turn_queue *q = s->queue, *owner = follow(d, s);

        if (owner && owner != q && !is_injected(d, s, owner)) {
                end_turn(d, s->rule, owner, s->t);
                owner = NULL;
        }
        if (!owner) {
                d->owner = s->name;
                d->waits_since = 0;
                soft_rt_turn(&q->kernel, s->rule, s->t);
                owner = q;
        }
        q->queued -= MIN(q->queued, sectors);
        q->served += sectors;
        q->at_drive++;
        d->at_drive++;
        d->most = MAX(d->most, d->at_drive);
        soft_rt_serve(&q->kernel, s->rule, s->t, sectors, owner == q);
        set_busy(d, q, q->busy && (owner == q || q->queued > 0));
}

void turn_requeue(struct turn *d, const struct turn_step *s, uint32_t sectors) {
        s->queue->queued += sectors;
        s->queue->at_drive -= s->queue->at_drive > 0;
        d->at_drive -= d->at_drive > 0;
}

/* bfq_update_hw_tag(), where enough is asked for that it would show. */
static void note_depth(struct turn *d) {
        if (d->at_drive <= TURN_DEPTH_THRESHOLD || d->looks > TURN_DEPTH_SAMPLES)
                return;
        d->looks++;
        d->shallow = d->looks > TURN_DEPTH_SAMPLES && d->most <= TURN_DEPTH_THRESHOLD;
}

/* bfq_arm_slice_timer() */
static nsec_t window_of(const struct turn_queue *q, const struct soft_rt_rule *rule) {
        if (is_raised(q))
                return MAX(rule->slice_idle, SOFT_RT_RAISED_IDLE_NS);
        return q->seeky ? MIN(rule->slice_idle, TURN_SEEKY_IDLE_NS) : rule->slice_idle;
}

void turn_done(struct turn *d, const struct turn_step *s, uint32_t sectors, bool issued) {
        struct turn_queue *q = s->queue, *owner = follow(d, s);

        if (!issued) { /* given up, or its way to the drive was not seen */
                q->queued -= MIN(q->queued, sectors);
        } else {
                note_depth(d);
                q->at_drive -= q->at_drive > 0;
                d->at_drive -= d->at_drive > 0;
        }
        q->last_done = MAX(s->t, 1u);
        if (q->queued > 0)
                return;
        if (q->at_drive == 0 && !q->busy)
                soft_rt_rest(&q->kernel, s->t);
        if (q->at_drive == 0 && q->reckon && q->kernel.raised != RAISED_INTERACTIVE)
                soft_rt_pause(&q->kernel, s->rule, s->t);
        if (owner != q) {
                set_busy(d, q, q->busy && q->queued > 0);
                return;
        }
        if (!is_kept(d, s, q))
                end_turn(d, s->rule, q, s->t);
        else if (q->at_drive == 0) {
                d->waits_since = q->last_done;
                d->window = window_of(q, s->rule);
        }
}

void turn_count_begin(struct turn *d) {
        d->busy = d->nobodys.busy;
        d->raised = 0;
        d->at_drive = d->nobodys.at_drive;
}

void turn_count(struct turn *d, const struct turn_queue *q) {
        d->busy += q->busy;
        d->raised += q->counts_raised;
        d->at_drive += q->at_drive;
}

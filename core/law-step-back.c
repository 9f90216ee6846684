/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law step-back: a bulk process waits for nothing that a person sees, so it lets others pass. bfq raises the weight of its queues as it raises
 * that of a program that starts, for both are new queues of the usual weight; of another weight they never are raised
 * (block/bfq-iosched.c, bfq_bfqq_handle_idle_busy_switch). docs/step-back.md has the account. */
#include <stdio.h>

#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "mention.h"
#include "str.h"

/* One with the rule always stays back between what it reads and writes, and does not come and go with each bit of it. One that does neither for longer gives
 * its place to another: there are few (daemon/priorities.h). */
#define IDLE_NS (60 * NSEC_PER_SEC)

uint16_t law_step_back_priority(enum scheduler s) {
        switch (s) {
        case SCHEDULER_BFQ:
        case SCHEDULER_CFQ:
                return IO_PRIORITY(IO_CLASS_BEST_EFFORT, IO_LEVELS - 1);
        case SCHEDULER_MQ_DEADLINE:
                return LAW_STEP_BACK_IDLE;
        case SCHEDULER_ANY:
        case SCHEDULER_NONE:
        case SCHEDULER_KYBER:
        case SCHEDULER_OTHER:
        case _SCHEDULER_MAX:
                break;
        }
        return IO_PRIORITY_NONE;
}

static const struct verdict *find(const struct controller_input *in, enum verdict_kind kind, uint32_t dev, const struct subject *process) {
        return verdicts_find(in->verdicts, in->n_verdicts, kind, dev, process);
}

bool law_step_back_spares(const struct controller_input *in, const struct subject *process) {
        return find(in, VERDICT_STARTUP, 0, process) || find(in, VERDICT_SOFT_RT, 0, process);
}

/* Why a user may wait; NULL where none is there. */
static const char *who_waits(const struct controller_input *in, uint32_t dev) {
        if (in->hold == HOLD_INTERACTIVE)
                return statement_plain(SAY_WHILE_HELD);
        if (find(in, VERDICT_STARTUP, dev, NULL))
                return statement_plain(SAY_WHILE_STARTING);
        if (find(in, VERDICT_VICTIM, dev, NULL))
                return statement_plain(SAY_WHILE_WAITING);
        switch (in->snapshot->presence) {
        case PRESENCE_SOMEBODY:
                return statement_plain(SAY_WHILE_PRESENT);
        case PRESENCE_IDLE:
                return statement_plain(SAY_WHILE_LOGGED_IN);
        case PRESENCE_UNKNOWN:
                return statement_plain(SAY_WHILE_UNKNOWN);
        case PRESENCE_NOBODY:
        case _PRESENCE_MAX:
                break;
        }
        return NULL;
}

/* A priority holds on every drive. Of one where levels count the idle class would be too much: it is served last there, in turns 200 ms apart. Returns the
 * scheduler of such a drive that it uses besides, or NULL. */
static const char *find_levels_besides(const struct controller_input *in, const struct subject *process) {
        const struct process_view *p = snapshot_find_process(in->snapshot, process->tgid, process->start_ticks);

        for (size_t i = 0; p && i < OTHER_DRIVES_MAX; i++) {
                const struct device_view *v = p->other_devs[i] ? snapshot_find_device(in->snapshot, p->other_devs[i]) : NULL;
                if (v && v->settings.honours_level)
                        return v->settings.scheduler;
        }
        return NULL;
}

static bool plays_on(const struct controller_input *in, uint32_t dev) {
        if (find(in, VERDICT_SOFT_RT, dev, NULL))
                return true;
        for (size_t i = 0; i < in->snapshot->n_streams; i++)
                if (in->snapshot->streams[i].dev == dev && law_starves(&in->snapshot->streams[i]))
                        return true;
        return false;
}

/* CFQ raises no stream as bfq does: each request waits for the turns of all at level 7. A turn of the idle class ends with the next request of any other
 * process (block/cfq-iosched.c, cfq_should_preempt()), and has one request under way at a time (cfq_may_dispatch()). */
static uint16_t choose_priority(const struct controller_device *d, const struct controller_input *in) {
        return d->facts.scheduler == SCHEDULER_CFQ && plays_on(in, d->facts.dev) ? LAW_STEP_BACK_IDLE : law_step_back_priority(d->facts.scheduler);
}

bool law_step_back_never(const struct controller_device *d, const char *program) {
        return d && d->policy && policy_program_rule(d->policy, program) == PROGRAM_NEVER;
}

/* What it gets on that drive and the others that it uses. Returns the scheduler of one of those where levels count, because of which it is not the idle class,
 * or NULL. */
static const char *fit_priority(const struct controller_device *d, const struct controller_input *in, const struct subject *process, uint16_t *ret) {
        uint16_t priority = choose_priority(d, in);
        const char *levels = priority == LAW_STEP_BACK_IDLE ? find_levels_besides(in, process) : NULL;

        *ret = levels ? law_step_back_priority(SCHEDULER_BFQ) : priority;
        return levels;
}

/* What comes of that, behind the reason. */
static void say_effect(const struct controller_device *d, const char *levels, struct priority_wish *wish) {
        if (levels)
                SAY(wish->sentence, sizeof(wish->sentence), SAY_STEPS_BACK_BESIDES, levels);
        else
                SAY(wish->sentence, sizeof(wish->sentence), SAY_STEPS_BACK_SERVED, scheduler_to_string(d->facts.scheduler));
}

/* Whether the process may and should step back now; found: why this one, unless a rule says so, which is the better reason. */
static bool wish(const struct controller_device *d, const struct controller_input *in, const struct subject *process, const char *found, struct priority_wish *ret) {
        enum program_rule rule = policy_program_rule(d->policy, process->name);
        uint16_t priority;
        const char *waits = who_waits(in, d->facts.dev), *levels = fit_priority(d, in, process, &priority);
        char text[IO_PRIORITY_TEXT_MAX], name[MENTION_MAX];

        if (!d->policy->step_back.enabled || process->tgid <= 0 || priority == IO_PRIORITY_NONE || !waits || law_step_back_spares(in, process) ||
            rule == PROGRAM_NEVER || in->hold == HOLD_THROUGHPUT)
                return false;
        *ret = (struct priority_wish){ .law = LAW_STEP_BACK, .process = *process, .priority = priority, .ruled = rule == PROGRAM_ALWAYS };
        if (ret->ruled)
                SAY(ret->sentence, sizeof(ret->sentence), SAY_ALWAYS_STEPS_BACK, mention(name, process->name, 0, process->uid));
        else
                str_copy(ret->sentence, sizeof(ret->sentence), found);
        SAY(ret->sentence, sizeof(ret->sentence), SAY_STEPS_BACK, waits, io_priority_format(priority, text, sizeof(text)));
        say_effect(d, levels, ret);
        return true;
}

bool law_step_back(const struct controller_device *d, const struct controller_input *in, const struct verdict *v, struct priority_wish *ret) {
        return v->kind == VERDICT_BULK && nsec_sub(in->now, v->since) >= d->policy->step_back.after_us * NSEC_PER_USEC &&
               wish(d, in, &v->subject, v->sentence, ret);
}

bool law_step_back_always(const struct controller_device *d, const struct controller_input *in, const struct process_view *p, struct priority_wish *ret) {
        struct subject process = process_view_subject(p);

        if (p->dev != d->facts.dev || p->in_start || nsec_sub(in->now, p->last_io) > IDLE_NS || policy_program_rule(d->policy, p->name) != PROGRAM_ALWAYS)
                return false;
        return wish(d, in, &process, "", ret);
}

const char *law_step_back_asked(const struct controller_device *d, const struct controller_input *in, const struct subject *process, struct priority_wish *ret) {
        char text[IO_PRIORITY_TEXT_MAX], name[MENTION_MAX];
        const char *levels;
        uint16_t priority;

        if (!d || !d->policy || !d->policy->step_back.enabled)
                return statement_plain(SAY_NO_STEP_BACK);
        if (d->left_alone)
                return statement_plain(SAY_DRIVE_LEFT_ALONE);
        if (law_step_back_never(d, process->name))
                return statement_plain(SAY_NEVER_STEPS_BACK);
        if (law_step_back_spares(in, process))
                return statement_plain(SAY_USER_WAITS);
        levels = fit_priority(d, in, process, &priority);
        if (priority == IO_PRIORITY_NONE)
                return statement_plain(SAY_PRIORITY_UNREAD);
        *ret = (struct priority_wish){ .law = LAW_STEP_BACK, .process = *process, .priority = priority, .ruled = true };
        SAY(ret->sentence, sizeof(ret->sentence), SAY_ASKED_STEPS_BACK, mention(name, process->name, process->tgid, process->uid),
            io_priority_format(priority, text, sizeof(text)));
        say_effect(d, levels, ret);
        return NULL;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard under bfq: what plays beside much that is moved is served before all else (the realtime class), as bfq's own raising is for slow streams
 * alone, and ends where others are raised, too. It takes no more by that: a stream asks for what it plays. docs/laws.md has the account. */
#include "io-priority.h"
#include "law.h"
#include "law-private.h"
#include "macro.h"

/* bfq counts its busy queues by class, and miscounts one that changes its class while it is busy: from then on it takes all that are busy for one class, and waits for
 * none (block/bfq-iosched.c, bfq_del_bfqq_busy(), bfq_asymmetric_scenario()). It waits where their weights differ, and that of level 4 is the usual one. */
#define FIRST IO_PRIORITY(IO_CLASS_REALTIME, 3)
/* Processes for which the drive works for longer than that, together, would leave too little to others. Nothing else keeps a process
 * from it that passes for a player: any can read to a clock, or be connected to a sound server. */
#define SERVED_PERMILLE_MAX 500
/* Longer than the turns of one that lets others go first look even: cat, at level 7 beside a film, went back and forth four times in two seconds. */
#define STEADY_US 1000000

/* While it has its turn bfq waits for its next request for so long: with 8 ms all others stand still between a stream's reads, and without a wait the heads leave
 * the file that they are in. */
#define WAIT_US 2000

/* It has begun a rhythm, but moved much without a pause before: a process that steps back is served turn by turn, and these look like one. While it lets
 * others go first it is no bulk by its rhythm alone: that has to be steady for a while. */
static bool is_bulk_yet(const struct law_input *l, const struct stream_view *s) {
        const struct subject subject = { .tgid = s->tgid, .start_ticks = s->start_ticks };
        const struct process_view *p = snapshot_find_process(l->in->snapshot, s->tgid, s->start_ticks);

        if (s->figures.flaw == RHYTHM_TOO_SHORT && s->figures.value < STEADY_US && p && io_priority_yields(p->io_class, p->io_level))
                return true;
        return s->figures.flaw == RHYTHM_TOO_FEW && verdicts_find(l->in->verdicts, l->in->n_verdicts, VERDICT_BULK, s->dev, &subject);
}

static bool is_nearly_one(const struct law_input *l, const struct stream_view *s) {
        return law_is_nearly_stream(l, s) && !law_starves(s) && !is_bulk_yet(l, s);
}

/* Not a pace that others give it: it computes, takes what is scattered, has only begun, or is served last. A film that writers starve follows the answers, too, and
 * never pauses; so beside them one that has only begun goes first until it shows what it is. */
static bool has_own_pace(const struct stream_view *s, const struct process_view *p) {
        enum rhythm_flaw flaw = s->figures.flaw;

        if (flaw == RHYTHM_COMPUTES || flaw == RHYTHM_SEEKY || flaw == RHYTHM_TOO_FAST || (flaw == RHYTHM_TOO_FEW && !p->behind_writes))
                return false;
        return p->paced && !io_priority_yields(p->io_class, p->io_level);
}

/* It is not known to be a stream yet, or no longer. What an application reads while it starts looks like many things. */
static bool is_likely(const struct law_input *l, const struct stream_view *s, const struct process_view *p) {
        return s->state == STREAM_NEAR_MISS && !p->in_start && (has_own_pace(s, p) || is_nearly_one(l, s));
}

/* A user or a policy has it otherwise, or it could not be set: then it stays as it is. */
static bool is_barred(const struct law_input *l, const struct stream_view *s) {
        const struct subject subject = { .tgid = s->tgid, .start_ticks = s->start_ticks };
        const struct controller_process *p = l->c ? controller_find_process((struct controller *) l->c, &subject) : NULL;

        return policy_program_rule(l->d->policy, s->name) == PROGRAM_ALWAYS ||
               (p && (p->owner == OWNER_FOREIGN || p->owner == OWNER_GIVEN_UP || l->in->now < p->refused_until));
}

/* The process of a stream that may go first; NULL where it may not. What is written is the kernel's to write, which knows no process any more. */
static const struct process_view *may_go_first(const struct law_input *l, const struct stream_view *s) {
        const struct process_view *p = s->tgid > 0 && s->start_ticks > 0 ? snapshot_find_process(l->in->snapshot, s->tgid, s->start_ticks) : NULL;
        bool may = p && p->dev == s->dev && s->dev == l->d->facts.dev && !s->writes && p->requests.told && p->requests.served_permille <= SERVED_PERMILLE_MAX &&
                   (s->state == STREAM_IS || is_likely(l, s, p)) && !is_barred(l, s);

        return may ? p : NULL;
}

static bool lets_go_first(const struct controller_device *d, const struct controller_input *in) {
        return d->policy->stream_guard.enabled && d->facts.scheduler == SCHEDULER_BFQ && in->hold != HOLD_THROUGHPUT;
}

static struct law_input input_of(const struct controller *c, const struct controller_device *d, const struct controller_input *in) {
        return (struct law_input){ .d = d, .in = in, .view = snapshot_find_device(in->snapshot, d->facts.dev), .c = c };
}

const struct stream_view *law_stream_first(const struct law_input *l) {
        for (size_t i = 0; lets_go_first(l->d, l->in) && i < l->in->snapshot->n_streams; i++)
                if (may_go_first(l, &l->in->snapshot->streams[i]))
                        return &l->in->snapshot->streams[i];
        return NULL;
}

/* What was bound before it went first need be no more. */
static size_t unbind_writes(const struct law_input *l, const struct law_wish *because, struct law_wish *ret) {
        char text[IO_PRIORITY_TEXT_MAX];
        int64_t original;

        if (!law_holds(l->d, TUNABLE_BFQ_STRICT_GUARANTEES, because->law) || !law_original(l->d, TUNABLE_BFQ_STRICT_GUARANTEES, &original))
                return 0;
        *ret = *because;
        ret->tunable = TUNABLE_BFQ_STRICT_GUARANTEES;
        ret->value = original;
        ret->at_once = true;
        SAY(ret->sentence, sizeof(ret->sentence), SAY_STREAM_FIRST, io_priority_format(FIRST, text, sizeof(text)));
        return 1;
}

size_t law_stream_first_settings(const struct law_input *l, const struct law_wish *because, struct law_wish *ret) {
        size_t n = unbind_writes(l, because, ret);
        int64_t original;

        if (!law_original(l->d, TUNABLE_BFQ_SLICE_IDLE_US, &original) || original <= WAIT_US)
                return n;
        ret[n] = *because;
        ret[n].tunable = TUNABLE_BFQ_SLICE_IDLE_US;
        ret[n].value = WAIT_US;
        SAY(ret[n].sentence, sizeof(ret[n].sentence), SAY_STREAM_WAIT, tunable_get(ret[n].tunable)->name, ret[n].value, original);
        return n + 1;
}

bool law_stream_guard_knows(const struct controller *c, const struct controller_device *d, const struct controller_input *in, const struct process_view *process) {
        const struct law_input l = input_of(c, d, in);

        for (size_t i = 0; lets_go_first(d, in) && i < in->snapshot->n_streams; i++)
                if (may_go_first(&l, &in->snapshot->streams[i]) == process)
                        return true;
        return false;
}

/* Has it once gone first it goes on to, whatever there is beside it. */
static bool goes_first_already(const struct controller *c, const struct subject *process) {
        const struct controller_process *p = controller_find_process((struct controller *) c, process);

        return p && p->held && p->law == LAW_STREAM_GUARD;
}

size_t law_stream_guard_processes(const struct controller *c, const struct controller_device *d, const struct controller_input *in, size_t *at,
                                  struct priority_wish *ret) {
        const struct law_input l = input_of(c, d, in);
        uint32_t served_permille = 0;

        if (!lets_go_first(d, in) || law_find_start(in, d->facts.dev)) /* each of its requests would interrupt what starts */
                return 0;
        for (size_t i = 0; i < in->snapshot->n_streams; i++) {
                const struct stream_view *s = &in->snapshot->streams[i];
                const struct process_view *p = may_go_first(&l, s);
                char text[IO_PRIORITY_TEXT_MAX];
                if (!p || served_permille + p->requests.served_permille > SERVED_PERMILLE_MAX)
                        continue;
                served_permille += p->requests.served_permille;
                if (i < *at)
                        continue;
                *ret = (struct priority_wish){ .law = LAW_STREAM_GUARD, .priority = FIRST, .process = { .tgid = s->tgid, .start_ticks = s->start_ticks, .uid = s->uid } };
                memcpy(ret->process.name, s->name, sizeof(ret->process.name));
                stream_describe(s, ret->sentence, sizeof(ret->sentence));
                if (!law_say_beside(&l, true, ret->sentence, sizeof(ret->sentence)) && !goes_first_already(c, &ret->process))
                        continue;
                SAY(ret->sentence, sizeof(ret->sentence), SAY_STREAM_FIRST, io_priority_format(FIRST, text, sizeof(text)));
                *at = i + 1;
                return 1;
        }
        return 0;
}

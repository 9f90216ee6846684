/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "macro.h"
#include "stream-track.h"

static struct soft_rt_rule forgetful(const struct soft_rt_rule *rule) {
        struct soft_rt_rule copy = *rule;

        copy.memory = false;
        return copy;
}

void stream_track_begin(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, bool is_old) {
        struct soft_rt_rule without = forgetful(rule);

        *s = (struct stream_track){ 0 };
        soft_rt_begin(&s->alone, rule, t);
        soft_rt_begin(&s->queue.kernel, rule, t);
        soft_rt_begin(&s->forgetful, &without, t);
        if (is_old)
                s->alone.empty_since = s->queue.kernel.empty_since = s->forgetful.empty_since = MAX(t, 1u) - 1;
}

/* How often it was asked. */
static uint32_t answers(const struct soft_rt *s) {
        return s->yes + s->no;
}

void stream_track_ask(struct stream_track *s, const struct soft_rt_rule *rule, const struct stream_ask *a, struct turn *turn, const struct turn_step *step) {
        struct soft_rt_traits traits = { .totally_seeky = a->seeks->bits == UINT32_MAX, .weight = a->weight };
        struct soft_rt_rule without = forgetful(rule);
        uint32_t bytes = (uint32_t) MIN(a->sectors * SECTOR_BYTES, (uint64_t) UINT32_MAX), answers_before;
        const struct soft_rt *kernel = turn ? &s->queue.kernel : &s->alone; /* whose answers people are told */

        if (s->alone.empty_since && nsec_sub(a->t, s->alone.empty_since) > LARGE_BURST_FORGET_NS)
                s->in_large_burst = false;
        traits.in_large_burst = s->in_large_burst;
        answers_before = answers(kernel);
        soft_rt_ask(&s->alone, rule, a->t, &traits);
        soft_rt_ask(&s->forgetful, &without, a->t, &traits);
        if (turn)
                turn_ask(turn, step, a->sectors, &traits);
        *(a->writes ? &s->bytes_written : &s->bytes_read) += bytes;
        if (!rhythm_ask(&s->rhythm, a->t, bytes))
                return;
        arrivals_note(&s->arrivals, &s->rhythm, answers(kernel) != answers_before ? kernel->answer : SOFT_RT_BUSY, kernel->margin_ns);
        if (s->judged && nsec_sub(a->t, s->judged) < STREAM_JUDGE_NS)
                return;
        s->judged = a->t;
        rhythm_judge(&s->rhythm, a->t, &(struct rhythm_traits){ s->alone.margin_ns, traits.totally_seeky, s->computes_permille, s->busy_permille });
}

void stream_track_done(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool lost) {
        struct soft_rt_rule without = forgetful(rule);

        soft_rt_done(&s->alone, rule, t, lost ? 0 : sectors);
        soft_rt_done(&s->forgetful, &without, t, lost ? 0 : sectors);
        rhythm_done(&s->rhythm, t, lost);
}

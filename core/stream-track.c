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
        soft_rt_begin(&s->kernel, rule, t);
        soft_rt_begin(&s->forgetful, &without, t);
        if (is_old)
                s->kernel.empty_since = s->forgetful.empty_since = MAX(t, 1u) - 1;
}

void stream_track_ask(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool writes,
                const struct seek_history *seeks, uint32_t weight) {
        struct soft_rt_traits traits = { .totally_seeky = seeks->bits == UINT32_MAX, .weight = weight };
        struct soft_rt_rule without = forgetful(rule);
        uint32_t bytes = (uint32_t) MIN(sectors * SECTOR_BYTES, (uint64_t) UINT32_MAX);

        if (s->kernel.empty_since && nsec_sub(t, s->kernel.empty_since) > LARGE_BURST_FORGET_NS)
                s->in_large_burst = false;
        traits.in_large_burst = s->in_large_burst;
        soft_rt_ask(&s->kernel, rule, t, &traits);
        soft_rt_ask(&s->forgetful, &without, t, &traits);
        *(writes ? &s->bytes_written : &s->bytes_read) += bytes;
        if (!rhythm_ask(&s->rhythm, t, bytes) || (s->judged && nsec_sub(t, s->judged) < STREAM_JUDGE_NS))
                return;
        s->judged = t;
        rhythm_judge(&s->rhythm, t, &(struct rhythm_traits){ s->kernel.margin_ns, traits.totally_seeky });
}

void stream_track_done(struct stream_track *s, const struct soft_rt_rule *rule, nsec_t t, uint32_t sectors, bool lost) {
        struct soft_rt_rule without = forgetful(rule);

        soft_rt_done(&s->kernel, rule, t, lost ? 0 : sectors);
        soft_rt_done(&s->forgetful, &without, t, lost ? 0 : sectors);
        rhythm_done(&s->rhythm, t, lost);
}

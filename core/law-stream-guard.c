/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard: while somebody plays or records, what is written beside it is kept from filling the drive's queue. bfq gives the stream
 * its turn at once (it raises it 30 times and preempts for it), yet what the drive has already taken stands before it all the same. Readers beside a stream
 * are step-back's: bfq has at most one of them in the drive at a time. docs/laws.md has the account. */
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "rhythm.h"
#include "str.h"

/* Who asks evenly for less than that may be anybody who pauses between what it asks for. */
#define NEARLY_US USEC_PER_SEC

/* What streams themselves write, of the drive's writes. */
static uint64_t written_by_streams(const struct law_input *l) {
        uint64_t sum = 0;

        for (size_t i = 0; i < l->in->snapshot->n_streams; i++) {
                const struct stream_view *s = &l->in->snapshot->streams[i];
                if (s->state == STREAM_IS && s->dev == l->d->facts.dev && s->writes)
                        sum += s->figures.bytes_per_s;
        }
        return sum;
}

/* Its clock shows, though it has no rest, or is out of step now and then: it waits for the drive nearly all the time, and the more it
 * does so, the less it looks like a stream. So this need not last. */
static bool is_clocked(const struct rhythm_figures *f) {
        return f->clocked && f->regularity_permille >= RHYTHM_REGULAR_STAYS_PERMILLE &&
               (f->flaw == RHYTHM_TOO_SHORT || f->flaw == RHYTHM_NO_PAUSE || f->flaw == RHYTHM_IRREGULAR);
}

/* Something stands there for a stream, not for what merely came near. */
static bool has_guarded_stream(const struct law_input *l) {
        for (enum tunable_id id = 0; id < _TUNABLE_MAX; id++)
                if (law_holds(l->d, id, LAW_STREAM_GUARD) && l->d->tunables[id].hold_us > 0)
                        return true;
        return false;
}

/* One that lacks nothing but time, and has kept it up for a while, or that shows its clock; and where a stream was guarded a moment ago,
 * one that has only begun: films and songs follow each other, and what is between them is longer than the time for which a setting is held. */
static bool is_nearly(const struct law_input *l, const struct stream_view *s) {
        enum rhythm_flaw flaw = s->figures.flaw;

        if (s->state != STREAM_NEAR_MISS || s->dev != l->d->facts.dev)
                return false;
        if (is_clocked(&s->figures))
                return true;
        if (has_guarded_stream(l))
                return flaw == RHYTHM_TOO_SHORT || flaw == RHYTHM_TOO_FEW;
        return law_lacks_only_time(s) && s->figures.value >= (int64_t) NEARLY_US;
}

/* Says who is guarded, and whether that is a stream or what shows its clock, not one that may be none; false where nobody is there to be. */
static bool describe_guarded(const struct law_input *l, char *ret, size_t size, bool *ret_sure) {
        const struct verdict *stream = law_find_verdict(l, VERDICT_SOFT_RT);

        if (stream) {
                str_copy(ret, size, stream->sentence);
                *ret_sure = true;
                return true;
        }
        for (size_t i = 0; i < l->in->snapshot->n_streams; i++)
                if (is_nearly(l, &l->in->snapshot->streams[i])) {
                        stream_describe(&l->in->snapshot->streams[i], ret, size);
                        *ret_sure = is_clocked(&l->in->snapshot->streams[i].figures);
                        if (*ret_sure)
                                str_append(ret, size, ", yet it keeps its time whatever the answers take");
                        return true;
                }
        return false;
}

/* What it has set outlasts its reason (the policy's Hold): a program that starts meanwhile would have few requests for nobody's sake. */
static size_t let_start_have_all(const struct law_input *l, struct law_wish *ret) {
        if (!law_find_verdict(l, VERDICT_STARTUP))
                return 0;
        return law_give_back(l, LAW_STREAM_GUARD, TUNABLE_BFQ_STRICT_GUARANTEES, "a program starts, and needs requests of its own", ret);
}

size_t law_stream_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_stream_guard *p = &l->d->policy->stream_guard;
        char because[VERDICT_SENTENCE_MAX + 64], rate[32];
        uint64_t written, own;
        bool sure;

        if (!p->enabled)
                return 0;
        if (!describe_guarded(l, because, sizeof(because), &sure))
                return let_start_have_all(l, ret);
        written = law_write_load(l->view).bytes_per_s;
        own = written_by_streams(l);
        if (written <= own || written - own < (uint64_t) p->min_written_mib << 20)
                return let_start_have_all(l, ret);
        str_append(because, sizeof(because), ", beside %s/s that are written", str_format_bytes(rate, sizeof(rate), written - own));
        return law_bound_writes(l, &(struct write_bound){ .law = LAW_STREAM_GUARD, .longest_wait_us = p->longest_wait_us, .longest_freeze_us = p->longest_freeze_us,
                                                          .hold_us = sure ? p->hold_us : 0, .because = because }, ret);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard: under bfq what plays goes first (law-stream-first.c). Where it cannot, and under mq-deadline, what is written beside it is kept from
 * filling the drive's queue: what the drive has already taken stands before a stream's request, whatever the scheduler does. docs/laws.md has the account. */
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "rhythm.h"
#include "str.h"

/* A process that asks evenly for less than that may be any that pauses between what it asks for. */
#define NEARLY_US USEC_PER_SEC

/* What streams themselves read or write, of what the drive does. */
static uint64_t moved_by_streams(const struct law_input *l, bool writes) {
        uint64_t sum = 0;

        for (size_t i = 0; i < l->in->snapshot->n_streams; i++) {
                const struct stream_view *s = &l->in->snapshot->streams[i];
                if (s->state == STREAM_IS && s->dev == l->d->facts.dev && s->writes == writes)
                        sum += s->figures.bytes_per_s;
        }
        return sum;
}

/* Its clock shows, though it has no rest, or is out of step now and then: it waits for the drive nearly all the time, and the more it
 * does so, the less it looks like a stream. So this need not last. */
static bool is_clocked(const struct stream_view *s) {
        const struct rhythm_figures *f = &s->figures;

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

bool law_is_nearly_stream(const struct law_input *l, const struct stream_view *s) {
        enum rhythm_flaw flaw = s->figures.flaw;

        if (s->state != STREAM_NEAR_MISS || s->dev != l->d->facts.dev)
                return false;
        if (law_starves(s) || is_clocked(s))
                return true;
        if (has_guarded_stream(l))
                return flaw == RHYTHM_TOO_SHORT || flaw == RHYTHM_TOO_FEW;
        return flaw == RHYTHM_TOO_SHORT && s->figures.value >= (int64_t) NEARLY_US;
}

/* Says which process is guarded, and whether that is a stream or what shows its clock, not one that may be none; false where no process is guarded. */
static bool describe_guarded(const struct law_input *l, char *ret, size_t size, bool *ret_sure) {
        const struct verdict *stream = law_find_verdict(l, VERDICT_SOFT_RT);

        if (stream) {
                str_copy(ret, size, stream->sentence);
                *ret_sure = true;
                return true;
        }
        for (size_t i = 0; i < l->in->snapshot->n_streams; i++)
                if (law_is_nearly_stream(l, &l->in->snapshot->streams[i])) {
                        stream_describe(&l->in->snapshot->streams[i], ret, size);
                        *ret_sure = law_starves(&l->in->snapshot->streams[i]) || is_clocked(&l->in->snapshot->streams[i]);
                        if (is_clocked(&l->in->snapshot->streams[i]))
                                SAY(ret, size, SAY_KEEPS_ITS_TIME);
                        return true;
                }
        return false;
}

/* What it has set outlasts its reason (the policy's Hold): a program that starts meanwhile would have few requests for no stream's sake. */
static size_t let_start_have_all(const struct law_input *l, struct law_wish *ret) {
        if (!law_find_verdict(l, VERDICT_STARTUP))
                return 0;
        return law_give_back(l, LAW_STREAM_GUARD, statement_plain(SAY_START_NEEDS), ret);
}

bool law_say_beside(const struct law_input *l, bool also_reads, char *buf, size_t size) {
        uint64_t much = MAX((uint64_t) l->d->policy->stream_guard.min_written_mib << 20, UINT64_C(1)), own_reads = moved_by_streams(l, false),
                 own_writes = moved_by_streams(l, true);
        struct write_load load = law_write_load(l->view);
        uint64_t read = load.read_bytes_per_s - MIN(load.read_bytes_per_s, own_reads), written = load.bytes_per_s - MIN(load.bytes_per_s, own_writes);

        if (written < much && (!also_reads || read < much))
                return false;
        SAY(buf, size, written >= much ? SAY_BESIDE_WRITTEN : SAY_BESIDE_READ, written >= much ? written : read);
        return true;
}

/* The class sees to it that it waits for no other process: all that is left is how long those wait for its next request. */
static size_t let_first(const struct law_input *l, const struct stream_view *first, struct law_wish *ret) {
        struct law_wish wish = { .law = LAW_STREAM_GUARD, .hold_us = first->state == STREAM_IS ? l->d->policy->stream_guard.hold_us : 0 };

        stream_describe(first, wish.sentence, sizeof(wish.sentence));
        if (law_find_verdict(l, VERDICT_STARTUP) || !law_say_beside(l, true, wish.sentence, sizeof(wish.sentence)))
                return let_start_have_all(l, ret);
        return law_stream_first_settings(l, &wish, ret);
}

size_t law_stream_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_stream_guard *p = &l->d->policy->stream_guard;
        const struct stream_view *first = law_stream_first(l);
        char because[VERDICT_SENTENCE_MAX + 64];
        bool sure;
        size_t n = 0;

        if (!p->enabled)
                return 0;
        if (first)
                return let_first(l, first, ret);
        if (describe_guarded(l, because, sizeof(because), &sure) && law_say_beside(l, false, because, sizeof(because))) {
                const struct write_bound bound = {
                        .law = LAW_STREAM_GUARD, .longest_wait_us = p->longest_wait_us, .hold_us = sure ? p->hold_us : 0, .because = because
                };
                n = law_bound_writes(l, &bound, ret);
        }
        return n > 0 ? n : let_start_have_all(l, ret);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Law stream-guard: while a process plays or records, what is written beside it is kept from filling the drive's queue. bfq gives the stream
 * its turn at once (it raises it 30 times and preempts for it), yet what the drive has already taken stands before it all the same. And whose next
 * request lies where the heads are is served before it, one after the other, for as long as the drive may keep it. docs/laws.md has the account. */
#include "histogram.h"
#include "law.h"
#include "law-private.h"
#include "macro.h"
#include "rhythm.h"
#include "str.h"

/* The writes that bfq lets through of the fewest requests that a queue may have. */
#define FEWEST_WRITES 2u

/* A process that asks evenly for less than that may be any that pauses between what it asks for. */
#define NEARLY_US USEC_PER_SEC

/* A request that the drive had for so many times the longest wait did not just stand behind what it had taken before: most likely others went before it. */
#define KEPT_FACTOR 4u
/* For so long requests from before a change are among the latencies: two periods (core/histogram.h), and a tick. */
#define SETTLED_NS (2 * HISTOGRAM_PERIOD_NS + NSEC_PER_SEC)
/* Of Hold: what begins to read or write once more is kept back from its first request on. */
#define KEPT_HOLD_FACTOR 2u

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
        if (law_starves(s) || is_clocked(&s->figures))
                return true;
        if (has_guarded_stream(l))
                return flaw == RHYTHM_TOO_SHORT || flaw == RHYTHM_TOO_FEW;
        return law_lacks_only_time(s) && s->figures.value >= (int64_t) NEARLY_US;
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
                if (is_nearly(l, &l->in->snapshot->streams[i])) {
                        stream_describe(&l->in->snapshot->streams[i], ret, size);
                        *ret_sure = law_starves(&l->in->snapshot->streams[i]) || is_clocked(&l->in->snapshot->streams[i].figures);
                        if (is_clocked(&l->in->snapshot->streams[i].figures))
                                SAY(ret, size, SAY_KEEPS_ITS_TIME);
                        return true;
                }
        return false;
}

/* The longest that the drive has kept a request of a stream lately, from dispatch to completion; 0 where single requests are not told. */
static uint32_t find_kept_us(const struct law_input *l) {
        const struct snapshot *s = l->in->snapshot;
        uint32_t longest = 0;

        for (size_t i = 0; i < s->n_streams; i++) {
                const struct stream_view *stream = &s->streams[i];
                if (stream->dev != l->d->facts.dev || (stream->state != STREAM_IS && !law_starves(stream) && !is_clocked(&stream->figures)))
                        continue;
                for (size_t k = 0; k < s->n_processes; k++) {
                        const struct process_view *p = &s->processes[k];
                        if (p->tgid == stream->tgid && p->dev == stream->dev && p->requests.told)
                                longest = MAX(longest, p->requests.latencies.service[stream->writes ? REQUEST_WRITE : REQUEST_READ].longest_us);
                }
        }
        return longest;
}

/* What this law has set there, or advises, for the sake of a request that was kept. */
static bool serves_one_at_a_time(const struct law_input *l) {
        return law_stands(l->d, TUNABLE_BFQ_STRICT_GUARANTEES, LAW_STREAM_GUARD) && l->d->tunables[TUNABLE_BFQ_STRICT_GUARANTEES].lasting;
}

/* For so long a stream plays what it fetches at a time: with a longer wait each time it uses up its store. Of those that are too fast for bfq to
 * raise, which so do wait each time, on the drive the shortest; 0: there are none. */
static uint32_t find_piece_us(const struct law_input *l) {
        uint32_t shortest = 0;

        for (size_t i = 0; i < l->in->snapshot->n_streams; i++) {
                const struct stream_view *s = &l->in->snapshot->streams[i];
                if (s->dev == l->d->facts.dev && s->state == STREAM_IS && s->figures.bytes_per_s > RHYTHM_EARLY_RATE_MAX && s->figures.period_us > 0)
                        shortest = shortest ? MIN(shortest, s->figures.period_us) : s->figures.period_us;
        }
        return shortest;
}

static bool has_been_kept(const struct law_input *l, uint32_t kept_us) {
        return kept_us >= KEPT_FACTOR * l->d->policy->stream_guard.longest_wait_us;
}

/* Fewer requests have had their time to help, or are no help: much is read, or another program sets it. What took so long began after they were set. */
static bool are_fewer_no_help(const struct law_input *l, bool reads_much, uint32_t kept_us) {
        const struct controller_tunable *few = &l->d->tunables[TUNABLE_QUEUE_NR_REQUESTS];

        if (law_holds(l->d, TUNABLE_QUEUE_NR_REQUESTS, LAW_STREAM_GUARD))
                return nsec_sub(l->in->now, few->written) >= SETTLED_NS + kept_us * NSEC_PER_USEC;
        return reads_much || few->owner == OWNER_FOREIGN || few->owner == OWNER_GIVEN_UP;
}

/* What it has set outlasts its reason (the policy's Hold): a program that starts meanwhile would have few requests for no stream's sake. */
static size_t let_start_have_all(const struct law_input *l, enum tunable_id kept, struct law_wish *ret) {
        if (!law_find_verdict(l, VERDICT_STARTUP))
                return 0;
        return law_give_back(l, LAW_STREAM_GUARD, kept, statement_plain(SAY_START_NEEDS), ret);
}

/* No process plays any more, not just for the moment: one that is kept waiting is no stream for as long as it waits. */
static size_t let_start_have_drive(const struct law_input *l, struct law_wish *ret) {
        nsec_t last = MAX(l->d->played, l->d->tunables[TUNABLE_BFQ_STRICT_GUARANTEES].unwanted_since); /* one that shows its clock alone is no stream to others */
        bool over = nsec_sub(l->in->now, last) >= MAX(l->d->policy->hold_us, 1u) * NSEC_PER_USEC;

        return let_start_have_all(l, over ? _TUNABLE_INVALID : TUNABLE_BFQ_STRICT_GUARANTEES, ret);
}

/* Of a setting that outlasts Hold by as much again. */
static uint32_t long_hold_us(const struct policy_stream_guard *p) {
        return (uint32_t) MIN((uint64_t) KEPT_HOLD_FACTOR * p->hold_us, UINT32_MAX);
}

/* What is moved beside the streams, and what becomes of them. */
struct beside {
        uint64_t read, written; /* bytes a second */
        bool reads_much, writes_much;
        uint32_t kept_us;
        uint32_t piece_us;   /* find_piece_us() */
        uint32_t service_us; /* of the drive, for a request while it writes; 0: not known */
};

static struct beside look_beside(const struct law_input *l) {
        uint64_t much = MAX((uint64_t) l->d->policy->stream_guard.min_written_mib << 20, UINT64_C(1)), reads = moved_by_streams(l, false),
                 writes = moved_by_streams(l, true);
        struct write_load load = law_write_load(l->view);
        struct beside b = { .read = load.read_bytes_per_s - MIN(load.read_bytes_per_s, reads), .written = load.bytes_per_s - MIN(load.bytes_per_s, writes) };

        b.reads_much = b.read >= much;
        b.writes_much = b.written >= much;
        b.kept_us = find_kept_us(l);
        b.piece_us = find_piece_us(l);
        b.service_us = load.service_us;
        return b;
}

/* Even with the fewest requests it would wait for longer each time than what it then gets lasts. */
static bool is_drained(const struct beside *b) {
        return b->writes_much && b->piece_us > 0 && FEWEST_WRITES * b->service_us > b->piece_us;
}

/* A drive that has one request at a time has nothing to put before it. What starts meanwhile has all requests: it needs no fewer. */
static size_t serve_one_at_a_time(const struct law_input *l, const char *because, const struct beside *b, struct law_wish *ret) {
        enum tunable_id id = TUNABLE_BFQ_STRICT_GUARANTEES;

        law_one_at_a_time(&(struct write_bound){ .law = LAW_STREAM_GUARD, .hold_us = long_hold_us(&l->d->policy->stream_guard), .because = because }, ret);
        ret->lasting = true;
        if (is_drained(b))
                SAY(ret->sentence, sizeof(ret->sentence), SAY_STREAM_DRAINED, b->piece_us, FEWEST_WRITES, FEWEST_WRITES * b->service_us);
        else if (serves_one_at_a_time(l))
                SAY(ret->sentence, sizeof(ret->sentence), SAY_STREAM_ONE_STAYS);
        else
                SAY(ret->sentence, sizeof(ret->sentence), SAY_STREAM_ONE, b->kept_us);
        return 1 + (law_holds(l->d, id, LAW_STREAM_GUARD) ? let_start_have_all(l, id, &ret[1]) : 0);
}

size_t law_stream_guard(const struct law_input *l, struct law_wish *ret) {
        const struct policy_stream_guard *p = &l->d->policy->stream_guard;
        char because[VERDICT_SENTENCE_MAX + 64];
        bool sure, strict, kept, drained;
        struct beside b;
        size_t n = 0;

        if (!p->enabled)
                return 0;
        if (!describe_guarded(l, because, sizeof(because), &sure))
                return let_start_have_drive(l, ret);
        b = look_beside(l);
        if (!b.reads_much && !b.writes_much)
                return let_start_have_all(l, TUNABLE_BFQ_STRICT_GUARANTEES, ret);
        strict = serves_one_at_a_time(l);
        drained = sure && law_can_serve_one_at_a_time(l->d) && is_drained(&b);
        kept = sure && law_can_serve_one_at_a_time(l->d) && (strict || has_been_kept(l, b.kept_us));
        SAY(because, sizeof(because), b.writes_much ? SAY_BESIDE_WRITTEN : SAY_BESIDE_READ, b.writes_much ? b.written : b.read);
        if (drained || (kept && (strict || are_fewer_no_help(l, b.reads_much, b.kept_us))))
                return serve_one_at_a_time(l, because, &b, ret);
        if (b.writes_much && !strict)
                n = law_bound_writes(l, &(struct write_bound){ .law = LAW_STREAM_GUARD, .longest_wait_us = p->longest_wait_us,
                                                               .longest_freeze_us = p->longest_freeze_us, .hold_us = sure ? p->hold_us : 0, .because = because }, ret);
        if (n > 0)
                return n;
        return kept && !strict ? serve_one_at_a_time(l, because, &b, ret) : let_start_have_all(l, TUNABLE_BFQ_STRICT_GUARANTEES, ret);
}

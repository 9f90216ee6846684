/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "arithmetic.h"
#include "macro.h"
#include "rhythm.h"

static const struct {
        const char *name, *unit;
} flaws[_RHYTHM_FLAW_MAX] = {
        [RHYTHM_FITS] = { "", "" },
        [RHYTHM_TOO_FEW] = { "periods", "" },
        [RHYTHM_TOO_FAST] = { "rate-max", "bytes/s" },
        [RHYTHM_TOO_SLOW] = { "rate-min", "bytes/s" },
        [RHYTHM_NO_PAUSE] = { "pause", "permille" },
        [RHYTHM_COMPUTES] = { "computing", "permille" },
        [RHYTHM_SEEKY] = { "seeks", "" },
        [RHYTHM_FOLLOWS] = { "follows", "permille" },
        [RHYTHM_IRREGULAR] = { "regularity", "permille" },
        [RHYTHM_DRIFTS] = { "drift", "permille" },
        [RHYTHM_FAST_LATELY] = { "too-early", "us" },
        [RHYTHM_STARVES] = { "starved", "permille" },
        [RHYTHM_TOO_SHORT] = { "steady", "us" },
};

const char *rhythm_flaw_to_string(enum rhythm_flaw f) {
        return flaws[f].name;
}

const char *rhythm_flaw_unit(enum rhythm_flaw f) {
        return flaws[f].unit;
}

static uint32_t to_us(nsec_t t) {
        return (uint32_t) MIN(t / NSEC_PER_USEC, (nsec_t) UINT32_MAX);
}

static nsec_t quiet_since(const struct rhythm *r) {
        return MAX(r->last_ask, r->last_done);
}

/* As it was when nothing was known of it. */
static void begin_anew(struct rhythm *r) {
        uint32_t batches = r->batches, excused = r->excused, inflight = r->inflight;
        nsec_t waits_since = r->waits_since;
        bool short_pauses = r->short_pauses;

        *r = (struct rhythm){ .batches = batches, .excused = excused, .inflight = inflight, .waits_since = waits_since, .short_pauses = short_pauses };
}

/* The i-th of the remembered periods, the oldest first. */
static const struct rhythm_period *period_at(const struct rhythm *r, size_t i) {
        return &r->periods[(r->at + RHYTHM_PERIODS - r->n + i) % RHYTHM_PERIODS];
}

/* The answer took longer or shorter than it does otherwise, and that is all: it paused as ever, and asked for as much. */
static bool is_followed(const struct rhythm_figures *f, const struct rhythm_period *p) {
        return apart(p->pause_us, f->pause_us) * 2 <= apart(p->us, f->period_us) &&
               apart(p->bytes, f->batch_bytes) <= (uint64_t) f->batch_bytes * RHYTHM_NEAR_PERMILLE / 1000;
}

/* It has as many bytes as its mean rate makes of its length, and not the same pause as the others: that would be one after each so many answers. */
static bool keeps_rate(const struct rhythm_figures *f, const struct rhythm_period *p) {
        uint64_t due = f->bytes_per_s * p->us / USEC_PER_SEC;

        return apart(p->bytes, due) <= due * RHYTHM_NEAR_PERMILLE / 1000 && apart(p->pause_us, f->pause_us) > f->pause_us * RHYTHM_NEAR_PERMILLE / 1000;
}

static void note_bit(struct rhythm_bits *b, bool bit) {
        b->bits = (uint16_t) (b->bits << 1 | bit);
        b->n = (uint8_t) MIN(b->n + 1u, 8 * sizeof(b->bits));
}

/* The period that has ended, where it is uneven. */
static void note_uneven(struct rhythm *r) {
        const struct rhythm_figures *f = &r->figures;
        uint64_t even = MAX((uint64_t) f->period_us * RHYTHM_NEAR_PERMILLE / 1000, RHYTHM_BEAT_NS / NSEC_PER_USEC);

        if (apart(r->ended.us, f->period_us) <= even)
                return;
        note_bit(&r->followed, is_followed(f, &r->ended));
        note_bit(&r->kept, keeps_rate(f, &r->ended));
}

/* What paces it, paces it no faster after it was late, as a slow network does: once it rests as ever, it has not made up for the time in which it waited. */
static void note_late(struct rhythm *r, nsec_t waited) {
        const struct rhythm_figures *f = &r->figures;
        bool is_late = r->ended.us >= RHYTHM_LATE_PERIODS * (uint64_t) f->period_us && waited * 2 >= r->ended.us * NSEC_PER_USEC;

        if (!is_late && !r->late_us)
                return;
        r->late_us += r->ended.us;
        r->late_bytes += r->ended.bytes;
        if (is_late || r->ended.pause_us * UINT64_C(1000) < f->pause_us * (uint64_t) RHYTHM_MADE_UP_PERMILLE)
                return;
        note_bit(&r->lost, r->late_bytes * f->period_us * 1000 <= r->late_us * f->batch_bytes * RHYTHM_MADE_UP_PERMILLE);
        r->late_us = r->late_bytes = 0;
}

/* Too long because it waited: without that it would have been as long as the others, or shorter; of a stream, as long as so many of them as it has bytes of. */
static bool is_excused(const struct rhythm *r, nsec_t period, nsec_t waited) {
        nsec_t median = r->figures.period_us * NSEC_PER_USEC, longest = median + median * RHYTHM_NEAR_PERMILLE / 1000;
        uint64_t pieces = r->confirmed ? MAX(r->bytes / MAX(r->figures.batch_bytes, 1u), 1u) : 1;

        return r->n >= RHYTHM_GROUP && period > longest && waited >= period / 2 && nsec_sub(period, waited) <= longest * pieces;
}

static uint64_t span_us(const struct rhythm *r) {
        uint64_t us = 0;

        for (size_t i = 0; i < r->n; i++)
                us += r->periods[i].us;
        return us;
}

/* With something under way, in the running period by t. */
static nsec_t waited_by(const struct rhythm *r, nsec_t t) {
        return r->waited + (r->waits_since ? nsec_sub(t, MAX(r->waits_since, r->begun)) : 0);
}

static void skip(struct rhythm *r) {
        r->skipped_us = r->doubtful ? UINT32_MAX : add_saturating(r->skipped_us, r->ended.us);
        r->skipped_bytes = add_saturating(r->skipped_bytes, (uint32_t) MIN(r->ended.bytes, (uint64_t) UINT32_MAX));
}

static void end_period(struct rhythm *r, nsec_t t) {
        nsec_t period = nsec_sub(t, r->begun), pause = nsec_sub(t, quiet_since(r));
        nsec_t waited = waited_by(r, t);
        bool is_left_out;

        r->ended = (struct rhythm_period){ .us = to_us(period), .pause_us = to_us(MIN(pause, nsec_sub(period, waited))), .bytes = r->bytes };
        if (r->figures.periods >= RHYTHM_GROUP && !r->doubtful) {
                note_uneven(r);
                note_late(r, nsec_sub(waited, r->waited_elsewhere));
        }
        is_left_out = is_excused(r, period, waited);
        if (!r->doubtful)
                note_bit(&r->left_out, is_left_out);
        r->ended_left_out = r->doubtful || is_left_out;
        if (r->ended_left_out) {
                r->excused++;
                r->held_up = t;
                skip(r);
                return;
        }
        r->ended.skipped_us = r->skipped_us;
        r->ended.skipped_bytes = r->skipped_bytes;
        r->skipped_us = r->skipped_bytes = 0;
        r->periods[r->at] = r->ended;
        r->at = (uint8_t) ((r->at + 1) % RHYTHM_PERIODS);
        r->n = (uint8_t) MIN(r->n + 1, RHYTHM_PERIODS);
}

static void begin_batch(struct rhythm *r, nsec_t t) {
        if (r->begun)
                end_period(r, t);
        r->first = r->first ? r->first : t;
        r->begun = t;
        r->bytes = 0;
        r->waited = r->waited_elsewhere = 0;
        r->waits_since = r->inflight > 0 ? t : 0;
        r->doubtful = false;
        r->batches++;
}

static nsec_t mean_period(const struct rhythm *r) {
        return r->n > 0 ? span_us(r) / r->n * NSEC_PER_USEC : 0;
}

/* So long a time in which it neither asks nor waits ends a batch. Of one that asks every few seconds it is longer, unless the running batch has gone on for
 * as long as that. */
static nsec_t pause_ns(const struct rhythm *r, nsec_t t, nsec_t mean) {
        nsec_t shortest = r->short_pauses ? RHYTHM_SHORT_PAUSE_NS : RHYTHM_PAUSE_NS;

        return mean < NSEC_PER_SEC || nsec_sub(t, r->begun) > mean ? shortest : MAX(shortest, MIN(mean / RHYTHM_PAUSE_PART, RHYTHM_PAUSE_MAX_NS));
}

/* In half of the running batch at most. */
static bool waits_little(const struct rhythm *r, nsec_t t) {
        return waited_by(r, t) * 2 <= nsec_sub(t, r->begun);
}

/* It rested for seconds, as a player does once that has filled its store. But it is none that asks every few seconds: the running batch has gone on for as
 * long, and waits little for the drive. */
static bool goes_on(const struct rhythm *r, nsec_t t, nsec_t mean) {
        return !r->confirmed && mean >= NSEC_PER_SEC && nsec_sub(t, r->begun) > mean && nsec_sub(t, quiet_since(r)) < mean / RHYTHM_PAUSE_PART &&
               waits_little(r, t);
}

/* The running batch goes on and on, fast for bfq and not too fast for a stream, and yet it rests: its pauses are shorter. */
static bool rests_shortly(const struct rhythm *r, nsec_t t) {
        nsec_t span = nsec_sub(t, r->begun);
        uint64_t us = span / NSEC_PER_USEC;

        return !r->short_pauses && r->begun && nsec_sub(t, quiet_since(r)) <= RHYTHM_PAUSE_NS && span >= RHYTHM_SHORT_PAUSES_NS &&
               r->bytes * USEC_PER_SEC > RHYTHM_EARLY_RATE_MAX * us && r->bytes * USEC_PER_SEC <= RHYTHM_RATE_MAX * us && waits_little(r, t);
}

bool rhythm_ask(struct rhythm *r, nsec_t t, uint32_t bytes) {
        nsec_t mean;
        bool begins;

        rhythm_follow(r, t);
        mean = mean_period(r);
        if (goes_on(r, t, mean))
                begin_anew(r);
        if (rests_shortly(r, t)) {
                r->short_pauses = true;
                begin_anew(r);
        }
        begins = !r->begun || nsec_sub(t, quiet_since(r)) > pause_ns(r, t, mean);
        if (begins)
                begin_batch(r, t);
        r->last_ask = MAX(r->last_ask, t);
        r->bytes += bytes;
        if (r->inflight++ == 0)
                r->waits_since = t;
        return begins;
}

void rhythm_done(struct rhythm *r, nsec_t t, bool lost) {
        r->inflight -= r->inflight > 0;
        r->doubtful |= lost;
        r->last_done = MAX(r->last_done, t);
        if (r->inflight > 0 || !r->waits_since)
                return;
        r->waited += nsec_sub(t, r->waits_since);
        r->waits_since = 0;
}

void rhythm_wait(struct rhythm *r, nsec_t t, nsec_t span) {
        nsec_t from = MAX(nsec_sub(t, span), MAX(r->begun, MAX(r->last_done, r->seen_waiting)));

        if (!r->begun || t < r->begun)
                return;
        if (r->inflight == 0)
                r->waited += nsec_sub(t, from), r->waited_elsewhere += nsec_sub(t, from);
        r->seen_waiting = MAX(t, r->seen_waiting);
}

/* Near the median, or near a multiple of the beat. */
static bool is_regular(uint64_t us, uint64_t typical, uint64_t beat) {
        uint64_t times = beat ? MAX((us + beat / 2) / beat, 1u) : 0;

        return apart(us, typical) <= typical * RHYTHM_NEAR_PERMILLE / 1000 ||
               (beat && apart(us, times * beat) <= MAX(beat * RHYTHM_BEAT_PERMILLE / 1000, RHYTHM_BEAT_NS / NSEC_PER_USEC));
}

static uint32_t regularity_permille(const struct rhythm *r, uint32_t typical) {
        uint32_t best = 0;

        for (uint32_t part = 1; part <= RHYTHM_BEATS; part++) {
                uint32_t regular = 0, beat = typical / part;
                for (size_t i = 0; i < r->n; i++)
                        regular += is_regular(r->periods[i].us, typical, beat > RHYTHM_BEAT_MIN_NS / NSEC_PER_USEC ? beat : 0);
                best = MAX(best, regular);
        }
        return r->n ? best * 1000 / r->n : 0;
}

/* Groups of periods from the newest back. */
static uint32_t drift_permille(const struct rhythm *r) {
        uint64_t longest = 0, shortest = UINT64_MAX;

        for (size_t end = r->n; end >= RHYTHM_GROUP; end -= RHYTHM_GROUP) {
                uint64_t sum = 0;
                for (size_t i = end - RHYTHM_GROUP; i < end; i++)
                        sum += period_at(r, i)->us;
                longest = MAX(longest, sum);
                shortest = MIN(shortest, sum);
        }
        return longest && shortest ? (uint32_t) MIN(longest * 1000 / shortest, (uint64_t) UINT32_MAX) : 1000;
}

/* The median distance of each from a value. */
static uint32_t spread(const uint32_t *values, size_t n, uint32_t from) {
        uint32_t distances[RHYTHM_PERIODS];

        for (size_t i = 0; i < n; i++)
                distances[i] = (uint32_t) apart(values[i], from);
        return median(distances, n);
}

static bool is_clocked(const struct rhythm *r) {
        uint32_t periods_us[RHYTHM_PERIODS], answers_us[RHYTHM_PERIODS], sorted[RHYTHM_PERIODS];
        uint64_t answers_spread_us;

        if (r->n < RHYTHM_CLOCK_PERIODS_MIN)
                return false;
        for (size_t i = 0; i < r->n; i++) {
                periods_us[i] = r->periods[i].us;
                answers_us[i] = sorted[i] = r->periods[i].us - r->periods[i].pause_us;
        }
        answers_spread_us = spread(answers_us, r->n, median(sorted, r->n));
        return answers_spread_us >= RHYTHM_CLOCK_ANSWERS_NS / NSEC_PER_USEC &&
               (uint64_t) spread(periods_us, r->n, r->figures.period_us) * 1000 <= answers_spread_us * RHYTHM_CLOCK_PERMILLE;
}

/* Those left out count: what takes as much as it gets waits in them, each time for another while. */
static bool is_punctual(const struct rhythm *r) {
        uint64_t us = 0, bytes = 0, total_us = r->skipped_us, total_bytes = r->skipped_bytes, most_us;

        if (r->n < RHYTHM_CLOCK_PERIODS_MIN)
                return false;
        for (size_t i = 0; i < r->n; i++) {
                total_us += r->periods[i].us + r->periods[i].skipped_us;
                total_bytes += r->periods[i].bytes + r->periods[i].skipped_bytes;
        }
        if (total_bytes == 0)
                return false;
        most_us = MIN(r->figures.period_us / 2, RHYTHM_PUNCTUAL_NS / NSEC_PER_USEC);
        for (size_t i = 0; i < r->n; i++) {
                us += period_at(r, i)->us + period_at(r, i)->skipped_us;
                bytes += period_at(r, i)->bytes + period_at(r, i)->skipped_bytes;
                if (apart(us, (uint64_t) ((double) total_us * (double) bytes / (double) total_bytes)) > most_us)
                        return false;
        }
        return true;
}

static void measure(struct rhythm *r) {
        struct rhythm_figures *f = &r->figures;
        uint32_t periods_us[RHYTHM_PERIODS], pauses_us[RHYTHM_PERIODS], sizes[RHYTHM_PERIODS];
        uint64_t us = 0, pause_us = 0, bytes = 0;

        for (size_t i = 0; i < r->n; i++) {
                periods_us[i] = r->periods[i].us;
                pauses_us[i] = r->periods[i].pause_us;
                sizes[i] = (uint32_t) MIN(r->periods[i].bytes, (uint64_t) UINT32_MAX);
                us += r->periods[i].us;
                pause_us += r->periods[i].pause_us;
                bytes += r->periods[i].bytes;
        }
        f->batches = r->batches;
        f->periods = r->n;
        f->bytes_per_s = us ? bytes * USEC_PER_SEC / us : 0;
        f->pause_permille = us ? (uint32_t) (pause_us * 1000 / us) : 0;
        f->period_us = median(periods_us, r->n);
        f->pause_us = median(pauses_us, r->n);
        f->batch_bytes = median(sizes, r->n);
        f->punctual = is_punctual(r);
        f->regularity_permille = f->punctual ? 1000 : regularity_permille(r, f->period_us);
        f->drift_permille = drift_permille(r);
        f->clocked = is_clocked(r);
}

static void fail(struct rhythm_figures *f, enum rhythm_flaw flaw, int64_t value, int64_t limit) {
        if (f->flaw != RHYTHM_FITS)
                return;
        f->flaw = flaw;
        f->value = value;
        f->limit = limit;
}

/* The part of them that are set; 0: too few to tell. */
static uint32_t bits_permille(const struct rhythm_bits *b, unsigned least) {
        return b->n < least ? 0 : count_ones(b->bits) * 1000 / b->n;
}

/* Whether it rests by its state, too: a process that has not been looked at for long enough is taken to. */
static bool is_rested(struct rhythm *r, nsec_t t, uint32_t rests) {
        if (nsec_sub(t, r->first) < RHYTHM_LOOKED_NS)
                return true;
        if (rests >= RHYTHM_PAUSE_PERMILLE)
                r->rested = t;
        return r->rested && nsec_sub(t, r->rested) <= RHYTHM_RESTED_NS;
}

/* By its requests, which say more of a process that has some than its state. */
static bool starves(const struct rhythm *r, const struct rhythm_traits *traits) {
        return r->figures.pause_permille < RHYTHM_PAUSE_PERMILLE && !traits->totally_seeky &&
               (r->figures.clocked || (bits_permille(&r->kept, RHYTHM_UNEVEN_MIN) >= RHYTHM_STARVES_PERMILLE &&
                                       bits_permille(&r->followed, RHYTHM_UNEVEN_MIN) <= RHYTHM_FOLLOWS_PERMILLE));
}

/* A stream stays one with half of what it takes to become one: what others do to it shall not end it. */
static void compare(struct rhythm *r, nsec_t t, const struct rhythm_traits *traits) {
        struct rhythm_figures *f = &r->figures;
        bool stands = r->confirmed != 0;
        int64_t early = -traits->margin_ns, early_max = (int64_t) MAX(RHYTHM_EARLY_NS, RHYTHM_EARLY_PERIODS * f->period_us * NSEC_PER_USEC);
        uint64_t rate_max = stands ? RHYTHM_RATE_STAYS : RHYTHM_RATE_MAX, rate_min = stands ? RHYTHM_RATE_MIN / 2 : RHYTHM_RATE_MIN;
        uint32_t regular = stands ? RHYTHM_REGULAR_STAYS_PERMILLE : RHYTHM_REGULAR_PERMILLE;
        uint32_t follows = MAX(bits_permille(&r->followed, stands ? RHYTHM_UNEVEN_STAYS_MIN : RHYTHM_UNEVEN_MIN),
                               bits_permille(&r->lost, stands ? RHYTHM_LATE_STAYS_MIN : RHYTHM_UNEVEN_MIN));
        uint32_t follows_max = stands ? RHYTHM_FOLLOWS_STAYS_PERMILLE : RHYTHM_FOLLOWS_PERMILLE;
        uint32_t rests = 1000 - MIN(traits->busy_permille, 1000u);
        bool rested = is_rested(r, t, rests);
        uint32_t told = 1000 - bits_permille(&r->left_out, RHYTHM_PERIODS_MIN);
        uint32_t computes_max = stands ? RHYTHM_COMPUTES_STAYS_PERMILLE : RHYTHM_COMPUTES_PERMILLE;

        f->flaw = RHYTHM_FITS;
        f->value = f->limit = 0;
        if (!stands && f->periods < RHYTHM_PERIODS_MIN)
                regular = 1000;
        if (f->periods < (stands || span_us(r) >= RHYTHM_LONG_SPAN_NS / NSEC_PER_USEC ? RHYTHM_PERIODS_MIN - 1 : RHYTHM_PERIODS_MIN))
                fail(f, RHYTHM_TOO_FEW, f->periods, RHYTHM_PERIODS_MIN);
        if (f->bytes_per_s > rate_max)
                fail(f, RHYTHM_TOO_FAST, (int64_t) f->bytes_per_s, (int64_t) rate_max);
        if (f->bytes_per_s < rate_min)
                fail(f, RHYTHM_TOO_SLOW, (int64_t) f->bytes_per_s, (int64_t) rate_min);
        if (traits->computes_permille > computes_max)
                fail(f, RHYTHM_COMPUTES, traits->computes_permille, computes_max);
        if (!stands && (f->pause_permille < RHYTHM_PAUSE_PERMILLE || !rested))
                fail(f, starves(r, traits) ? RHYTHM_STARVES : RHYTHM_NO_PAUSE, MIN(f->pause_permille, rests), RHYTHM_PAUSE_PERMILLE);
        if (traits->totally_seeky)
                fail(f, RHYTHM_SEEKY, 32, 31);
        if (follows > follows_max && !f->punctual)
                fail(f, RHYTHM_FOLLOWS, follows, follows_max);
        if (f->regularity_permille < regular)
                fail(f, RHYTHM_IRREGULAR, f->regularity_permille, regular);
        if (!stands && told < RHYTHM_TOLD_PERMILLE)
                fail(f, RHYTHM_IRREGULAR, told, RHYTHM_TOLD_PERMILLE);
        if (!stands && f->drift_permille > RHYTHM_DRIFT_PERMILLE)
                fail(f, RHYTHM_DRIFTS, f->drift_permille, RHYTHM_DRIFT_PERMILLE);
        if (!stands && early > early_max && f->bytes_per_s <= RHYTHM_EARLY_RATE_MAX)
                fail(f, RHYTHM_FAST_LATELY, early / (int64_t) NSEC_PER_USEC, early_max / (int64_t) NSEC_PER_USEC);
}

/* Out of step for a moment only, since it waited and then catches up; or since what is remembered is but a moment. */
static bool is_slip(const struct rhythm *r, nsec_t t) {
        enum rhythm_flaw flaw = r->figures.flaw;
        bool held_up = r->held_up && nsec_sub(t, r->held_up) < RHYTHM_HELD_UP_NS, is_brief;

        is_brief = span_us(r) < RHYTHM_BRIEF_NS / NSEC_PER_USEC && r->figures.bytes_per_s > RHYTHM_EARLY_RATE_MAX;

        return nsec_sub(t, r->unfit_since) < RHYTHM_SLIP_NS &&
               (flaw == RHYTHM_FITS || (flaw == RHYTHM_DRIFTS && (held_up || is_brief)) || (flaw == RHYTHM_IRREGULAR && is_brief)) && (held_up || is_brief);
}

static void fall_out_of_step(struct rhythm *r, nsec_t t) {
        r->unfit_since = r->unfit_since ? r->unfit_since : t;
        if (!is_slip(r, t))
                r->fits_since = 0;
        if (r->figures.flaw == RHYTHM_TOO_FAST || r->figures.flaw == RHYTHM_FOLLOWS || nsec_sub(t, r->unfit_since) >= RHYTHM_GIVE_UP_NS)
                r->confirmed = 0;
}

void rhythm_judge(struct rhythm *r, nsec_t t, const struct rhythm_traits *traits) {
        measure(r);
        compare(r, t, traits);
        if (r->figures.flaw != RHYTHM_FITS) {
                fall_out_of_step(r, t);
                return;
        }
        if (!r->fits_since || (r->unfit_since && !is_slip(r, t)))
                r->fits_since = t;
        r->unfit_since = 0;
        if (r->confirmed)
                return;
        if (nsec_sub(t, r->fits_since) >= RHYTHM_STEADY_NS || span_us(r) >= RHYTHM_SPAN_NS / NSEC_PER_USEC)
                r->confirmed = t;
        else
                fail(&r->figures, RHYTHM_TOO_SHORT, to_us(nsec_sub(t, r->fits_since)), RHYTHM_STEADY_NS / NSEC_PER_USEC);
}

/* It asks on and on: more than it missed while it waited, and what a player may fetch at once. One great batch among small ones makes no fast stream. */
static bool is_greedy(const struct rhythm *r, nsec_t now) {
        const struct rhythm_figures *f = &r->figures;
        uint64_t typical = f->period_us ? (uint64_t) f->batch_bytes * USEC_PER_SEC / f->period_us : 0;
        uint64_t rate = MIN(f->bytes_per_s, MAX(RHYTHM_TYPICAL_FACTOR * typical, RHYTHM_EARLY_RATE_MAX));
        uint64_t due = rate * (nsec_sub(now, r->begun) / NSEC_PER_USEC) / USEC_PER_SEC;

        uint64_t caught_up = r->confirmed ? MAX(rate * RHYTHM_CATCH_UP_S, (uint64_t) RHYTHM_CATCH_UP_BYTES) : RHYTHM_CATCH_UP_BYTES;

        return r->bytes > due + due / 2 + r->figures.batch_bytes + r->figures.batch_bytes / 2 + caught_up;
}

void rhythm_follow(struct rhythm *r, nsec_t now) {
        nsec_t quiet = nsec_sub(now, MAX(quiet_since(r), r->seen_waiting)), silence = RHYTHM_PERIOD_MAX_NS;

        if (!r->begun)
                return;
        if (r->confirmed)
                silence = MAX(RHYTHM_SILENCE_NS, RHYTHM_SILENCE_PERIODS * r->figures.period_us * NSEC_PER_USEC);
        if ((r->inflight == 0 && quiet > silence) || (r->n > 0 && is_greedy(r, now)))
                begin_anew(r);
}

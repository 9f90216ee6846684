/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "arithmetic.h"
#include "candidate.h"
#include "macro.h"

#define SLOTS (CANDIDATE_SECONDS + 1)

static void turn(struct candidate *c, nsec_t t) {
        uint32_t second = (uint32_t) (t / NSEC_PER_SEC), passed = second > c->second ? second - c->second : 0;

        for (uint32_t i = 1; i <= MIN(passed, (uint32_t) SLOTS); i++)
                c->bytes[(c->second + i) % SLOTS] = 0;
        c->second = MAX(second, c->second);
}

/* Most processes are none: whether it is there at all is found without a branch. */
static size_t find(const struct candidates *c, int32_t tgid) {
        int32_t is_there = 0;
        size_t i = 0;

        for (i = 0; i < CANDIDATES_MAX; i++)
                is_there |= c->tgids[i] == tgid;
        for (i = 0; is_there && c->tgids[i] != tgid;)
                i++;
        return is_there ? i : CANDIDATES_MAX;
}

/* A place that is free, or whose process has been silent for long; CANDIDATES_MAX: there is none. */
static size_t find_room(struct candidates *c, nsec_t t) {
        nsec_t earliest = UINT64_MAX;
        size_t i;

        if (t < c->full_until)
                return CANDIDATES_MAX;
        for (i = 0; i < CANDIDATES_MAX; i++) {
                const struct candidate *e = &c->entries[i];
                if (!e->tgid || nsec_sub(t, e->last_io) > CANDIDATE_IDLE_NS)
                        break;
                earliest = MIN(earliest, e->last_io);
        }
        c->full_until = i == CANDIDATES_MAX ? earliest + CANDIDATE_IDLE_NS : 0;
        return i;
}

/* The process's, a free one, or that of one that has been silent for long; NULL: there is none. */
static struct candidate *get(struct candidates *c, nsec_t t, int32_t tgid, uint64_t start_ticks) {
        size_t i = find(c, tgid);

        if (i < CANDIDATES_MAX && c->entries[i].start_ticks == start_ticks)
                return &c->entries[i];
        if (i == CANDIDATES_MAX)
                i = find_room(c, t);
        if (i == CANDIDATES_MAX) {
                c->refused++;
                return NULL;
        }
        c->tgids[i] = tgid;
        c->entries[i] = (struct candidate){ .tgid = tgid, .start_ticks = start_ticks, .seen = t, .second = (uint32_t) (t / NSEC_PER_SEC) };
        return &c->entries[i];
}

static void note_batch(struct candidate *c, nsec_t t, uint64_t bytes) {
        if (t <= c->batch) { /* the same sample, on another drive */
                c->batch_bytes = (uint32_t) MIN(c->batch_bytes + bytes, (uint64_t) UINT32_MAX);
                return;
        }
        if (c->batch)
                c->batches[c->n_batches++ % CANDIDATE_BATCHES] = (struct candidate_batch){
                        .us = (uint32_t) MIN((t - c->batch) / NSEC_PER_USEC, (nsec_t) UINT32_MAX), .bytes = c->batch_bytes,
                };
        c->batch = t;
        c->batch_bytes = (uint32_t) MIN(bytes, (uint64_t) UINT32_MAX);
}

void candidates_add(struct candidates *c, nsec_t t, int32_t tgid, uint64_t start_ticks, uint32_t dev, uint32_t read_bytes, uint32_t write_bytes) {
        uint64_t bytes = (uint64_t) read_bytes + write_bytes;
        struct candidate *e;

        if (bytes == 0)
                return;
        e = get(c, t, tgid, start_ticks);
        if (!e)
                return;
        turn(e, t);
        e->dev = dev ? dev : e->dev;
        e->last_io = t;
        e->bytes_read += read_bytes;
        e->bytes_written += write_bytes;
        note_batch(e, t, bytes);
        e->bytes[e->second % SLOTS] = (uint32_t) MIN(e->bytes[e->second % SLOTS] + bytes, (uint64_t) UINT32_MAX);
}

void candidates_remove(struct candidates *c, int32_t tgid) {
        for (size_t i = 0; i < CANDIDATES_MAX; i++)
                if (c->tgids[i] == tgid) {
                        c->entries[i] = (struct candidate){ 0 };
                        c->tgids[i] = 0;
                        c->full_until = 0;
                }
}

/* The seconds that are over, the oldest first. Returns what was moved in them. */
static uint64_t sum(const struct candidate *c, uint32_t *ret_active, uint32_t *ret_uneven_permille) {
        uint64_t total = 0, so_far = 0, off = 0;

        *ret_active = 0;
        for (uint32_t i = 1; i <= CANDIDATE_SECONDS; i++) {
                total += c->bytes[(c->second + i) % SLOTS];
                *ret_active += c->bytes[(c->second + i) % SLOTS] > 0;
        }
        for (uint32_t i = 1; i <= CANDIDATE_SECONDS; i++) {
                uint64_t line = total * i / CANDIDATE_SECONDS;
                so_far += c->bytes[(c->second + i) % SLOTS];
                off = MAX(off, so_far > line ? so_far - line : line - so_far);
        }
        *ret_uneven_permille = total ? (uint32_t) (off * 1000 / total) : 1000;
        return total;
}

static uint32_t median_bytes(const struct candidate *c) {
        uint32_t bytes[CANDIDATE_BATCHES];

        for (size_t i = 0; i < CANDIDATE_BATCHES; i++)
                bytes[i] = c->batches[i].bytes;
        return median(bytes, CANDIDATE_BATCHES);
}

/* The part of its batches that are as large as the others and come when a clock says so: one that is late once is not later after that, as one that comes at
 * random is. 0: they come too often to tell, or the next should have come. Fills ret_period_us. */
static uint32_t regular_permille(const struct candidate *c, nsec_t now, uint32_t *ret_period_us) {
        uint64_t all_us = 0, us = 0, period, bytes = median_bytes(c);
        uint32_t regular = 0;

        for (size_t i = 0; i < CANDIDATE_BATCHES; i++)
                all_us += c->batches[i].us;
        period = all_us / CANDIDATE_BATCHES;
        *ret_period_us = (uint32_t) period;
        if (c->n_batches < CANDIDATE_BATCHES || period < CANDIDATE_PERIOD_MIN_NS / NSEC_PER_USEC || nsec_sub(now, c->batch) > 2 * period * NSEC_PER_USEC)
                return 0;
        for (uint32_t i = 0; i < CANDIDATE_BATCHES; i++) { /* the oldest first */
                const struct candidate_batch *b = &c->batches[(c->n_batches + i) % CANDIDATE_BATCHES];
                us += b->us;
                regular += apart(us, period * (i + 1)) * 1000 <= period * CANDIDATE_OFF_BEAT_PERMILLE && apart(b->bytes, bytes) <= bytes / 4;
        }
        return regular * 1000 / CANDIDATE_BATCHES;
}

bool candidate_look(struct candidate *c, nsec_t now, bool told, struct rhythm_figures *ret_figures) {
        uint32_t active, uneven, period_us, regular, even;
        uint64_t rate;

        turn(c, now);
        rate = sum(c, &active, &uneven) / CANDIDATE_SECONDS;
        regular = regular_permille(c, now, &period_us);
        even = MAX(1000 - MIN(uneven, 1000u), regular);
        if (nsec_sub(now, c->seen) < CANDIDATE_SECONDS * NSEC_PER_SEC || (c->refuted && nsec_sub(now, c->refuted) < CANDIDATE_AGAIN_NS) ||
            rate < RHYTHM_RATE_MIN || rate > RHYTHM_RATE_MAX || active < CANDIDATE_SECONDS / CANDIDATE_ACTIVE_PART ||
            even < 1000 - CANDIDATE_UNEVEN_PERMILLE) {
                c->since = c->told = 0;
                c->is = false;
                return false;
        }
        if (!c->since)
                c->since = now;
        c->told = told ? (c->told ? c->told : now) : 0;
        if (c->told && nsec_sub(now, c->told) >= CANDIDATE_REFUTED_NS) {
                c->refuted = now;
                c->since = c->told = 0;
                return false;
        }
        *ret_figures = (struct rhythm_figures){ .bytes_per_s = rate, .regularity_permille = even,
                                                .period_us = regular == even ? period_us : 0 };
        return true;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "macro.h"
#include "process-table.h"

/* Time constant of the shown rates: about as fast as a person reads a changing number. */
#define RATE_DECAY_NS (double) NSEC_PER_SEC

static size_t home_slot(int32_t tgid) {
        return ((uint32_t) tgid * 2654435761u >> 7) & (PROCESS_HASH_SLOTS - 1); /* Knuth's multiplicative hash */
}

/* The slot of tgid, or the free one where it would go. */
static size_t find_slot(const struct process_table *t, int32_t tgid) {
        size_t i = home_slot(tgid);

        while (t->slots[i] && t->entries[t->slots[i] - 1].tgid != tgid)
                i = (i + 1) & (PROCESS_HASH_SLOTS - 1);
        return i;
}

struct process *process_table_get(struct process_table *t, int32_t tgid, uint64_t start_ticks) {
        size_t slot = find_slot(t, tgid);
        struct process *p;

        if (t->slots[slot]) {
                p = &t->entries[t->slots[slot] - 1];
                if (p->start_ticks != start_ticks)
                        *p = (struct process){ .tgid = tgid, .start_ticks = start_ticks, .uid = PROCESS_UID_UNKNOWN };
                return p;
        }
        if (t->n == MODEL_PROCESSES_MAX)
                return NULL;
        p = &t->entries[t->n++];
        *p = (struct process){ .tgid = tgid, .start_ticks = start_ticks, .uid = PROCESS_UID_UNKNOWN };
        t->slots[slot] = (uint16_t) t->n;
        return p;
}

const struct process *process_table_find(const struct process_table *t, int32_t tgid) {
        size_t slot = find_slot(t, tgid);

        return t->slots[slot] ? &t->entries[t->slots[slot] - 1] : NULL;
}

/* Linear probing without tombstones: entries behind the hole move up unless they are at home already. */
static void close_hole(struct process_table *t, size_t hole) {
        for (size_t i = (hole + 1) & (PROCESS_HASH_SLOTS - 1); t->slots[i]; i = (i + 1) & (PROCESS_HASH_SLOTS - 1)) {
                size_t home = home_slot(t->entries[t->slots[i] - 1].tgid);
                if (((i - home) & (PROCESS_HASH_SLOTS - 1)) >= ((i - hole) & (PROCESS_HASH_SLOTS - 1))) {
                        t->slots[hole] = t->slots[i];
                        hole = i;
                }
        }
        t->slots[hole] = 0;
}

void process_table_remove(struct process_table *t, int32_t tgid) {
        size_t slot = find_slot(t, tgid), index;

        if (!t->slots[slot])
                return;
        index = t->slots[slot] - 1u;
        close_hole(t, slot);
        t->n--;
        if (index == t->n)
                return;
        slot = find_slot(t, t->entries[t->n].tgid);
        t->entries[index] = t->entries[t->n];
        t->slots[slot] = (uint16_t) (index + 1);
}

double process_rate(const struct rate *r, nsec_t now) {
        return r->t ? r->value * exp(-(double) nsec_sub(now, r->t) / RATE_DECAY_NS) : 0;
}

static void add_rate(struct rate *r, nsec_t t, uint32_t bytes) {
        r->value = process_rate(r, t) + bytes * ((double) NSEC_PER_SEC / RATE_DECAY_NS);
        r->t = MAX(r->t, t);
}

static struct process_drive *drive_slot(struct process *p, uint32_t dev) {
        struct process_drive *oldest = &p->drives[0];

        for (size_t i = 0; i < PROCESS_DRIVES_MAX; i++) {
                struct process_drive *d = &p->drives[i];
                if (d->dev == dev)
                        return d;
                if (MAX(d->last_read, d->last_write) < MAX(oldest->last_read, oldest->last_write))
                        oldest = d;
        }
        *oldest = (struct process_drive){ .dev = dev };
        return oldest;
}

void process_account(struct process *p, nsec_t t, uint32_t dev, uint16_t flags, uint32_t read_bytes, uint32_t write_bytes) {
        p->touched = MAX(p->touched, t);
        if (!read_bytes && !write_bytes)
                return;
        p->last_io = MAX(p->last_io, t);
        p->read_bytes += read_bytes;
        p->write_bytes += write_bytes;
        add_rate(&p->read_rate, t, read_bytes);
        add_rate(&p->write_rate, t, write_bytes);
        if (flags & EVENT_ELSEWHERE)
                add_rate(&p->elsewhere_rate, t, read_bytes);
        if (dev) {
                struct process_drive *d = drive_slot(p, dev);
                d->flags = flags;
                pace_add(&d->read_pace, t, read_bytes);
                pace_add(&d->write_pace, t, write_bytes);
                if (read_bytes)
                        d->last_read = MAX(d->last_read, t);
                if (write_bytes)
                        d->last_write = MAX(d->last_write, t);
        }
}

/* A process that read and wrote in the same sample waits for either: it counts as a reader no longer than what it read says. */
void process_wait(struct process *p, nsec_t t) {
        for (size_t i = 0; i < PROCESS_DRIVES_MAX; i++) {
                struct process_drive *d = &p->drives[i];
                if (d->dev && d->last_read == p->last_io && d->last_write < d->last_read && nsec_sub(t, p->last_io) <= WAITING_COUNTS_NS)
                        d->waiting = MAX(d->waiting, t);
        }
}

void process_sample_state(struct process *p, nsec_t t, uint32_t span_us, uint16_t flags) {
        process_sample_wait(p, t, span_us, flags & EVENT_WAITING ? span_us : 0);
        if (t <= p->seen)
                return;
        p->seen = t;
        if (flags & EVENT_RUNNABLE)
                recent_add(&p->computed, t, span_us * NSEC_PER_USEC);
        if (flags & EVENT_WAITING)
                recent_add(&p->blocked, t, span_us * NSEC_PER_USEC);
}

/* Samples of a process that only sleeps are not told, so the time is the whole of what the sum is over, however long it is known. */
static nsec_t sum_span(const struct recent_sum *s, nsec_t now) {
        return MAX(recent_span(s, 0, now), HISTOGRAM_PERIOD_NS);
}

uint32_t process_computes_permille(const struct process *p, nsec_t now) {
        nsec_t free = nsec_sub(sum_span(&p->computed, now), recent_get(&p->blocked, now));

        return (uint32_t) MIN(recent_get(&p->computed, now) * 1000 / MAX(free, HISTOGRAM_PERIOD_NS / 2), 1000u);
}

static uint64_t part_permille(const struct recent_sum *s, nsec_t since, nsec_t now) {
        return recent_get(s, now) * 1000 / MAX(recent_span(s, since, now), HISTOGRAM_PERIOD_NS / 2);
}

uint32_t process_rests_permille(const struct process *p, nsec_t since, nsec_t now) {
        uint64_t busy = part_permille(&p->computed, since, now) + part_permille(&p->blocked, since, now);

        return 1000 - (uint32_t) MIN(busy, 1000u);
}

/* Bytes a second of that over its seconds that have something. */
static uint64_t active_rate(const struct moved *m) {
        return m->active_s > 0 ? m->bytes / m->active_s : 0;
}

static bool is_lately(nsec_t t, nsec_t now) {
        return t && nsec_sub(now, t) <= PACED_KEPT_NS;
}

bool process_is_paced(struct process *p, const struct process_drive *d, bool behind_writes, nsec_t now) {
        struct moved reads = pace_get(&d->read_pace, now), writes = pace_get(&d->write_pace, now);
        const struct pace *most = reads.bytes >= writes.bytes ? &d->read_pace : &d->write_pace;
        uint64_t rate = active_rate(&reads) + active_rate(&writes);
        bool rests = process_rests_permille(p, 0, now) >= RHYTHM_PAUSE_PERMILLE &&
                     recent_permille(&p->waited, p->sampled_since, now) <= 1000 - RHYTHM_PAUSE_PERMILLE;
        bool is_slow = rate <= RHYTHM_RATE_MAX;

        if (!is_slow && reads.active_s + writes.active_s >= PACED_FAST_SECONDS)
                p->fast = now;
        if (rests && is_slow && pace_uneven_permille(most, now) <= PACED_UNEVEN_PERMILLE) {
                p->pace_bytes_per_s = p->paced_since ? MAX(p->pace_bytes_per_s, rate) : rate; /* while it is held up more and more, that is less and less */
                p->paced_since = p->paced_since ? p->paced_since : now;
                p->paced = now;
                return true;
        }
        if (behind_writes && is_slow && !is_lately(p->fast, now) && part_permille(&p->computed, 0, now) <= 1000 - RHYTHM_PAUSE_PERMILLE)
                return true;
        if (!p->paced_since || p->paced - p->paced_since < PACED_STEADY_NS || !is_lately(p->paced, now) ||
            rate > p->pace_bytes_per_s + p->pace_bytes_per_s / 4)
                p->paced_since = 0;
        return p->paced_since != 0;
}

bool process_holds_stream(struct process *p, nsec_t now) {
        const struct process_drive *d = p->holds ? process_main_drive(p, now) : NULL;
        bool stands = d && p->held_dev == d->dev;
        struct moved reads, writes;
        uint64_t rate;

        if (!d || nsec_sub(now, p->last_io) > HELD_SILENCE_NS) {
                p->held_dev = 0;
                return false;
        }
        reads = pace_get(&d->read_pace, now);
        writes = pace_get(&d->write_pace, now);
        rate = active_rate(&reads) + active_rate(&writes);
        if (rate > (stands ? RHYTHM_RATE_STAYS : RHYTHM_RATE_MAX) || (!stands && reads.bytes + writes.bytes < HELD_BYTES_MIN))
                p->held_dev = 0;
        else if (!stands) {
                p->held_dev = d->dev;
                p->held_since = now;
        }
        return p->held_dev != 0;
}

void process_sample_wait(struct process *p, nsec_t t, uint32_t span_us, uint32_t waited_us) {
        if (p->sampled && t <= p->sampled)
                return;
        if (!p->sampled || nsec_sub(t, p->sampled) > 2 * HISTOGRAM_PERIOD_NS)
                p->sampled_since = MAX(nsec_sub(t, span_us * NSEC_PER_USEC), 1u);
        p->sampled = t;
        recent_add(&p->waited, t, MIN(waited_us, span_us) * NSEC_PER_USEC);
}

/* Nearly all of what it moves lately: its program's pages are of a drive, its data is not. */
static bool is_elsewhere(const struct process *p, nsec_t now) {
        return process_rate(&p->elsewhere_rate, now) * 4 > (process_rate(&p->read_rate, now) + process_rate(&p->write_rate, now)) * 3;
}

const struct process_drive *process_main_drive(const struct process *p, nsec_t now) {
        const struct process_drive *best = NULL;

        if (is_elsewhere(p, now))
                return NULL;
        for (size_t i = 0; i < PROCESS_DRIVES_MAX; i++) {
                const struct process_drive *d = &p->drives[i];
                if (d->dev && (!best || MAX(d->last_read, d->last_write) > MAX(best->last_read, best->last_write)))
                        best = d;
        }
        return best;
}

const struct process_drive *process_find_drive(const struct process *p, uint32_t dev) {
        static const struct process_drive nothing;

        for (size_t i = 0; p && i < PROCESS_DRIVES_MAX; i++)
                if (p->drives[i].dev == dev)
                        return &p->drives[i];
        return &nothing;
}

void process_other_drives(const struct process *p, nsec_t now, uint32_t ret[static OTHER_DRIVES_MAX]) {
        const struct process_drive *main = process_main_drive(p, now);
        size_t n = 0;

        for (size_t i = 0; i < PROCESS_DRIVES_MAX && n < OTHER_DRIVES_MAX; i++) {
                const struct process_drive *d = &p->drives[i];
                if (d->dev && d != main && nsec_sub(now, MAX(d->last_read, d->last_write)) < USED_TOGETHER_NS)
                        ret[n++] = d->dev;
        }
        while (n < OTHER_DRIVES_MAX)
                ret[n++] = 0;
}

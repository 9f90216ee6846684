/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which processes look like a soft real-time stream by the counters of /proc alone: they move little and evenly. Weak: a download does so, too.
 * Where its drive's single requests can be told, they decide (rhythm.h). Bounded; plain data, all zero at the start. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "rhythm.h"
#include "units.h"

#define CANDIDATES_MAX 64
#define CANDIDATE_SECONDS 12                        /* that are looked at, the running one not among them */
#define CANDIDATE_ACTIVE_PART 4                     /* something in one of so many of them at least: sound is read every three seconds */
/* What it has moved by a second is at most so much off the straight line, in permille of all. A batch every two seconds is 170. */
#define CANDIDATE_UNEVEN_PERMILLE 200
/* A process that moves the same amount at the same intervals is regular, too, however few these are: a recorder fills a buffer and writes it. Intervals are those
 * between samples with something in them, so shorter ones than three samples say nothing. The amount within a quarter of the median; and each comes at
 * most so much off the beat, in permille of the interval. */
#define CANDIDATE_BATCHES 6
#define CANDIDATE_OFF_BEAT_PERMILLE 350
#define CANDIDATE_PERIOD_MIN_NS (700 * NSEC_PER_MSEC)
#define CANDIDATE_IDLE_NS (15 * NSEC_PER_SEC)       /* silent for longer, it is forgotten */
/* Its requests have been told for so long without making it a stream: then it is none, and asked about no more for so long. */
#define CANDIDATE_REFUTED_NS (20 * NSEC_PER_SEC)
#define CANDIDATE_AGAIN_NS (300 * NSEC_PER_SEC)
/* Of one whose requests are not told after so long, this is all that will be known. */
#define CANDIDATE_UNDECIDED_NS (3 * NSEC_PER_SEC)
/* And then it is called a stream if it is so even, and as long as it is nearly so. Builds reach 880 by chance, players 960. */
#define CANDIDATE_EVEN_PERMILLE 950
#define CANDIDATE_EVEN_STAYS_PERMILLE 800

struct candidate {
        int32_t tgid; /* 0: free */
        uint32_t dev;
        uint64_t start_ticks;
        nsec_t seen, last_io, since; /* since: it looks like one; 0: it does not */
        nsec_t told;                 /* since when its drive's requests are told while it looks like one; 0: they are not */
        nsec_t refuted;              /* 0: not */
        bool is;                     /* called a stream, for want of anything better */
        uint64_t bytes_written, bytes_read;
        uint32_t second;             /* the newest, as the clock counts */
        uint32_t bytes[CANDIDATE_SECONDS + 1]; /* by second, modulo their number; saturating */
        nsec_t batch;                /* when the last sample ended in which it moved something; 0: never */
        uint32_t batch_bytes;        /* in that */
        uint32_t n_batches;          /* ever, before it; kept are the last ones, modulo their number */
        struct candidate_batch {
                uint32_t us, bytes;  /* till the next one began; saturating */
        } batches[CANDIDATE_BATCHES];
};

struct candidates {
        uint64_t refused;
        nsec_t full_until;             /* none has been silent for long before; 0: there may be room */
        int32_t tgids[CANDIDATES_MAX]; /* of entries, side by side: one is looked for with each sample */
        struct candidate entries[CANDIDATES_MAX];
};

/* It read and wrote so much on that drive (0: not known) in a sample that ends at t. */
void candidates_add(struct candidates *c, nsec_t t, int32_t tgid, uint64_t start_ticks, uint32_t dev, uint32_t read_bytes, uint32_t write_bytes);
void candidates_remove(struct candidates *c, int32_t tgid);

/* Whether it looks like one now; told: its drive's requests are, and do not make it one. Fills ret_figures where it does: the rate, and
 * how even it is, or its period and how regular that is. */
bool candidate_look(struct candidate *c, nsec_t now, bool told, struct rhythm_figures *ret_figures);

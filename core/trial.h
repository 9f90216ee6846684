/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What reads take on a drive, as samples that can be compared before and after a change, and what comes of comparing them
 * (docs/trials.md). Plain data, all zero at the start. */
#pragma once

#include <stdbool.h>

#include "plan.h"
#include "rank-test.h"
#include "snapshot.h"

enum trial_measure {
        TRIAL_NOT_MEASURED,
        TRIAL_MEAN_READ,  /* us, from queuing to completion */
        TRIAL_LONGEST_READ, /* us, of the last seconds; while single requests are told */
        TRIAL_THROUGHPUT, /* KiB a second, read and written */
        _TRIAL_MEASURE_MAX,
};

/* What the law promises, and so is measured by (trial-law.c). */
enum trial_measure trial_measure_of(enum law_id law);
const char *trial_measure_name(enum trial_measure m); /* "mean read" */
int trial_measure_from_name(const char *name); /* the measure or -EINVAL */

/* A sample is of at least so long, and of so many reads: a look of a quarter of a second, which may come a little early, is one. */
#define TRIAL_SAMPLE_NS (200 * NSEC_PER_MSEC)
#define TRIAL_SAMPLE_READS 4
/* What could not be completed within this is no sample at all. */
#define TRIAL_SAMPLE_LONGEST_NS (2 * NSEC_PER_SEC)
/* The longest reads are those of the last two to four seconds. */
#define TRIAL_LONGEST_NS HISTOGRAM_PERIOD_NS
#define TRIAL_LONGEST_READS 20
/* A load's first seconds look better than it is: its long waits have not ended yet. */
#define TRIAL_WARM_NS (2 * NSEC_PER_SEC)

struct trial_load {
        uint32_t readers;
        bool writes;
};

/* The number of readers within half as much again, and processes write in both or in neither. */
bool trial_load_same(const struct trial_load *a, const struct trial_load *b);

struct trial_series {
        size_t n;
        size_t n_told;                     /* the last so many of them while single requests were told */
        uint32_t values[RANK_SAMPLES_MAX]; /* oldest first */
};

/* What 95 of 100 single reads did not exceed: said beside what is compared, which is of many reads each. */
#define TRIAL_TAIL_PERMILLE 950
#define TRIAL_TAIL_READS 20 /* with fewer, none of them is the slowest twentieth */
/* They are those of the last one to two such periods: for so long the longest series goes back. */
#define TRIAL_TAIL_NS (RANK_SAMPLES_MAX * TRIAL_LONGEST_NS)

struct trial_tail {
        struct histogram_mark mark;
        nsec_t since; /* of the running period; 0: nothing yet */
        struct histogram now, before;
};

/* What a drive does, lately, under one load and one set of settings. */
struct trial_recent {
        nsec_t last;        /* the drive's sample that was taken last */
        nsec_t from;        /* what began before does not count: a change, and what was queued under the old values */
        struct trial_load load;
        nsec_t load_since;  /* it is the same since; 0: there is none */
        struct {            /* of the sample under way */
                nsec_t span;
                uint64_t reads, wait_us, bytes;
                bool untold; /* for a part of it single requests were not told */
        } sum;
        nsec_t longest;     /* when the longest read was looked at last */
        struct trial_tail tail;
        struct trial_series series[_TRIAL_MEASURE_MAX];
};

/* What 95 of 100 reads did not exceed, in us, while the measure's series was taken. 0: not known, as single requests were not told all the
 * while, or there were fewer than TRIAL_TAIL_READS. */
uint32_t trial_p95_us(const struct trial_recent *r, enum trial_measure m);

/* Takes what the snapshot has of the drive. Another load empties all series. */
void trial_feed(struct trial_recent *r, const struct device_view *v);

/* Something has changed on the drive: what begins before `from` does not count, and nothing that was counted does any more. */
void trial_disturb(struct trial_recent *r, nsec_t from);

enum trial_answer { TRIAL_WAIT, TRIAL_BETTER, TRIAL_WORSE, TRIAL_NEITHER };

/* The looks at a comparison: at so many samples after. */
#define TRIAL_LOOKS 3
/* A smaller difference of the medians decides nothing. */
#define TRIAL_DIFFERENCE_PERCENT 5

/* Whether after is better than before. TRIAL_WAIT until the next look: looks counts those taken. TRIAL_NEITHER only after the last. */
enum trial_answer trial_compare(enum trial_measure m, const struct trial_series *before, const struct trial_series *after, unsigned *looks,
                                struct rank_result *ret);

/* What a trial found, in numbers; all zero: it has found nothing. */
struct trial_figures {
        enum trial_measure measure;
        uint32_t before, after;               /* medians of the measure */
        uint32_t n_before, n_after;           /* samples */
        uint32_t confidence_permille;
        uint32_t p95_before_us, p95_after_us; /* of single reads meanwhile; 0: not known, then of neither */
};

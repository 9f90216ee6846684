/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Detectors read the snapshot and say what is going on, in numbers and in one sentence. They know neither sysfs
 * nor policy. One file each: detect-<name>.c. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "snapshot.h"

enum verdict_kind {
        VERDICT_MANY_SYNC, /* many processes read from one drive at once, each little */
        VERDICT_STARTUP,   /* an application starts, and reads from the drive */
        VERDICT_SOFT_RT,   /* a process plays, records or calls: it asks for its data in a rhythm of its own */
        VERDICT_VICTIM,    /* a process waits for the drive, which serves another */
        VERDICT_WRITEBACK, /* reads wait behind what is written, or writing is throttled to no reader's good */
        VERDICT_BURST,     /* processes begin to use a drive one after the other */
        VERDICT_BULK,      /* a process moves much without a pause */
        VERDICT_SHARED,    /* more processes share a drive than a round of full slices can serve in 300 ms */
        VERDICT_HOLES,     /* the drive idles for one process while others wait for it */
        VERDICT_INEFFECTIVE_PRIORITY, /* a process has a priority that the drive's scheduler ignores */
        _VERDICT_KIND_MAX,
};

const char *verdict_kind_to_string(enum verdict_kind k); /* "many-sync" */

/* Whether it says what a drive is used for: of one that only says how well it does, the drive's workload is another. */
bool verdict_is_workload(enum verdict_kind k);

/* Of `writeback`, which of the two stand in whose way; other kinds have none. */
enum verdict_direction {
        DIRECTION_NONE,
        DIRECTION_READS_STARVE,
        DIRECTION_THROTTLING_HURTS,
};

#define VERDICT_EVIDENCE_MAX 6
#define VERDICT_SENTENCE_MAX 320 /* with the marks of what it mentions (mention.h) */

struct evidence {
        const char *name;  /* literal: "readers" */
        int64_t value, limit;
        const char *unit;  /* literal; "" for a count */
};

struct verdict {
        enum verdict_kind kind;
        enum verdict_direction direction;
        uint32_t dev;
        struct subject subject;
        struct subject culprit;
        uint16_t culprit_permille; /* its share of what the subject suffers, or of what the drive does */
        nsec_t since;
        uint16_t severity;   /* 0..1000 */
        uint16_t confidence; /* 0..1000; lower after lost events and where drives are inferred */
        size_t n_evidence;
        struct evidence evidence[VERDICT_EVIDENCE_MAX];
        char sentence[VERDICT_SENTENCE_MAX]; /* with mentions (mention.h), as all that is made of it */
};

/* The value of a named piece of evidence, or fallback where the verdict has none of that name. */
int64_t verdict_evidence(const struct verdict *v, const char *name, int64_t fallback);

/* The first of n verdicts of that kind, on that drive (0: any) and about that process (NULL: whatever it is about); NULL where there is none. */
const struct verdict *verdicts_find(const struct verdict *v, size_t n, enum verdict_kind kind, uint32_t dev, const struct subject *subject);

/* Each kind once for each drive, and so many about processes. */
#define DETECTORS_SUBJECTS_MAX 256
#define DETECTORS_VERDICTS_MAX (SNAPSHOT_DEVICES_MAX * _VERDICT_KIND_MAX + DETECTORS_SUBJECTS_MAX)

/* What detectors remember between ticks: which verdicts stand, and since when. Plain data; all zero at the start. */
struct detectors {
        uint64_t tick;
        size_t n_standing;
        struct standing_verdict {
                uint32_t dev;
                enum verdict_kind kind;
                enum verdict_direction direction;
                struct subject subject;
                nsec_t since;
                uint64_t tick; /* that it was found in last */
        } standing[2 * DETECTORS_VERDICTS_MAX]; /* those of this tick beside those of the one before */
        uint64_t refused; /* verdicts about processes, beyond DETECTORS_SUBJECTS_MAX or a detector's own bound */
};

/* Runs all of them. Returns the number of verdicts in ret, at most DETECTORS_VERDICTS_MAX, ordered by drive,
 * then kind, then severity. */
size_t detectors_run(struct detectors *d, const struct snapshot *s, struct verdict *ret);

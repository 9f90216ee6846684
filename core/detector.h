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
        VERDICT_SHARED,    /* more processes share a drive than a round of full slices can serve in 300 ms */
        _VERDICT_KIND_MAX,
};

const char *verdict_kind_to_string(enum verdict_kind k); /* "many-sync" */

#define VERDICT_EVIDENCE_MAX 5
#define VERDICT_SENTENCE_MAX 256

struct evidence {
        const char *name;  /* literal: "readers" */
        int64_t value, limit;
        const char *unit;  /* literal; "" for a count */
};

struct verdict {
        enum verdict_kind kind;
        uint32_t dev;
        nsec_t since;
        uint16_t severity;   /* 0..1000 */
        uint16_t confidence; /* 0..1000; lower after lost events and where drives are inferred */
        size_t n_evidence;
        struct evidence evidence[VERDICT_EVIDENCE_MAX];
        char sentence[VERDICT_SENTENCE_MAX];
};

/* The value of a named piece of evidence, or fallback where the verdict has none of that name. */
int64_t verdict_evidence(const struct verdict *v, const char *name, int64_t fallback);

#define DETECTORS_VERDICTS_MAX (SNAPSHOT_DEVICES_MAX * _VERDICT_KIND_MAX)

/* What detectors remember between ticks: since when each verdict has stood. Plain data; all zero at the start. */
struct detectors {
        struct detector_memory {
                uint32_t dev; /* 0: free */
                nsec_t since[_VERDICT_KIND_MAX]; /* 0: does not stand */
        } memory[SNAPSHOT_DEVICES_MAX];
};

/* Runs all of them. Returns the number of verdicts in ret, at most DETECTORS_VERDICTS_MAX, ordered by drive, then kind. */
size_t detectors_run(struct detectors *d, const struct snapshot *s, struct verdict *ret);

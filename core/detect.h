/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the detectors share. Private to core/. */
#pragma once

#include "burst.h"
#include "detector.h"
#include "injection.h"
#include "mention.h"
#include "model.h"
#include "statement.h"

#define CONFIDENCE_OBSERVED 1000
#define CONFIDENCE_INFERRED 700 /* /proc does not say on which drive a process reads */

/* One detector's look at one drive. */
struct detection {
        const struct snapshot *snapshot;
        const struct device_view *view;
        /* what follows is detector.c's */
        struct detectors *detectors;
        enum verdict_kind kind;
        enum verdict_direction direction; /* of what is asked and told next; a detector of a kind that has some sets it */
        struct verdict *verdicts; /* of this tick */
        size_t n, n_subjects;
};

/* Whether it found the same in the tick before, for hysteresis. subject: NULL for the drive as a whole. */
bool detection_stands(const struct detection *d, const struct subject *subject);

/* Found: at most once a tick for the same. Returns a verdict to fill in, with what it is about, since when, and the confidence that the
 * drive's readers deserve; NULL where there is no room, which is so only for a process (subject: NULL for the drive as a whole). */
struct verdict *detection_add(struct detection *d, const struct subject *subject);

/* Adds to its evidence, as long as there is room. name and unit are literals. */
void verdict_add(struct verdict *v, const char *name, int64_t value, int64_t limit, const char *unit);

/* Rounded, for sentences. */
#define PERCENT(permille) (((permille) + 5u) / 10u)

/* The process that writes most there, or NULL. ret_bytes_per_s: what all of them write. */
const struct process_view *detection_find_writer(const struct detection *d, uint64_t *ret_bytes_per_s);

/* For a verdict about one process: lower where its drive was inferred. */
uint16_t detection_process_confidence(const struct detection *d, const struct process_view *p);

typedef void (*detect_fn)(struct detection *d);

void detect_many_sync(struct detection *d);
void detect_startup(struct detection *d);
void detect_soft_rt(struct detection *d);
void detect_victim(struct detection *d);
void detect_writeback(struct detection *d);
void detect_burst(struct detection *d);
void detect_bulk(struct detection *d);
void detect_shared(struct detection *d);
void detect_holes(struct detection *d);
void detect_ineffective_priority(struct detection *d);

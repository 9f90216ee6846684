/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What came of trials, by what they were made on: so that the next one need not be made. Plain data, all zero at the start. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "device-class.h"
#include "plan.h"
#include "trial.h"

#define OUTCOME_MODEL_MAX 64
#define OUTCOME_WORKLOAD_MAX 32
#define OUTCOME_CHANGE_MAX 96
#define OUTCOMES_MAX 256

enum outcome_result {
        OUTCOME_BETTER,  /* it is taken without a trial */
        OUTCOME_WORSE,   /* it is left alone */
        OUTCOME_NEITHER, /* no other trial needs to be made soon */
        _OUTCOME_RESULT_MAX,
};

const char *outcome_result_to_string(enum outcome_result r); /* "better" */
int outcome_result_from_string(const char *s); /* the result or -EINVAL */

struct outcome_key {
        char model[OUTCOME_MODEL_MAX];
        enum device_class class;
        enum scheduler scheduler;
        enum law_id law;
        char workload[OUTCOME_WORKLOAD_MAX]; /* "many-sync" */
};

struct outcome {
        struct outcome_key key;
        enum outcome_result result;
        struct trial_figures figures;
        uint32_t reverts;               /* one after the other */
        char change[OUTCOME_CHANGE_MAX]; /* "slice_idle_us 8000 → 0 us" */
        nsec_t until;                   /* it holds, as the clock of the ticks has it */
};

struct outcomes {
        uint64_t changes; /* counts up with each */
        struct outcome entries[OUTCOMES_MAX]; /* of those there are: until > 0 */
};

/* The one that holds now for the key, or NULL. */
const struct outcome *outcomes_find(const struct outcomes *o, const struct outcome_key *key, nsec_t now);

/* The last one for the key, also where it holds no longer, or NULL. */
const struct outcome *outcomes_find_any(const struct outcomes *o, const struct outcome_key *key);

/* Takes the place of the one with its key, else a free one, else that of the one that ends first. */
void outcomes_add(struct outcomes *o, const struct outcome *outcome);

/* "slice_idle_us 8000 → 0 us: p95 read 470 → 120 ms; decided on mean read 310 → 84 ms, 24 samples against 12, confidence 99 %"; where the p95 is not
 * known "slice_idle_us 8000 → 0 us: mean read 310 → 84 ms, ...". Returns buf. */
char *outcome_format(const struct outcome *o, char *buf, size_t size);

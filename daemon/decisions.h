/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What was changed and why: a bounded ring of receipts with their reasons, for the bus and for people. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "controller.h"
#include "plan.h"
#include "startup.h"

#define DECISIONS_MAX 512
#define DECISION_ID_MAX 128

struct decision {
        uint64_t sequence;  /* from 1, without gaps */
        uint64_t time_usec; /* CLOCK_REALTIME */
        char device[32];
        struct receipt receipt;
        char application[APPLICATION_MAX]; /* whose start it is; "": it is of none */
        char reason[PLAN_REASON_MAX];
        enum trial_state trial;          /* of the law's setting; TRIAL_NONE: it is not tried */
        char effect[TRIAL_EFFECT_MAX];   /* what the trial found, or how long the start took; "": nothing yet */
        struct trial_figures figures;    /* the numbers of effect */
        char expected[TRIAL_EFFECT_MAX]; /* what it was expected to do; "": nothing is known */
};

struct decisions {
        uint64_t count; /* ever made; the last DECISIONS_MAX are in the ring */
        struct decision ring[DECISIONS_MAX];
};

/* Adds one. The pointer is good until DECISIONS_MAX more. */
const struct decision *decisions_add(struct decisions *d, const char *device, const struct receipt *r, const char *reason,
                                     uint64_t time_usec);

/* What was read ahead for the start of that process, newest first; NULL. */
struct decision *decisions_find_start(struct decisions *d, const struct subject *subject);

/* The last one, to add what else is known of it; NULL where there is none. */
struct decision *decisions_last(struct decisions *d);

/* Takes down what became of a trial. fn is called for each decision that it was about. */
typedef void (*decision_fn)(void *userdata, const struct decision *d);
void decisions_report(struct decisions *d, const struct trial_report *r, decision_fn fn, void *userdata);

/* The decision of that sequence number, or NULL where it is not kept (any more). */
const struct decision *decisions_get(const struct decisions *d, uint64_t sequence);

/* The first sequence number that is kept. 1 + count where there is none. */
uint64_t decisions_first(const struct decisions *d);

/* "d17" for what was done; "sda.slice_idle_us=2000" for advice, the same for as long as the advice is. Returns buf. */
char *decision_format_id(const struct decision *d, char *buf, size_t size);

/* Reads "d17". Returns 0, -EINVAL or -ERANGE. */
int decision_parse_id(const char *id, uint64_t *ret_sequence);

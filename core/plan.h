/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the controller wants done (plan) and what became of it (receipt). Effects as data: the actuator performs them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tunable.h"
#include "units.h"

enum law_id {
        LAW_NONE,
        LAW_IDLE_LIMIT,  /* seed 000 */
        LAW_SLICE_SHARE, /* seed 001 */
        LAW_SCHEDULER,   /* the policy's choice of scheduler */
        LAW_RESTORE,     /* back to the original: its reason went away, or somebody asked */
        _LAW_MAX,
};

const char *law_to_string(enum law_id law); /* "idle-limit" */

#define PLAN_CHANGES_MAX 64
#define PLAN_REASON_MAX 384

enum change_action {
        CHANGE_SET,
        CHANGE_RESTORE, /* put the original back and let go of the tunable */
};

struct setting_change {
        uint64_t id;                /* unique while the daemon lives; the decision's id */
        uint32_t dev;
        enum change_action action;
        enum tunable_id tunable;
        char value[TUNABLE_VALUE_MAX]; /* CHANGE_SET: text to write */
        char from[TUNABLE_VALUE_MAX];  /* CHANGE_SET: what it was computed from, where nothing of ours stands yet; else "" */
        enum law_id law;
        bool advice;                /* do not write: mode is advise */
        char reason[PLAN_REASON_MAX]; /* a sentence with the numbers */
};

struct plan {
        size_t n;
        struct setting_change changes[PLAN_CHANGES_MAX];
};

enum receipt_result {
        RECEIPT_APPLIED,  /* written, and read back as wanted (tunable_equivalent) */
        RECEIPT_RESTORED, /* the original stands again */
        RECEIPT_FAILED,   /* error says why; the tunable is given up until the drive comes back or somebody asks */
        RECEIPT_FOREIGN,  /* somebody else wrote it since: it is theirs now */
        RECEIPT_GONE,     /* the drive or the file vanished */
        RECEIPT_ADVISED,  /* not written on purpose */
        RECEIPT_STALE,    /* not written: what stands is no longer what it was computed from. No decision, the next tick makes one */
        _RECEIPT_RESULT_MAX,
};

const char *receipt_result_to_string(enum receipt_result r); /* "applied" */

struct receipt {
        uint64_t id; /* of the change; 0: a foreign write that no change led to */
        uint32_t dev;
        enum tunable_id tunable;
        enum law_id law;
        enum receipt_result result;
        int error;   /* 0 or negative errno */
        nsec_t t;
        char old[TUNABLE_VALUE_MAX], wanted[TUNABLE_VALUE_MAX], observed[TUNABLE_VALUE_MAX];
};

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the controller wants done (plan) and what became of it (receipt). Effects as data: the actuator performs them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detector.h"
#include "io-priority.h"
#include "tunable.h"
#include "units.h"

enum law_id {
        LAW_NONE,
        LAW_IDLE_LIMIT,  /* seed 000 */
        LAW_SLICE_SHARE, /* seed 001 */
        LAW_STARTUP_GUARD, /* while an application starts, others make room */
        LAW_STREAM_GUARD, /* a process that plays or records has its rhythm kept */
        LAW_WRITEBACK_GUARD, /* seed 002 */
        LAW_HOLE_FILLER, /* seed 004 */
        LAW_READAHEAD,   /* files are read in larger pieces */
        LAW_THROUGHPUT,  /* where no user waits */
        LAW_STEP_BACK,   /* processes known as bulk give way: the loads of the S suite */
        LAW_SCHEDULER,   /* the policy's choice of scheduler */
        LAW_PREFETCH,    /* what a program reads while it starts is read ahead: the daemon's, no part of a plan */
        LAW_RESTORE,     /* back to the original: its reason went away, or the user asked */
        _LAW_MAX,
};

const char *law_to_string(enum law_id law); /* "idle-limit" */
int law_from_string(const char *s); /* the law or -EINVAL */

#define PLAN_CHANGES_MAX 64
#define PLAN_REASON_MAX 448

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
        /* CHANGE_SET: what it was computed from, compared where the actuator holds nothing of ours; "": with nothing. CHANGE_RESTORE: what we have set */
        char from[TUNABLE_VALUE_MAX];
        enum law_id law;
        bool advice;                /* do not write: mode is advise */
        char reason[PLAN_REASON_MAX]; /* a sentence with the numbers */
};

/* The I/O priority of all threads of a process. */
struct priority_change {
        uint64_t id;                /* as a setting_change's: one row of numbers */
        uint32_t dev;               /* the drive because of which */
        enum change_action action;  /* CHANGE_RESTORE: all of its threads get back what they had, and we let go of it */
        struct subject process;
        uint16_t priority;          /* CHANGE_SET: IO_PRIORITY() */
        enum law_id law;
        bool advice;
        char reason[PLAN_REASON_MAX];
};

#define PLAN_PRIORITIES_MAX 64

struct plan {
        size_t n, n_priorities;
        struct setting_change changes[PLAN_CHANGES_MAX];
        struct priority_change priorities[PLAN_PRIORITIES_MAX];
};

enum receipt_result {
        RECEIPT_APPLIED,  /* written, and read back as wanted (tunable_equivalent) */
        RECEIPT_RESTORED, /* the original stands again */
        RECEIPT_FAILED,   /* error says why; the tunable is given up until the drive comes back or the user asks */
        RECEIPT_FOREIGN,  /* another program wrote it since, and owns it */
        RECEIPT_GONE,     /* the drive or the file vanished */
        RECEIPT_ADVISED,  /* not written on purpose */
        RECEIPT_REFUSED,  /* not written: a process that is not to step back now (`why`). No decision, it is asked for again later */
        RECEIPT_STALE,    /* not written: what stands is no longer what it was computed from. No decision, the next tick makes one */
        _RECEIPT_RESULT_MAX,
};

const char *receipt_result_to_string(enum receipt_result r); /* "applied" */

struct receipt {
        uint64_t id; /* of the change; 0: a foreign write that no change led to */
        uint32_t dev;
        enum tunable_id tunable;
        struct subject process; /* tgid > 0: it is of this process's I/O priority (LAW_PREFETCH: of its start), and tunable means nothing */
        const char *why;        /* literal, of a process: why it was refused or got back what it had; NULL: the change's own reason */
        enum law_id law;
        enum receipt_result result;
        int error;   /* 0 or negative errno */
        nsec_t t;
        char old[TUNABLE_VALUE_MAX], wanted[TUNABLE_VALUE_MAX], observed[TUNABLE_VALUE_MAX];
};

#define RECEIPT_PRIORITY "ioprio"
#define RECEIPT_READ_AHEAD "read-ahead"

/* What it is of: the tunable's name, or one of these two; and its unit, "" for none. */
const char *receipt_setting(const struct receipt *r);
const char *receipt_unit(const struct receipt *r);

/* Whether both are of the same tunable of the same drive, or of the same of a process. */
bool receipt_same_setting(const struct receipt *a, const struct receipt *b);

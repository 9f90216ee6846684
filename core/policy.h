/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy: for which drives it is, which scheduler it prefers, which laws may act and within what limits.
 * Text comes in, a struct comes out: reading files is the daemon's work (daemon/policy-load.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device-class.h"
#include "tunable.h"

#define POLICY_NAME_MAX 64
#define POLICY_FILE_MAX 256
#define POLICY_TEXT_MAX 256
#define POLICY_SCHEDULERS_MAX 4

/* [IdleLimit]: seed 000, facts/kernel.md 3.2 and 3.3 */
struct policy_idle_limit {
        bool enabled;
        uint32_t group_slice_us; /* G: the time within which every reader should have had its turn */
        uint32_t min_readers;    /* acts from this many on */
        int line;                /* of the section's header; 0: default */
};

/* [SliceShare]: seed 001, facts/kernel.md 3.1 and 3.3 */
struct policy_slice_share {
        bool enabled;
        uint32_t min_readers;    /* the seed: more than 3 */
        uint32_t floor_us;       /* never shorter; 0: the seed's floor, twice slice_idle */
        int line;
};

struct policy_limit {
        bool set;
        int64_t min, max;
        int line;
};

struct policy {
        char name[POLICY_NAME_MAX];        /* the file's name without ".conf" */
        char file[POLICY_FILE_MAX];        /* with its path, of the main file */
        char description[POLICY_TEXT_MAX]; /* one sentence: why */
        uint32_t classes;                  /* bits 1 << enum device_class */
        size_t n_schedulers;               /* 0: keep what is there */
        enum scheduler schedulers[POLICY_SCHEDULERS_MAX]; /* best first; one that the kernel lacks is passed over */
        uint32_t switch_quiet_us;          /* a switch waits until the drive was idle this long */
        struct policy_idle_limit idle_limit;
        struct policy_slice_share slice_share;
        uint32_t dwell_us;                 /* shortest time between two writes of one tunable */
        uint32_t hold_us;                  /* keep a law's setting this long after its reason went away */
        uint32_t hysteresis_percent;       /* a smaller change than this is not written */
        struct policy_limit limits[_TUNABLE_MAX]; /* nothing outside is ever written */
};

/* A finding of the parser, for people. */
enum policy_severity { POLICY_WARNING, POLICY_ERROR };
typedef void (*policy_report_fn)(void *userdata, enum policy_severity severity, const char *file, int line, const char *message);

/* Fills in the defaults (every law off, no scheduler, no limits, dwell 2 s, hold 5 s, hysteresis 25 %). */
void policy_init(struct policy *p, const char *name, const char *file);

/* Applies one "key = value" of a section. File and line are for the report.
 * Returns 0; -EINVAL after having reported a bad value or range; -ENOENT after having reported an unknown section or key.
 * In both cases p is unchanged and still usable. */
int policy_set(struct policy *p, const char *section, const char *key, const char *value,
               const char *file, int line, policy_report_fn report, void *userdata);

/* Checks what only the whole shows (no class, a limit that contradicts another, a law whose tunable may not move).
 * Returns 0 or -EINVAL after reporting. */
int policy_validate(const struct policy *p, policy_report_fn report, void *userdata);

/* The last of policies (that is, the strongest) whose classes contain c; NULL where none does. */
const struct policy *policy_match(const struct policy *policies, size_t n, enum device_class c);

/* Clamps a value to the policy's limit, if one is set, and to the kernel's range. */
int64_t policy_clamp(const struct policy *p, enum tunable_id id, int64_t value);

/* The sections and keys that policy_set() knows, for the docs test and for completion: NULL-terminated "Section.Key". */
const char *const *policy_keys(void);

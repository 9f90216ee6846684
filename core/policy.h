/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A policy: for which drives it is, which scheduler it prefers, which laws may act and within what limits.
 * Text comes in, a struct comes out: reading files is the daemon's work (daemon/policy-load.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "device-class.h"
#include "event.h"
#include "tunable.h"

#define POLICY_NAME_MAX 64
#define POLICY_FILE_MAX 256
#define POLICY_TEXT_MAX 256
#define POLICY_SCHEDULERS_MAX 4
#define POLICY_DROPINS_MAX 16

/* Where a setting was last made: policy_source_file() names the file. */
struct policy_source {
        int line;     /* 0: nowhere, it is the default */
        uint8_t file; /* 0: the main file; n: dropins[n - 1] */
};

/* [IdleLimit]: seed 000 */
struct policy_idle_limit {
        bool enabled;
        uint32_t group_slice_us; /* G: the time within which every reader should have had its turn */
        uint32_t min_readers;    /* acts from this many on */
        uint32_t shortest_wait_us; /* a share below this is no wait at all: it would catch no reader's next request */
        bool ahead;              /* on a quiet drive there is no wait, so that a crowd that comes finds none */
        struct policy_source source; /* of Enabled */
};

/* [SliceShare]: seed 001 */
struct policy_slice_share {
        bool enabled;
        uint32_t min_readers;    /* the seed: more than 3 */
        uint32_t floor_us;       /* never shorter; 0: the seed's floor, twice slice_idle */
        struct policy_source source; /* of Enabled */
};

/* [StartupGuard]: while an application starts */
struct policy_startup_guard {
        bool enabled;
        uint32_t min_rate_kib;      /* KiB a second: a process that moves so much steps back, */
        uint32_t min_share_percent; /* or one that moves this part of what a busy drive does */
        uint32_t hold_us;           /* it comes back so long after the start's end */
        uint32_t slice_us;          /* bfq's timeout_sync meanwhile; 0: as it is */
        uint32_t write_depth;       /* mq-deadline's async_depth meanwhile, where a process writes; 0: as it is */
        uint32_t others_time_us;    /* of each minute, in which processes of other users than the one that starts something make room */
        struct policy_source source; /* of Enabled */
};

/* [StreamGuard]: a process that plays or records keeps its rhythm */
struct policy_stream_guard {
        bool enabled;
        uint32_t longest_wait_us; /* for what the drive has taken before a stream's request */
        uint32_t min_written_mib; /* acts where so many MiB a second are written beside the streams */
        uint32_t hold_us; /* what it set comes back so long after the last time that it did */
        struct policy_source source; /* of Enabled */
};

/* [WritebackGuard]: seed 002 */
struct policy_writeback_guard {
        bool enabled;
        uint32_t min_read_us;     /* acts where reads take so long on average */
        uint32_t longest_wait_us; /* of a read, for what the drive has taken before it */
        struct policy_source source; /* of Enabled */
};

/* [Readahead]: files are read in larger pieces */
struct policy_readahead {
        bool enabled;
        uint32_t size_kib; /* of a piece */
        struct policy_source source; /* of Enabled */
};

/* [HoleFiller]: seed 004 */
struct policy_hole_filler {
        bool enabled;
        struct policy_source source; /* of Enabled */
};

/* [Throughput]: where no user waits */
struct policy_throughput {
        bool enabled;
        struct policy_source source; /* of Enabled */
};

/* Programs by the name that the kernel has of their processes (/proc/PID/comm): what a process may call itself gains it nothing. */
#define POLICY_PROGRAMS_MAX 64

enum program_rule {
        PROGRAM_UNRULED,
        PROGRAM_NEVER,  /* steps back */
        PROGRAM_ALWAYS,
        _PROGRAM_RULE_MAX,
};

struct policy_program {
        char name[EVENT_NAME_MAX];
        enum program_rule rule;
        struct policy_source source;
};

struct policy_programs {
        size_t n;
        struct policy_program all[POLICY_PROGRAMS_MAX]; /* in the order in which they were named */
};

/* [StepBack]: processes known as bulk give way */
struct policy_step_back {
        bool enabled;
        uint32_t after_us;       /* they must have been bulk for so long */
        uint32_t pause_us;       /* not again for so long after the return, twice as long after the next, ... */
        struct policy_source source; /* of Enabled */
        struct policy_programs programs;
        const struct policy_programs *kept; /* what was set beside all policies, borrowed; NULL: nothing */
};

/* [Trial]: what laws set is compared with what was there before, and goes back where it is worse */
struct policy_trial {
        bool enabled;
        bool probe;              /* where there was no before: the old values come back for a moment */
        uint32_t settle_us;      /* after a change so much is not counted */
        uint32_t probe_after_us; /* the load must have been the same for so long */
        uint32_t backoff_us;     /* a law stays away for so long after its first revert, twice as long after the next, ... */
        uint32_t remember_days;  /* what was found holds for so long, and no back-off is longer */
};

/* [Prefetch]: what a program reads while it starts is read ahead */
struct policy_prefetch {
        bool enabled, commands;  /* commands: of a terminal, too */
        bool session;            /* a user's, from its manager's exec to a quiet desktop, too */
        bool next;               /* and what the user usually starts after a login, before that, while the machine rests */
        uint32_t memory_percent; /* of what memory is available, at most, of all starts at a time */
        uint32_t most_mib;       /* of one start, at most */
        uint32_t control_every;  /* each so many starts are without help */
};

struct policy_limit {
        bool set;
        int64_t min, max; /* in the tunable's unit */
        struct policy_source source;
};

#define POLICY_SWITCH_QUIET_US (2 * USEC_PER_SEC) /* unless a policy says otherwise */

struct policy {
        char name[POLICY_NAME_MAX];        /* the file's name without ".conf" */
        char file[POLICY_FILE_MAX];        /* with its path, of the main file */
        size_t n_dropins;
        char dropins[POLICY_DROPINS_MAX][POLICY_FILE_MAX]; /* the other files that settings came from, in their order */
        char description[POLICY_TEXT_MAX]; /* one sentence: why */
        uint32_t classes;                  /* bits 1 << enum device_class */
        size_t n_schedulers;               /* 0: keep what is there */
        enum scheduler schedulers[POLICY_SCHEDULERS_MAX]; /* best first; one that the kernel lacks is passed over */
        uint32_t bfq_max_iops;             /* requests a second from which bfq is passed over */
        uint32_t switch_quiet_us;          /* a switch waits until the drive was idle this long */
        struct policy_idle_limit idle_limit;
        struct policy_slice_share slice_share;
        struct policy_startup_guard startup_guard;
        struct policy_stream_guard stream_guard;
        struct policy_writeback_guard writeback_guard;
        struct policy_readahead readahead;
        struct policy_hole_filler hole_filler;
        struct policy_throughput throughput;
        struct policy_step_back step_back;
        struct policy_trial trial;
        struct policy_prefetch prefetch;
        uint32_t changes_per_hour;         /* of one drive, restores apart */
        uint32_t dwell_us;                 /* shortest time between two writes of one tunable */
        uint32_t hold_us;                  /* keep a law's setting this long after its reason went away */
        uint32_t hysteresis_percent;       /* a smaller change than this is not written */
        struct policy_limit limits[_TUNABLE_MAX]; /* nothing outside is ever written */
};

/* A finding of the parser, for people. */
enum policy_severity { POLICY_WARNING, POLICY_ERROR };
typedef void (*policy_report_fn)(void *userdata, enum policy_severity severity, const char *file, int line, const char *message);

/* Fills in the defaults: every law off, no scheduler, no limits, and the numbers of core/policy-keys.c's table. */
void policy_init(struct policy *p, const char *name, const char *file);

/* The file of a setting. */
const char *policy_source_file(const struct policy *p, struct policy_source source);

/* Applies one "key = value" of a section. File and line are for the report.
 * Returns 0; -EINVAL after having reported a bad value or range; -ENOENT after having reported an unknown section or key.
 * In both cases p is unchanged and still usable. */
int policy_set(struct policy *p, const char *section, const char *key, const char *value,
               const char *file, int line, policy_report_fn report, void *userdata);

/* Checks what only the whole shows (no class, a limit that contradicts another, a law whose tunable may not move).
 * Returns 0 or -EINVAL after reporting. */
int policy_validate(const struct policy *p, policy_report_fn report, void *userdata);

/* "never", "always"; "" for PROGRAM_UNRULED. */
const char *program_rule_to_string(enum program_rule r);
/* A rule, or -EINVAL. */
int program_rule_from_string(const char *s);

/* Gives a program its rule, or with PROGRAM_UNRULED takes it back. Returns 0; -EINVAL: no process has such a name; -ENOSPC; -ENOENT: there is none to take back. */
int policy_programs_set(struct policy_programs *p, const char *name, enum program_rule rule, struct policy_source source);
/* NULL: it has none. */
const struct policy_program *policy_programs_find(const struct policy_programs *p, const char *name);
/* The rule of the policy's files; where they have none, what was set beside them. */
enum program_rule policy_program_rule(const struct policy *p, const char *name);

/* The last of policies (that is, the strongest) whose classes contain c; NULL where none does. */
const struct policy *policy_match(const struct policy *policies, size_t n, enum device_class c);

/* Clamps a value to the policy's limit, if one is set, and to the kernel's range. A limit holds for the tunable's twin in the
 * other unit, too, unless that has its own. */
int64_t policy_clamp(const struct policy *p, enum tunable_id id, int64_t value);

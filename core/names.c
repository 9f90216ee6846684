/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words for the core's enumerations: one table each, read both ways. */
#include <errno.h>

#include "controller.h"
#include "macro.h"

static const char *const modes[_MODE_MAX] = {
        [MODE_AUTO] = "auto",
        [MODE_ADVISE] = "advise",
        [MODE_OFF] = "off",
};

static const char *const holds[_HOLD_MAX] = {
        [HOLD_NONE] = "none",
        [HOLD_INTERACTIVE] = "interactive",
        [HOLD_THROUGHPUT] = "throughput",
        [HOLD_PAUSE] = "pause",
};

static const char *const device_states[_DEVICE_STATE_MAX] = {
        [DEVICE_STATE_IGNORED] = "ignored",
        [DEVICE_STATE_OBSERVING] = "observing",
        [DEVICE_STATE_TRIAL] = "trial",
        [DEVICE_STATE_HOLDING] = "holding",
        [DEVICE_STATE_REVERTING] = "reverting",
        [DEVICE_STATE_MANUAL] = "manual",
};

static const char *const trial_states[_TRIAL_STATE_MAX] = {
        [TRIAL_NONE] = "none",
        [TRIAL_MEASURING] = "measuring",
        [TRIAL_UNPROVEN] = "unproven",
        [TRIAL_PROBING] = "probing",
        [TRIAL_KEPT] = "kept",
        [TRIAL_REVERTED] = "reverted",
        [TRIAL_INCONCLUSIVE] = "inconclusive",
        [TRIAL_KNOWN] = "known",
        [TRIAL_BARRED] = "barred",
};

static const char *const outcome_results[_OUTCOME_RESULT_MAX] = {
        [OUTCOME_BETTER] = "better",
        [OUTCOME_WORSE] = "worse",
        [OUTCOME_NEITHER] = "neither",
};

static const char *const owners[] = {
        [OWNER_KERNEL] = "kernel",
        [OWNER_BRIO] = "brio",
        [OWNER_FOREIGN] = "manual",
        [OWNER_GIVEN_UP] = "given-up",
};

static const char *const laws[_LAW_MAX] = {
        [LAW_NONE] = "none",
        [LAW_IDLE_LIMIT] = "idle-limit",
        [LAW_SLICE_SHARE] = "slice-share",
        [LAW_STARTUP_GUARD] = "startup-guard",
        [LAW_STREAM_GUARD] = "stream-guard",
        [LAW_WRITEBACK_GUARD] = "writeback-guard",
        [LAW_HOLE_FILLER] = "hole-filler",
        [LAW_READAHEAD] = "readahead",
        [LAW_THROUGHPUT] = "throughput",
        [LAW_STEP_BACK] = "step-back",
        [LAW_SCHEDULER] = "scheduler",
        [LAW_PREFETCH] = "prefetch",
        [LAW_RESTORE] = "restore",
};

static const char *const results[_RECEIPT_RESULT_MAX] = {
        [RECEIPT_APPLIED] = "applied",
        [RECEIPT_RESTORED] = "restored",
        [RECEIPT_FAILED] = "failed",
        [RECEIPT_FOREIGN] = "foreign",
        [RECEIPT_GONE] = "gone",
        [RECEIPT_ADVISED] = "advised",
        [RECEIPT_REFUSED] = "refused",
        [RECEIPT_STALE] = "stale",
};

static const char *const verdicts[_VERDICT_KIND_MAX] = {
        [VERDICT_MANY_SYNC] = "many-sync",
        [VERDICT_STARTUP] = "startup",
        [VERDICT_SOFT_RT] = "soft-rt",
        [VERDICT_VICTIM] = "victim",
        [VERDICT_WRITEBACK] = "writeback",
        [VERDICT_BURST] = "burst",
        [VERDICT_BULK] = "bulk",
        [VERDICT_SHARED] = "shared",
        [VERDICT_HOLES] = "holes",
        [VERDICT_INEFFECTIVE_PRIORITY] = "ineffective-priority",
};

static const char *const startup_ends[_STARTUP_END_MAX] = {
        [STARTUP_RUNS] = "running",
        [STARTUP_QUIET] = "quiet",
        [STARTUP_EXIT] = "exit",
        [STARTUP_READY] = "ready",
};

static const char *const presences[_PRESENCE_MAX] = {
        [PRESENCE_UNKNOWN] = "unknown",
        [PRESENCE_NOBODY] = "nobody",
        [PRESENCE_IDLE] = "idle",
        [PRESENCE_SOMEBODY] = "somebody",
};

static int lookup(const char *const *table, size_t n, const char *word) {
        for (size_t i = 0; i < n; i++)
                if (streq(table[i], word))
                        return (int) i;
        return -EINVAL;
}

#define DEFINE_TO_STRING(name, type, table)          \
        const char *name##_to_string(type value) {  \
                return table[value];                 \
        }
#define DEFINE_FROM_STRING(name, table)                          \
        int name##_from_string(const char *s) {                  \
                return lookup(table, ARRAY_SIZE(table), s);      \
        }

DEFINE_TO_STRING(mode, enum mode, modes)
DEFINE_FROM_STRING(mode, modes)
DEFINE_TO_STRING(hold, enum hold, holds)
DEFINE_TO_STRING(device_state, enum device_state, device_states)
DEFINE_TO_STRING(tunable_owner, enum tunable_owner, owners)
DEFINE_TO_STRING(law, enum law_id, laws)
DEFINE_FROM_STRING(law, laws)
DEFINE_TO_STRING(trial_state, enum trial_state, trial_states)
DEFINE_TO_STRING(outcome_result, enum outcome_result, outcome_results)
DEFINE_FROM_STRING(outcome_result, outcome_results)
DEFINE_TO_STRING(receipt_result, enum receipt_result, results)
DEFINE_TO_STRING(verdict_kind, enum verdict_kind, verdicts)
DEFINE_TO_STRING(startup_end, enum startup_end, startup_ends)
DEFINE_TO_STRING(presence, enum presence, presences)

int hold_from_string(const char *s) {
        int r = lookup(holds, ARRAY_SIZE(holds), s);

        return r == HOLD_NONE ? -EINVAL : r;
}

const char *receipt_setting(const struct receipt *r) {
        if (r->process.tgid > 0)
                return r->law == LAW_PREFETCH ? RECEIPT_READ_AHEAD : RECEIPT_PRIORITY;
        return tunable_get(r->tunable)->name;
}

const char *receipt_unit(const struct receipt *r) {
        if (r->process.tgid > 0)
                return r->law == LAW_PREFETCH ? "KiB" : "";
        return tunable_get(r->tunable)->unit;
}

bool receipt_same_setting(const struct receipt *a, const struct receipt *b) {
        if (a->process.tgid > 0 || b->process.tgid > 0)
                return subject_same(&a->process, &b->process) && (a->law == LAW_PREFETCH) == (b->law == LAW_PREFETCH);
        return a->dev == b->dev && a->tunable == b->tunable;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Decides, per drive, what to set and when to let go. Never writes: it returns a plan and takes receipts.
 * One machine per drive: observing -> trial -> holding -> reverting -> observing; a tunable that another program wrote is manual. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "change-budget.h"
#include "detector.h"
#include "others-time.h"
#include "outcome.h"
#include "plan.h"
#include "policy.h"
#include "snapshot.h"
#include "trial.h"

enum mode { MODE_AUTO, MODE_ADVISE, MODE_OFF, _MODE_MAX };
const char *mode_to_string(enum mode m);
int mode_from_string(const char *s); /* the mode or -EINVAL */

/* What a program holds over the bus. pause: change nothing; throughput: no law that costs throughput; interactive: as auto. */
enum hold { HOLD_NONE, HOLD_INTERACTIVE, HOLD_THROUGHPUT, HOLD_PAUSE, _HOLD_MAX };
const char *hold_to_string(enum hold h);
int hold_from_string(const char *s); /* one of the three or -EINVAL */

enum device_state {
        DEVICE_STATE_IGNORED,   /* no policy */
        DEVICE_STATE_OBSERVING, /* nothing of ours is set */
        DEVICE_STATE_TRIAL,     /* what a law has set is compared with what was there before */
        DEVICE_STATE_HOLDING,   /* at least one tunable is ours */
        DEVICE_STATE_REVERTING, /* the reason went away; waiting for the hold time */
        DEVICE_STATE_MANUAL,    /* another program wrote what we would write */
        _DEVICE_STATE_MAX,
};
const char *device_state_to_string(enum device_state s);

/* What the daemon knows of a drive and the events do not say. */
struct device_facts {
        uint32_t dev;
        char name[32];
        char model[OUTCOME_MODEL_MAX]; /* "": its name stands for it */
        enum device_class class;
        enum scheduler scheduler;   /* the active one */
        uint32_t schedulers;        /* bits 1 << enum scheduler: what the kernel offers */
        bool rotational;
        uint32_t queue_depth;       /* 0: unknown; > 1: NCQ or better */
        struct {
                bool present, numeric;
                int64_t number;     /* the current value */
        } values[_TUNABLE_MAX];     /* read when the drive appeared and after each switch of its scheduler */
};

/* What is remembered of such drives goes by it. */
static inline const char *controller_model(const struct device_facts *f) {
        return *f->model ? f->model : f->name;
}

enum tunable_owner { OWNER_KERNEL, OWNER_BRIO, OWNER_FOREIGN, OWNER_GIVEN_UP };
const char *tunable_owner_to_string(enum tunable_owner o); /* "kernel", "brio", "manual", "given-up" */

/* A switch of the scheduler that was asked for while the drive was not quiet. */
enum switch_wait {
        SWITCH_WAIT_NONE,
        SWITCH_WAIT_BACK,  /* back to the original */
        SWITCH_WAIT_APPLY, /* as the advice says */
};

struct controller_tunable {
        enum tunable_owner owner;
        bool original_known;      /* a value of ours stands there; also where it was given up */
        int64_t original, wanted; /* as numbers; the scheduler as enum scheduler */
        enum law_id law;          /* the law that set it */
        int error;                /* why given up: negative errno */
        nsec_t written;           /* last write; 0: never */
        nsec_t returned;          /* when its law took it back at once last; 0: never */
        uint32_t returns;         /* how often, in short succession */
        enum law_id spares;       /* the law that last wanted the original to stay, where it stands */
        nsec_t spared;            /* when; 0: never */
        nsec_t unwanted_since;    /* no law has wanted it since; 0: wanted */
        uint32_t hold_us;         /* for how long it stays then; 0: the time [Timing] Hold */
        uint64_t pending;         /* id of the change under way; 0: none */
        bool leave_alone;         /* the user asked to undo: becomes foreign once it is restored */
        bool advice_known;        /* mode advise: would be set to this */
        int64_t advice;
        enum switch_wait waits;   /* of the scheduler alone: until the drive is quiet */
        nsec_t explained;         /* when reason was last brought up to date */
        char reason[PLAN_REASON_MAX]; /* of the value that stands */
};

/* A process whose I/O priority is ours, or that a law wanted to step back lately. */
struct controller_process {
        struct subject process;        /* tgid 0: free */
        uint32_t dev;              /* the drive because of which */
        /* OWNER_BRIO: it has stepped back; OWNER_FOREIGN: another program set it, or the user undid it;
         * OWNER_GIVEN_UP: it cannot be written, or has ended */
        enum tunable_owner owner;
        bool held;                 /* something of ours stands there; also where it was given up */
        uint16_t wanted;           /* IO_PRIORITY(); also of advice */
        enum law_id law;
        nsec_t unwanted_since;     /* no law has wanted it since; 0: wanted */
        nsec_t not_before;         /* does not step back for law step-back before that */
        uint32_t pauses;           /* of the policy's length, that the last one took */
        nsec_t guarded;            /* when law startup-guard or stream-guard wanted it last */
        nsec_t refused_until;      /* nor for any law */
        nsec_t returned;           /* when it was given back last; 0: never */
        uint32_t again;            /* how often in short succession it stepped back for a start */
        bool for_others;           /* for starts of other users alone, which may hold it back for a part of each minute */
        uint64_t pending;          /* id of the change under way; 0: none */
        bool leave_alone;          /* the user asked to undo */
        bool asked;                /* the user asked that it steps back: wanted until what it had is back */
        bool advice_known;         /* mode advise: would be set to wanted */
        char reason[PLAN_REASON_MAX];
};

/* A drive's, summed up. */
struct controller_stepped_back {
        uint32_t n, reverting; /* of n, those that no law wants any more */
        uint32_t advised;
        struct stepped_back_for {
                enum law_id law;
                uint32_t n;
                char reason[PLAN_REASON_MAX]; /* a sentence for all; "" for none */
        } laws[3]; /* step-back, startup-guard and stream-guard, whose wish stands now */
};

/* Those that have stepped back for that law, or NULL where it has none do so. */
const struct stepped_back_for *controller_stepped_back_for(const struct controller_stepped_back *s, enum law_id law);

/* What came of what a law has set on a drive (docs/trials.md). */
enum trial_state {
        TRIAL_NONE,         /* nothing is to be tried */
        TRIAL_MEASURING,    /* what reads take now is compared with what they took before */
        TRIAL_UNPROVEN,     /* there was no before */
        TRIAL_PROBING,      /* the old values are back for a moment, for a before */
        TRIAL_KEPT,         /* better */
        TRIAL_REVERTED,     /* worse: the law stays away */
        TRIAL_INCONCLUSIVE, /* neither */
        TRIAL_KNOWN,        /* better, as an earlier trial on such a drive found */
        TRIAL_BARRED,       /* worse, as an earlier trial on such a drive found: the law stays away */
        _TRIAL_STATE_MAX,
};

const char *trial_state_to_string(enum trial_state s); /* "measuring" */

#define TRIAL_EFFECT_MAX 256

/* Of one law on one drive. */
struct law_trial {
        enum trial_state state;
        bool held;               /* something that it has set stands */
        nsec_t since;            /* of the state */
        nsec_t until;            /* reverted, barred: so long */
        nsec_t resume;           /* what it sets until then goes on with what was begun: a probe has ended */
        unsigned probes;         /* since it was set */
        uint64_t first_id, last_id; /* of its changes since it was set */
        char effect[TRIAL_EFFECT_MAX]; /* a sentence with the numbers; unproven: why a trial came to nothing; "": none yet */
        struct trial_figures figures;  /* the numbers */
};

struct device_trial {
        struct trial_recent recent;
        enum verdict_kind workload;  /* _VERDICT_KIND_MAX: none that has a name */
        enum law_id law;             /* on trial now; LAW_NONE: none is. Its state says whether before or after is measured */
        nsec_t began;
        unsigned looks;
        bool settled;                /* of a probe: what is measured now is no longer of what was queued under the law's values */
        uint64_t tunables;           /* of a probe: bits of those given back */
        struct trial_load load;
        struct trial_series series;  /* what is compared with: the one side of it */
        uint32_t p95_us;             /* of the same side; 0: not known */
        char change[OUTCOME_CHANGE_MAX];
        struct law_trial laws[_LAW_MAX];
};

/* What became of a trial, for the decisions that it was about: of that law, with ids from first to last. */
struct trial_report {
        uint32_t dev;
        enum law_id law;
        uint64_t first_id, last_id;
        enum trial_state state;
        char effect[TRIAL_EFFECT_MAX];
        struct trial_figures figures;
};

struct controller_device {
        bool used;
        struct device_facts facts;
        const struct policy *policy; /* not owned; NULL: ignored */
        enum device_state state;
        bool left_alone;              /* by `restore DEV`, until controller_forgive() */
        bool idle_class;              /* a process of the idle class uses it: as of this tick's plan */
        struct controller_stepped_back stepped_back;
        char reason[2 * PLAN_REASON_MAX]; /* why it is in this state, a sentence for each law */
        struct controller_tunable tunables[_TUNABLE_MAX];
        struct change_budget budget;
        enum scheduler switch_awaited; /* the policy's, for which the drive is not quiet yet; SCHEDULER_ANY: none */
        struct others_time others;    /* for how long starts have held back other users' processes */
        uint32_t held_off;            /* bits of the laws that would act, but for a hold of "throughput" */
        bool budget_spent;            /* a law's wish had to wait for it in the last tick */
        uint32_t barred;              /* bits of the laws that stay away, because of their trials */
        struct device_trial trial;
};

#define CONTROLLER_PROCESSES_MAX 128
#define CONTROLLER_REPORTS_MAX 16

struct controller {
        uint64_t next_id;
        struct controller_device devices[SNAPSHOT_DEVICES_MAX];
        struct controller_process processes[CONTROLLER_PROCESSES_MAX];
        uint64_t processes_refused; /* asked to step back beyond that bound, once a tick each */
        struct outcomes outcomes;   /* what is remembered: the daemon loads and saves it */
        size_t n_reports;
        struct trial_report reports[CONTROLLER_REPORTS_MAX]; /* not taken yet, oldest first; beyond them the oldest is dropped */
};

/* About 2 MiB: on the heap. NULL without memory. */
struct controller *controller_new(void);
struct controller *controller_free(struct controller *c);

/* Adds a drive, or takes its new facts (after udev's "change" or a switch); what Brio holds on it stays held.
 * policy must outlive its use. Returns 0, or -ENOSPC with SNAPSHOT_DEVICES_MAX drives. */
int controller_set_device(struct controller *c, const struct device_facts *facts, const struct policy *policy);
void controller_remove_device(struct controller *c, uint32_t dev);
struct controller_device *controller_find_device(struct controller *c, uint32_t dev);
/* Which scheduler comes once the drive is quiet; SCHEDULER_ANY: none is awaited. */
enum scheduler controller_awaited_scheduler(const struct controller_device *d);
struct controller_process *controller_find_process(struct controller *c, const struct subject *subject); /* NULL: no entry */

struct controller_input {
        nsec_t now;
        enum mode mode;
        enum hold hold; /* the strongest that is active: pause before throughput before interactive */
        const struct snapshot *snapshot;
        const struct verdict *verdicts;
        size_t n_verdicts;
};

/* One tick. At most one change a drive and tunable, and one a process; ret is overwritten. */
void controller_step(struct controller *c, const struct controller_input *in, struct plan *ret);

/* Everything of ours back to its original, on one drive (dev) or all (0): for `restore`, `off` and the end. Perform it and
 * call again until the plan is empty: a plan holds PLAN_CHANGES_MAX at most, and where a scheduler cannot be switched back,
 * what was set under it comes next. leave_alone: see controller_undo(). s: the drives as they are now; a scheduler on one that is
 * not quiet comes back with the step that finds it quiet. NULL: at once. */
void controller_plan_restore(struct controller *c, uint32_t dev, bool leave_alone, const struct snapshot *s, const char *reason, struct plan *ret);

/* Takes what became of a change (or a foreign write that the actuator noticed). */
void controller_commit(struct controller *c, const struct receipt *r);

/* The oldest report that was not taken yet. Returns false where there is none. */
bool controller_take_report(struct controller *c, struct trial_report *ret);

/* What a law's setting on that drive is expected to do now: what is remembered of such drives, else what its formula says. "" where
 * nothing is known. Returns buf. */
char *controller_expect(const struct controller *c, uint32_t dev, enum law_id law, enum tunable_id tunable, int64_t from, int64_t to, char *buf,
                        size_t size);

/* Plans what a tunable's advice says. Returns 0; -ENOENT: there is none, or something is being written. A scheduler waits as in controller_plan_restore(). */
int controller_apply(struct controller *c, uint32_t dev, enum tunable_id tunable, const struct snapshot *s, struct plan *ret);

/* Plans a tunable's return to its original; once done it is left alone. Returns 0; -ENOENT: not ours, or as above. A scheduler waits as above. */
int controller_undo(struct controller *c, uint32_t dev, enum tunable_id tunable, const struct snapshot *s, struct plan *ret);

/* The same for a process's advice and its stepping back. */
int controller_apply_process(struct controller *c, const struct subject *subject, struct plan *ret);
int controller_undo_process(struct controller *c, const struct subject *subject, struct plan *ret);

/* Plans that a process of the snapshot steps back, as a user asks, until it is undone, ends, or is one that never steps back.
 * One that has already steps back anew. Returns 0; -ENOENT: it is not in the snapshot; -ENOSPC; -EPERM: it may not now, and *ret_why says why, as statement_plain(). */
int controller_lower_process(struct controller *c, const struct controller_input *in, int32_t tgid, struct plan *ret, const char **ret_why);

/* Whether a value that stands on the drive is that law's. */
bool controller_holds(const struct controller_device *d, enum law_id law);

/* A process's I/O priority: as Brio has set it, which the process's next look tells, else as it was seen last. */
uint16_t controller_priority_of(const struct controller *c, const struct process_view *p);

/* The processes that have stepped back because of that drive. */
void controller_describe_processes(const struct controller *c, uint32_t dev, struct controller_stepped_back *ret);

/* Takes back, on one drive (dev) or all (0), what was given up while a value of ours stands there, so that it can be tried
 * again: before a restore. */
void controller_retry(struct controller *c, uint32_t dev);

/* Forgets that tunables of the drive (0: all drives) are manual or given up: the user asked for a fresh start. */
void controller_forgive(struct controller *c, uint32_t dev);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How the controller's files see each other: controller.c has the drives, controller-tunable.c what becomes of the laws' wishes, controller-commit.c of
 * receipts, controller-process.c the processes, controller-trial.c and controller-probe.c the trials, controller-describe.c what is said of all that. What
 * is not said here is as in controller.h for drives. */
#pragma once

#include "controller.h"
#include "law.h"
#include "statement.h"

void controller_step_processes(struct controller *c, const struct controller_input *in, struct plan *plan);
void controller_plan_restore_processes(struct controller *c, uint32_t dev, const char *reason, struct plan *plan);
void controller_commit_process(struct controller *c, const struct receipt *r);
void controller_retry_processes(struct controller *c, uint32_t dev);
void controller_forgive_processes(struct controller *c, uint32_t dev);

/* One tick of a drive whose policy may act: what the laws want is planned, and what none wants any more goes back. view: NULL where the drive is not
 * in the snapshot. */
void controller_step_tunables(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                              struct plan *plan);
/* Sets a tunable as the law wishes, to value; advice: it is only said. */
void controller_plan_set(struct controller *c, struct controller_device *d, const struct law_wish *wish, int64_t value, bool advice, struct plan *plan);
/* A scheduler is switched on a quiet drive alone, whatever asks for it: until then it waits. */
void controller_await_switch(struct controller_device *d, enum switch_wait what, const char *reason, nsec_t now);
/* Each tick, in each mode: plans the switch that waits, once the drive is quiet. view: NULL where it is not in the snapshot. */
void controller_step_switch(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                            struct plan *plan);
/* Puts one tunable back. */
void controller_plan_restore_tunable(struct controller *c, struct controller_device *d, enum tunable_id id, const char *reason, struct plan *plan);

/* The drive's state, and the sentence that says why. */
void controller_describe_state(const struct controller *c, struct controller_device *d);
/* "timeout_sync 125 → 75 ms": all that the law has set. */
void controller_describe_change(const struct controller_device *d, enum law_id law, char *buf, size_t size);

/* Each tick, before the laws are heard: goes on with the drive's trial, says which laws stay away (d->barred), and gives back what they have
 * set. */
void controller_step_trial(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                           struct plan *plan);

/* Not to be tried now: another mode, a pause, or the drive is not to be touched. */
void controller_drop_trial(struct controller *c, struct controller_device *d, nsec_t now);

/* After something was set, or came back, or was lost. */
void controller_commit_trial(struct controller *c, struct controller_device *d, const struct receipt *r);
/* After a process has stepped back because of the drive, or got its priority back. */
void controller_disturb_trial(struct controller *c, struct controller_device *d, nsec_t now);

/* What an outcome of the law's trial on this drive, under its present workload, is remembered by. */
struct outcome_key controller_outcome_key(const struct controller_device *d, enum law_id law);
/* Whether something is remembered that lets the law act under the load of now: then no trial is needed, and what is remembered is told. */
bool controller_takes_known(struct controller *c, struct controller_device *d, enum law_id id, nsec_t now);
void controller_set_trial_state(struct law_trial *law, enum trial_state state, nsec_t now);
#define CONTROLLER_TOO_LITTLE statement_plain(SAY_VOID_TOO_LITTLE)
/* Nothing can be learnt from the drive's trial, if there is one: it ends. why: a clause for people. */
void controller_void_trial(struct controller *c, struct controller_device *d, const char *why, nsec_t now);
/* Ends it with a result. r: of the samples without the law against those with it. */
void controller_finish_trial(struct controller *c, struct controller_device *d, enum outcome_result result, const struct rank_result *r, nsec_t now);

static inline uint64_t tunable_bit(int id) {
        return UINT64_C(1) << id;
}

_Static_assert(_TUNABLE_MAX <= 64, "a bit each");

/* The drive's trial is a probe. */
bool controller_is_probing(const struct device_trial *t);
/* Whether the tunable has to wait for the end of a probe, in which it is as it was. Only for laws that can be tried themselves: the guards do not wait. */
bool controller_probe_reserves(const struct controller_device *d, const struct law_wish *wish);
/* Where no trial is under way: begins a probe of a law that is unproven, if now is the time. */
void controller_consider_probe(struct controller *c, struct controller_device *d, const struct controller_input *in, struct plan *plan);
void controller_go_on_probing(struct controller *c, struct controller_device *d, const struct controller_input *in);
/* The law's values may come back without a wait: they are no news. */
void controller_end_probe(struct device_trial *t, struct controller_device *d, nsec_t now);

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How controller.c (drives), controller-process.c (processes) and controller-trial.c (trials) see each other. What is not said here is as in controller.h for drives. */
#pragma once

#include "controller.h"

void controller_step_processes(struct controller *c, const struct controller_input *in, struct plan *plan);
void controller_plan_restore_processes(struct controller *c, uint32_t dev, const char *reason, struct plan *plan);
void controller_commit_process(struct controller *c, const struct receipt *r);
void controller_retry_processes(struct controller *c, uint32_t dev);
void controller_forgive_processes(struct controller *c, uint32_t dev);

/* Puts one tunable back. */
void controller_plan_restore_tunable(struct controller *c, struct controller_device *d, enum tunable_id id, const char *reason, struct plan *plan);

/* Each tick, before the laws are heard: goes on with the drive's trial, says which laws stay away (d->barred), and gives back what they have
 * set. view: NULL where the drive is not in the snapshot. */
void controller_step_trial(struct controller *c, struct controller_device *d, const struct controller_input *in, const struct device_view *view,
                           struct plan *plan);

/* Not to be tried now: another mode, a pause, or nobody may touch the drive. */
void controller_drop_trial(struct controller *c, struct controller_device *d, nsec_t now);

/* After something was set, or came back, or was lost. */
void controller_commit_trial(struct controller *c, struct controller_device *d, const struct receipt *r);
/* After a process has stepped back because of the drive, or got its priority back. */
void controller_disturb_trial(struct controller *c, struct controller_device *d, nsec_t now);

/* Appends what came of the law's trial to a sentence about what it has set. */
void controller_describe_trial(const struct controller_device *d, enum law_id law, char *buf, size_t size);
/* Why nothing is set, where that is because of trials; else "". */
void controller_describe_barred(const struct controller_device *d, char *buf, size_t size);

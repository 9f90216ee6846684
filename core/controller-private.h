/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How controller.c (drives) and controller-process.c (processes) see each other. What is not said here is as in controller.h for drives. */
#pragma once

#include "controller.h"

void controller_step_processes(struct controller *c, const struct controller_input *in, struct plan *plan);
void controller_plan_restore_processes(struct controller *c, uint32_t dev, const char *reason, struct plan *plan);
void controller_commit_process(struct controller *c, const struct receipt *r);
void controller_retry_processes(struct controller *c, uint32_t dev);
void controller_forgive_processes(struct controller *c, uint32_t dev);

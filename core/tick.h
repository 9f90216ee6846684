/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the events to the plan: what the daemon does each tick, and a replay does in the same way. */
#pragma once

#include "controller.h"
#include "detector.h"
#include "model.h"

/* What is known now, into ret. Of the drives' settings the model knows what the controller was told last. */
void tick_observe(struct model *m, const struct controller *c, nsec_t now, struct snapshot *ret);

/* Of what was read of a drive, that which the model has to know. */
struct drive_settings tick_settings(const struct device_facts *f);

/* What is going on, into verdicts (room for DETECTORS_VERDICTS_MAX), and what to do about it, into ret. Of in, the caller fills
 * everything but the verdicts. Returns the number of verdicts. */
size_t tick_decide(struct detectors *d, struct controller *c, struct controller_input *in, struct verdict *verdicts, struct plan *ret);

/* How soon the first verdict about each start fell is kept with it. now: when these were known. */
void tick_note_starts(struct model *m, const struct verdict *verdicts, size_t n, nsec_t now);

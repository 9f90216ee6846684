/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only code that writes to a drive's settings: read the old value, note it in the journal, write, read back, receipt. */
#pragma once

#include "controller.h"
#include "journal.h"
#include "plan.h"

struct actuator;

/* The actuator takes over the journal. Returns NULL without memory (the journal is then closed). */
struct actuator *actuator_new(const char *root, struct journal *journal);
struct actuator *actuator_free(struct actuator *a); /* restores nothing: that is a plan */

/* Drives that it may write to. Returns 0 or -errno. */
int actuator_add_device(struct actuator *a, uint32_t dev, const char *name);
/* The drive is gone: closes it, and drops its journal entries, since what comes back under the name is fresh. */
void actuator_remove_device(struct actuator *a, uint32_t dev);

/* Performs one change and fills the receipt. Never fails otherwise: errors are in the receipt. Advice is not written.
 * Before a switch of the scheduler every tunable that the switch resets is recorded; after a switch back, each
 * that differs from its record is written again. */
void actuator_apply(struct actuator *a, const struct setting_change *change, nsec_t now, struct receipt *ret);

/* Compares every tunable that we hold with what we last saw there. Fills ret with one RECEIPT_FOREIGN (or _GONE) each
 * and lets go of them. Returns the number, at most max. A few preads: meant for every tick. */
size_t actuator_check_foreign(struct actuator *a, nsec_t now, struct receipt *ret, size_t max);

/* Before the first tick: puts back what a run that was killed has left. For each journal entry: the original stands
 * already -> forget; the value is one that we wrote -> restore; else it is somebody's -> forget.
 * report is called for each, for the log. Returns the number restored. */
typedef void (*actuator_report_fn)(void *userdata, const char *device, const struct receipt *r);
size_t actuator_recover(struct actuator *a, nsec_t now, actuator_report_fn report, void *userdata);

/* The original text of a tunable that we hold, or NULL. */
const char *actuator_original(const struct actuator *a, uint32_t dev, enum tunable_id tunable);

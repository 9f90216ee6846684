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

/* Drives that it may write to; again for one that is known: keeps what we hold on it, unless another drive came back under
 * the number. Returns 0, -ENODEV without the drive, -ENOSPC with SNAPSHOT_DEVICES_MAX of them, -errno. */
int actuator_add_device(struct actuator *a, uint32_t dev, const char *name);
/* The drive is gone: closes it, and drops its journal entries, since what comes back under the name is fresh. */
void actuator_remove_device(struct actuator *a, uint32_t dev);
/* Closes it, and its journal entries stay: its worker still puts them back. */
void actuator_let_go_device(struct actuator *a, uint32_t dev);

/* Performs one change and fills the receipt. Never fails otherwise: errors are in the receipt. Advice is not written.
 * Before a switch of the scheduler every tunable that the switch resets is recorded; after a switch back, each
 * that differs from its record is written again (where one fails, the receipt is RESTORED with that error), and what was
 * held of the other scheduler is dropped: restoring it later is RESTORED without a write.
 *
 * Errors of its own: -EIO: the kernel took another value than the one written (the old one was put back);
 * -EOPNOTSUPP: a tunable that cannot be restored exactly (TUNABLE_INEXACT), or a switch away from a scheduler with
 * settings that the table does not know; -ENODEV: the drive is not there or another one; -EINVAL, -ERANGE: no value of that tunable.
 * A coarse twin is set through the finer where there is one: then the receipt names the finer, with its unit. */
void actuator_apply(struct actuator *a, const struct setting_change *change, nsec_t now, struct receipt *ret);

/* Puts back what a run that was killed has left on that drive. For each journal entry: the original stands
 * already -> forget; the value is one that we wrote -> restore; else it is another program's -> forget.
 * report is called for each, for the log. Returns the number restored. */
typedef void (*actuator_report_fn)(void *userdata, const char *device, const struct receipt *r);
size_t actuator_recover_device(struct actuator *a, const char *name, nsec_t now, actuator_report_fn report, void *userdata);

/* The names of the drives that have a journal entry. Returns the number; *ret is to be freed. */
#define ACTUATOR_NAME_MAX 32
size_t actuator_list_held(const struct actuator *a, char (**ret)[ACTUATOR_NAME_MAX]);

/* How many tunables are not back yet. */
size_t actuator_held(const struct actuator *a);

/* The original text of a tunable that we hold, or NULL. */
const char *actuator_original(const struct actuator *a, uint32_t dev, enum tunable_id tunable);
/* Whether that drive's tunable is in the journal. */
bool actuator_holds(const struct actuator *a, const char *name, enum tunable_id tunable);

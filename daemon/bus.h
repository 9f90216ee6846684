/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bus side of the manager: connection, name, objects, signals. Marshals, and decides nothing. Every call but bus_new()
 * accepts NULL (not connected yet). */
#pragma once

#include "manager.h"

/* Connects (bus: "system", "session" or an address), exports the objects and takes the name.
 * Returns 0; -EEXIST where another briod owns the name; -errno. */
int bus_new(struct manager *m, const char *address, struct bus **ret);
struct bus *bus_free(struct bus *b); /* flushes */

void bus_drive_added(struct bus *b, const struct manager_drive *d);
void bus_drive_removed(struct bus *b, const struct manager_drive *d);
void bus_drive_changed(struct bus *b, const struct manager_drive *d);
void bus_decision_made(struct bus *b, const struct decision *decision);
void bus_trial_ended(struct bus *b, const struct decision *decision);
void bus_stream_changed(struct bus *b, enum stream_change change, const struct stream_entry *e);
void bus_hold_released(struct bus *b, const struct hold_entry *hold);
void bus_startup_finished(struct bus *b, const struct startup_record *r);
/* property: one of the Manager interface's */
void bus_manager_changed(struct bus *b, const char *property);

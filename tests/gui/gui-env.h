/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A private bus and a scripted daemon (tests/lib/fake-daemon.py) for the dashboard's tests. */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* How long a test waits for what must come; a bound for a hanging test, not a claim about speed. */
#define ENV_PATIENCE_S 30

/* Starts the bus where it does not run yet. Returns its address. It ends with the test program. */
const char *env_bus_start(void);
/* Ends the bus: every connection breaks. */
void env_bus_stop(void);

/* Starts the daemon on it and waits until it owns its name; name of a file below tests/lib/scenarios/, or NULL: no drives.
 * Returns false, having said why, where it does not come up. */
bool env_daemon_start(const char *scenario);
/* The same of an earlier version, which does not have these methods and properties. */
bool env_daemon_start_without(const char *scenario, const char *const *members);
/* Ends it and waits until it is gone. Nothing where there is none. */
void env_daemon_stop(void);
/* Calls org.brio.FakeControl; parameters as a GVariant text, "('sda',)" or "()". Returns its string, or "". */
char *env_control(const char *method, const char *parameters);

/* How often the daemon was asked for that so far. */
unsigned env_count_calls(const char *method);

/* Runs the main loop until the condition holds. False where it does not in ENV_PATIENCE_S. */
bool env_wait(bool (*condition)(void *), void *userdata);
/* Runs the main loop for a while. The time for which other processes had the processors does not count. */
void env_run_for_ms(unsigned ms);
/* Runs the main loop until the object is gone. False where it is not in ENV_PATIENCE_S. Clears the reference. */
bool env_goes(GWeakRef *weak);

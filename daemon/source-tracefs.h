/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single requests of the drives that are watched, from the kernel's block tracepoints, as EVENT_WATCH and EVENT_REQUEST_*.
 * While no drive is watched there is no tracing instance, and this costs nothing.
 *
 * Each CPU has a buffer of its own; its records are merged by their time, CLOCK_MONOTONIC (trace-merge.h). 2 MiB a CPU hold what
 * 600 000 records a second make in TRACE_INTERVAL_NS. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"
#include "trace-merge.h"

struct source_tracefs;

/* root: as for the other sources. Returns 0 also where tracing is not possible (probe says why),
 * -ENOMEM, or -errno of the event loop. */
int source_tracefs_new(const char *root, sd_event *event, struct event_sink sink, struct source_tracefs **ret);
struct source_tracefs *source_tracefs_free(struct source_tracefs *s);

/* Removes the tracing instances that killed briods left: they go on recording. Returns their number. */
size_t source_tracefs_clean_up(const char *root);

/* Tells what the kernel has recorded up to TRACE_SETTLE_NS ago. It runs by itself every TRACE_INTERVAL_NS, too. */
void source_tracefs_drain(struct source_tracefs *s, nsec_t now);

/* Its start: -ENODEV where tracing is not possible, -ENOSPC with too many drives. */
extern const struct source_ops source_tracefs_ops;

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single requests of the drives that are watched, through blktrace, as EVENT_WATCH and EVENT_REQUEST_*: the same as from the
 * tracepoints (source-tracefs.h), where neither these nor BPF are to be had. While no drive is watched there is no trace.
 *
 * A drive has one trace at a time, of whatever program: another's is left alone. The buffers of all CPUs and drives are merged by
 * time (trace-merge.h): blktrace stamps CLOCK_MONOTONIC. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"

struct source_blktrace;

/* root: as for the other sources. state_dir: where the traces are noted, for the next run if this one is killed; its lock is held
 * (journal_open()). Removes those that killed briods have left there. Returns 0 also where tracing is not possible (probe says why),
 * -ENOMEM, -ENAMETOOLONG, or -errno of the event loop. */
int source_blktrace_new(const char *root, const char *state_dir, sd_event *event, struct event_sink sink, struct source_blktrace **ret);
struct source_blktrace *source_blktrace_free(struct source_blktrace *s);

/* Removes the traces that killed briods left. Returns their number. Under the lock, too. */
size_t source_blktrace_clean_up(const char *root, const char *state_dir);

/* Tells what the kernel has recorded up to TRACE_SETTLE_NS ago. It runs by itself every TRACE_INTERVAL_NS, too. */
void source_blktrace_drain(struct source_blktrace *s, nsec_t now);

/* Its start: -ENODEV where tracing is not possible, -EBUSY where another program traces the drive, -EPERM where the kernel is locked
 * down, -ENXIO where the drive's node cannot be opened, -ENOSPC with too many drives. */
extern const struct source_ops source_blktrace_ops;

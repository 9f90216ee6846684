/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Single requests of the drives that are watched, from programs on the kernel's block tracepoints (bpf/requests.bpf.c), as
 * EVENT_WATCH and EVENT_REQUEST_*; or sums of them (bpf-flows.h). While no drive is watched none is loaded, and this costs nothing.
 *
 * Against source-tracefs.h: the process that asks is known in the kernel, so no process is too short-lived to be named, and no thread is looked
 * up; what the kernel tells is what is needed, in one buffer of all CPUs. The bound of the order is the same: what is younger than
 * BPF_SETTLE_NS waits for the next look, and what comes later than that is counted. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"
#include "units.h"

#define BPF_SETTLE_NS NSEC_PER_MSEC
#define BPF_INTERVAL_NS (50 * NSEC_PER_MSEC) /* between two looks; see RING_BYTES */

struct source_bpf;

/* root: as for the other sources. Returns 0 also where BPF is not possible (probe says why), -ENOMEM, or -errno of the event loop. */
int source_bpf_new(const char *root, sd_event *event, struct event_sink sink, struct source_bpf **ret);
struct source_bpf *source_bpf_free(struct source_bpf *s);

/* Of drives that are told in sums only samples are looked at where they do more than so many requests a second together, instead of
 * BPF_SAMPLING_LOOKED_MAX. */
void source_bpf_limit(struct source_bpf *s, uint32_t looked_max);

/* Tells what the kernel has recorded up to BPF_SETTLE_NS ago, and what it has summed up. That happens by itself every BPF_INTERVAL_NS and
 * BPF_FLOWS_INTERVAL_NS, too. */
void source_bpf_drain(struct source_bpf *s, nsec_t now);

/* Its start: -ENODEV without BPF, -ENOSPC with too many drives, or what the kernel said to the programs. */
extern const struct source_ops source_bpf_ops;

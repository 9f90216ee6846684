/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What processes ask of drives, summed up by programs in the kernel (bpf/flows.bpf.c) and told every BPF_FLOWS_INTERVAL_NS as
 * EVENT_WATCH (EVENT_SUMMED), EVENT_TOTAL, EVENT_SUMS and EVENT_LATENCIES: the part of source-bpf.h for drives that do too much to be told
 * request by request. What it costs the daemon depends on how many processes there are, not on what they do. */
#pragma once

#include <systemd/sd-event.h>

#include "source.h"
#include "units.h"

#define BPF_FLOWS_INTERVAL_NS (250 * NSEC_PER_MSEC) /* the daemon's tick while a drive is busy */
#define BPF_FLOWS_CHECK_NS (50 * NSEC_PER_MSEC)     /* so soon it is seen that there is more to do than is to be looked at */

struct bpf_flows;

/* cost: what it is a part of. Returns 0, -ENOMEM, or -errno of the event loop. */
int bpf_flows_new(sd_event *event, struct event_sink sink, struct source_cost *cost, struct bpf_flows **ret);
struct bpf_flows *bpf_flows_free(struct bpf_flows *f);

/* Loads the programs with the first drive, and removes them with the last. Returns 0, -ENOSPC with too many drives, or what the
 * kernel said to the programs. */
int bpf_flows_start(struct bpf_flows *f, const struct source_drive *drive, nsec_t now);
void bpf_flows_stop(struct bpf_flows *f, uint32_t dev, nsec_t now);

/* Tells what was summed up since the last time. */
void bpf_flows_look(struct bpf_flows *f, nsec_t now);

/* So many requests a second are looked at, of more only samples, instead of BPF_SAMPLING_LOOKED_MAX. */
void bpf_flows_limit(struct bpf_flows *f, uint32_t looked_max);

size_t bpf_flows_drives(const struct bpf_flows *f);
uint32_t bpf_flows_one_in(const struct bpf_flows *f); /* of their requests so many windows are looked at; 1: all are */
nsec_t bpf_flows_since(const struct bpf_flows *f);    /* when the programs were loaded; 0: there are none */
uint64_t bpf_flows_lost(const struct bpf_flows *f);   /* requests that there was no room for, or that no program saw */
uint64_t bpf_flows_unseen(const struct bpf_flows *f); /* that ended without being seen to, and were found out later */

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events out of what the programs in the kernel have summed up (bpf/flow.h). */
#pragma once

#include "bpf/flow.h"
#include "bpf-sampling.h"
#include "event.h"

#define BPF_FLOW_FORGET_NS (30 * NSEC_PER_SEC) /* as the model does */

/* The sums as they were told last. */
struct bpf_flow_told {
        struct bpf_flow_key key;
        nsec_t t;
        uint64_t waited_ns;
        uint16_t inflight[2];
        struct bpf_flow flow;
};

typedef void (*bpf_flow_tell_fn)(void *userdata, const struct event *e);

/* Tells the difference between the sums and those told, up to now, which they are afterwards. rests: nothing is under way at the
 * drive, whatever the sums say. scales: what the sums stand for; what is sampled is told as an estimate (EVENT_SAMPLED). */
void bpf_flow_tell(struct bpf_flow_told *told, const struct bpf_flow *flow, bool rests, const struct bpf_sampling_scales *scales, nsec_t now,
                   bpf_flow_tell_fn fn, void *userdata);

/* When something was asked, or served, last. */
nsec_t bpf_flow_touched(const struct bpf_flow *flow);
bool bpf_flow_is_under_way(const struct bpf_flow *flow);

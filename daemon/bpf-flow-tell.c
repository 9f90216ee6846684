/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-flow-tell.h"
#include "histogram.h"
#include "macro.h"

_Static_assert(BPF_FLOW_BUCKETS == HISTOGRAM_BUCKETS && BPF_FLOW_SUB_BITS == HISTOGRAM_SUB_BITS, "the programs' histogram is the core's");
_Static_assert(BPF_FLOW_BUCKETS % LATENCIES_BUCKETS == 0, "it is told in whole events");

nsec_t bpf_flow_touched(const struct bpf_flow *flow) {
        return MAX(MAX(flow->sides[0].asked, flow->sides[0].done), MAX(flow->sides[1].asked, flow->sides[1].done));
}

bool bpf_flow_is_under_way(const struct bpf_flow *flow) {
        return flow->sides[0].inflight + flow->sides[1].inflight > 0;
}

static uint32_t saturate(uint64_t value) {
        return (uint32_t) MIN(value, UINT32_MAX);
}

static uint32_t ago_us(nsec_t t, nsec_t before, nsec_t now) {
        return t > before ? (uint32_t) MIN(nsec_sub(now, t) / NSEC_PER_USEC, SUMS_NEVER - 1u) : SUMS_NEVER;
}

/* Of the span, what was looked at stands for as much more time as for requests. */
static uint32_t share_us(uint64_t now_ns, uint64_t before_ns, const struct bpf_sampling_scale *scale, int op, nsec_t span) {
        uint64_t ns = bpf_sampling_share(nsec_sub(now_ns, before_ns), scale->requests[op], scale->sampled[op]);

        return saturate(MIN(ns, span) / NSEC_PER_USEC);
}

/* number: since the last time; earlier: of it, what was queued while another part was looked at. The two are counted one after the
 * other, so that they may have been read in between. */
static uint64_t count_sectors(const struct bpf_flow_side *side, const struct bpf_flow_side *was, const struct bpf_sampling_scales *s, int op) {
        uint64_t number = side->sectors - was->sectors, earlier = MIN(side->earlier_sectors - was->earlier_sectors, number);

        return bpf_sampling_share(number - earlier, s->now.sectors[op], s->now.sampled_sectors[op]) +
               bpf_sampling_share(earlier, s->earlier.sectors[op], s->earlier.sampled_sectors[op]);
}

static uint64_t count_requests(const struct bpf_flow_side *side, const struct bpf_flow_side *was, const struct bpf_sampling_scales *s, int op) {
        uint64_t number = side->requests - was->requests, earlier = MIN(side->earlier - was->earlier, number);

        return bpf_sampling_share(number - earlier, s->now.requests[op], s->now.sampled[op]) +
               bpf_sampling_share(earlier, s->earlier.requests[op], s->earlier.sampled[op]);
}

static bool is_estimate(const struct bpf_flow_told *told, const struct bpf_flow *flow, const struct bpf_sampling_scales *scales) {
        bool any_earlier = flow->sides[0].earlier != told->flow.sides[0].earlier || flow->sides[1].earlier != told->flow.sides[1].earlier;

        return scales->sampled || (scales->earlier_sampled && any_earlier);
}

static struct event_sums make_sums(const struct bpf_flow_told *told, const struct bpf_flow *flow, int op, bool rests,
                                   const struct bpf_sampling_scales *scales, nsec_t now) {
        const struct bpf_flow_side *side = &flow->sides[op], *was = &told->flow.sides[op];

        return (struct event_sums){
                .span_us = saturate(nsec_sub(now, told->t) / NSEC_PER_USEC),
                .requests = saturate(count_requests(side, was, scales, op)),
                .sectors = saturate(count_sectors(side, was, scales, op)),
                .asked_us = ago_us(side->asked, told->t, now),
                .done_us = ago_us(side->done, told->t, now),
                .seeks = flow->seeks,
                .inflight = rests ? 0 : (uint16_t) CLAMP(side->inflight, 0, UINT16_MAX),
                .think_samples = (uint16_t) MIN(flow->think_samples, UINT16_MAX),
                .think_us = flow->think_samples ? (uint16_t) MIN(flow->think_ns / flow->think_samples / NSEC_PER_USEC, UINT16_MAX) : 0,
                .op = (uint8_t) op,
                .seeks_n = (uint8_t) MIN(flow->seeks_n, UINT8_MAX),
        };
}

static void tell_latencies(const struct bpf_flow_side *side, const struct bpf_flow_side *was, uint64_t part, uint64_t of, struct event *e,
                           bpf_flow_tell_fn fn, void *userdata) {
        for (unsigned first = 0; first < BPF_FLOW_BUCKETS; first += LATENCIES_BUCKETS) {
                uint32_t any = 0;

                e->latencies.first = (uint8_t) first;
                for (unsigned i = 0; i < LATENCIES_BUCKETS; i++) {
                        e->latencies.counts[i] = saturate(bpf_sampling_share(side->latencies[first + i] - was->latencies[first + i], part, of));
                        any |= e->latencies.counts[i];
                }
                if (any)
                        fn(userdata, e);
        }
}

void bpf_flow_tell(struct bpf_flow_told *told, const struct bpf_flow *flow, bool rests, const struct bpf_sampling_scales *scales, nsec_t now,
                   bpf_flow_tell_fn fn, void *userdata) {
        const struct bpf_sampling_scale *scale = &scales->now;
        uint64_t waits = flow->waits_since && !rests ? nsec_sub(now, flow->waits_since) : 0;
        uint32_t waited_us = share_us(flow->waited_ns + waits, told->waited_ns, scale, REQUEST_READ, nsec_sub(now, told->t));
        uint16_t flags = is_estimate(told, flow, scales) ? EVENT_SAMPLED : 0;
        uint64_t idle_ns = flow->idle_ns;

        for (int op = REQUEST_READ; op <= REQUEST_WRITE; op++) {
                struct event e = { .t = now, .kind = EVENT_SUMS, .flags = flags, .dev = told->key.dev, .tgid = told->key.tgid };
                uint32_t requests;

                e.sums = make_sums(told, flow, op, rests, scales, now);
                e.sums.waited_us = op == REQUEST_READ ? waited_us : 0;
                if (!e.sums.requests && e.sums.asked_us == SUMS_NEVER && !e.sums.waited_us && e.sums.inflight == told->inflight[op])
                        continue;
                told->inflight[op] = e.sums.inflight;
                e.sums.idle_us = share_us(idle_ns, told->flow.idle_ns, scale, op, flags ? nsec_sub(now, told->t) : UINT64_MAX);
                idle_ns = told->flow.idle_ns; /* told once */
                fn(userdata, &e);
                requests = e.sums.requests;
                e.kind = EVENT_LATENCIES;
                e.latencies = (struct event_latencies){ .op = (uint8_t) op };
                tell_latencies(&flow->sides[op], &told->flow.sides[op], requests, flow->sides[op].requests - told->flow.sides[op].requests, &e, fn,
                               userdata);
        }
        told->t = now;
        told->waited_ns = flow->waited_ns + waits;
        told->flow = *flow;
}

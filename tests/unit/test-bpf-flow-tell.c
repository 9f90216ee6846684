/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-flow-tell.h"
#include "histogram.h"
#include "test.h"

#define DRIVE DEV_NUMBER(8, 0)
#define T (100 * NSEC_PER_SEC)
#define MSEC NSEC_PER_MSEC

static struct event heard[32];
static size_t n_heard;
static struct bpf_flow_told told;
static struct bpf_flow flow;
static struct bpf_sampling_scales scales;

static void hear(void *userdata _unused_, const struct event *e) {
        if (n_heard < ARRAY_SIZE(heard))
                heard[n_heard] = *e;
        n_heard++;
}

/* A process that nothing is known of yet, looked at for the first time at T. */
static void begin(void) {
        told = (struct bpf_flow_told){ .key = { .dev = DRIVE, .tgid = 42 }, .t = T };
        flow = (struct bpf_flow){ .seeks = 1 };
        scales = (struct bpf_sampling_scales){ .now = bpf_sampling_whole, .earlier = bpf_sampling_whole };
}

static void look(nsec_t now, bool rests) {
        n_heard = 0;
        bpf_flow_tell(&told, &flow, rests, &scales, now, hear, NULL);
}

TEST(what_was_added_since_the_last_time_is_told) {
        begin();
        flow.sides[0] = (struct bpf_flow_side){ .requests = 10, .sectors = 80, .asked = T + 200 * MSEC, .done = T + 230 * MSEC, .inflight = 2 };
        flow.sides[0].latencies[0] = 1;
        flow.sides[0].latencies[15] = 9;
        flow.waited_ns = 100 * MSEC;
        flow.waits_since = T + 200 * MSEC;
        flow.idle_ns = 30 * MSEC;
        flow.think_samples = 200;
        flow.think_ns = 200 * 3 * MSEC;
        flow.seeks_n = 11;
        look(T + 250 * MSEC, false);
        CHECK_INT(n_heard, 3);
        CHECK_INT(heard[0].kind, EVENT_SUMS);
        CHECK_INT(heard[0].t, T + 250 * MSEC);
        CHECK_INT(heard[0].dev, DRIVE);
        CHECK_INT(heard[0].tgid, 42);
        CHECK_INT(heard[0].sums.op, REQUEST_READ);
        CHECK_INT(heard[0].sums.span_us, 250000);
        CHECK_INT(heard[0].sums.requests, 10);
        CHECK_INT(heard[0].sums.sectors, 80);
        CHECK_INT(heard[0].sums.asked_us, 50000);
        CHECK_INT(heard[0].sums.done_us, 20000);
        CHECK_INT(heard[0].sums.waited_us, 150000); /* and goes on */
        CHECK_INT(heard[0].sums.idle_us, 30000);
        CHECK_INT(heard[0].sums.inflight, 2);
        CHECK_INT(heard[0].sums.think_samples, 200);
        CHECK_INT(heard[0].sums.think_us, 3000);
        CHECK_INT(heard[0].sums.seeks, 1);
        CHECK_INT(heard[0].sums.seeks_n, 11);
        CHECK_INT(heard[1].kind, EVENT_LATENCIES);
        CHECK_INT(heard[1].latencies.first, 0);
        CHECK_INT(heard[1].latencies.counts[0], 1);
        CHECK_INT(heard[2].latencies.first, 8);
        CHECK_INT(heard[2].latencies.counts[7], 9);
        flow.sides[0].requests = 11;
        flow.sides[0].latencies[15] = 10;
        flow.sides[0].inflight = 0;
        flow.waited_ns = 160 * MSEC;
        flow.waits_since = 0;
        look(T + 500 * MSEC, false);
        CHECK_INT(n_heard, 2);
        CHECK_INT(heard[0].sums.requests, 1);
        CHECK_INT(heard[0].sums.asked_us, SUMS_NEVER);
        CHECK_INT(heard[0].sums.waited_us, 10000);
        CHECK_INT(heard[0].sums.idle_us, 0);
        CHECK_INT(heard[1].latencies.counts[7], 1);
        look(T + 750 * MSEC, false);
        CHECK_INT(n_heard, 0); /* there is nothing new */
}

TEST(reads_and_writes_are_told_apart_and_pauses_once) {
        begin();
        flow.sides[0].asked = flow.sides[1].asked = T + MSEC;
        flow.sides[1].requests = 3;
        flow.idle_ns = 5 * MSEC;
        look(T + 250 * MSEC, false);
        CHECK_INT(n_heard, 2);
        CHECK_INT(heard[0].sums.op, REQUEST_READ);
        CHECK_INT(heard[0].sums.idle_us, 5000);
        CHECK_INT(heard[1].sums.op, REQUEST_WRITE);
        CHECK_INT(heard[1].sums.requests, 3);
        CHECK_INT(heard[1].sums.idle_us, 0);
}

TEST(what_seems_under_way_at_a_drive_that_rests_is_not_and_no_process_waits_for_it) {
        begin();
        flow.sides[0] = (struct bpf_flow_side){ .asked = T + MSEC, .inflight = 1 };
        flow.waits_since = T + MSEC;
        look(T + 250 * MSEC, false);
        CHECK_INT(heard[0].sums.inflight, 1);
        CHECK_INT(heard[0].sums.waited_us, 249000);
        look(T + 500 * MSEC, true);
        CHECK_INT(n_heard, 1);
        CHECK_INT(heard[0].sums.inflight, 0);
        CHECK_INT(heard[0].sums.waited_us, 0);
        look(T + 750 * MSEC, true);
        CHECK_INT(n_heard, 0);
}

TEST(no_process_waits_longer_than_the_time_there_was) {
        begin();
        flow.sides[0].asked = T - 5 * MSEC;
        flow.sides[0].inflight = 1;
        flow.waits_since = T - 5 * MSEC;
        look(T + 250 * MSEC, false);
        CHECK_INT(heard[0].sums.waited_us, 250000);
}

TEST(what_samples_say_stands_for_more_and_is_told_as_an_estimate) {
        begin();
        scales.now = (struct bpf_sampling_scale){ { 1600, 1 }, { 100, 1 }, { 25600, 1 }, { 800, 1 } };
        scales.sampled = true;
        flow.sides[0] = (struct bpf_flow_side){ .requests = 10, .sectors = 80, .asked = T + 200 * MSEC, .done = T + 230 * MSEC };
        flow.sides[0].latencies[15] = 10;
        flow.waited_ns = 10 * MSEC;
        flow.idle_ns = 20 * MSEC;
        look(T + 250 * MSEC, false);
        CHECK_INT(n_heard, 2);
        CHECK_INT(heard[0].flags, EVENT_SAMPLED);
        CHECK_INT(heard[0].sums.requests, 160);
        CHECK_INT(heard[0].sums.sectors, 2560);
        CHECK_INT(heard[0].sums.waited_us, 160000);
        CHECK_INT(heard[0].sums.idle_us, 250000); /* not more than there was */
        CHECK_INT(heard[1].flags, EVENT_SAMPLED);
        CHECK_INT(heard[1].latencies.counts[7], 160);
}

/* Sixteen windows for each that is looked at; then each is. */
TEST(what_was_asked_before_another_part_is_looked_at_stands_for_what_it_did_then) {
        begin();
        scales.earlier = (struct bpf_sampling_scale){ { 1600, 1600 }, { 100, 100 }, { 12800, 12800 }, { 800, 800 } };
        scales.earlier_sampled = true;
        flow.sides[0] = (struct bpf_flow_side){ .requests = 10, .sectors = 80, .earlier = 4, .earlier_sectors = 32, .asked = T + MSEC };
        flow.sides[0].latencies[15] = 10;
        look(T + 250 * MSEC, false);
        CHECK_INT(n_heard, 2);
        CHECK_INT(heard[0].flags, EVENT_SAMPLED);
        CHECK_INT(heard[0].sums.requests, 4 * 16 + 6);
        CHECK_INT(heard[0].sums.sectors, 32 * 16 + 48);
        CHECK_INT(heard[1].latencies.counts[7], 4 * 16 + 6);
        flow.sides[0].requests = 12; /* all that was asked before has ended */
        flow.sides[0].sectors = 96;
        look(T + 500 * MSEC, false);
        CHECK_INT(heard[0].flags, 0);
        CHECK_INT(heard[0].sums.requests, 2);
        CHECK_INT(heard[0].sums.sectors, 16);

        begin(); /* and the other way: all was looked at, now one of sixteen windows is */
        scales.now = (struct bpf_sampling_scale){ { 1600, 1600 }, { 100, 100 }, { 12800, 12800 }, { 800, 800 } };
        scales.sampled = true;
        flow.sides[1] = (struct bpf_flow_side){ .requests = 10, .sectors = 80, .earlier = 8, .earlier_sectors = 64, .asked = T + MSEC };
        look(T + 250 * MSEC, false);
        CHECK_INT(heard[0].sums.requests, 8 + 2 * 16);
        CHECK_INT(heard[0].sums.sectors, 64 + 16 * 16);
}

/* The programs count one after the other, and may be read in between. */
TEST(more_that_was_asked_before_than_there_is_in_all_counts_as_all_there_is) {
        begin();
        flow.sides[0] = (struct bpf_flow_side){ .requests = 1, .sectors = 8, .earlier = 2, .earlier_sectors = 16, .asked = T + MSEC };
        look(T + 250 * MSEC, false);
        CHECK_INT(heard[0].sums.requests, 1);
        CHECK_INT(heard[0].sums.sectors, 8);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs that sum up in the kernel (flows.bpf.c) and the daemon have in common: what a process asks of a drive. */
#pragma once

#include <stdint.h>

#include "bounds.h"

#define BPF_FLOWS_MAX 1024           /* as many as the model has */
#define BPF_FLOW_SETS_BITS 11        /* requests under way are noted in so many sets by their bio's address, ... */
#define BPF_FLOW_WAYS 4              /* ... and each set has room for four: 8192, and a thousand of them collide twice in ten thousand */
#define BPF_FLOW_REQUESTS_MAX (BPF_FLOW_WAYS << BPF_FLOW_SETS_BITS)
#define BPF_FLOW_BUCKETS 192         /* of the core's histogram */
#define BPF_FLOW_SUB_BITS 3

struct bpf_flow_key {
        uint32_t dev;
        int32_t tgid; /* 0: kernel threads */
};

/* How much is looked at, in the word that the daemon sets: one of so many windows and one, which is one less than a power of two
 * (0: all are), and above that a count of its changes. */
#define BPF_FLOW_WINDOWS_CLOSED 0xffu
#define BPF_FLOW_CHANGES_SHIFT 8
#define BPF_FLOW_SAMPLING 0xffffu /* all of it */

struct bpf_flow_side {
        uint64_t requests, sectors; /* completed */
        uint64_t earlier, earlier_sectors; /* of them, queued while another part was looked at than when they ended */
        uint64_t asked, done;       /* when last, CLOCK_MONOTONIC; 0: never */
        int64_t inflight;
        uint32_t latencies[BPF_FLOW_BUCKETS];
};

/* One that is under way. */
struct bpf_flow_request {
        uint64_t t; /* it was queued */
        struct bpf_flow_key key;
        uint32_t sectors;
        uint16_t op;       /* 0 read, 1 write, as the kernel's enum req_op has it */
        uint16_t sampling; /* when it was queued */
};

/* Of a drive, on one CPU: what was queued, and what of it was looked at, so that a flow has it. */
struct bpf_drive_sums {
        uint64_t requests[2], sectors[2];
        uint64_t sampled[2], sampled_sectors[2];
};

/* Counts are exact of what was looked at. The rest is of one request after the other, and off by one where two CPUs are at it at once. */
struct bpf_flow {
        uint64_t start_ns; /* of the process, CLOCK_BOOTTIME */
        uint64_t named;    /* when the name was looked at last */
        char name[BPF_NAME_MAX];
        uint64_t waits_since; /* it has a read under way; 0: it has none */
        uint64_t waited_ns;   /* with one, up to the last time that it had none */
        uint64_t idle_ns;     /* pauses, of each at most slice_idle */
        uint64_t think_ns;    /* the core's struct think_time */
        uint64_t last_end;    /* sector behind the last request */
        uint32_t think_samples;
        uint32_t seeks, seeks_n; /* the core's struct seek_history */
        uint32_t rested;         /* the drive's count when it was looked at last */
        uint64_t window;         /* in which it asked last */
        struct bpf_flow_side sides[2]; /* reads, writes */
};

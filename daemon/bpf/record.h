/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs in the kernel (requests.bpf.c) and the daemon have in common. */
#pragma once

#include <stdint.h>

#include "bounds.h"

enum bpf_record_kind { BPF_RECORD_QUEUE, BPF_RECORD_SPLIT, BPF_RECORD_ISSUE, BPF_RECORD_REQUEUE, BPF_RECORD_COMPLETE, _BPF_RECORD_KIND_MAX };

struct bpf_record {
        uint64_t t; /* CLOCK_MONOTONIC */
        uint64_t sector;
        uint32_t dev, sectors;
        int32_t tgid; /* of the process that queued it; 0: a kernel thread */
        uint8_t kind, op; /* op: the kernel's enum req_op */
        uint8_t unseen;   /* a COMPLETE that was found out later */
        uint8_t unused;
};

/* A QUEUE says in addition whose it is. */
struct bpf_record_queue {
        struct bpf_record record;
        uint64_t start_ns; /* of the process, CLOCK_BOOTTIME */
        char name[BPF_NAME_MAX];
};

/* A request at its drive. The kernel does not run a program that runs already on the same CPU, so a completion may be passed
 * over: it shows when the kernel uses the request again, or when its drive rests. By the request's address; of two that share
 * a place the later one has it. */
struct bpf_underway {
        uint64_t request; /* 0: free */
        struct bpf_record record; /* the ISSUE, of what is not completed yet */
};

#define BPF_UNDERWAY_BITS 13 /* 8192 places, more than the model has */
#define BPF_UNDERWAY_PLACES (1 << BPF_UNDERWAY_BITS)

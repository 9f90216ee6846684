/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the programs in the kernel (requests.bpf.c) and the daemon have in common: what is written into the ring buffer. */
#pragma once

#include <stdint.h>

enum bpf_record_kind { BPF_RECORD_QUEUE, BPF_RECORD_SPLIT, BPF_RECORD_ISSUE, BPF_RECORD_REQUEUE, BPF_RECORD_COMPLETE, _BPF_RECORD_KIND_MAX };

#define BPF_DRIVES_MAX 64 /* as many as the model knows */
#define BPF_RECORD_NAME_MAX 16 /* TASK_COMM_LEN */

struct bpf_record {
        uint64_t t; /* CLOCK_MONOTONIC */
        uint64_t sector;
        uint32_t dev, sectors;
        int32_t tgid; /* of who queued it; 0: a kernel thread */
        uint8_t kind, op; /* op: the kernel's enum req_op */
        uint16_t unused;
};

/* A QUEUE says in addition whose it is. */
struct bpf_record_queue {
        struct bpf_record record;
        uint64_t start_ns; /* of the process, CLOCK_BOOTTIME */
        char name[BPF_RECORD_NAME_MAX];
};

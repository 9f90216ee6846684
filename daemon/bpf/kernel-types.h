/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The little that the programs know of the kernel: only the members that they read, which libbpf finds in the running kernel's own
 * types when it loads them (CO-RE). What comes behind ___ is left out of a type's name: variants of other versions. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef uint64_t __u64;
typedef int32_t __s32;
typedef int64_t __s64;
typedef __u16 __be16;
typedef __u32 __be32;
typedef __u32 __wsum;

enum bpf_map_type { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_RINGBUF = 27 };
enum { BPF_ANY = 0, BPF_NOEXIST = 1 };
enum { BPF_RB_NO_WAKEUP = 1 };
enum bpf_func_id { BPF_FUNC_get_current_task_btf = 158 };

#define PF_KTHREAD 0x00200000u
#define REQ_OP_MASK 0xffu
enum { KERNEL_OP_READ, KERNEL_OP_WRITE, KERNEL_OP_FLUSH, KERNEL_OP_DISCARD, KERNEL_OP_SECURE_ERASE = 5 };

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct gendisk {
        int major, first_minor;
};

struct block_device {
        struct gendisk *bd_disk;
};

struct bvec_iter {
        uint64_t bi_sector;
        unsigned bi_size;
};

struct bio {
        struct block_device *bi_bdev; /* from 5.12 on */
        unsigned bi_opf;
        struct bvec_iter bi_iter;
        struct bio *bi_next;
};

struct bio___before_5_12 {
        struct gendisk *bi_disk;
};

struct request_queue {
        struct gendisk *disk; /* from 5.15 on */
};

struct request {
        struct request_queue *q;
        unsigned cmd_flags, __data_len;
        uint64_t __sector;
        struct bio *bio;
};

struct request___before_5_17 {
        struct gendisk *rq_disk;
};

struct task_struct {
        unsigned flags;
        struct task_struct *group_leader;
        uint64_t start_boottime;
        char comm[16];
};

#pragma clang attribute pop

/* Until 5.10 these tracepoints had the queue before the request or bio. */
typedef void (*btf_trace_block_rq_issue___before_5_11)(void *, struct request_queue *, struct request *);
typedef void (*btf_trace_block_rq_requeue___before_5_11)(void *, struct request_queue *, struct request *);
typedef void (*btf_trace_block_bio_queue___before_5_11)(void *, struct request_queue *, struct bio *);
typedef void (*btf_trace_block_split___before_5_11)(void *, struct request_queue *, struct bio *, unsigned int);

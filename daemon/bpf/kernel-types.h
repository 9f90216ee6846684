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

enum bpf_map_type { BPF_MAP_TYPE_HASH = 1, BPF_MAP_TYPE_PERCPU_ARRAY = 6, BPF_MAP_TYPE_LRU_HASH = 9, BPF_MAP_TYPE_RINGBUF = 27 };
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

struct hlist_node {
        struct hlist_node *next;
};

struct hlist_head {
        struct hlist_node *first;
};

struct qstr {
        const unsigned char *name;
};

struct dentry {
        struct dentry *d_parent;
        struct qstr d_name;
        union {
                struct hlist_node d_alias;
        } d_u;
};

struct super_block {
        uint32_t s_dev;
};

struct inode {
        uint16_t i_mode;
        uint64_t i_ino;
        struct super_block *i_sb;
        struct hlist_head i_dentry;
};

struct address_space {
        struct inode *host;
};

struct folio { /* from 5.16 on */
        struct address_space *mapping;
        uint64_t index;
        uint64_t _flags_1; /* of one with several pages: its order, from 6.6 on */
};

struct folio___before_6_6 {
        uint8_t _folio_order;
};

struct page___before_5_16 {
        struct address_space *mapping;
        uint64_t index;
};

enum pageflags { PG_head };

struct task_struct {
        unsigned flags;
        int tgid;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs have in common: which drives are watched, what is told of them, and which process asks. */
#pragma once

#include "kernel-types.h"

#include <bpf/bpf_helpers.h>
#include <bpf/bpf_core_read.h>

#include "bounds.h"

#define SECTOR_SHIFT 9
#define MINOR_BITS 20

uint64_t lost; /* there was no room for */
uint32_t watched[BPF_DRIVES_MAX]; /* drives' numbers, the first n_watched */
uint32_t n_watched;

/* Returns the number of the drive if it is watched, else 0. */
static __always_inline uint32_t watched_drive(const struct gendisk *disk) {
        uint32_t dev = (uint32_t) disk->major << MINOR_BITS | (uint32_t) disk->first_minor;

        for (uint32_t i = 0; i < BPF_DRIVES_MAX && i < n_watched; i++)
                if (watched[i] == dev)
                        return dev;
        return 0;
}

/* Only what moves data to or from a place, or frees it. */
static __always_inline bool is_told(uint32_t flags, uint32_t sectors) {
        switch (flags & REQ_OP_MASK) {
        case KERNEL_OP_READ:
        case KERNEL_OP_WRITE:
        case KERNEL_OP_DISCARD:
        case KERNEL_OP_SECURE_ERASE:
                return sectors > 0;
        }
        return false;
}

static __always_inline const struct gendisk *disk_of_bio(struct bio *bio) {
        if (bpf_core_field_exists(bio->bi_bdev))
                return bio->bi_bdev->bd_disk;
        return ((struct bio___before_5_12 *) bio)->bi_disk;
}

static __always_inline const struct gendisk *disk_of_request(struct request *rq) {
        struct request___before_5_17 *old = (void *) rq;

        if (bpf_core_field_exists(old->rq_disk))
                return old->rq_disk;
        return rq->q->disk;
}

/* The process, not its thread. NULL: a kernel thread. start_ns: when it began, CLOCK_BOOTTIME; 0 with NULL. */
static __always_inline const struct task_struct *find_process(uint64_t *start_ns) {
        const struct task_struct *leader;

        *start_ns = 0;
        if (bpf_core_enum_value_exists(enum bpf_func_id, BPF_FUNC_get_current_task_btf)) {
                struct task_struct *task = (void *) bpf_get_current_task_btf();
                if (task->flags & PF_KTHREAD)
                        return NULL;
                leader = task->group_leader;
                *start_ns = leader->start_boottime;
        } else {
                struct task_struct *task = (void *) bpf_get_current_task();
                if (BPF_CORE_READ(task, flags) & PF_KTHREAD)
                        return NULL;
                leader = BPF_CORE_READ(task, group_leader);
                *start_ns = BPF_CORE_READ(leader, start_boottime);
        }
        return leader;
}

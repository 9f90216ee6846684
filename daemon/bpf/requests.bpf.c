/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs in the kernel: tells the block events of the watched drives through a ring buffer. */
#include "record.h"
#include "watched.h"

#define HASH 0x9e3779b97f4a7c15u /* Fibonacci hashing */
#define RING_BYTES (4 << 20) /* 60 000 events at least: 50 ms of 1 200 000 a second */

struct {
        __uint(type, BPF_MAP_TYPE_RINGBUF);
        __uint(max_entries, RING_BYTES);
} records SEC(".maps");

struct bpf_underway underway[BPF_UNDERWAY_PLACES];

static __always_inline void fill_bio(struct bpf_record *r, const struct bio *bio, uint32_t dev, enum bpf_record_kind kind) {
        r->t = bpf_ktime_get_ns();
        r->sector = bio->bi_iter.bi_sector;
        r->dev = dev;
        r->sectors = bio->bi_iter.bi_size >> SECTOR_SHIFT;
        r->tgid = 0;
        r->kind = kind;
        r->op = (uint8_t) (bio->bi_opf & REQ_OP_MASK);
        r->unseen = r->unused = 0;
}

/* The process that asks. */
static __always_inline void fill_process(struct bpf_record_queue *r) {
        const struct task_struct *leader = find_process(&r->start_ns);

        r->name[0] = '\0';
        if (!leader)
                return;
        r->record.tgid = (int32_t) (bpf_get_current_pid_tgid() >> 32);
        bpf_core_read_str(r->name, sizeof(r->name), &leader->comm);
}

static __always_inline int tell_queue(struct bio *bio) {
        struct bpf_record_queue *r;
        uint32_t dev;

        if (!is_told(bio->bi_opf, bio->bi_iter.bi_size >> SECTOR_SHIFT))
                return 0;
        dev = watched_drive(disk_of_bio(bio));
        if (!dev)
                return 0;
        r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return 0;
        }
        fill_bio(&r->record, bio, dev, BPF_RECORD_QUEUE);
        fill_process(r);
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
        return 0;
}

/* new_sector is what remains of a sector number, which need not fit: the difference does. */
static __always_inline int tell_split(struct bio *bio, uint32_t new_sector) {
        uint32_t sectors = new_sector - (uint32_t) bio->bi_iter.bi_sector, dev;
        struct bpf_record *r;

        if (!is_told(bio->bi_opf, sectors))
                return 0;
        dev = watched_drive(disk_of_bio(bio));
        if (!dev)
                return 0;
        r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return 0;
        }
        fill_bio(r, bio, dev, BPF_RECORD_SPLIT);
        r->sectors = sectors;
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
        return 0;
}

static __always_inline void tell_unseen(const struct bpf_underway *u, uint64_t t) {
        struct bpf_record *r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);

        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return;
        }
        *r = u->record;
        r->t = t;
        r->kind = BPF_RECORD_COMPLETE;
        r->unseen = 1;
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
}

/* The verifier allows no calculation with a pointer, but with what was read from a record. */
static __always_inline uint64_t address_of(struct request *rq, struct bpf_record *r) {
        volatile uint64_t *scratch = &r->t;

        *scratch = (uint64_t) rq;
        return *scratch;
}

/* One that is issued again where it was before is back after a requeue that was passed over. */
static __always_inline void follow_issue(struct bpf_underway *u, uint64_t address, const struct bpf_record *r) {
        if (u->request == address && u->record.sector != r->sector)
                tell_unseen(u, r->t);
        u->record = *r;
        u->request = address;
}

static __always_inline void follow_complete(struct bpf_underway *u, uint64_t address, const struct bpf_record *r) {
        if (u->request != address)
                return;
        if (r->sectors < u->record.sectors) {
                u->record.sector += r->sectors;
                u->record.sectors -= r->sectors;
        } else {
                u->request = 0;
        }
}

static __always_inline void follow(uint64_t address, const struct bpf_record *r) {
        struct bpf_underway *u = &underway[address * HASH >> (64 - BPF_UNDERWAY_BITS)];

        if (r->kind == BPF_RECORD_ISSUE)
                follow_issue(u, address, r);
        else if (r->kind == BPF_RECORD_COMPLETE)
                follow_complete(u, address, r);
        else if (u->request == address)
                u->request = 0;
}

static __always_inline int tell_request(struct request *rq, uint32_t bytes, enum bpf_record_kind kind) {
        struct bpf_record *r;
        uint64_t address;
        uint32_t dev;

        if (!is_told(rq->cmd_flags, bytes >> SECTOR_SHIFT))
                return 0;
        dev = watched_drive(disk_of_request(rq));
        if (!dev)
                return 0;
        r = bpf_ringbuf_reserve(&records, sizeof(*r), 0);
        if (!r) {
                __sync_fetch_and_add(&lost, 1);
                return 0;
        }
        address = address_of(rq, r);
        *r = (struct bpf_record){
                .t = bpf_ktime_get_ns(),
                .sector = rq->__sector,
                .dev = dev,
                .sectors = bytes >> SECTOR_SHIFT,
                .kind = kind,
                .op = (uint8_t) (rq->cmd_flags & REQ_OP_MASK),
        };
        follow(address, r);
        bpf_ringbuf_submit(r, BPF_RB_NO_WAKEUP);
        return 0;
}

SEC("tp_btf/block_bio_queue")
int on_queue(uint64_t *args) {
        if (bpf_core_type_exists(btf_trace_block_bio_queue___before_5_11))
                return tell_queue((void *) args[1]);
        return tell_queue((void *) args[0]);
}

SEC("tp_btf/block_split")
int on_split(uint64_t *args) {
        if (bpf_core_type_exists(btf_trace_block_split___before_5_11))
                return tell_split((void *) args[1], (uint32_t) args[2]);
        return tell_split((void *) args[0], (uint32_t) args[1]);
}

SEC("tp_btf/block_rq_issue")
int on_issue(uint64_t *args) {
        struct request *rq = (void *) args[0];

        if (bpf_core_type_exists(btf_trace_block_rq_issue___before_5_11))
                rq = (void *) args[1];
        return tell_request(rq, rq->__data_len, BPF_RECORD_ISSUE);
}

SEC("tp_btf/block_rq_requeue")
int on_requeue(uint64_t *args) {
        struct request *rq = (void *) args[0];

        if (bpf_core_type_exists(btf_trace_block_rq_requeue___before_5_11))
                rq = (void *) args[1];
        return tell_request(rq, rq->__data_len, BPF_RECORD_REQUEUE);
}

SEC("tp_btf/block_rq_complete")
int on_complete(uint64_t *args) {
        return tell_request((void *) args[0], (uint32_t) args[2], BPF_RECORD_COMPLETE);
}

/* Version 2 or later: the kernel, which has version 2 alone, lends its functions to nothing that does not go with that. */
char _license[] SEC("license") = "GPL";

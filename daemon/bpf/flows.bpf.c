/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs in the kernel: sums up what each process asks of the watched drives, as core/flow.c does from single requests. The unit is the
 * bio, from its queuing to its end, whatever is made of it in between.
 *
 * Each drive's bios are counted, always. Where they are too many for more, only those are looked at that are queued in a window of
 * time: one of each so many, which one as a hash has it, the same on every CPU. Within one, the order of a process's requests
 * is seen whole, so that seeks and pauses are what they are. Whether one is open costs reading the kernel's jiffies. */
#include "flow.h"
#include "watched.h"

#define NSEC_PER_SEC 1000000000u
#define NSEC_PER_MSEC 1000000u
#define NSEC_PER_USEC 1000u
#define SLICE_IDLE_NS (8 * NSEC_PER_MSEC)
#define THINK_SAMPLE 256
#define SEEK_SECTORS 800
#define SEEK_SMALL_SECTORS 64
#define SEEK_REQUESTS_MAX 32
#define HASH 0x9e3779b97f4a7c15u /* Fibonacci hashing */
#define ALWAYS 1 /* a window that never ends; the kernel's jiffies begin far beyond */
#define BIOS_MAX 512 /* in a request: its segments are fewer, those of the fastest drives 256 */
#define NAMED_NS NSEC_PER_SEC /* a process that calls itself otherwise is heard so soon */

struct {
        __uint(type, BPF_MAP_TYPE_HASH);
        __uint(max_entries, BPF_FLOWS_MAX);
        __type(key, struct bpf_flow_key);
        __type(value, struct bpf_flow);
} flows SEC(".maps");

/* By the place in watched. */
struct {
        __uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
        __uint(max_entries, BPF_DRIVES_MAX);
        __type(key, uint32_t);
        __type(value, struct bpf_drive_sums);
} drives SEC(".maps");

uint32_t sampling;     /* BPF_FLOW_SAMPLING */
uint32_t window_shift;   /* a window is so many doublings of a tick of the kernel's clock */

uint64_t bios[BPF_FLOW_REQUESTS_MAX] __attribute__((aligned(64))); /* addresses; 0: free. A set is a part of a cache line */
struct bpf_flow_request requests[BPF_FLOW_REQUESTS_MAX];           /* of the same place */

bool rotational[BPF_DRIVES_MAX]; /* by the place in watched */
uint32_t rested[BPF_DRIVES_MAX]; /* how often nothing was under way at the drive, though something seemed so; by the same */
uint64_t unseen;                 /* requests that ended without having been seen to */
const struct bpf_flow nothing = { .seeks = 1 }; /* the kernel's own begins with one seek, too */

static __always_inline int place_of_bio(struct bio *bio) {
        const struct gendisk *disk = disk_of_bio(bio);
        uint32_t dev = (uint32_t) disk->major << MINOR_BITS | (uint32_t) disk->first_minor;

        for (int i = 0; i < BPF_DRIVES_MAX && (uint32_t) i < n_watched; i++)
                if (watched[i] == dev)
                        return i;
        return -1;
}

static __always_inline struct bpf_flow *get_flow(const struct bpf_flow_key *key) {
        struct bpf_flow *f = bpf_map_lookup_elem(&flows, key);

        if (f)
                return f;
        bpf_map_update_elem(&flows, key, &nothing, BPF_NOEXIST);
        return bpf_map_lookup_elem(&flows, key);
}

/* The window that it is now; 0: one that is not looked at. */
static __always_inline uint64_t open_window(uint32_t now) {
        uint32_t closed = now & BPF_FLOW_WINDOWS_CLOSED;
        uint64_t window;

        if (closed == 0)
                return ALWAYS;
        window = bpf_jiffies64() >> window_shift;
        return (window & closed) == ((window & ~(uint64_t) closed) * HASH >> 40 & closed) ? window : 0;
}

static __always_inline uint64_t first_place(uint64_t address) {
        return (address * HASH >> (64 - BPF_FLOW_SETS_BITS)) * BPF_FLOW_WAYS;
}

/* Of a place that is in its bounds the verifier of Linux 5.10 has to be told so again. */
static __always_inline uint64_t within(uint64_t place) {
        asm volatile("" : "+r"(place)); /* or the compiler, which knows it, leaves that out */
        return place & (BPF_FLOW_REQUESTS_MAX - 1);
}

/* Where the bio is noted; BPF_FLOW_REQUESTS_MAX: nowhere. */
static __always_inline uint64_t find_request(uint64_t address) {
        uint64_t first = first_place(address);

        for (uint32_t i = 0; i < BPF_FLOW_WAYS; i++)
                if (bios[first + i] == address)
                        return first + i;
        return BPF_FLOW_REQUESTS_MAX;
}

/* A free place if there is one. CPUs begin at different ones, since nothing keeps two from taking the same. */
static __always_inline uint64_t choose_place(uint64_t address) {
        uint64_t first = first_place(address), cpu = bpf_get_smp_processor_id();

        for (uint32_t i = 0; i < BPF_FLOW_WAYS; i++) {
                uint64_t place = within(first + ((cpu + i) & (BPF_FLOW_WAYS - 1)));
                if (bios[place] == 0)
                        return place;
        }
        return first + (cpu & (BPF_FLOW_WAYS - 1));
}

static __always_inline uint64_t later(uint64_t a, uint64_t b) {
        return a > b ? a : b;
}

static __always_inline uint64_t less(uint64_t a, uint64_t b) {
        return a < b ? a : b;
}

/* bfq_update_io_thinktime() */
static __always_inline void end_pause(struct bpf_flow *f, uint64_t pause) {
        f->think_samples = (7 * f->think_samples + THINK_SAMPLE) / 8;
        f->think_ns = (7 * f->think_ns + THINK_SAMPLE * less(pause, 2 * SLICE_IDLE_NS)) / 8;
        f->idle_ns += less(pause, SLICE_IDLE_NS);
}

/* bfq_update_io_seektime() */
static __always_inline void note_seek(struct bpf_flow *f, uint64_t sector, uint32_t sectors, bool heads) {
        uint64_t distance = sector > f->last_end ? sector - f->last_end : f->last_end - sector;

        f->seeks = f->seeks << 1 | (f->last_end && distance > SEEK_SECTORS && (heads || sectors < SEEK_SMALL_SECTORS));
        f->last_end = sector + sectors;
        if (f->seeks_n < SEEK_REQUESTS_MAX)
                f->seeks_n++;
}

static __always_inline void note_name(struct bpf_flow *f, const struct task_struct *leader, uint64_t start_ns, uint64_t t) {
        if (f->start_ns == start_ns && f->named && t - f->named < NAMED_NS)
                return;
        f->start_ns = start_ns;
        f->named = t;
        bpf_core_read_str(f->name, sizeof(f->name), &leader->comm);
}

/* What was between two windows is not known: no pause, and no distance. */
static __always_inline void begin_window(struct bpf_flow *f, uint64_t window) {
        f->window = window;
        f->last_end = 0;
}

static __always_inline void ask(struct bpf_flow *f, struct bpf_flow_side *side, const struct bpf_flow_request *r, uint64_t sector, uint32_t place,
                                uint64_t window) {
        bool goes_on = f->window == window;
        uint64_t done = later(f->sides[0].done, f->sides[1].done);

        if (f->rested != rested[place]) { /* what seemed to be under way was not */
                f->rested = rested[place];
                f->sides[0].inflight = f->sides[1].inflight = 0;
                f->waits_since = 0;
        }
        if (!goes_on)
                begin_window(f, window);
        if (goes_on && f->sides[0].inflight + f->sides[1].inflight <= 0 && done && r->t > done)
                end_pause(f, r->t - done);
        note_seek(f, sector, r->sectors, rotational[place]);
        side->asked = r->t;
        __sync_fetch_and_add(&side->inflight, 1);
        if (r->op == KERNEL_OP_READ && !f->waits_since)
                f->waits_since = r->t;
}

/* The core's histogram: eight buckets for each doubling. */
static __always_inline uint32_t bucket_of(uint64_t us) {
        uint32_t v = us < (1u << 26) ? (uint32_t) us : (1u << 26) - 1, shift = 0, top = v >> BPF_FLOW_SUB_BITS;

        if (v < 1u << BPF_FLOW_SUB_BITS)
                return v;
        if (top >= 1u << 16) {
                shift += 16;
                top >>= 16;
        }
        if (top >= 1u << 8) {
                shift += 8;
                top >>= 8;
        }
        if (top >= 1u << 4) {
                shift += 4;
                top >>= 4;
        }
        if (top >= 1u << 2) {
                shift += 2;
                top >>= 2;
        }
        shift += top >> 1;
        return (shift << BPF_FLOW_SUB_BITS) + (v >> shift);
}

static __always_inline void end(const struct bpf_flow_request *r, uint64_t t, bool seen) {
        struct bpf_flow *f = bpf_map_lookup_elem(&flows, &r->key);
        struct bpf_flow_side *side;
        uint64_t bucket;

        if (!f)
                return;
        side = r->op == KERNEL_OP_READ ? &f->sides[0] : &f->sides[1];
        __sync_fetch_and_add(&side->requests, 1);
        __sync_fetch_and_add(&side->sectors, r->sectors);
        if (r->sampling != sampling) {
                __sync_fetch_and_add(&side->earlier, 1);
                __sync_fetch_and_add(&side->earlier_sectors, r->sectors);
        }
        if (side->inflight > 0)
                __sync_fetch_and_add(&side->inflight, -1);
        side->done = t;
        if (r->op == KERNEL_OP_READ && side->inflight <= 0 && f->waits_since) {
                f->waited_ns += t > f->waits_since ? t - f->waits_since : 0;
                f->waits_since = 0;
        }
        if (!seen) {
                __sync_fetch_and_add(&unseen, 1);
                return;
        }
        bucket = bucket_of((t - r->t) / NSEC_PER_USEC);
        asm volatile("" : "+r"(bucket)); /* or clang 19 compares a copy, and the verifier knows no bound of the index */
        if (bucket < BPF_FLOW_BUCKETS)
                __sync_fetch_and_add(&side->latencies[bucket], 1);
}

/* Counts it. Returns the window if it is to be looked at, else 0. */
static __always_inline uint64_t count(uint32_t place, uint32_t op, uint32_t sectors, uint32_t now) {
        struct bpf_drive_sums *d = bpf_map_lookup_elem(&drives, &place);
        uint64_t window = open_window(now);

        if (!d)
                return 0;
        if (op == KERNEL_OP_READ) { /* an index that is not constant costs the verifier's checks */
                d->requests[0]++;
                d->sectors[0] += sectors;
        } else {
                d->requests[1]++;
                d->sectors[1] += sectors;
        }
        if (window && op == KERNEL_OP_READ) {
                d->sampled[0]++;
                d->sampled_sectors[0] += sectors;
        } else if (window) {
                d->sampled[1]++;
                d->sampled_sectors[1] += sectors;
        }
        return window;
}

/* One that stands where it is to be noted ended unseen: the same bio, or another of whose kind there were too many. */
static __always_inline void note_request(uint64_t address, const struct bpf_flow_request *r) {
        uint64_t place = find_request(address);

        if (place == BPF_FLOW_REQUESTS_MAX)
                place = choose_place(address);
        place = within(place);
        if (bios[place])
                end(&requests[place], r->t, false);
        requests[place] = *r;
        bios[place] = address;
}

/* argument: where the tracepoint has the bio, for its address as a number, which the verifier wants. */
static __always_inline int sum_queue(struct bio *bio, const uint64_t *argument) {
        struct bpf_flow_request r = {
                .op = bio->bi_opf & REQ_OP_MASK, .sectors = bio->bi_iter.bi_size >> SECTOR_SHIFT, .sampling = (uint16_t) sampling,
        };
        const struct task_struct *leader;
        uint64_t address, start_ns, window;
        struct bpf_flow *f;
        int place;

        if (r.op > KERNEL_OP_WRITE || r.sectors == 0)
                return 0;
        place = place_of_bio(bio);
        if (place < 0 || place >= BPF_DRIVES_MAX)
                return 0;
        window = count((uint32_t) place, r.op, r.sectors, r.sampling);
        if (!window)
                return 0;
        r.t = bpf_ktime_get_ns();
        leader = find_process(&start_ns);
        r.key.dev = watched[place];
        r.key.tgid = leader ? (int32_t) (bpf_get_current_pid_tgid() >> 32) : 0;
        f = get_flow(&r.key);
        if (!f) {
                __sync_fetch_and_add(&lost, 1);
                return 0;
        }
        if (bpf_probe_read_kernel(&address, sizeof(address), argument) == 0)
                note_request(address, &r);
        if (leader)
                note_name(f, leader, start_ns, r.t);
        ask(f, r.op == KERNEL_OP_READ ? &f->sides[0] : &f->sides[1], &r, bio->bi_iter.bi_sector, (uint32_t) place, window);
        return 0;
}

SEC("tp_btf/block_bio_queue")
int on_queue(uint64_t *args) {
        if (bpf_core_type_exists(btf_trace_block_bio_queue___before_5_11))
                return sum_queue((void *) args[1], &args[1]);
        return sum_queue((void *) args[0], &args[0]);
}

/* Checked by the verifier for itself, since it is no static function: else it would be so for each turn of the loop below. */
int end_bio(uint64_t address) {
        uint64_t place = find_request(address);
        struct bpf_flow_request r;

        if (place == BPF_FLOW_REQUESTS_MAX)
                return 0;
        place = within(place);
        r = requests[place];
        bios[place] = 0;
        end(&r, bpf_ktime_get_ns(), true);
        return 0;
}

/* The bios that were merged into the request are still there, and each ends whose last byte is done. One that was split ends with its end. */
SEC("tp_btf/block_rq_complete")
int on_complete(uint64_t *args) {
        struct request *rq = (void *) args[0];
        uint32_t bytes = (uint32_t) args[2];
        struct bio *bio = rq->bio;
        uint64_t address = 0; /* as above */

        if (!bio || !watched_drive(disk_of_request(rq)))
                return 0;
        bpf_core_read(&address, sizeof(address), &rq->bio);
        for (int i = 0; i < BIOS_MAX && bio && bio->bi_iter.bi_size <= bytes; i++) {
                bytes -= bio->bi_iter.bi_size;
                end_bio(address);
                bpf_core_read(&address, sizeof(address), &bio->bi_next);
                bio = bio->bi_next;
        }
        return 0;
}

/* Version 2 or later: the kernel, which has version 2 alone, lends its functions to nothing that does not go with that. */
char _license[] SEC("license") = "GPL";

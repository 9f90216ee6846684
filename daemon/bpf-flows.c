/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "bpf-flow-tell.h"
#include "bpf-flows.h"
#include "bpf-programs.h"
#include "bpf-record.h"
#include "bpf-sampling.h"
#include "bpf-underway.h"
#include "clock.h"
#include "flows.skel.h"
#include "macro.h"
#include "source-drives.h"
#include "source-timer.h"

#define BATCH 64 /* flows read with a system call: 110 KiB */

struct bpf_flows {
        struct event_sink sink;
        struct source_cost *cost;
        sd_event_source *timer;
        struct flows_bpf *programs; /* NULL: no drive is told in sums */
        struct source_drives drives; /* the programs have them too */

        size_t n_told;
        struct bpf_flow_told *told; /* BPF_FLOWS_MAX of them, and the next two: while there are programs */
        struct process_names *names;
        struct bpf_flow *flows;
        struct bpf_flow_key keys[BATCH];

        struct bpf_sampled_drive summed[BPF_DRIVES_MAX]; /* by the place in drives */
        int n_cpus;
        struct bpf_drive_sums *cpus; /* n_cpus of them */
        uint32_t looked_max; /* requests a second */
        uint32_t one_in;   /* so much is looked at; 1: all */
        uint32_t sampling; /* the same, as the programs have it */
        uint32_t told_one_in; /* of the last look; 0: none yet */

        nsec_t since, looked;
        uint64_t unfit, missed; /* of the programs that are there */
        uint64_t lost, unseen, unseen_told;
};

static void tell(void *userdata, const struct event *e) {
        struct bpf_flows *f = userdata;

        source_tell(&f->sink, f->cost, e);
}

static struct bpf_flow_told *find_told(struct bpf_flows *f, const struct bpf_flow_key *key) {
        for (size_t i = 0; i < f->n_told; i++)
                if (f->told[i].key.tgid == key->tgid && f->told[i].key.dev == key->dev)
                        return &f->told[i];
        return NULL;
}

/* The kernel has no more of them than there is room for; but one that goes may be seen beside one that came. */
static struct bpf_flow_told *get_told(struct bpf_flows *f, const struct bpf_flow_key *key) {
        struct bpf_flow_told *t = find_told(f, key);

        if (t || f->n_told == BPF_FLOWS_MAX)
                return t;
        t = &f->told[f->n_told++];
        *t = (struct bpf_flow_told){ .key = *key, .t = f->looked };
        return t;
}

static void forget(struct bpf_flows *f, const struct bpf_flow_key *key) {
        struct bpf_flow_told *t = find_told(f, key);

        (void) bpf_map_delete_elem(bpf_map__fd(f->programs->maps.flows), key);
        if (t)
                *t = f->told[--f->n_told];
}

/* What the drive, which rests, has not under way. It counts as of the next time that its process is told. */
static void find_unseen(struct bpf_flows *f, uint32_t dev, nsec_t until) {
        uint64_t *bios = f->programs->bss->bios;

        for (size_t i = 0; i < BPF_FLOW_REQUESTS_MAX; i++) {
                uint64_t bio = __atomic_load_n(&bios[i], __ATOMIC_ACQUIRE);
                struct bpf_flow_request q = f->programs->bss->requests[i];
                struct bpf_flow_told *t = bio && q.key.dev == dev && q.t <= until && q.op < 2 ? find_told(f, &q.key) : NULL;

                if (!t || !__atomic_compare_exchange_n(&bios[i], &bio, 0, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
                        continue;
                t->flow.sides[q.op].requests--;
                t->flow.sides[q.op].sectors -= q.sectors;
                if (q.sampling != f->sampling) {
                        t->flow.sides[q.op].earlier--;
                        t->flow.sides[q.op].earlier_sectors -= q.sectors;
                }
                f->unseen++;
        }
}

/* Nothing is under way at the drive, though the sums say so: what is at it ended unseen. The programs are told by a count. */
static bool found_at_rest(struct bpf_flows *f, const struct bpf_flow *flow, size_t place, nsec_t now) {
        uint32_t *rested = &f->programs->bss->rested[place];
        nsec_t until = nsec_sub(now, BPF_UNDERWAY_AGE_NS);

        if (!bpf_flow_is_under_way(flow))
                return false;
        if (flow->rested != *rested) /* found out before, and nothing was asked since */
                return true;
        if (bpf_flow_touched(flow) > until || !bpf_underway_rests(BPF_UNDERWAY_BLOCKS, f->drives.devs[place]))
                return false;
        __atomic_store_n(rested, *rested + 1, __ATOMIC_RELEASE);
        find_unseen(f, f->drives.devs[place], until);
        return true;
}

static void tell_name(struct bpf_flows *f, const struct bpf_flow_key *key, const struct bpf_flow *flow, nsec_t now) {
        struct event e = bpf_record_name(now, key->tgid, flow->start_ns, flow->name);

        if (process_names_is_new(f->names, &e))
                tell(f, &e);
}

static void forget_if_stopped(struct bpf_flows *f, const struct bpf_flow_key *key, const struct bpf_flow *flow _unused_, nsec_t now _unused_) {
        if (source_drives_find(&f->drives, key->dev) == f->drives.n)
                forget(f, key);
}

static void take(struct bpf_flows *f, const struct bpf_flow_key *key, const struct bpf_flow *flow, nsec_t now) {
        size_t place = source_drives_find(&f->drives, key->dev);
        struct bpf_flow_told *t;
        bool rests;

        if (place == f->drives.n) { /* a program was at it still when the drive was stopped */
                forget(f, key);
                return;
        }
        t = get_told(f, key);
        if (!t)
                return;
        rests = found_at_rest(f, flow, place, now);
        if (bpf_flow_touched(flow) > t->t)
                tell_name(f, key, flow, now);
        bpf_flow_tell(t, flow, rests, &f->summed[place].scales, now, tell, f);
        if (nsec_sub(now, bpf_flow_touched(flow)) > BPF_FLOW_FORGET_NS && (rests || !bpf_flow_is_under_way(flow)))
                forget(f, key);
}

typedef void (*flow_fn)(struct bpf_flows *f, const struct bpf_flow_key *key, const struct bpf_flow *flow, nsec_t now);

static void each_flow(struct bpf_flows *f, flow_fn fn, nsec_t now) {
        int fd = bpf_map__fd(f->programs->maps.flows), r = 0;
        uint32_t position, next;

        for (bool first = true; r == 0; first = false, position = next) {
                uint32_t n = BATCH;

                r = bpf_map_lookup_batch(fd, first ? NULL : &position, &next, f->keys, f->flows, &n, NULL);
                if (r != 0 && r != -ENOENT) /* which is the end */
                        break;
                f->cost->bytes += n * sizeof(*f->flows);
                for (uint32_t i = 0; i < n; i++)
                        fn(f, &f->keys[i], &f->flows[i], now);
        }
}

static void tell_lost(struct bpf_flows *f, nsec_t now) {
        uint64_t unfit = __atomic_load_n(&f->programs->bss->lost, __ATOMIC_RELAXED);
        uint64_t missed = bpf_programs_missed(f->programs->obj, f->programs->progs.on_complete);
        struct event e = { .t = now, .kind = EVENT_LOST, .flags = EVENT_REQUESTS, .lost.count = unfit - f->unfit + missed - f->missed };

        f->unfit = unfit;
        f->missed = missed;
        f->lost += e.lost.count;
        if (e.lost.count > 0)
                tell(f, &e);
}

static struct bpf_drive_sums read_drive(struct bpf_flows *f, size_t place) {
        uint32_t key = (uint32_t) place;

        if (bpf_map_lookup_elem(bpf_map__fd(f->programs->maps.drives), &key, f->cpus) < 0)
                return f->summed[place].told;
        return bpf_sampling_add(f->cpus, (size_t) f->n_cpus);
}

static void begin_drive(struct bpf_flows *f, size_t place) {
        struct bpf_drive_sums sums = read_drive(f, place);

        bpf_sampling_begin(&f->summed[place], &sums, f->one_in);
}

/* What was asked of the drive in all, whatever part of it the sums of its processes are of. */
static void tell_total(struct bpf_flows *f, size_t place, const struct bpf_drive_sums *sums, nsec_t now) {
        const struct bpf_drive_sums *told = &f->summed[place].told;

        for (uint8_t op = 0; op < 2; op++) {
                struct event e = { .t = now, .kind = EVENT_TOTAL, .dev = f->drives.devs[place] };

                e.total = (struct event_total){
                        .span_us = (uint32_t) MIN(nsec_sub(now, f->looked) / NSEC_PER_USEC, UINT32_MAX),
                        .requests = (uint32_t) MIN(sums->requests[op] - told->requests[op], UINT32_MAX),
                        .sectors = (uint32_t) MIN(sums->sectors[op] - told->sectors[op], UINT32_MAX),
                        .one_in = f->one_in, .op = op,
                };
                if (e.total.requests > 0 || f->one_in != f->told_one_in)
                        tell(f, &e);
        }
}

/* Returns how many requests were queued since the last time, on all drives. */
static uint64_t look_at_drives(struct bpf_flows *f, nsec_t now) {
        uint64_t requests = 0;

        for (size_t i = 0; i < f->drives.n; i++) {
                struct bpf_drive_sums sums = read_drive(f, i);

                tell_total(f, i, &sums, now);
                requests += bpf_sampling_take(&f->summed[i], &sums);
        }
        f->told_one_in = f->one_in;
        return requests;
}

/* From now on. What is under way was queued before, and stands for what it stood for then: the programs mark it. */
static void set_sampling(struct bpf_flows *f, uint32_t one_in) {
        if (one_in == f->one_in)
                return;
        for (size_t i = 0; i < f->drives.n; i++)
                bpf_sampling_change(&f->summed[i], one_in);
        f->one_in = one_in;
        f->sampling = ((f->sampling >> BPF_FLOW_CHANGES_SHIFT) + 1) << BPF_FLOW_CHANGES_SHIFT | (one_in - 1);
        f->sampling &= BPF_FLOW_SAMPLING;
        __atomic_store_n(&f->programs->bss->sampling, f->sampling, __ATOMIC_RELEASE);
}

static uint32_t choose_sampling(const struct bpf_flows *f, uint64_t requests, nsec_t now) {
        nsec_t span = nsec_sub(now, f->looked);

        if (span < BPF_FLOWS_CHECK_NS / 2) /* too short for a rate */
                return f->one_in;
        return bpf_sampling_choose(f->one_in, requests * NSEC_PER_SEC / span, f->looked_max);
}

void bpf_flows_look(struct bpf_flows *f, nsec_t now) {
        uint64_t requests;

        if (!f->programs)
                return;
        tell_lost(f, now);
        requests = look_at_drives(f, now);
        each_flow(f, take, now);
        set_sampling(f, choose_sampling(f, requests, now));
        f->looked = now;
        source_timer_arm(f->timer, now, BPF_FLOWS_CHECK_NS);
}

/* Of what was counted so far in this look: what is told of one look was all looked at in the same way. */
static bool is_too_much(struct bpf_flows *f, nsec_t now) {
        uint64_t requests = 0;

        for (size_t i = 0; i < f->drives.n; i++) {
                struct bpf_drive_sums sums = read_drive(f, i);
                for (int op = 0; op < 2; op++)
                        requests += sums.requests[op] - f->summed[i].told.requests[op];
        }
        return choose_sampling(f, requests, now) > f->one_in;
}

static int on_timer(sd_event_source *timer _unused_, uint64_t usec _unused_, void *userdata) {
        struct bpf_flows *f = userdata;
        nsec_t now = clock_now(CLOCK_MONOTONIC);

        f->cost->wakeups++;
        if (nsec_sub(now, f->looked) + BPF_FLOWS_CHECK_NS / 2 >= BPF_FLOWS_INTERVAL_NS || is_too_much(f, now))
                bpf_flows_look(f, now);
        else
                source_timer_arm(f->timer, now, BPF_FLOWS_CHECK_NS);
        return 0;
}

static void unload(struct bpf_flows *f, nsec_t now) {
        if (!f->programs)
                return;
        f->unseen_told += f->programs->bss->unseen;
        flows_bpf__destroy(TAKE_PTR(f->programs));
        free(TAKE_PTR(f->told));
        free(TAKE_PTR(f->names));
        free(TAKE_PTR(f->flows));
        free(TAKE_PTR(f->cpus));
        f->n_told = 0;
        f->cost->active_ns += nsec_sub(now, f->since);
        sd_event_source_set_enabled(f->timer, SD_EVENT_OFF);
}

/* The skeleton's functions set errno. */
static int load(struct bpf_flows *f, nsec_t now) {
        struct timespec tick = { 0 };
        int r;

        f->n_cpus = libbpf_num_possible_cpus();
        if (f->n_cpus < 0)
                return f->n_cpus;
        f->programs = flows_bpf__open_and_load();
        if (!f->programs)
                return -errno;
        (void) clock_getres(CLOCK_MONOTONIC_COARSE, &tick); /* that clock goes by the kernel's ticks */
        f->programs->bss->window_shift = bpf_sampling_window_shift((nsec_t) tick.tv_nsec);
        f->one_in = 1;
        f->sampling = f->told_one_in = 0;
        f->since = f->looked = now;
        f->unfit = f->missed = 0;
        f->told = calloc(BPF_FLOWS_MAX, sizeof(*f->told));
        f->names = calloc(1, sizeof(*f->names));
        f->flows = calloc(BATCH, sizeof(*f->flows));
        f->cpus = calloc((size_t) f->n_cpus, sizeof(*f->cpus));
        r = f->told && f->names && f->flows && f->cpus ? flows_bpf__attach(f->programs) : -ENOMEM;
        if (r < 0)
                unload(f, now);
        else
                source_timer_arm(f->timer, now, BPF_FLOWS_CHECK_NS);
        return r < 0 ? r : 0;
}

int bpf_flows_start(struct bpf_flows *f, const struct source_drive *drive, nsec_t now) {
        size_t place = f->drives.n;
        int r;

        if (source_drives_find(&f->drives, drive->dev) < f->drives.n)
                return 0;
        if (place == BPF_DRIVES_MAX)
                return -ENOSPC;
        r = f->programs ? 0 : load(f, now);
        if (r < 0)
                return r;
        source_tell_watch(&f->sink, f->cost, drive, true, now);
        f->drives.devs[place] = drive->dev;
        f->programs->bss->rotational[place] = drive->rotational;
        begin_drive(f, place);
        bpf_programs_watch(f->programs->bss->watched, &f->programs->bss->n_watched, place, drive->dev, ++f->drives.n);
        return 0;
}

/* What is under way there is not followed to its end. Its bio, used again for another drive, would end it as that one's; and what
 * its processes did is in the kernel whether it was told or not. */
static void forget_drive(struct bpf_flows *f, uint32_t dev, nsec_t now) {
        uint64_t *bios = f->programs->bss->bios;

        for (size_t i = 0; i < BPF_FLOW_REQUESTS_MAX; i++)
                if (__atomic_load_n(&bios[i], __ATOMIC_ACQUIRE) && f->programs->bss->requests[i].key.dev == dev)
                        __atomic_store_n(&bios[i], 0, __ATOMIC_RELEASE);
        each_flow(f, forget_if_stopped, now);
}

void bpf_flows_stop(struct bpf_flows *f, uint32_t dev, nsec_t now) {
        struct source_drive drive = { .dev = dev };
        size_t place = source_drives_find(&f->drives, dev), last;

        if (place == f->drives.n)
                return;
        bpf_flows_look(f, now);
        last = --f->drives.n;
        f->drives.devs[place] = f->drives.devs[last];
        f->programs->bss->rotational[place] = f->programs->bss->rotational[last];
        f->programs->bss->rested[place] = f->programs->bss->rested[last];
        bpf_programs_watch(f->programs->bss->watched, &f->programs->bss->n_watched, place, f->drives.devs[place], last);
        begin_drive(f, place); /* what is counted there is the other's from now on */
        forget_drive(f, dev, now);
        source_tell_watch(&f->sink, f->cost, &drive, false, now);
        if (f->drives.n == 0)
                unload(f, now);
}

int bpf_flows_new(sd_event *event, struct event_sink sink, struct source_cost *cost, struct bpf_flows **ret) {
        struct bpf_flows *f = calloc(1, sizeof(*f));
        int r;

        if (!f)
                return -ENOMEM;
        f->sink = sink;
        f->cost = cost;
        f->looked_max = BPF_SAMPLING_LOOKED_MAX;
        r = source_timer_new(event, "bpf-flows", on_timer, f, &f->timer);
        if (r < 0) {
                free(f);
                return r;
        }
        *ret = f;
        return 0;
}

struct bpf_flows *bpf_flows_free(struct bpf_flows *f) {
        if (!f)
                return NULL;
        unload(f, clock_now(CLOCK_MONOTONIC));
        sd_event_source_disable_unref(f->timer);
        free(f);
        return NULL;
}

size_t bpf_flows_drives(const struct bpf_flows *f) {
        return f->drives.n;
}

void bpf_flows_limit(struct bpf_flows *f, uint32_t looked_max) {
        f->looked_max = looked_max;
}

uint32_t bpf_flows_one_in(const struct bpf_flows *f) {
        return f->programs ? f->one_in : 1;
}

nsec_t bpf_flows_since(const struct bpf_flows *f) {
        return f->programs ? f->since : 0;
}

uint64_t bpf_flows_lost(const struct bpf_flows *f) {
        return f->lost;
}

uint64_t bpf_flows_unseen(const struct bpf_flows *f) {
        return f->unseen + f->unseen_told + (f->programs ? f->programs->bss->unseen : 0);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much is looked at of drives that do too much for all of it to be (bpf/flows.bpf.c), and what that stands for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/flow.h"
#include "units.h"

/* Of all drives that are told in sums together, a second. Above that half as many are looked at from then on; below two fifths of it
 * twice as many, and not below half, so that a steady rate changes nothing. */
#define BPF_SAMPLING_LOOKED_MAX 20000u
/* With windows of 4 ms each look of a quarter of a second has two. */
#define BPF_SAMPLING_ONE_IN_MAX 32u
#define BPF_SAMPLING_WINDOW_NS (3 * NSEC_PER_MSEC) /* at least; it is whole ticks of the kernel's clock */

/* One of so many windows, a power of two, with so many requests a second, where it was one of `one_in`. looked_max: as above. */
uint32_t bpf_sampling_choose(uint32_t one_in, uint64_t requests_per_s, uint32_t looked_max);

/* How many doublings of a tick of the kernel's clock are a window. */
uint32_t bpf_sampling_window_shift(nsec_t tick);

/* By enum request_op: what was looked at stands for this. */
struct bpf_sampling_scale {
        uint64_t requests[2], sampled[2];
        uint64_t sectors[2], sampled_sectors[2];
};
extern const struct bpf_sampling_scale bpf_sampling_whole; /* each for itself */

/* What the sums of a drive's processes stand for. */
struct bpf_sampling_scales {
        struct bpf_sampling_scale now, earlier; /* earlier: what was queued before another part was looked at, and ended since */
        bool sampled, earlier_sampled;          /* else they are bpf_sampling_whole */
};

/* A drive whose requests are told in sums. */
struct bpf_sampled_drive {
        struct bpf_drive_sums told;   /* what was counted, as of the last look */
        struct bpf_drive_sums scaled; /* the same, as of the last one that had seen some of it */
        struct bpf_sampling_scales scales;
};

/* Counting begins with these sums, while one of so many windows is looked at. */
void bpf_sampling_begin(struct bpf_sampled_drive *d, const struct bpf_drive_sums *sums, uint32_t one_in);

/* A look: what was counted by now. Returns how many requests that is since the last one. */
uint64_t bpf_sampling_take(struct bpf_sampled_drive *d, const struct bpf_drive_sums *sums);

/* One of so many windows is looked at from the last look on. */
void bpf_sampling_change(struct bpf_sampled_drive *d, uint32_t one_in);

/* The same of all CPUs together. */
struct bpf_drive_sums bpf_sampling_add(const struct bpf_drive_sums *cpus, size_t n);

/* From what was counted between two looks; where nothing was looked at, it stays, and false is returned. */
bool bpf_sampling_scale(const struct bpf_drive_sums *before, const struct bpf_drive_sums *now, int op, struct bpf_sampling_scale *ret);

/* number × part / of, to the nearest; of nothing (of 0), number. */
uint64_t bpf_sampling_share(uint64_t number, uint64_t part, uint64_t of);

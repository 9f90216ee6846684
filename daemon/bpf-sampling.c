/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-sampling.h"

const struct bpf_sampling_scale bpf_sampling_whole = { { 1, 1 }, { 1, 1 }, { 1, 1 }, { 1, 1 } };

uint32_t bpf_sampling_choose(uint32_t one_in, uint64_t requests_per_s, uint32_t looked_max) {
        while (one_in < BPF_SAMPLING_ONE_IN_MAX && requests_per_s / one_in > looked_max)
                one_in *= 2;
        while (one_in > 1 && requests_per_s / one_in < looked_max * 2 / 5)
                one_in /= 2;
        return one_in;
}

uint32_t bpf_sampling_window_shift(nsec_t tick) {
        uint32_t shift = 0;

        while (tick > 0 && tick << shift < BPF_SAMPLING_WINDOW_NS)
                shift++;
        return shift;
}

struct bpf_drive_sums bpf_sampling_add(const struct bpf_drive_sums *cpus, size_t n) {
        struct bpf_drive_sums sum = { 0 };

        for (size_t i = 0; i < n; i++)
                for (int op = 0; op < 2; op++) {
                        sum.requests[op] += cpus[i].requests[op];
                        sum.sectors[op] += cpus[i].sectors[op];
                        sum.sampled[op] += cpus[i].sampled[op];
                        sum.sampled_sectors[op] += cpus[i].sampled_sectors[op];
                }
        return sum;
}

bool bpf_sampling_scale(const struct bpf_drive_sums *before, const struct bpf_drive_sums *now, int op, struct bpf_sampling_scale *ret) {
        if (now->sampled[op] <= before->sampled[op] || now->sampled_sectors[op] <= before->sampled_sectors[op])
                return false;
        ret->requests[op] = now->requests[op] - before->requests[op];
        ret->sectors[op] = now->sectors[op] - before->sectors[op];
        ret->sampled[op] = now->sampled[op] - before->sampled[op];
        ret->sampled_sectors[op] = now->sampled_sectors[op] - before->sampled_sectors[op];
        return true;
}

void bpf_sampling_begin(struct bpf_sampled_drive *d, const struct bpf_drive_sums *sums, uint32_t one_in) {
        *d = (struct bpf_sampled_drive){
                .told = *sums,
                .scaled = *sums,
                .scales = { .now = bpf_sampling_whole, .earlier = bpf_sampling_whole, .sampled = one_in > 1 },
        };
}

uint64_t bpf_sampling_take(struct bpf_sampled_drive *d, const struct bpf_drive_sums *sums) {
        uint64_t requests = 0;

        for (int op = 0; op < 2; op++) {
                requests += sums->requests[op] - d->told.requests[op];
                if (d->scales.sampled && !bpf_sampling_scale(&d->scaled, sums, op, &d->scales.now))
                        continue; /* what was counted meanwhile is for the next that sees some to stand for */
                d->scaled.requests[op] = sums->requests[op];
                d->scaled.sectors[op] = sums->sectors[op];
                d->scaled.sampled[op] = sums->sampled[op];
                d->scaled.sampled_sectors[op] = sums->sampled_sectors[op];
        }
        d->told = *sums;
        return requests;
}

void bpf_sampling_change(struct bpf_sampled_drive *d, uint32_t one_in) {
        struct bpf_sampling_scales *s = &d->scales;

        s->earlier = s->now;
        s->earlier_sampled = s->sampled;
        s->sampled = one_in > 1;
        if (!s->sampled)
                s->now = bpf_sampling_whole;
}

uint64_t bpf_sampling_share(uint64_t number, uint64_t part, uint64_t of) {
        uint64_t product;

        if (part == of || of == 0)
                return number;
        if (__builtin_mul_overflow(number, part, &product) || product > UINT64_MAX - of / 2)
                return number / of * part;
        return (product + of / 2) / of;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "bpf-sampling.h"
#include "test.h"

#define LIMIT BPF_SAMPLING_LOOKED_MAX

TEST(all_is_looked_at_until_that_is_too_much) {
        CHECK_INT(bpf_sampling_choose(1, 0, LIMIT), 1);
        CHECK_INT(bpf_sampling_choose(1, LIMIT, LIMIT), 1);
        CHECK_INT(bpf_sampling_choose(1, LIMIT + 1, LIMIT), 2);
        CHECK_INT(bpf_sampling_choose(1, 236000, LIMIT), 16);
        CHECK_INT(bpf_sampling_choose(1, UINT64_MAX, LIMIT), BPF_SAMPLING_ONE_IN_MAX);
}

TEST(what_is_looked_at_is_within_its_bounds_at_any_rate_and_a_steady_one_changes_nothing) {
        for (uint64_t rate = 0; rate < 2000000; rate += 997)
                for (uint32_t before = 1; before <= BPF_SAMPLING_ONE_IN_MAX; before *= 2) {
                        uint32_t one_in = bpf_sampling_choose(before, rate, LIMIT);
                        CHECK(rate / one_in <= LIMIT || one_in == BPF_SAMPLING_ONE_IN_MAX);
                        CHECK(rate / one_in >= LIMIT * 2 / 5 || one_in == 1);
                        CHECK_INT(bpf_sampling_choose(one_in, rate, LIMIT), one_in);
                }
}

TEST(a_rate_that_wavers_at_the_switch_is_looked_at_as_before) {
        uint32_t one_in = bpf_sampling_choose(1, LIMIT + 1, LIMIT), changes = 0;

        for (int i = 0; i < 100; i++) {
                uint32_t next = bpf_sampling_choose(one_in, i % 2 ? LIMIT * 9 / 10 : LIMIT * 11 / 10, LIMIT);
                changes += next != one_in;
                one_in = next;
        }
        CHECK_INT(changes, 0);
}

TEST(a_window_is_some_milliseconds_whatever_the_clock_of_the_kernel_is) {
        CHECK_INT(bpf_sampling_window_shift(10 * NSEC_PER_MSEC), 0);
        CHECK_INT(bpf_sampling_window_shift(4 * NSEC_PER_MSEC), 0);
        CHECK_INT(bpf_sampling_window_shift(NSEC_PER_SEC / 300), 0);
        CHECK_INT(bpf_sampling_window_shift(NSEC_PER_MSEC), 2);
        CHECK_INT(bpf_sampling_window_shift(0), 0);
}

TEST(all_cpus_count) {
        struct bpf_drive_sums cpus[3] = { { .requests = { 1, 2 }, .sampled = { 1, 0 } }, { .requests = { 10, 20 }, .sectors = { 80, 160 } },
                                          { .sampled_sectors = { 5, 6 } } };
        struct bpf_drive_sums sum = bpf_sampling_add(cpus, 3);

        CHECK_INT(sum.requests[0], 11);
        CHECK_INT(sum.requests[1], 22);
        CHECK_INT(sum.sectors[1], 160);
        CHECK_INT(sum.sampled[0], 1);
        CHECK_INT(sum.sampled_sectors[1], 6);
        CHECK_INT(bpf_sampling_add(cpus, 0).requests[0], 0);
}

TEST(what_was_looked_at_stands_for_what_was_counted) {
        struct bpf_drive_sums before = { .requests = { 1000, 0 }, .sectors = { 8000, 0 }, .sampled = { 100, 0 }, .sampled_sectors = { 800, 0 } };
        struct bpf_drive_sums now = { .requests = { 1160, 50 }, .sectors = { 9600, 400 }, .sampled = { 110, 0 }, .sampled_sectors = { 900, 0 } };
        struct bpf_sampling_scale scale = bpf_sampling_whole;

        CHECK(bpf_sampling_scale(&before, &now, 0, &scale));
        CHECK_INT(bpf_sampling_share(3, scale.requests[0], scale.sampled[0]), 48);
        CHECK_INT(bpf_sampling_share(24, scale.sectors[0], scale.sampled_sectors[0]), 384);
        CHECK(!bpf_sampling_scale(&before, &now, 1, &scale)); /* nothing of it was looked at */
        CHECK_INT(bpf_sampling_share(3, scale.requests[1], scale.sampled[1]), 3);
}

TEST(a_share_is_rounded_and_never_overflows) {
        CHECK_INT(bpf_sampling_share(1, 3, 2), 2);
        CHECK_INT(bpf_sampling_share(1, 5, 4), 1);
        CHECK_INT(bpf_sampling_share(7, 1, 0), 7);
        CHECK_INT(bpf_sampling_share(UINT64_MAX, 1, 1), UINT64_MAX);
        CHECK_INT(bpf_sampling_share(1ULL << 40, 1ULL << 40, 1ULL << 30), 1ULL << 50);
}

static struct bpf_drive_sums counted(uint64_t requests, uint64_t sampled) {
        return (struct bpf_drive_sums){ .requests = { requests }, .sectors = { 8 * requests }, .sampled = { sampled }, .sampled_sectors = { 8 * sampled } };
}

TEST(each_part_that_is_looked_at_has_its_own_scale_and_the_one_before_is_kept) {
        struct bpf_drive_sums sums = counted(1000, 1000);
        struct bpf_sampled_drive d;

        bpf_sampling_begin(&d, &sums, 1);
        sums = counted(3000, 3000);
        CHECK_INT(bpf_sampling_take(&d, &sums), 2000);
        CHECK(!d.scales.sampled && d.scales.now.requests[0] == 1);
        bpf_sampling_change(&d, 8);
        CHECK(d.scales.sampled && !d.scales.earlier_sampled);
        sums = counted(3100, 3000); /* no window was open yet */
        CHECK_INT(bpf_sampling_take(&d, &sums), 100);
        sums = counted(11000, 4000);
        CHECK_INT(bpf_sampling_take(&d, &sums), 7900);
        CHECK_INT(d.scales.now.requests[0], 8000); /* since the change, and nothing of what was looked at in another way */
        CHECK_INT(d.scales.now.sampled[0], 1000);
        CHECK_INT(d.scales.earlier.requests[0], 1);
        sums = counted(12000, 4000); /* none was open, and then one of sixteen is: what was counted is not forgotten */
        CHECK_INT(bpf_sampling_take(&d, &sums), 1000);
        bpf_sampling_change(&d, 16);
        sums = counted(20000, 4500);
        CHECK_INT(bpf_sampling_take(&d, &sums), 8000);
        CHECK_INT(d.scales.now.requests[0], 9000);
        CHECK_INT(d.scales.now.sampled[0], 500);
        bpf_sampling_change(&d, 1);
        CHECK(!d.scales.sampled && d.scales.earlier_sampled);
        CHECK_INT(d.scales.earlier.requests[0], 9000);
        CHECK_INT(d.scales.now.requests[0], d.scales.now.sampled[0]);
        sums = counted(20010, 4510);
        CHECK_INT(bpf_sampling_take(&d, &sums), 10);
        CHECK_INT(d.scales.now.requests[0], d.scales.now.sampled[0]);
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <bpf/bpf.h>

#include "bpf-programs.h"

uint64_t bpf_programs_missed(const struct bpf_object *object, const struct bpf_program *except) {
        struct bpf_program *p;
        uint64_t missed = 0;

        bpf_object__for_each_program(p, object) {
                struct bpf_prog_info info = { 0 };
                uint32_t size = sizeof(info);
                if (p != except && bpf_obj_get_info_by_fd(bpf_program__fd(p), &info, &size) == 0)
                        missed += info.recursion_misses;
        }
        return missed;
}

void bpf_programs_watch(uint32_t *watched, uint32_t *n_watched, size_t place, uint32_t dev, size_t n) {
        __atomic_store_n(&watched[place], dev, __ATOMIC_RELEASE);
        __atomic_store_n(n_watched, (uint32_t) n, __ATOMIC_RELEASE);
}

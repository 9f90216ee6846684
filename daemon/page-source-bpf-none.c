/* SPDX-License-Identifier: GPL-3.0-or-later */
/* In the place of page-source-bpf.c where libbpf, bpftool or a clang that compiles for BPF is not there to build with. */
#include <errno.h>

#include "macro.h"
#include "page-source.h"

static int open_source(page_record_fn fn _unused_, void *userdata _unused_, void **ret _unused_) {
        return -EOPNOTSUPP;
}

const struct page_source_ops page_source_bpf = { .name = "bpf", .open = open_source };

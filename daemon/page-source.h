/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A way to hear from the kernel which pages of which files the processes of a start bring into memory. The first that works is used (prefetch-trace.c).
 * What the kernel tells is the same by each but the last, which tells nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bpf/page-record.h"

/* data: struct bpf_page_record, or struct bpf_file_record, by its kind; size bytes. Returns 0. */
typedef int (*page_record_fn)(void *userdata, void *data, size_t size);

struct page_source_ops {
        const char *name;
        int (*open)(page_record_fn fn, void *userdata, void **ret); /* whether the kernel has what it takes: 0 or -errno */
        void (*close)(void *source);
        int (*attach)(void *source); /* the kernel tells from now on; again: nothing. Returns 0 or -errno */
        void (*detach)(void *source);
        /* A start with that number, which has that place, begins with that process, and whatever it begets. Returns 0 or -errno. */
        int (*follow)(void *source, size_t place, uint32_t number, int32_t tgid);
        void (*leave)(void *source, size_t place);
        void (*drain)(void *source); /* hands on what was told, a bounded part of it: the next call goes on */
        size_t (*list_tasks)(void *source, uint32_t number, int32_t *ret, size_t max); /* threads of a start whose files have no names yet; NULL: all have */
        uint64_t (*lost)(void *source); /* records for which there was no room */
        bool is_residency; /* there are no records: what the tasks have mapped is looked at */
};

extern const struct page_source_ops page_source_bpf, page_source_tracefs, page_source_mapped;

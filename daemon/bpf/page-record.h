/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs in the kernel that tell of pages (pages.bpf.c) and the daemon have in common. */
#pragma once

#include <stdint.h>

#define BPF_STARTS_MAX 16     /* followed at a time: as many as the model knows */
#define BPF_DEPTH_MAX 24      /* directories above a file */
#define BPF_NAMES_BYTES 1024
#define BPF_NAME_BYTES 256    /* NAME_MAX, and its end */

enum bpf_page_kind { BPF_PAGE_FILE, BPF_PAGE_RANGE };

/* Pages of a file that came into memory because a process that starts wanted them. */
struct bpf_page_record {
        uint64_t ino;
        uint64_t first; /* page */
        uint32_t dev;   /* the kernel's own number of the file system */
        uint32_t count; /* pages */
        uint32_t start; /* whose it is: as the daemon numbered it */
        uint32_t kind;  /* enum bpf_page_kind */
};

/* Before the first of them in a start: what the file is called. */
struct bpf_file_record {
        struct bpf_page_record record;
        uint32_t size; /* of names, which are the file's and those of the directories above it, each with its end */
        char names[BPF_NAMES_BYTES + BPF_NAME_BYTES];
};

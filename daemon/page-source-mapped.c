/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the kernel tells of no pages: what a start's process has mapped at its end, of which all that is in memory then counts. */
#include <errno.h>

#include "macro.h"
#include "page-source.h"

struct page_mapped {
        uint32_t numbers[BPF_STARTS_MAX]; /* 0: free */
        int32_t tgids[BPF_STARTS_MAX];
};

static int open_source(page_record_fn fn _unused_, void *userdata _unused_, void **ret) {
        *ret = calloc(1, sizeof(struct page_mapped));
        return *ret ? 0 : -ENOMEM;
}

static int attach(void *source _unused_) {
        return 0;
}

static void do_nothing(void *source _unused_) {
}

static int follow(void *source, size_t place, uint32_t number, int32_t tgid) {
        struct page_mapped *s = source;

        s->numbers[place] = number;
        s->tgids[place] = tgid;
        return 0;
}

static void leave(void *source, size_t place) {
        struct page_mapped *s = source;

        s->numbers[place] = 0;
}

static size_t list_tasks(void *source, uint32_t number, int32_t *ret, size_t max) {
        struct page_mapped *s = source;
        size_t n = 0;

        for (size_t i = 0; i < BPF_STARTS_MAX && n < max; i++)
                if (s->numbers[i] == number)
                        ret[n++] = s->tgids[i];
        return n;
}

static uint64_t lost(void *source _unused_) {
        return 0;
}

const struct page_source_ops page_source_mapped = { .name = "mapped files", .open = open_source, .close = free, .attach = attach, .detach = do_nothing,
                                                    .follow = follow, .leave = leave, .drain = do_nothing, .list_tasks = list_tasks, .lost = lost,
                                                    .is_residency = true };

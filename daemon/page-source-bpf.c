/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Through programs in the kernel (bpf/pages.bpf.c), which tell what a file is called, too. They are loaded once, and attached while something starts. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>

#include "macro.h"
#include "page-source.h"
#include "pages.skel.h"

/* Records taken in a look, more than the ring has room for: what is told meanwhile may have no end, and waits for the next look. */
#define RECORDS_A_LOOK 32768

struct page_bpf {
        page_record_fn fn;
        void *userdata;
        struct pages_bpf *programs;
        struct ring_buffer *ring;
        bool attached;
        size_t records_left;
};

static void close_source(void *source) {
        struct page_bpf *s = source;

        if (!s)
                return;
        ring_buffer__free(s->ring);
        pages_bpf__destroy(s->programs);
        free(s);
}

static int on_record(void *userdata, void *data, size_t size) {
        struct page_bpf *s = userdata;

        (void) s->fn(s->userdata, data, size);
        return --s->records_left > 0 ? 0 : -EAGAIN;
}

static int open_source(page_record_fn fn, void *userdata, void **ret) {
        struct page_bpf *s = calloc(1, sizeof(*s));
        int r;

        if (!s)
                return -ENOMEM;
        s->fn = fn;
        s->userdata = userdata;
        s->programs = pages_bpf__open_and_load();
        if (s->programs)
                s->ring = ring_buffer__new(bpf_map__fd(s->programs->maps.records), on_record, s, NULL);
        if (!s->ring) {
                r = errno ? -errno : -EIO;
                close_source(s);
                return r;
        }
        *ret = s;
        return 0;
}

static int attach(void *source) {
        struct page_bpf *s = source;
        int r = s->attached ? 0 : pages_bpf__attach(s->programs);

        s->attached = r == 0;
        return r;
}

static void drain(void *source) {
        struct page_bpf *s = source;

        s->records_left = RECORDS_A_LOOK;
        if (s->attached)
                (void) ring_buffer__consume(s->ring); /* fails as on_record() has it */
}

static void detach(void *source) {
        struct page_bpf *s = source;

        if (s->attached)
                pages_bpf__detach(s->programs);
        s->attached = false;
}

static int follow(void *source, size_t place, uint32_t number, int32_t tgid) {
        struct page_bpf *s = source;

        __atomic_store_n(&s->programs->bss->starts[place], number, __ATOMIC_RELEASE);
        return bpf_map_update_elem(bpf_map__fd(s->programs->maps.starting), &tgid, &number, BPF_ANY) < 0 ? -errno : 0;
}

static void leave(void *source, size_t place) {
        struct page_bpf *s = source;

        __atomic_store_n(&s->programs->bss->starts[place], 0, __ATOMIC_RELEASE);
}

static uint64_t lost(void *source) {
        struct page_bpf *s = source;

        return __atomic_load_n(&s->programs->bss->lost, __ATOMIC_RELAXED);
}

const struct page_source_ops page_source_bpf = { .name = "bpf", .open = open_source, .close = close_source, .attach = attach, .detach = detach,
                                                 .follow = follow, .leave = leave, .drain = drain, .lost = lost };

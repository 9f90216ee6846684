/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>

#include "bpf/page-record.h"
#include "macro.h"
#include "pages.skel.h"
#include "prefetch-place.h"
#include "prefetch-trace.h"
#include "str.h"

#define PLACES (2 * PREFETCH_FILES_MAX) /* of a table of files by number: at most half are taken */

struct traced {
        uint32_t number; /* 0: free */
        struct prefetch_list *list;
        uint16_t places[PLACES]; /* of the file with such a hash, + 1; 0: none */
};

struct prefetch_trace {
        bool recorded;
        int error; /* of the last time that the programs were wanted */
        struct pages_bpf *programs; /* NULL: not loaded */
        struct ring_buffer *ring;
        bool attached;
        uint32_t last_number;
        struct traced *starts[BPF_STARTS_MAX];
        uint64_t refused, unknown; /* starts; pages of files of which no name was told */
};

int prefetch_trace_new(bool recorded, struct prefetch_trace **ret) {
        struct prefetch_trace *t = calloc(1, sizeof(*t));

        if (!t)
                return -ENOMEM;
        t->recorded = recorded;
        *ret = t;
        return 0;
}

static struct traced *traced_free(struct traced *s) {
        if (!s)
                return NULL;
        prefetch_list_free(s->list);
        free(s);
        return NULL;
}

static void unload(struct prefetch_trace *t) {
        ring_buffer__free(TAKE_PTR(t->ring));
        pages_bpf__destroy(TAKE_PTR(t->programs));
        t->attached = false;
}

struct prefetch_trace *prefetch_trace_free(struct prefetch_trace *t) {
        if (!t)
                return NULL;
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++)
                traced_free(t->starts[i]);
        unload(t);
        free(t);
        return NULL;
}

static struct traced *find(const struct prefetch_trace *t, uint32_t number) {
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++)
                if (t->starts[i] && t->starts[i]->number == number)
                        return t->starts[i];
        return NULL;
}

/* The place of a file, or the free one where it would be. */
static uint16_t *find_place(struct traced *s, uint64_t ino, uint32_t dev) {
        size_t i = (size_t) ((ino * 0x9e3779b97f4a7c15u) ^ dev) % PLACES;

        while (s->places[i]) {
                const struct prefetch_file *f = &s->list->files[s->places[i] - 1];
                if (f->ino == ino && f->dev == dev)
                        break;
                i = (i + 1) % PLACES;
        }
        return &s->places[i];
}

static void take_file(struct traced *s, const struct bpf_file_record *r) {
        struct prefetch_file f = { .dev = r->record.dev, .ino = r->record.ino };
        uint16_t *place = find_place(s, f.ino, f.dev);
        char path[PREFETCH_PATH_MAX];
        int file;

        if (*place || r->size > sizeof(r->names) || !prefetch_path_join(r->names, r->size, path))
                return;
        file = prefetch_list_add_file(s->list, &f, path);
        if (file >= 0)
                *place = (uint16_t) (file + 1);
}

static int on_record(void *userdata, void *data, size_t size) {
        struct prefetch_trace *t = userdata;
        const struct bpf_page_record *r = data;
        struct traced *s;
        uint16_t place;

        if (size < sizeof(*r) || !(s = find(t, r->start)))
                return 0;
        if (r->kind == BPF_PAGE_FILE) {
                if (size >= sizeof(struct bpf_file_record))
                        take_file(s, data);
                return 0;
        }
        place = *find_place(s, r->ino, r->dev);
        if (place == 0 || r->first > UINT32_MAX - r->count)
                t->unknown++;
        else
                (void) prefetch_list_add_pages(s->list, (uint32_t) place - 1, (uint32_t) r->first, r->count, 1); /* refusals are counted */
        return 0;
}

static int attach(struct prefetch_trace *t) {
        int r;

        if (t->recorded)
                return -ENODEV;
        if (!t->programs) {
                t->programs = pages_bpf__open_and_load();
                if (!t->programs)
                        return -errno;
                t->ring = ring_buffer__new(bpf_map__fd(t->programs->maps.records), on_record, t, NULL);
                if (!t->ring)
                        return -errno;
        }
        if (t->attached)
                return 0;
        r = pages_bpf__attach(t->programs);
        t->attached = r == 0;
        return r;
}

static int open_start(struct prefetch_trace *t, struct traced **place, const char *application, uint32_t uid) {
        struct traced *s = calloc(1, sizeof(*s));
        int r = s ? prefetch_list_new(application, uid, &s->list) : -ENOMEM;

        if (r < 0) {
                traced_free(s);
                return r;
        }
        t->last_number = t->last_number % INT32_MAX + 1;
        s->number = t->last_number;
        *place = s;
        return (int) s->number;
}

int prefetch_trace_begin(struct prefetch_trace *t, int32_t tgid, const char *application, uint32_t uid) {
        size_t i = 0;
        uint32_t number;
        int r;

        while (i < ARRAY_SIZE(t->starts) && t->starts[i])
                i++;
        if (i == ARRAY_SIZE(t->starts)) {
                t->refused++;
                return -ENOSPC;
        }
        t->error = attach(t);
        if (t->error < 0) {
                unload(t);
                return t->error;
        }
        r = open_start(t, &t->starts[i], application, uid);
        if (r < 0)
                return r;
        number = (uint32_t) r;
        __atomic_store_n(&t->programs->bss->starts[i], number, __ATOMIC_RELEASE);
        (void) bpf_map_update_elem(bpf_map__fd(t->programs->maps.starting), &tgid, &number, BPF_ANY);
        return r;
}

void prefetch_trace_drain(struct prefetch_trace *t) {
        if (t->ring && t->attached)
                (void) ring_buffer__consume(t->ring);
}

struct prefetch_list *prefetch_trace_end(struct prefetch_trace *t, int start) {
        struct prefetch_list *list = NULL;

        prefetch_trace_drain(t);
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++) {
                if (!t->starts[i] || start <= 0 || t->starts[i]->number != (uint32_t) start)
                        continue;
                __atomic_store_n(&t->programs->bss->starts[i], 0, __ATOMIC_RELEASE);
                list = TAKE_PTR(t->starts[i]->list);
                t->starts[i] = traced_free(t->starts[i]);
        }
        return list;
}

void prefetch_trace_rest(struct prefetch_trace *t) {
        if (!t->attached)
                return;
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++)
                if (t->starts[i])
                        return;
        prefetch_trace_drain(t);
        pages_bpf__detach(t->programs);
        t->attached = false;
}

void prefetch_trace_probe(struct prefetch_trace *t, struct source_info *ret) {
        uint64_t lost = t->programs ? __atomic_load_n(&t->programs->bss->lost, __ATOMIC_RELAXED) : 0;

        *ret = (struct source_info){ .name = "pages", .state = SOURCE_WORKS };
        if (t->error < 0 || t->recorded) {
                ret->state = SOURCE_UNAVAILABLE;
                snprintf(ret->detail, sizeof(ret->detail), "the kernel does not take the programs that tell what a start reads: %s",
                         t->recorded ? "a recorded machine has none" : strerrordesc_np(-t->error));
                return;
        }
        snprintf(ret->detail, sizeof(ret->detail), "what applications read while they start, followed %s", t->attached ? "now" : "when one does");
        if (lost + t->refused + t->unknown > 0)
                str_append(ret->detail, sizeof(ret->detail), "; no room for %" PRIu64 " records and %" PRIu64 " starts, pages of unknown files: %" PRIu64,
                           lost, t->refused, t->unknown);
}

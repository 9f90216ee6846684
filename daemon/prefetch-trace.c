/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "log.h"
#include "macro.h"
#include "page-source.h"
#include "prefetch-place.h"
#include "prefetch-resident.h"
#include "prefetch-trace.h"
#include "str.h"

#define PLACES (2 * PREFETCH_FILES_MAX) /* of a table of files by number: at most half are taken */

struct traced {
        uint32_t number; /* 0: free */
        struct prefetch_list *list;
        uint16_t places[PLACES]; /* of the file with such a hash, + 1; 0: none */
};

/* Best first: what tells the names, too, comes before what tells of pages, and that before what tells nothing. */
static const struct page_source_ops *const sources[] = { &page_source_bpf, &page_source_tracefs, &page_source_mapped };

struct prefetch_trace {
        size_t first;                  /* of the sources that may work yet: one that did not is not tried again */
        int errors[ARRAY_SIZE(sources)]; /* of those before it */
        void *source;                  /* NULL: not opened */
        bool attached;
        uint32_t last_number;
        uint32_t large; /* a page of the kernel's, in those of a list */
        struct traced *starts[BPF_STARTS_MAX];
        uint64_t refused; /* starts */
};

int prefetch_trace_new(struct prefetch_trace **ret) {
        struct prefetch_trace *t = calloc(1, sizeof(*t));

        if (!t)
                return -ENOMEM;
        t->large = prefetch_pages_in_kernels();
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

static void close_source(struct prefetch_trace *t) {
        if (t->source)
                sources[t->first]->close(TAKE_PTR(t->source));
        t->attached = false;
}

struct prefetch_trace *prefetch_trace_free(struct prefetch_trace *t) {
        if (!t)
                return NULL;
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++)
                traced_free(t->starts[i]);
        close_source(t);
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

/* A file whose name was not told is found by its number, once the start has ended. */
static uint16_t add_unnamed(struct traced *s, uint16_t *place, const struct bpf_page_record *r) {
        struct prefetch_file f = { .dev = r->dev, .ino = r->ino };
        int file = prefetch_list_add_file(s->list, &f, PREFETCH_UNNAMED);

        if (file >= 0)
                *place = (uint16_t) (file + 1);
        return *place;
}

static int on_record(void *userdata, void *data, size_t size) {
        struct prefetch_trace *t = userdata;
        const struct bpf_page_record *r = data;
        struct traced *s;
        uint64_t first, count;
        uint16_t *place;

        if (size < sizeof(*r) || !(s = find(t, r->start)))
                return 0;
        if (r->kind == BPF_PAGE_FILE) {
                if (size >= sizeof(struct bpf_file_record))
                        take_file(s, data);
                return 0;
        }
        place = find_place(s, r->ino, r->dev);
        first = MIN(r->first, (uint64_t) UINT32_MAX) * t->large;
        count = (uint64_t) r->count * t->large;
        if (first + count <= UINT32_MAX && (*place || add_unnamed(s, place, r)))
                (void) prefetch_list_add_pages(s->list, (uint32_t) *place - 1, (uint32_t) first, (uint32_t) count, 1); /* refusals are counted */
        return 0;
}

/* For want of something that may be there again at the next start. */
static bool may_pass(int error) {
        return error == -ENOMEM || error == -EMFILE || error == -ENFILE || error == -EAGAIN || error == -EBUSY || error == -EINTR;
}

/* For good, unless it may pass. Returns whether the next one is to be tried. */
static bool give_up(struct prefetch_trace *t, int error) {
        log_debug("what starts read cannot be told by %s: %s", sources[t->first]->name, strerrordesc_np(-error));
        close_source(t);
        if (may_pass(error))
                return false;
        t->errors[t->first++] = error;
        return true;
}

/* Opens the first that works. Returns 0, or -errno of the last. */
static int open_source(struct prefetch_trace *t) {
        int r = -ENODEV;

        if (t->source)
                return 0;
        while (t->first < ARRAY_SIZE(sources)) {
                r = sources[t->first]->open(on_record, t, &t->source);
                if (r == 0) {
                        log_debug("what starts read is told by %s", sources[t->first]->name);
                        return 0;
                }
                if (!give_up(t, r))
                        break;
        }
        return r;
}

static int attach(struct prefetch_trace *t) {
        int r;

        while ((r = open_source(t)) == 0) {
                r = sources[t->first]->attach(t->source);
                t->attached = r == 0;
                if (r == 0)
                        return 0;
                if (!give_up(t, r))
                        break;
        }
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

void prefetch_trace_prepare(struct prefetch_trace *t) {
        (void) open_source(t); /* the reason why not is told by prefetch_trace_probe() */
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
        r = attach(t);
        if (r == 0)
                r = open_start(t, &t->starts[i], application, uid);
        if (r < 0)
                return r;
        number = (uint32_t) r;
        r = sources[t->first]->follow(t->source, i, number, tgid);
        if (r == 0)
                return (int) number;
        t->starts[i] = traced_free(t->starts[i]);
        return r;
}

void prefetch_trace_drain(struct prefetch_trace *t) {
        if (t->attached)
                sources[t->first]->drain(t->source);
}

struct prefetch_list *prefetch_trace_end(struct prefetch_trace *t, int start, struct prefetch_tasks *tasks) {
        const struct page_source_ops *source = sources[MIN(t->first, ARRAY_SIZE(sources) - 1)];
        struct prefetch_list *list = NULL;

        prefetch_trace_drain(t);
        for (size_t i = 0; i < ARRAY_SIZE(t->starts); i++) {
                if (!t->starts[i] || start <= 0 || t->starts[i]->number != (uint32_t) start)
                        continue;
                if (tasks && source->list_tasks)
                        tasks->n = source->list_tasks(t->source, t->starts[i]->number, tasks->tids, ARRAY_SIZE(tasks->tids));
                if (tasks)
                        tasks->is_residency = source->is_residency;
                source->leave(t->source, i);
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
        sources[t->first]->detach(t->source);
        t->attached = false;
}

void prefetch_trace_probe(struct prefetch_trace *t, struct source_info *ret) {
        int r = open_source(t);
        bool works = r == 0;
        uint64_t lost = works ? sources[t->first]->lost(t->source) : 0;

        *ret = (struct source_info){ .name = "pages", .state = works ? SOURCE_WORKS : SOURCE_UNAVAILABLE };
        if (works)
                snprintf(ret->detail, sizeof(ret->detail), "what applications read while they start, through %s, followed %s", sources[t->first]->name,
                         t->attached ? "now" : "when one does");
        else
                snprintf(ret->detail, sizeof(ret->detail), "what a start reads is not told for now: %s", strerrordesc_np(-r));
        if (lost + t->refused > 0)
                str_append(ret->detail, sizeof(ret->detail), "; no room for %" PRIu64 " records and %" PRIu64 " starts", lost, t->refused);
        for (size_t i = 0; i < t->first; i++)
                str_append(ret->detail, sizeof(ret->detail), "; not through %s: %s", sources[i]->name, strerrordesc_np(-t->errors[i]));
}

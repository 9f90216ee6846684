/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <inttypes.h>

#include "arithmetic.h"
#include "prefetch-list.h"
#include "rank-test.h"
#include "statement.h"
#include "str.h"
#include "units.h"

#define ROOM_FIRST 64

int prefetch_list_new(const char *application, uint32_t uid, struct prefetch_list **ret) {
        struct prefetch_list *l = calloc(1, sizeof(*l));

        if (!l)
                return -ENOMEM;
        str_copy(l->application, sizeof(l->application), application);
        l->uid = uid;
        *ret = l;
        return 0;
}

struct prefetch_list *prefetch_list_free(struct prefetch_list *l) {
        if (!l)
                return NULL;
        free(l->files);
        free(l->ranges);
        free(l->names);
        free(l);
        return NULL;
}

const char *prefetch_list_path(const struct prefetch_list *l, const struct prefetch_file *f) {
        return l->names + f->path;
}

bool prefetch_file_is_same(const struct prefetch_file *a, const struct prefetch_file *b) {
        return a->ino == b->ino && a->size == b->size && a->mtime_ns == b->mtime_ns;
}

/* For `wanted` more of them; *room grows by doubling. Returns the array, or NULL and leaves it as it is. */
static void *grow(void *array, size_t size, size_t used, size_t wanted, size_t *room) {
        size_t more = MAX(*room, (size_t) ROOM_FIRST);
        void *grown;

        if (used + wanted <= *room)
                return array;
        while (more < used + wanted)
                more *= 2;
        grown = reallocarray(array, more, size);
        if (grown)
                *room = more;
        return grown;
}

static int refuse(struct prefetch_list *l) {
        l->refused++;
        return -ENOSPC;
}

static int add_name(struct prefetch_list *l, const char *path, uint32_t *ret) {
        size_t length = strlen(path) + 1;
        char *names;

        if (*path != '/' || length > PREFETCH_PATH_MAX || !str_is_text(path) || strchr(path, '\t'))
                return -EINVAL;
        if (l->names_size + length > PREFETCH_NAMES_MAX)
                return refuse(l);
        names = grow(l->names, 1, l->names_size, length, &l->names_room);
        if (!names)
                return -ENOMEM;
        l->names = names;
        memcpy(names + l->names_size, path, length);
        *ret = (uint32_t) l->names_size;
        l->names_size += length;
        return 0;
}

int prefetch_list_add_file(struct prefetch_list *l, const struct prefetch_file *file, const char *path) {
        struct prefetch_file *files;
        uint32_t name;
        int r;

        if (l->n_files == PREFETCH_FILES_MAX)
                return refuse(l);
        files = grow(l->files, sizeof(*files), l->n_files, 1, &l->files_room);
        if (!files)
                return -ENOMEM;
        l->files = files;
        r = add_name(l, path, &name);
        if (r < 0)
                return r;
        files[l->n_files] = *file;
        files[l->n_files].path = name;
        return (int) l->n_files++;
}

int prefetch_list_get_file(struct prefetch_list *l, const struct prefetch_file *file, const char *path) {
        for (size_t i = 0; i < l->n_files; i++)
                if (l->files[i].dev == file->dev && l->files[i].ino == file->ino)
                        return (int) i;
        return prefetch_list_add_file(l, file, path);
}

int prefetch_list_name_file(struct prefetch_list *l, size_t file, const char *path) {
        return add_name(l, path, &l->files[file].path);
}

static int add_range(struct prefetch_list *l, const struct prefetch_range *r) {
        struct prefetch_range *ranges;

        if (r->file >= l->n_files || r->count == 0 || r->first > UINT32_MAX - r->count)
                return -EINVAL;
        if (l->n_ranges == PREFETCH_RANGES_MAX)
                return refuse(l);
        ranges = grow(l->ranges, sizeof(*ranges), l->n_ranges, 1, &l->ranges_room);
        if (!ranges)
                return -ENOMEM;
        l->ranges = ranges;
        ranges[l->n_ranges++] = *r;
        return 0;
}

int prefetch_list_add_pages(struct prefetch_list *l, uint32_t file, uint32_t first, uint32_t count, uint8_t hits) {
        struct prefetch_range *last = l->n_ranges > 0 ? &l->ranges[l->n_ranges - 1] : NULL;
        const struct prefetch_range r = { file, first, count, (uint32_t) l->n_ranges, hits };

        if (last && last->file == file && last->hits == hits && last->first + last->count == first && count <= UINT32_MAX - first) {
                last->count += count;
                return 0;
        }
        return add_range(l, &r);
}

/* Half of them, of an odd number the greater half. */
bool prefetch_range_is_wanted(const struct prefetch_list *l, const struct prefetch_range *r) {
        uint32_t starts = CLAMP(l->starts, 1u, (uint32_t) PREFETCH_STARTS);

        return count_ones(r->hits) >= (starts + 1) / 2;
}

uint64_t prefetch_list_wanted_pages(const struct prefetch_list *l) {
        uint64_t pages = 0;

        for (size_t i = 0; i < l->n_ranges; i++)
                if (prefetch_range_is_wanted(l, &l->ranges[i]))
                        pages += l->ranges[i].count;
        return pages;
}

void prefetch_times_add(struct prefetch_times *t, uint32_t ms) {
        t->ms[t->n++ % PREFETCH_TIMES] = ms;
}

size_t prefetch_times_kept(const struct prefetch_times *t) {
        return MIN(t->n, (size_t) PREFETCH_TIMES);
}

_Static_assert(PREFETCH_TIMES <= RANK_SAMPLES_MAX, "a median is of all of them");

uint32_t prefetch_times_median(const struct prefetch_times *t) {
        return rank_median(t->ms, prefetch_times_kept(t));
}

struct prefetch_worth prefetch_list_get_worth(const struct prefetch_list *l) {
        return (struct prefetch_worth){
                .helped_ms = prefetch_times_median(&l->helped), .helped = (uint32_t) prefetch_times_kept(&l->helped),
                .unhelped_ms = prefetch_times_median(&l->unhelped), .unhelped = (uint32_t) prefetch_times_kept(&l->unhelped),
        };
}

bool prefetch_list_is_worthless(const struct prefetch_list *l) {
        const struct prefetch_worth w = prefetch_list_get_worth(l);

        return w.helped >= PREFETCH_JUDGED && w.unhelped >= PREFETCH_JUDGED && w.helped_ms * 20ULL > w.unhelped_ms * 19ULL;
}

bool prefetch_list_is_control_due(const struct prefetch_list *l, uint32_t every) {
        uint32_t sooner = 2u << MIN(l->unhelped.n, (size_t) 16);

        return every > 0 && l->since_control + 1 >= MIN(every, sooner);
}

char *prefetch_worth_describe(const struct prefetch_worth *w, char *buf, size_t size) {
        uint64_t unhelped_us = w->unhelped_ms * USEC_PER_MSEC;

        *buf = '\0';
        if (w->helped > 0)
                SAY(buf, size, SAY_PREFETCH_HELPED, w->helped_ms * USEC_PER_MSEC);
        if (w->helped > 0 && w->unhelped > 0)
                str_append(buf, size, "; ");
        if (w->unhelped == 1)
                SAY(buf, size, SAY_PREFETCH_CONTROL, unhelped_us);
        else if (w->unhelped > 1)
                SAY(buf, size, SAY_PREFETCH_CONTROLS, unhelped_us, w->unhelped);
        return buf;
}

/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "macro.h"
#include "prefetch-play.h"
#include "prefetch-resident.h"

/* As it is now. Returns false where it may not be learnt of. */
static bool look(const struct prefetch_places *p, const struct prefetch_file *seen, const char *path, struct prefetch_file *ret) {
        const struct prefetch_place *place;
        _cleanup_close_ int fd = prefetch_places_open(p, path, O_PATH, &place);
        struct stat st;

        if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !(st.st_mode & S_IROTH) || st.st_ino != seen->ino || place->fs_dev != seen->dev)
                return false;
        *ret = prefetch_file_of(&st, place->fs_dev);
        return true;
}

static int take_files(const struct prefetch_list *seen, const struct prefetch_places *p, struct prefetch_list *to, int *places) {
        char path[PREFETCH_PATH_MAX];
        struct prefetch_file f;

        for (size_t i = 0; i < seen->n_files; i++) {
                places[i] = -1;
                if (!prefetch_places_locate(p, seen->files[i].dev, prefetch_list_path(seen, &seen->files[i]), path) || !look(p, &seen->files[i], path, &f))
                        continue;
                places[i] = prefetch_list_add_file(to, &f, path);
                if (places[i] == -ENOMEM)
                        return -ENOMEM;
        }
        return 0;
}

/* Nothing beyond the file's end, and of all no more than PREFETCH_PAGES_MAX. */
static int take_ranges(const struct prefetch_list *seen, struct prefetch_list *to, const int *places) {
        uint64_t pages = 0;

        for (size_t i = 0; i < seen->n_ranges && pages < PREFETCH_PAGES_MAX; i++) {
                struct prefetch_range r = seen->ranges[i];
                uint64_t end;
                int error;
                if (places[r.file] < 0)
                        continue;
                end = (to->files[places[r.file]].size + PREFETCH_PAGE_BYTES - 1) / PREFETCH_PAGE_BYTES;
                if (r.first >= end)
                        continue;
                r.count = (uint32_t) MIN((uint64_t) r.count, end - r.first);
                pages += r.count;
                error = prefetch_list_add_pages(to, (uint32_t) places[r.file], r.first, r.count, 1);
                if (error == -ENOMEM)
                        return error;
        }
        return 0;
}

/* What the start needed without the kernel's having to read it: what is known and in memory at its end. */
static void take_resident(const struct prefetch_list *old, const struct prefetch_places *p, struct prefetch_list *to) {
        size_t next;

        for (size_t i = 0; i < old->n_ranges; i = next) {
                const struct prefetch_file *known = &old->files[old->ranges[i].file];
                const char *path = prefetch_list_path(old, known);
                struct prefetch_file now;
                _cleanup_close_ int fd = prefetch_resident_open(p, path, &now);
                int file = fd >= 0 && prefetch_file_is_same(known, &now) ? prefetch_list_get_file(to, &now, path) : -1;
                for (next = i; next < old->n_ranges && old->ranges[next].file == old->ranges[i].file; next++)
                        if (file >= 0)
                                prefetch_resident_add(fd, old->ranges[next].first, old->ranges[next].count, to, (uint32_t) file);
        }
}

static void count(struct prefetch_list *l, const struct prefetch_ended *ended) {
        if (prefetch_outcome_is_help(ended->outcome)) {
                l->since_control++;
                prefetch_times_add(&l->helped, ended->ms);
        } else if (ended->outcome == PREFETCH_CONTROL || ended->outcome == PREFETCH_NONE) {
                l->since_control = 0;
                prefetch_times_add(&l->unhelped, ended->ms);
        }
}

int prefetch_learn(const struct prefetch_list *old, const struct prefetch_list *seen, const struct prefetch_places *p, const struct prefetch_ended *ended,
                   struct prefetch_list **ret) {
        _cleanup_(prefetch_list_freep) struct prefetch_list *found = NULL;
        _cleanup_free_ int *places = calloc(MAX(seen->n_files, (size_t) 1), sizeof(*places));
        bool helped, is_elsewhere;
        int r = places ? prefetch_list_new(seen->application, seen->uid, &found) : -ENOMEM;

        if (r == 0)
                r = take_files(seen, p, found, places);
        if (r == 0)
                r = take_ranges(seen, found, places);
        if (r < 0)
                return r;
        helped = prefetch_outcome_is_help(ended->outcome);
        is_elsewhere = found->n_ranges == 0 && !helped; /* another program of that name, on another drive */
        if (!helped && !is_elsewhere)
                take_resident(old, p, found);
        r = prefetch_list_merge(old, found, helped || is_elsewhere, ret);
        if (r == 0 && !is_elsewhere)
                count(*ret, ended);
        return r;
}
